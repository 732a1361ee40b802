"""Hit odds: numbering of the states and the single moves between them.

The bearing side's men are six counts (its points 1 … 6). The other side's men are seen from the bearing side: place 0
is its bar, 1 … 24 the bearing side's points, 25 = borne off; they move upwards. A configuration of m men is the sorted
tuple of their places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

Bearing = tuple[int, ...]
"""Men on the bearing side's points 1 … 6."""
Floats = NDArray[np.floating]
Indices = NDArray[np.int32]
Mask = NDArray[np.bool_]

OTHER_BAR, OTHER_OFF = 0, 25


class OtherSide:
    """All configurations of `men` men of the other side, numbered; built once per number of men.

    `step_to[die - 1][i]`: configuration after man i moved by `die` were no point closed, `size` = cannot be played;
    `landing[die - 1][i]`: the place it lands on, at most 25.
    """

    def __init__(self, men: int) -> None:
        self.men = men
        self.places = np.array(list(combinations_with_replacement(range(26), men)), dtype=np.int64)
        self.size = len(self.places)
        self._weights = 26 ** np.arange(men - 1, -1, -1, dtype=np.int64)
        self._number = np.full(26**men, self.size, dtype=np.int32)
        self._number[self.places @ self._weights] = np.arange(self.size, dtype=np.int32)
        count = np.stack([(self.places == t).sum(axis=1) for t in range(7)])
        self.blocked: Mask = count >= 2  # (7, size): the bearing side may not land there
        self.blocked[0] = False
        self.after_hit: Indices = self._hit_by_bearing(count)
        self.landing = np.minimum(self.places.T[None] + np.arange(1, 7)[:, None, None], OTHER_OFF)
        self.step_to: Indices = np.stack([self._steps(die) for die in range(1, 7)])

    def number(self, places: NDArray[np.int64]) -> Indices:
        """Numbers of configurations given as (…, men) places in any order."""
        found: Indices = self._number[np.sort(places, axis=-1) @ self._weights]
        return found

    def find(self, places: tuple[int, ...]) -> int:
        """Number of one configuration."""
        return int(self.number(np.array(places, dtype=np.int64)))

    def in_contact(self, top: int) -> int:
        """How many configurations stand behind a bearing man on point `top`: the first so many."""
        return int(np.searchsorted(self.places[:, 0], top))

    def _hit_by_bearing(self, count: NDArray[np.int64]) -> Indices:
        """(7, size): the configuration after the bearing side lands on point t: a single man there goes to its bar."""
        same = np.arange(self.size, dtype=np.int32)
        table = np.tile(same, (7, 1))
        for t in range(1, 7):
            moved = np.where(self.places == t, OTHER_BAR, self.places)
            table[t] = np.where(count[t] == 1, self.number(moved), same)
        return table

    def _steps(self, die: int) -> Indices:
        """(men, size): see the class."""
        on_bar = self.places[:, 0] == OTHER_BAR
        all_home = self.places[:, 0] >= 19
        result = np.empty((self.men, self.size), dtype=np.int32)
        for i in range(self.men):
            here = self.places[:, i]
            there = here + die
            may = (here != OTHER_OFF) & (~on_bar | (here == OTHER_BAR))
            # E1, E2: bearing off needs all men at home; a larger die only takes the rearmost man.
            may &= (there < OTHER_OFF) | (all_home & ((there == OTHER_OFF) | (here == self.places[:, 0])))
            moved = self.places.copy()
            moved[:, i] = np.minimum(there, OTHER_OFF)
            result[i] = np.where(may, self.number(moved), self.size)
        return result


@cache
def other_side(men: int) -> OtherSide:
    """The shared numbering for that many men."""
    return OtherSide(men)


@dataclass(frozen=True, slots=True)
class BearingMove:
    """One man moved by one die: what is left, and the point landed on (0 = borne off)."""

    left: Bearing
    target: int


def moves_of(occupied: tuple[bool, ...], die: int) -> list[tuple[int, int]]:
    """(from, to) of the bearing side's single moves with one die, were no point closed; 0 = borne off (E2)."""
    starts = [point for point in range(6, 0, -1) if occupied[point - 1]]
    return [(p, max(p - die, 0)) for p in starts if p >= die or p == starts[0]]


@lru_cache(maxsize=200_000)
def bearing_moves(bearing: Bearing, die: int) -> tuple[BearingMove, ...]:
    """The single moves of the bearing side with one die, were no point closed (E2)."""
    return tuple(BearingMove(moved(bearing, *move), move[1]) for move in moves_of(tuple(n > 0 for n in bearing), die))


def moved(bearing: Bearing, start: int, end: int) -> Bearing:
    """One man moved from a point to a point, 0 = borne off."""
    left = list(bearing)
    left[start - 1] -= 1
    if end:
        left[end - 1] += 1
    return tuple(left)


def pips(bearing: Bearing) -> int:
    """Pips of the bearing side."""
    return sum((i + 1) * n for i, n in enumerate(bearing))


def top_point(bearing: Bearing) -> int:
    """The highest point of the bearing side, 0 = all off."""
    return max((point for point, n in enumerate(bearing, start=1) if n), default=0)


def occupied_of(bearing: Bearing) -> tuple[bool, ...]:
    """Which of its six points the bearing side holds."""
    return tuple(n > 0 for n in bearing)


def reachable(bearing: Bearing, limit: int | None = None) -> list[Bearing]:
    """Every state the bearing side can come to by its own moves, fewest pips first. Stops growing beyond `limit`."""
    seen = {bearing}
    front = [bearing]
    while front and (limit is None or len(seen) <= limit):
        following = {m.left for b in front for die in range(1, 7) for m in bearing_moves(b, die)} - seen
        seen |= following
        front = list(following)
    return sorted(seen, key=lambda b: (pips(b), b))


def all_bearing(men: int) -> list[Bearing]:
    """Every state of at most `men` bearing men, fewest pips first."""
    found = [
        tuple(combination.count(point) for point in range(1, 7))
        for combination in combinations_with_replacement(range(7), men)
    ]
    return sorted(found, key=lambda b: (pips(b), b))
