"""Hit odds, exact: backward over the bearing side's states, all configurations of the other side at once.

A state is solved when every state with fewer bearing pips is; states of equal pips that hold the same points are
solved together, since they have the same single moves. Within one bearing state the other side's own moves lead to
configurations further on, and "neither can move" to itself: the small loop that is left (FORMATS.md "Hit odds") is
iterated to its least fixed point, since standing still for ever is no hit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.rules.hitodds.states import (
    Bearing,
    Floats,
    Mask,
    OtherSide,
    moved,
    moves_of,
    occupied_of,
    pips,
)

NO_PLAY = -1.0
"""Marks "this die cannot be played" where the other side takes the largest value."""
PAIRS = tuple(combinations(range(1, 7), 2))
ROWS = 19
"""Rows kept of a bearing state: its value with the other side on roll, best after one die 1-6, two and three equal."""
SETTLED = 1e-14
BATCH_BYTES = 8_000_000
"""Working size of the states solved together: about a processor's cache."""
WINDOW_BYTES = 400_000_000
"""A larger window lies in a scratch file, in single precision."""

Progress = Callable[[int, int], None]
Columns = NDArray[np.intp]
"""Numbers of some configurations."""


class Solved(NamedTuple):
    """One bearing state's chances of a hit, over all configurations of the other side."""

    state: Bearing
    bearing_on_roll: Floats
    against_on_roll: Floats


class Window:
    """Rows of the last seven layers of pips: a single move is at most six pips, older layers are never looked at."""

    def __init__(self, states: Sequence[Bearing], size: int) -> None:
        layers = [len(list(group)) for _, group in groupby(states, key=pips)]
        slots = max(sum(layers[i : i + 7]) for i in range(len(layers)))
        shape = (slots, size, ROWS)
        if slots * size * ROWS * 8 > WINDOW_BYTES:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the window)
            self.rows: Floats = np.memmap(self._file, dtype=np.float32, mode="w+", shape=shape)
        else:
            self.rows = np.empty(shape)
        self.slot: dict[Bearing, int] = {}
        self._free = list(range(slots))

    def forget_below(self, layer: int) -> None:
        for state in [s for s in self.slot if pips(s) < layer]:
            self._free.append(self.slot.pop(state))

    def put(self, states: Sequence[Bearing], rows: Floats) -> None:
        for state, row in zip(states, rows, strict=True):
            slot = self._free.pop()
            self.slot[state], self.rows[slot] = slot, row


def solve(
    states: Sequence[Bearing], side: OtherSide, *, spare_moves: bool = False, progress: Progress | None = None
) -> Iterator[Solved]:
    """Every one of `states`, which are ordered by pips and hold whatever their moves lead to."""
    window = Window(states, side.size)
    done = 0
    for layer, group in groupby(states, key=pips):
        window.forget_below(layer - 6)
        for batch in batches(list(group), side.size):
            rows, on_roll, against = solve_batch(batch, side, window, spare_moves)
            window.put(batch, rows)
            done += len(batch)
            if progress is not None:
                progress(done, len(states))
            yield from (Solved(*found) for found in zip(batch, on_roll, against, strict=True))


