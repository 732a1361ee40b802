"""From the net's probabilities to counts: conservation of fifteen men a side as joint decoding, and honest doubt.

Each of the 24 points has a distribution over signed counts, each bar one per side. Among all boards with at most
fifteen men a side the most probable one is taken; what the evidence alone would have said otherwise stays doubtful.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.rules.position import CHECKERS
from companion.vision.geometry import column_point
from companion.vision.types import CountReading

Floats = NDArray[np.float64]
SURE = 0.97
"""A region read with less probability than this is `uncertain` (chosen on the generated hold-out)."""
_KEEP = 9
_LEAST = 1e-4
"""Values less likely than this are no alternatives: a sixteenth man seen beyond doubt is told, not explained away."""


@dataclass(frozen=True)
class Region:
    """One place: signed counts it may hold and their probabilities (best first)."""

    name: str
    values: tuple[int, ...]
    probs: tuple[float, ...]
    visible: float = 1.0


@dataclass(frozen=True)
class Decoded:
    """Counts for White's points 1 … 24 and the two bars, with evidence. `total`: men seen (white, black)."""

    points: tuple[CountReading, ...]
    bar: tuple[CountReading, CountReading]
    total: tuple[int, int]


def region(name: str, values: range, probs: NDArray[np.float32], visible: float) -> Region:
    """Keep the likely values of a distribution."""
    order = [i for i in np.argsort(-probs)[:_KEEP] if probs[i] >= _LEAST]
    return Region(name, tuple(int(values[i]) for i in order), tuple(float(probs[i]) for i in order), visible)


def regions(
    columns: NDArray[np.float32], bar: NDArray[np.float32], home: str, seen: NDArray[np.float32]
) -> list[Region]:
    """26 regions: White's points 1 … 24, White's bar, Black's bar. `seen`: 2 x 12 visible shares."""
    out: list[Region] = [Region("", (), ())] * 24
    for row in range(2):
        for column in range(12):
            point = column_point(column, row == 0, home)
            out[point - 1] = region(str(point), range(-15, 16), columns[row, column], float(seen[row, column]))
    out.append(region("bar", range(8), bar[0], 1.0))
    out.append(region("bar", range(0, -8, -1), bar[1], 1.0))
    return out


FEWER_AT_HOME, FEWER_OUTSIDE = 0.02, 0.003
"""Chance of each smaller number of men beside that of all fifteen: with men outside home hardly any is borne off."""


def has_outside(found: list[Region]) -> tuple[bool, bool]:
    """Do White's, Black's most probable readings show men outside their home boards or on the bar?"""
    first = [r.values[0] if r.values else 0 for r in found]
    white = any(n > 0 for n in first[6:24]) or first[24] > 0
    black = any(n < 0 for n in first[:18]) or first[25] < 0
    return white, black


def total_prior(off_known: tuple[int | None, int | None], outside: tuple[bool, bool] = (False, False)) -> Floats:
    """Log prior 16 x 16 of (white, black) men on the board: all fifteen is usual, fewer is not rare in a bear-off."""
    sides = []
    for off, out in zip(off_known, outside, strict=True):
        p = np.full(CHECKERS + 1, FEWER_OUTSIDE if out else FEWER_AT_HOME)
        p[CHECKERS] = 1.0
        if off is not None:
            p = np.full(CHECKERS + 1, 1e-4)
            p[CHECKERS - off] = 1.0
        sides.append(np.log(p))
    return np.asarray(sides[0][:, None] + sides[1][None, :], np.float64)


def most_probable(found: list[Region], prior: Floats) -> list[int] | None:
    """Index of the chosen value in every region: the best board with at most fifteen a side; None if there is none."""
    n = CHECKERS + 1
    score = np.full((n, n), -np.inf)
    score[0, 0] = 0.0
    choices: list[NDArray[np.int8]] = []
    for r in found:
        best = np.full((n, n), -np.inf)
        pick = np.zeros((n, n), np.int8)
        for i, (value, p) in enumerate(zip(r.values, r.probs, strict=True)):
            moved = _shift(score, value) + np.log(p)
            better = moved > best
            best[better], pick[better] = moved[better], i
        score = best
        choices.append(pick)
    final = score + prior
    if not np.isfinite(final).any():
        return None
    w, b = (int(k) for k in np.unravel_index(int(np.argmax(final)), final.shape))
    return _trace(found, choices, w, b)


def _shift(score: Floats, value: int) -> Floats:
    """Scores after `value` more men: rows count White's, columns Black's."""
    out = np.full_like(score, -np.inf)
    k = abs(value)
    if k > CHECKERS:
        return out
    n = score.shape[0] - k
    if value >= 0:
        out[k:, :] = score[:n, :]
    else:
        out[:, k:] = score[:, :n]
    return out


def _trace(found: list[Region], choices: list[NDArray[np.int8]], w: int, b: int) -> list[int]:
    picked: list[int] = []
    for r, pick in zip(reversed(found), reversed(choices), strict=True):
        i = int(pick[w, b])
        value = r.values[i]
        w, b = (w - value, b) if value >= 0 else (w, b + value)
        picked.append(i)
    return picked[::-1]


def reading(r: Region, chosen: int) -> CountReading:
    """A region with its chosen value; when that is not what the region alone says, or is not sure, `why` tells."""
    others = tuple(
        (v, round(p, 4)) for i, (v, p) in enumerate(zip(r.values, r.probs, strict=True)) if i != chosen and p > 1e-3
    )
    value, p = r.values[chosen], r.probs[chosen]
    return CountReading(value, round(p, 4), others, round(r.visible, 3), why_doubtful(r, chosen))


def why_doubtful(r: Region, chosen: int) -> str:
    """Empty when sure, else the reason in a word."""
    value, p = r.values[chosen], r.probs[chosen]
    if r.visible < 0.85 and p < 0.999:
        return "hidden"
    if p >= SURE:
        return ""
    rivals = [v for i, v in enumerate(r.values) if i != chosen and r.probs[i] > (1 - p) / 3]
    if any(v * value < 0 for v in rivals):
        return "colour"
    return "stacked" if max(map(abs, (value, *rivals)), default=0) >= 5 else "unclear"


def decode(
    columns: NDArray[np.float32],
    bar: NDArray[np.float32],
    home: str,
    seen: NDArray[np.float32],
    off_known: tuple[int | None, int | None] = (None, None),
    conserve: bool = True,
) -> Decoded:
    """The joint reading. `conserve` off: every region for itself (for the ablation)."""
    found = regions(columns, bar, home, seen)
    alone = [0] * len(found)
    chosen = (most_probable(found, total_prior(off_known, has_outside(found))) if conserve else None) or alone
    out = [reading(r, i) for r, i in zip(found, chosen, strict=True)]
    white = sum(max(0, c.value) for c in out)
    black = sum(max(0, -c.value) for c in out)
    return Decoded(tuple(out[:24]), (out[24], out[25]), (white, black))
