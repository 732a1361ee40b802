"""From readings to probabilities: how well a position or a roll fits what was seen.

28 regions: White's points 1 … 24 (signed, white > 0), White's bar, Black's bar, White's off, Black's off. A position
is a row of 28 signed counts; a look holds, for each region, the log-probability of every count -15 … 15.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from companion.rules.position import BAR, CHECKERS, OFF, Position, Side
from companion.vision.types import BoardObservation, CountReading, DieObservation

Row = NDArray[np.int8]
Rows = NDArray[np.int8]
Dice = tuple[int, int]

REGIONS = 28
WHITE_BAR, BLACK_BAR, WHITE_OFF, BLACK_OFF = 24, 25, 26, 27
SPAN = 2 * CHECKERS + 1
MISREAD = 0.008
"""Share of readings, however sure, that are taken to be wrong."""
MISREAD_STACK = 0.02
"""The same for points with more than four checkers."""
DIE_MISREAD = 0.012
ALL_ROLLS: tuple[Dice, ...] = tuple((a, b) for b, a in combinations_with_replacement(range(1, 7), 2))


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One clear reading of the whole board. `best`: likeliest count of each region; `sure`: its probability."""

    t: float
    frame: int
    table: NDArray[np.float32]
    best: Row
    sure: NDArray[np.float32]

    @property
    def key(self) -> bytes:
        """The same for looks that show the same position."""
        return self.best[:WHITE_OFF].tobytes()


def encode(position: Position) -> Row:
    """The 28 signed counts of a position."""
    row = np.zeros(REGIONS, np.int8)
    white, black = position.white, position.black
    for point in range(1, 25):
        row[point - 1] = white[point] - black[25 - point]
    row[WHITE_BAR], row[BLACK_BAR] = white[BAR], -black[BAR]
    row[WHITE_OFF], row[BLACK_OFF] = white[OFF], -black[OFF]
    return row


def decode(row: Row) -> Position:
    """The position of a row; borne-off checkers as the row has them."""
    counts = [int(n) for n in row]
    white = [counts[WHITE_OFF], *(max(n, 0) for n in counts[:24]), counts[WHITE_BAR]]
    black = [-counts[BLACK_OFF], *(max(-n, 0) for n in counts[23::-1]), -counts[BLACK_BAR]]
    return Position(tuple(white), tuple(black))


def encode_keys(keys: Sequence[int], side: Side) -> Rows:
    """Rows of packed positions (`companion.rules.packed`) seen by `side`."""
    raw = np.frombuffer(b"".join(key.to_bytes(52, "little") for key in keys), np.uint8).reshape(-1, 52).astype(np.int8)
    own, theirs = raw[:, :26], raw[:, 26:]
    signed = own[:, 1:25] - theirs[:, 1:25]
    rows = np.empty((len(keys), REGIONS), np.int8)
    if side is Side.WHITE:
        rows[:, :24] = signed
        rows[:, 24:] = np.stack([own[:, 25], -theirs[:, 0], own[:, 0], -theirs[:, 25]], axis=1)
    else:
        rows[:, :24] = -signed[:, ::-1]
        rows[:, 24:] = np.stack([theirs[:, 0], -own[:, 25], theirs[:, 25], -own[:, 0]], axis=1)
    return rows


@lru_cache(maxsize=64)
def _near(value: int) -> NDArray[np.float64]:
    """Where a misread count really lies: most likely one more or one less."""
    counts = np.arange(-CHECKERS, CHECKERS + 1)
    weights = 1.0 / (1.0 + np.abs(counts - value).astype(float) ** 2)
    weights[np.sign(counts) * np.sign(value) < 0] *= 0.1
    weights[value + CHECKERS] = 0.0
    spread: NDArray[np.float64] = weights / weights.sum()
    return spread


def _region(reading: CountReading | None) -> NDArray[np.float64]:
    if reading is None:
        return np.full(SPAN, 1.0 / SPAN)
    value = max(-CHECKERS, min(CHECKERS, reading.value))
    p = np.zeros(SPAN)
    p[value + CHECKERS] = reading.confidence
    for other, chance in reading.alternatives:
        if -CHECKERS <= other <= CHECKERS:
            p[other + CHECKERS] += chance
    near = _near(value)
    p += max(0.0, 1.0 - float(p.sum())) * near
    misread = MISREAD_STACK if abs(value) > 4 else MISREAD
    p = (1 - misread) * p / max(1.0, float(p.sum())) + misread * near
    return reading.visible * p + (1 - reading.visible) / SPAN


def look_of(observation: BoardObservation) -> Look | None:
    """The look an observation gives, None when it holds no board."""
    if len(observation.points) != 24 or observation.bar is None:
        return None
    readings = (*observation.points, *observation.bar, *observation.off)
    p = np.stack([_region(reading) for reading in readings])
    best = (p.argmax(axis=1) - CHECKERS).astype(np.int8)
    table = np.log(np.maximum(p, 1e-6)).astype(np.float32)
    return Look(observation.t, observation.seq, table, best, p.max(axis=1).astype(np.float32))


def fit(looks: Sequence[tuple[Look, float]], rows: Rows) -> NDArray[np.float64]:
    """Log-likelihood of each row under weighted looks."""
    total = np.zeros(len(rows))
    index = rows.astype(np.intp) + CHECKERS
    for look, weight in looks:
        total += weight * look.table[np.arange(REGIONS), index].sum(axis=1)
    return total


def die_chances(die: DieObservation) -> tuple[float, ...]:
    """Probability of the values 1 … 6, never nought: a die can always be misread."""
    if len(die.values) == 6 and sum(die.values) > 0:
        total = sum(die.values)
        p = [v / total for v in die.values]
    elif die.value is None:
        p = [1 / 6] * 6
    else:
        other = (1 - die.confidence) / 5
        p = [die.confidence if v == die.value else other for v in range(1, 7)]
    return tuple((1 - DIE_MISREAD) * v + DIE_MISREAD / 6 for v in p)


def roll_chances(first: Sequence[float], second: Sequence[float]) -> dict[Dice, float]:
    """Log-probability of all 21 rolls from the log-chances of the two dice (best = 0)."""
    scores = {}
    for a, b in ALL_ROLLS:
        one = first[a - 1] + second[b - 1]
        two = first[b - 1] + second[a - 1]
        top = max(one, two)
        scores[a, b] = top if a == b else top + math.log1p(math.exp(min(one, two) - top))
    best = max(scores.values())
    return {roll: score - best for roll, score in scores.items()}


def any_roll() -> dict[Dice, float]:
    """Nothing is known of the dice."""
    return {roll: (math.log(0.5) if roll[0] == roll[1] else 0.0) for roll in ALL_ROLLS}
