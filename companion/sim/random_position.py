"""Random but lifelike positions: openings and middle games by random play, races, bear-offs, stacks, bar, empty."""

from __future__ import annotations

import numpy as np

from companion.rules.position import BAR, CHECKERS, OFF, START, Counts, Position, Side


def _step(own: list[int], other: list[int], die: int, rng: np.random.Generator, forward: float) -> bool:
    """One checker moved by one die, if any can. `forward`: how much play prefers the rear checkers."""
    sources = [BAR] if own[BAR] else [p for p in range(1, 25) if own[p]]
    rng.shuffle(sources)
    if rng.random() < forward:
        sources.sort(reverse=True)
    home = not any(own[7:])
    for p in sources:
        q = p - die
        if q <= 0:
            if not home or (q < 0 and any(own[p + 1 : 7])):
                continue
            q = OFF
        elif other[25 - q] > 1:
            continue
        own[p] -= 1
        own[q] += 1
        if q and other[25 - q] == 1:
            other[25 - q] = 0
            other[BAR] += 1
        return True
    return False


def played(rng: np.random.Generator, turns: int, forward: float = 0.5) -> Position:
    """The starting position after so many random rolls."""
    white, black = list(START.white), list(START.black)
    sides = (white, black)
    for turn in range(turns):
        own, other = sides[turn % 2], sides[1 - turn % 2]
        a, b = (int(v) for v in rng.integers(1, 7, 2))
        for die in [a] * 4 if a == b else [a, b]:
            _step(own, other, die, rng, forward)
        if own[OFF] == CHECKERS:
            break
    return Position(tuple(white), tuple(black))


def _home_side(rng: np.random.Generator, off: int) -> Counts:
    counts = [0] * 26
    counts[OFF] = off
    for _ in range(CHECKERS - off):
        counts[int(rng.choice(6, p=[0.24, 0.2, 0.17, 0.15, 0.12, 0.12])) + 1] += 1
    return tuple(counts)


def bear_off(rng: np.random.Generator) -> Position:
    """Both sides bearing off."""
    return Position(_home_side(rng, int(rng.integers(0, 15))), _home_side(rng, int(rng.integers(0, 15))))


def stacks(rng: np.random.Generator) -> Position:
    """Some points with six to fifteen checkers."""
    free = list(rng.permutation(np.arange(1, 25)))
    sides = []
    for side in range(2):
        counts, left = [0] * 26, CHECKERS
        first = int(rng.integers(6, 16))
        for n in (first, left - first if rng.random() < 0.3 else 0):
            n = min(n, left)
            if n:
                point = int(free.pop())
                counts[point if side == 0 else 25 - point] += n
                left -= n
        while left:
            n = min(left, int(rng.integers(1, 5)))
            point = int(free.pop())
            counts[point if side == 0 else 25 - point] += n
            left -= n
        sides.append(tuple(counts))
    return Position(sides[0], sides[1])


def with_bar(rng: np.random.Generator, position: Position) -> Position:
    """Some checkers taken from the points to the bar."""
    for side in Side:
        counts = list(position.of(side))
        for _ in range(int(rng.choice([0, 1, 2, 3, 5], p=[0.3, 0.35, 0.2, 0.1, 0.05]))):
            filled = [p for p in range(1, 25) if counts[p]]
            if filled:
                counts[int(rng.choice(filled))] -= 1
                counts[BAR] += 1
        position = position.replace(side, tuple(counts))
    return position


def scattered(rng: np.random.Generator) -> Position:
    """Checkers anywhere, as after a try-out or while setting up."""
    free = list(rng.permutation(np.arange(1, 25)))
    cut = int(rng.integers(6, 18))
    sides = []
    for k, mine in enumerate((free[:cut], free[cut:])):
        counts = [0] * 26
        counts[OFF] = int(rng.integers(0, 6))
        for _ in range(CHECKERS - counts[OFF]):
            point = int(rng.choice(mine))
            counts[point if k == 0 else 25 - point] += 1
        sides.append(tuple(counts))
    return Position(sides[0], sides[1])


def empty(rng: np.random.Generator) -> Position:
    """All checkers off, or nearly all."""
    sides = []
    for _ in range(2):
        counts = [0] * 26
        few = int(rng.integers(0, 3))
        counts[OFF] = CHECKERS - few
        for _ in range(few):
            counts[int(rng.integers(1, 7))] += 1
        sides.append(tuple(counts))
    return Position(sides[0], sides[1])


def random_position(rng: np.random.Generator) -> tuple[Position, str]:
    """A position and the name of its stage."""
    kind = str(
        rng.choice(
            ["start", "opening", "middle", "late", "bearoff", "stack", "bar", "scattered", "empty"],
            p=[0.12, 0.15, 0.28, 0.10, 0.14, 0.06, 0.08, 0.05, 0.02],
        )
    )
    forward = float(rng.uniform(0.1, 0.8))
    makers = {
        "start": lambda: START,
        "opening": lambda: played(rng, int(rng.integers(1, 8)), forward),
        "middle": lambda: played(rng, int(rng.integers(8, 40)), forward),
        "late": lambda: played(rng, int(rng.integers(40, 90)), 0.8),
        "bearoff": lambda: bear_off(rng),
        "stack": lambda: stacks(rng),
        "bar": lambda: with_bar(rng, played(rng, int(rng.integers(6, 30)), forward)),
        "scattered": lambda: scattered(rng),
        "empty": lambda: empty(rng),
    }
    return makers[kind](), kind
