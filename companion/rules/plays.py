"""Legal plays (RULES.md C1-C6, D1-D4, E1-E4): every distinct resulting position, each with one play in notation.

This module is the law as the referee explains it: one die moves one checker (`steps_with`), a turn plays as many
numbers as it can. `companion.rules.fast` gives the same positions without the notation, several times faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from companion.errors import RuleError
from companion.rules.movetext import format_steps, runs_of
from companion.rules.packed import (
    ON_BAR,
    OUTSIDE_HOME,
    POINTS,
    THEIRS,
    TO_THEIR_BAR,
    Step,
    closed_points,
    numbers,
    own_places,
    pack,
    unpack,
)
from companion.rules.position import BAR, OFF, Position, Side

Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """A way to play a roll: standard notation (empty: nothing can be moved), the steps, the position after."""

    text: str
    steps: tuple[Step, ...]
    after: Position


def legal_plays(position: Position, side: Side, dice: tuple[int, int]) -> tuple[Play, ...]:
    """All legal plays, one per distinct resulting position; if none can be moved, one empty play (C6).

    Where several ways lead to one position, the notation with the fewest moved checkers is given, among those the
    one that is first when the moves are read from the highest point down. The order of the plays is fixed.
    """
    paths = legal_paths(pack(position, side), dice)
    plays = [Play(format_steps(path), path, unpack(key, side)) for key, path in paths.items()]
    return tuple(sorted(plays, key=lambda play: [(-step.start, step.end) for step in play.steps]))


def legal_paths(key: int, dice: tuple[int, int]) -> dict[int, Path]:
    """Every resulting key with the steps that lead there; `{key: ()}` when no number can be played."""
    high, low = max(check_dice(dice)), min(dice)
    found = _double_paths(key, high) if high == low else _best_notation(_two_number_ways(key, high, low))
    return found or {key: ()}


def all_ways(key: int, dice: tuple[int, int]) -> list[Path]:
    """Every sequence of steps that is a legal play, in every order (of a double: only downwards)."""
    high, low = max(check_dice(dice)), min(dice)
    if high == low:
        return list(_double_paths(key, high).values())
    return [path for _, path in _two_number_ways(key, high, low)]


def check_dice(dice: tuple[int, int]) -> tuple[int, int]:
    """`dice`, or RuleError when it is not two numbers from 1 to 6."""
    if len(dice) != 2 or not all(1 <= die <= 6 for die in dice):
        raise RuleError(f"dice {dice}: two numbers from 1 to 6 are needed, such as 31")
    return dice


def steps_with(key: int, die: int) -> Iterator[tuple[Step, int]]:
    """Every legal move of one checker by one number, with the key it leads to (C2, C3, D1, D2, E1, E2)."""
    places = own_places(key)
    movable = places & (ON_BAR if places & ON_BAR else POINTS)
    open_points = POINTS & ~closed_points(key)
    for start in numbers(movable & open_points << 8 * die):
        yield _moved(key, start, start - die)
    start = bearing_off_point(places, die)
    if start:
        yield Step(start, OFF, False), key - (1 << 8 * start) + 1


def bearing_off_point(places: int, die: int) -> int:
    """The own point from which `die` bears a checker off, 0 when it cannot (E1, E2)."""
    if places & OUTSIDE_HOME or not places & POINTS:
        return 0
    highest = numbers(places & POINTS)[0]
    if highest < die:
        return highest
    return die if places >> 8 * die & 1 else 0


def _moved(key: int, start: int, end: int) -> tuple[Step, int]:
    """One checker moved within the board, with the hit it makes (C3)."""
    after = key - (1 << 8 * start) + (1 << 8 * end)
    hit = bool(key >> THEIRS + 8 * end & 0xFF)
    if hit:
        after += TO_THEIR_BAR - (1 << THEIRS + 8 * end)
    return Step(start, end, hit), after


def _two_number_ways(key: int, high: int, low: int) -> list[tuple[int, Path]]:
    """C4 and C5 for two different numbers: both if any order allows, else the higher, else the lower."""
    first_high = list(steps_with(key, high))
    first_low = list(steps_with(key, low))
    both = [*_continued(first_high, low), *_continued(first_low, high)]
    return both or [(after, (step,)) for step, after in first_high or first_low]


def _continued(firsts: list[tuple[Step, int]], die: int) -> Iterator[tuple[int, Path]]:
    """All two-step paths that go on from `firsts` with `die`."""
    for first, middle in firsts:
        for second, after in steps_with(middle, die):
            yield after, (first, second)


def _best_notation(found: Iterable[tuple[int, Path]]) -> dict[int, Path]:
    """One path per resulting key: the rule of `legal_plays`."""
    best: dict[int, Path] = {}
    for after, path in found:
        if after not in best or _notation_rank(path) < _notation_rank(best[after]):
            best[after] = path
    return best


def _notation_rank(path: Path) -> tuple[int, list[int], list[int]]:
    """Fewest checkers moved, then highest starts, then furthest ends; the last part settles the order of the steps."""
    return len(runs_of(path)), [-step.start for step in path], [step.end for step in path]


def _double_paths(key: int, die: int) -> dict[int, Path]:
    """C4 for a double: as many of the four as possible.

    The moves of one number can always be made from the highest point down, and a set of such moves gives a position
    no other set gives. So only paths with falling starts are walked, and none has to be compared with another.
    """
    layer: dict[int, Path] = {key: ()}
    for _ in range(4):
        following = dict(_extended(layer, die))
        if not following:
            break
        layer = following
    return {} if key in layer else layer


def _extended(layer: dict[int, Path], die: int) -> Iterator[tuple[int, Path]]:
    """Every path of `layer` with one more move of `die` that starts no higher than its last."""
    for key, path in layer.items():
        limit = path[-1].start if path else BAR
        for step, after in steps_with(key, die):
            if step.start <= limit:
                yield after, (*path, step)
