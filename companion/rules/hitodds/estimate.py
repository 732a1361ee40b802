"""Where solving would take too long: games played out under a good policy, with the 95 % interval of the rate.

Both sides judge a position by the exact one- and two-man tables: the other side's men are taken in pairs, and the
best pair's chance counts. That is a good player of this game, not a perfect one, so the answer is marked `estimate`.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from companion.rules.hitodds.question import Outcome, Question, outcomes, partial_outcomes
from companion.rules.hitodds.states import other_side
from companion.rules.hitodds.tables import table

Both = tuple[float, float]
GAMES = 300
PLAY_GAMES = 40


def wilson(k: int, n: int) -> Both:
    """95 % interval of the rate k of n (Wilson 1927)."""
    z = 1.96
    p, d = k / n, 1 + z * z / n
    centre, half = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return max(0.0, (centre - half) / d), min(1.0, (centre + half) / d)


def judged(asked: Question, bearing_to_roll: bool) -> float:
    """A position's worth to the other side by the best pair of its men (0 without tables or contact)."""
    if not asked.has_contact:
        return 0.0
    men = min(2, len(asked.places))
    ready = table(men)
    if ready is None:
        return -float(sum(asked.places))
    side = other_side(men)
    pairs = set(combinations(asked.places, men))
    return max(ready.look_up(asked.bearing, side.find(pair))[0 if bearing_to_roll else 1] for pair in pairs)


def choose(plays: list[Outcome], bearing: bool) -> Outcome:
    """The play a good player makes."""
    for play in plays:
        if play.hit:
            return play
    if bearing:
        return min(plays, key=lambda o: judged(o.after, False))
    return max(plays, key=lambda o: judged(o.after, True))


def is_hit(asked: Question, bearing_on_roll: bool, spare_moves: bool, rng: np.random.Generator) -> bool:
    """One game played out: is a man of the bearing side hit?"""
    stuck = 0
    while asked.has_contact and stuck < 20:
        a, b = (int(v) for v in rng.integers(1, 7, 2))
        if spare_moves and not bearing_on_roll:
            plays = partial_outcomes(asked, (a, b))
        else:
            plays = outcomes(asked, (a, b), bearing_on_roll)
        play = choose(plays, bearing_on_roll)
        if play.hit:
            return True
        stuck = stuck + 1 if play.after == asked else 0
        asked, bearing_on_roll = play.after, not bearing_on_roll
    return False


def estimate(
    asked: Question, after: list[Question], spare_moves: bool, on_roll: str | None, seed: int = 1
) -> tuple[Both, tuple[Both, Both], dict[Question, Both]]:
    """Both chances with their intervals, and rougher ones of the positions after a roll's plays."""
    rng = np.random.default_rng(seed)
    hits = [sum(is_hit(asked, bearing, spare_moves, rng) for _ in range(GAMES)) for bearing in (True, False)]
    values: dict[Question, Both] = {}
    for q in after:
        share = sum(is_hit(q, on_roll != "bearing", spare_moves, rng) for _ in range(PLAY_GAMES)) / PLAY_GAMES
        values[q] = share, share
    return (hits[0] / GAMES, hits[1] / GAMES), (wilson(hits[0], GAMES), wilson(hits[1], GAMES)), values