def batches(layer: list[Bearing], size: int) -> Iterator[list[Bearing]]:
    """The states of one layer that hold the same points, in pieces of a working size."""
    most = max(1, BATCH_BYTES // (size * ROWS * 8))
    for _, group in groupby(sorted(layer, key=occupied_of), key=occupied_of):
        alike = list(group)
        yield from (alike[i : i + most] for i in range(0, len(alike), most))


def solve_batch(
    batch: list[Bearing], side: OtherSide, window: Window, spare_moves: bool
) -> tuple[Floats, Floats, Floats]:
    """(b, size, ROWS) rows that later states need, and both values (b, size)."""
    shape = (len(batch), side.size)
    rows = np.full((*shape, ROWS), np.inf)
    if not any(batch[0]):
        rows[..., 0] = 0.0
        return rows, np.zeros(shape), np.zeros(shape)
    after = bearing_rows(batch, side, window)
    on_roll, against = settle(batch, side, *bearing_value(after), spare_moves)
    rows[..., 0] = against
    for die in range(1, 7):
        rows[..., die] = after[die - 1][..., 0]
        rows[..., 6 + die] = after[die - 1][..., die]
        rows[..., 12 + die] = after[die - 1][..., 6 + die]
    return rows, on_roll, against


def bearing_rows(batch: list[Bearing], side: OtherSide, window: Window) -> list[Floats]:
    """For each die played first: the least of every row of the states it leads to (inf = cannot be played)."""
    result = []
    for die in range(1, 7):
        best = np.full((len(batch), side.size, ROWS), np.inf)
        for start, end in moves_of(occupied_of(batch[0]), die):
            slots = np.array([window.slot[moved(state, start, end)] for state in batch])
            rows = window.rows[slots[:, None], side.after_hit[end]]
            rows[:, side.blocked[end]] = np.inf
            np.minimum(best, rows, out=best)
        result.append(best)
    return result


def bearing_value(after: list[Floats]) -> tuple[Floats, Floats]:
    """Chance part that moved on, and the chance of no legal play, of the bearing side on roll (C4, C5)."""
    on = np.zeros(after[0].shape[:2])
    stuck = np.zeros_like(on)
    for low, high in PAIRS:
        both = np.minimum(after[low - 1][..., high], after[high - 1][..., low])
        one = first_played(after[high - 1][..., 0], after[low - 1][..., 0])
        add_roll(first_played(both, one), 2 / 36, on, stuck)
    for die in range(1, 7):
        rows = after[die - 1]
        add_roll(first_played(*(rows[..., row] for row in (12 + die, 6 + die, die, 0))), 1 / 36, on, stuck)
    return on, stuck


def first_played(*plays: Floats) -> Floats:
    """Among plays ordered from the fullest: the first that can be played (inf = none)."""
    best = plays[-1]
    for play in reversed(plays[:-1]):
        best = np.where(np.isinf(play), best, play)
    return best


def add_roll(best: Floats, chance: float, on: Floats, stuck: Floats) -> None:
    """One roll's share, in place."""
    none = np.isinf(best)
    on += np.where(none, 0.0, chance * np.where(none, 0.0, best))
    stuck += np.where(none, chance, 0.0)


def settle(
    batch: list[Bearing], side: OtherSide, on: Floats, stuck: Floats, spare_moves: bool
) -> tuple[Floats, Floats]:
    """Both values, from the least fixed point of "bearing stuck -> other side -> …"."""
    turn = OtherTurn(batch, side, spare_moves)
    on_roll = on.copy()
    columns: Columns = np.flatnonzero(stuck.any(axis=0))
    change = 1.0 if len(columns) else 0.0
    while change > SETTLED:
        following = on[:, columns] + stuck[:, columns] * turn.value(on_roll, columns)
        change = float(np.abs(following - on_roll[:, columns]).max())
        on_roll[:, columns] = following
    return on_roll, turn.value(on_roll)


class OtherTurn:
    """The other side on roll against some bearing states (b of them): its best complete play, roll by roll."""

    def __init__(self, batch: Sequence[Bearing], side: OtherSide, spare_moves: bool) -> None:
        self.side, self.spare_moves = side, spare_moves
        men = np.zeros((32, len(batch)), dtype=np.int64)
        men[1:7] = np.array(batch).T
        self.closed: Mask = men >= 2  # (place, b)
        self.blot: Mask = men == 1

    def value(self, on_roll: Floats, columns: Columns | None = None) -> Floats:
        """(b, size) values with the bearing side on roll -> (b, len(columns)) with the other side on roll."""
        stay = np.ascontiguousarray(on_roll.T)
        one = np.stack([self.best_step(stay[None], die)[0] for die in range(1, 7)])
        two = [self.best_step(one, die, columns) for die in range(1, 7)]
        at = slice(None) if columns is None else columns
        total = np.zeros_like(stay[at])
        for low, high in PAIRS:
            both = np.maximum(two[low - 1][high - 1], two[high - 1][low - 1])
            total += 2 / 36 * self.choose(stay[at], both, one[high - 1][at], one[low - 1][at])
        for die in range(1, 7):
            total += 1 / 36 * self.double(stay, one[die - 1], die, at, columns)
        return total.T

    def double(self, stay: Floats, single: Floats, die: int, at: slice | Columns, columns: Columns | None) -> Floats:
        """Four of the same number, or as many of them as can be played."""
        pair = self.best_step(single[None], die)
        three = self.best_step(pair, die)
        four = self.best_step(three, die, columns)
        return self.choose(stay[at], four[0], three[0][at], pair[0][at], single[at])

    def best_step(self, values: Floats, die: int, columns: Columns | None = None) -> Floats:
        """(k, size, b) values -> (k, columns, b): the best single move by any man; a hit counts 1 (C3).

        NO_PLAY where no man can move, or where `values` says that the rest of the play cannot be made.
        """
        nothing = np.full((len(values), 1, values.shape[2]), NO_PLAY)
        padded = np.concatenate([values, nothing], axis=1)
        best: Floats | None = None
        for i in range(self.side.men):
            to, landing = self.side.step_to[die - 1, i], self.side.landing[die - 1, i]
            if columns is not None:
                to, landing = to[columns], landing[columns]
            reached = padded.take(to, axis=1)
            reached = np.where(self.blot[landing] & (reached > NO_PLAY), 1.0, reached)
            reached[:, self.closed[landing]] = NO_PLAY
            best = reached if best is None else np.maximum(best, reached, out=best)
        assert best is not None
        return best

    def choose(self, stay: Floats, *plays: Floats) -> Floats:
        """Among plays ordered from the fullest: the first that can be played; with spare moves the best of all."""
        best = stay
        for play in reversed(plays):
            best = np.maximum(best, play) if self.spare_moves else np.where(play > NO_PLAY, play, best)
        return best
