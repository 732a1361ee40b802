"""Where solving would take too long: games played out under a good policy, with the 95 % interval of the rate.

Both sides judge a position by the exact one- and two-man tables: the other side's men are taken in pairs, and the
best pair's chance counts. That is a good player of this game, not a perfect one, so the answer is marked `estimate`.
"""

from __future__ import annotations

from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.rules.hitodds.question import Dice, Question, partial_results, results
from companion.rules.hitodds.states import OTHER_OFF, Bearing, Floats, other_side
from companion.rules.hitodds.tables import MEN, table

Both = tuple[float, float]
GAMES = 1000
"""Games with either side on roll."""
STUCK = 20
"""So many turns running in which nobody could move: given up as no hit."""
PLAYS_GAMES, LEAST_GAMES = 3000, 50
"""Games for all plays of a roll together, and at least for each of them."""


def wilson(k: int, n: int) -> Both:
    """95 % interval of the rate k of n (Wilson 1927)."""
    z = 1.96
    p, d = k / n, 1 + z * z / n
    centre, half = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return max(0.0, (centre - half) / d), min(1.0, (centre + half) / d)


def judged(bearing: Bearing, places: NDArray[np.int64], bearing_to_roll: bool, model: str) -> Floats:
    """(n,) worths to the other side by the best pair of its men; `places`: (n, men), sorted."""
    ready = table(model)
    if ready is None:
        nearest: Floats = -places.sum(axis=1).astype(float)
        return nearest
    if places.shape[1] == 1:
        places = np.pad(places, ((0, 0), (0, 1)), constant_values=OTHER_OFF)
    pairs = places[:, list(combinations(range(places.shape[1]), MEN))]
    numbers = other_side(MEN).number(pairs)
    worths: Floats = ready.values(bearing, numbers.ravel())[0 if bearing_to_roll else 1].reshape(numbers.shape)
    return np.asarray(worths.max(axis=1))


def played(asked: Question, dice: Dice, bearing_on_roll: bool, spare_moves: bool) -> Question | None:
    """Where the play of a good player leads; None: it hits."""
    if spare_moves and not bearing_on_roll:
        plays, hit = partial_results(asked, dice)
    else:
        plays, hit = results(asked, dice, bearing_on_roll)
    if hit:
        return None
    if len(plays) == 1:
        return next(iter(plays))
    return _best(sorted(plays, key=lambda q: (q.bearing, q.places)), bearing_on_roll, spare_moves)


def _best(plays: list[Question], bearing_on_roll: bool, spare_moves: bool) -> Question:
    model = "spare_moves" if spare_moves else "ordinary"
    worths: list[float] = []
    for bearing, group in groupby(plays, key=lambda q: q.bearing):
        worths += judged(bearing, np.array([q.places for q in group]), not bearing_on_roll, model).tolist()
    wanted = min(worths) if bearing_on_roll else max(worths)
    return plays[worths.index(wanted)]


def is_hit(asked: Question, bearing_on_roll: bool, spare_moves: bool, rng: np.random.Generator) -> bool:
    """One game played out: is a man of the bearing side hit?"""
    stuck = 0
    while asked.has_contact and stuck < STUCK:
        first, second = rng.integers(1, 7, 2).tolist()
        after = played(asked, (first, second), bearing_on_roll, spare_moves)
        if after is None:
            return True
        stuck = stuck + 1 if after == asked else 0
        asked, bearing_on_roll = after, not bearing_on_roll
    return False


class Estimate(NamedTuple):
    """Both chances with their intervals, and the chance with its interval after each play."""

    both: Both
    interval: tuple[Both, Both]
    plays: dict[Question, tuple[float, Both]]


def estimate(asked: Question, after: list[Question], spare_moves: bool, on_roll: str | None, seed: int = 1) -> Estimate:
    """Games played out from `asked` with either side on roll, and fewer from each of the positions `after` a roll.

    All plays meet the same dice, so they differ by less than their intervals say.
    """
    hits = [_hits(asked, bearing, spare_moves, GAMES, seed) for bearing in (True, False)]
    games = max(LEAST_GAMES, min(GAMES, PLAYS_GAMES // max(1, len(after))))
    found = {q: _hits(q, on_roll != "bearing", spare_moves, games, seed) if q.has_contact else 0 for q in after}
    plays = {q: (k / games, wilson(k, games)) for q, k in found.items()}
    return Estimate(
        (hits[0] / GAMES, hits[1] / GAMES),
        (wilson(hits[0], GAMES), wilson(hits[1], GAMES)),
        plays,
    )


def _hits(asked: Question, bearing_on_roll: bool, spare_moves: bool, games: int, seed: int) -> int:
    return sum(
        is_hit(asked, bearing_on_roll, spare_moves, np.random.default_rng((seed, game))) for game in range(games)
    )
