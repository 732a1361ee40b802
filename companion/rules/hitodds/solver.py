"""Hit odds, exact: backward over the bearing side's states, all configurations of the other side at once.

A state is solved when every state with fewer bearing pips is; states of equal pips that hold the same points are
solved together, since they have the same single moves. Within one bearing state the other side's own moves lead to
configurations further on, and "neither can move" to itself: the small loop that is left (FORMATS.md "Hit odds") is
iterated to its least fixed point, since standing still for ever is no hit.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.rules.hitodds.states import (
    Bearing,
    Floats,
    Indices,
    OtherSide,
    moved,
    moves_of,
    occupied_of,
    pips,
    top_point,
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
SCRATCH = "/var/tmp"
"""Where that file lies: `/tmp` is memory on many systems."""

Progress = Callable[[int, int], None]
Columns = NDArray[np.intp]
"""Numbers of some configurations."""


class Solved(NamedTuple):
    """One bearing state's chances of a hit, over the configurations in contact with the highest state of all."""

    state: Bearing
    bearing_on_roll: Floats
    against_on_roll: Floats


class Window:
    """Rows of the last seven layers of pips: a single move is at most six pips, older layers are never looked at."""

    def __init__(self, states: Sequence[Bearing], size: int) -> None:
        layers = [len(list(group)) for _, group in groupby(states, key=pips)]
        slots = max(sum(layers[i : i + 7]) for i in range(len(layers)))
        self.size = size
        self._on_disk = slots * size * ROWS * 8 > WINDOW_BYTES
        if self._on_disk:
            folder = SCRATCH if os.path.isdir(SCRATCH) else None
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (lives as long as the window)
        else:
            self._rows: Floats = np.empty((slots, size, ROWS))
        self.slot: dict[Bearing, int] = {}
        self._free = list(range(slots))

    def forget_below(self, layer: int) -> None:
        for state in [s for s in self.slot if pips(s) < layer]:
            self._free.append(self.slot.pop(state))

    def put(self, states: Sequence[Bearing], rows: Floats) -> None:
        for state, row in zip(states, rows, strict=True):
            slot = self.slot[state] = self._free.pop()
            if self._on_disk:
                self._file.seek(slot * self.size * ROWS * 4)
                self._file.write(row.astype(np.float32).tobytes())
            else:
                self._rows[slot] = row

    def rows(self, states: Sequence[Bearing], configurations: Indices) -> Floats:
        """(states, configurations, ROWS)"""
        slots = [self.slot[state] for state in states]
        if self._on_disk:
            return np.stack([self._read(slot)[configurations] for slot in slots])
        found: Floats = self._rows[np.array(slots)[:, None], configurations]
        return found

    def _read(self, slot: int) -> Floats:
        count = self.size * ROWS
        self._file.seek(slot * count * 4)
        return np.frombuffer(self._file.read(count * 4), dtype=np.float32).reshape(self.size, ROWS)


def solve(
    states: Sequence[Bearing], side: OtherSide, *, spare_moves: bool = False, progress: Progress | None = None
) -> Iterator[Solved]:
    """Every one of `states`, which are ordered by pips and hold whatever their moves lead to."""
    size = side.in_contact(max(top_point(state) for state in states))
    window = Window(states, size)
    done = 0
    for layer, group in groupby(states, key=pips):
        window.forget_below(layer - 6)
        for batch in batches(list(group), size):
            rows, on_roll, against = solve_batch(batch, side, window, spare_moves)
            window.put(batch, rows)
            done += len(batch)
            if progress is not None:
                progress(done, len(states))
            yield from (Solved(*found) for found in zip(batch, on_roll, against, strict=True))


