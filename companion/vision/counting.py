"""Counting by the tops seen, one by one: a second opinion beside the net's own counts of whole columns.

Every top is there with some probability; the number in a column is then a Poisson-binomial. Both opinions are fused as
weighted products. The weights were chosen on generated boards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.checkers import CanvasReading, Spot, column_of, on_points

Floats = NDArray[np.float32]
LEAST = 0.12
STEEP, HALF_AT = 1.6, 0.33
"""Logistic from a top's score to its probability: steepness, and the score that means one half."""
WEIGHT_COLUMNS, WEIGHT_TOPS = 0.8, 0.5
_FLOOR = 0.004


def probability(score: float) -> float:
    """Probability that a top of this score is a checker."""
    logit = np.log(score / (1 - score + 1e-6)) - np.log(HALF_AT / (1 - HALF_AT))
    return float(1 / (1 + np.exp(-STEEP * logit)))


def spots_by_column(reading: CanvasReading) -> dict[tuple[int, bool], list[Spot]]:
    """Tops on the points, by (column, far row)."""
    out: dict[tuple[int, bool], list[Spot]] = {}
    for s in reading.spots(LEAST):
        if on_points(s):
            out.setdefault(column_of(s), []).append(s)
    return out


def distribution(spots: list[Spot]) -> Floats:
    """Probabilities of the signed counts -15 … 15 from the tops of one column."""
    number = np.zeros(16)
    number[0] = 1.0
    for s in spots:
        p = probability(s.score)
        number[1:] = number[1:] * (1 - p) + number[:-1] * p
        number[0] *= 1 - p
    weights = np.array([probability(s.score) for s in spots])
    light = np.clip(np.array([s.light for s in spots]), 0.02, 0.98)
    lean = float((weights * np.log(light / (1 - light))).sum()) if spots else 0.0
    white = 1 / (1 + np.exp(-np.clip(lean, -20, 20)))
    out = np.zeros(31)
    out[15] = number[0]
    out[16:] = number[1:] * white
    out[14::-1] = number[1:] * (1 - white)
    return np.asarray(out, np.float32)


def by_tops(reading: CanvasReading) -> Floats:
    """2 (far, near) x 12 x 31 probabilities from the tops."""
    found = spots_by_column(reading)
    none = distribution([])
    rows = [[distribution(found[c, far]) if (c, far) in found else none for c in range(12)] for far in (True, False)]
    return np.asarray(rows, np.float32)


def fused(reading: CanvasReading, columns: float = WEIGHT_COLUMNS, tops: float = WEIGHT_TOPS) -> Floats:
    """Both opinions together, 2 x 12 x 31."""
    seen = (by_tops(reading) + _FLOOR) / (1 + 31 * _FLOOR)
    log = columns * np.log(reading.columns + 1e-9) + tops * np.log(seen)
    p = np.exp(log - log.max(axis=-1, keepdims=True))
    return np.asarray(p / p.sum(axis=-1, keepdims=True), np.float32)