def batches(layer: list[Bearing], size: int) -> Iterator[list[Bearing]]:
    """The states of one layer with the same points empty, single and closed, in pieces of a working size."""
    most = max(1, BATCH_BYTES // (size * ROWS * 8))
    for _, group in groupby(sorted(layer, key=_pattern), key=_pattern):
        alike = list(group)
        yield from (alike[i : i + most] for i in range(0, len(alike), most))


def _pattern(state: Bearing) -> tuple[int, ...]:
    return tuple(min(n, 2) for n in state)


def solve_batch(
    batch: list[Bearing], side: OtherSide, window: Window, spare_moves: bool
) -> tuple[Floats, Floats, Floats]:
    """(b, size, ROWS) rows that later states need, and both values (b, size)."""
    shape = (len(batch), window.size)
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
    size = window.size
    result = []
    for die in range(1, 7):
        best = np.full((len(batch), size, ROWS), np.inf)
        for start, end in moves_of(occupied_of(batch[0]), die):
            rows = window.rows([moved(state, start, end) for state in batch], side.after_hit[end, :size])
            rows[:, side.blocked[end, :size]] = np.inf
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
    turn = OtherTurn(batch[0], side, spare_moves)
    on_roll = on.copy()
    columns: Columns = np.flatnonzero(stuck[:, : turn.width].any(axis=0))
    again = OtherTurn(batch[0], side, spare_moves, columns)
    change = 1.0 if len(columns) else 0.0
    while change > SETTLED:
        following = on[:, columns] + stuck[:, columns] * again.value(on_roll)
        change = float(np.abs(following - on_roll[:, columns]).max())
        on_roll[:, columns] = following
    against = np.zeros_like(on)
    against[:, : turn.width] = turn.value(on_roll)
    return on_roll, against


class Steps(NamedTuple):
    """One man moved by one die from some configurations: where it leads, and which of them hit a blot on the way."""

    to: Columns
    hits: Columns


class OtherTurn:
    """The other side on roll against bearing states with these points: its best complete play, roll by roll.

    Only the configurations in contact are looked at: they are the first `width` ones. Row `width` stands for all
    others (worth 0, and a man can always move), row `width + 1` for what cannot be played.
    """

    def __init__(self, state: Bearing, side: OtherSide, spare_moves: bool, columns: Columns | None = None) -> None:
        """`columns`: the configurations whose values are wanted, all of them if None."""
        self.spare_moves = spare_moves
        self.width = side.in_contact(top_point(state))
        self.columns: Columns = np.arange(self.width) if columns is None else columns
        men = np.zeros(32, dtype=np.int64)
        men[1:7] = state
        self.first = [self._steps(side, die, men, np.arange(self.width)) for die in range(1, 7)]
        self.last = self.first if columns is None else [self._steps(side, d, men, columns) for d in range(1, 7)]

    def _steps(self, side: OtherSide, die: int, men: NDArray[np.int64], start: Columns) -> list[Steps]:
        found = []
        for i in range(side.men):
            to, landing = side.step_to[die - 1, i][start], side.landing[die - 1, i][start]
            possible = (to < side.size) & (men[landing] < 2)
            to = np.where(possible, np.minimum(to, self.width), self.width + 1)
            found.append(Steps(to, np.flatnonzero(possible & (men[landing] == 1))))
        return found

    def value(self, on_roll: Floats) -> Floats:
        """(b, size) values with the bearing side on roll -> (b, columns) with the other side on roll."""
        stay = on_roll.T[: self.width]
        now = stay[self.columns]
        one = self._padded(np.stack([self.best_step(self._padded(stay[None]), die)[0] for die in range(1, 7)]))
        two = [self.best_step(one, die, last=True) for die in range(1, 7)]
        single = one[:, self.columns]
        total = np.zeros_like(now)
        for low, high in PAIRS:
            both = np.maximum(two[low - 1][high - 1], two[high - 1][low - 1])
            total += 2 / 36 * self.choose(now, both, single[high - 1], single[low - 1])
        for die in range(1, 7):
            total += 1 / 36 * self.double(now, one[die - 1 : die], die)
        return total.T

    def double(self, now: Floats, one: Floats, die: int) -> Floats:
        """Four of the same number, or as many of them as can be played."""
        two = self._padded(self.best_step(one, die))
        three = self._padded(self.best_step(two, die))
        four = self.best_step(three, die, last=True)
        return self.choose(now, four[0], *(fewer[0, self.columns] for fewer in (three, two, one)))

    def _padded(self, values: Floats) -> Floats:
        """(k, width, b) values with the two rows more that the class speaks of."""
        shape = (values.shape[0], self.width + 2, values.shape[2])
        padded = np.empty(shape)
        padded[:, : self.width] = values
        padded[:, self.width], padded[:, self.width + 1] = 0.0, NO_PLAY
        return padded

    def best_step(self, padded: Floats, die: int, *, last: bool = False) -> Floats:
        """(k, width + 2, b) values -> (k, columns if last, else width, b): the best single move by any man.

        A hit counts 1 (C3). NO_PLAY where no man can move, or where the values say that the rest cannot be played.
        """
        best: Floats | None = None
        for to, hits in (self.last if last else self.first)[die - 1]:
            reached = padded.take(to, axis=1)
            if len(hits):
                reached[:, hits] = np.where(reached[:, hits] > NO_PLAY, 1.0, NO_PLAY)
            best = reached if best is None else np.maximum(best, reached, out=best)
        assert best is not None
        return best

    def choose(self, stay: Floats, *plays: Floats) -> Floats:
        """Among plays ordered from the fullest: the first that can be played; with spare moves the best of all."""
        best = stay
        for play in reversed(plays):
            best = np.maximum(best, play) if self.spare_moves else np.where(play > NO_PLAY, play, best)
        return best
