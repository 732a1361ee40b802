"""The reader net over the rectified canvas: what it says about columns, bar, checkers, hands. No decisions here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sources.base import Image
from companion.vision import colours, infer
from companion.vision.rectify import HALF, HEIGHT, INNER, MARGIN, PITCH, STRIDE, STRIP, WIDTH
from companion.vision.types import ColourModel

Floats = NDArray[np.float32]
COUNT_TEMPERATURE = 1.0
BAR_TEMPERATURE = 1.0
"""Divisors of the logits, chosen on the generated hold-out (see models/README.md)."""
_BAR_CLASSES = 8
ONCE = ((False, False),)
TWICE = ((False, False), (True, True))
FOUR_TIMES = (*TWICE, (True, False), (False, True))
_DISC = 3  # px: half side of the patch of a checker's top whose colour is taken


class Spot(NamedTuple):
    """A checker's top as the net sees it: canvas pixels, probability, on others, probability of the light set."""

    u: float
    v: float
    score: float
    stacked: bool
    light: float


@dataclass(frozen=True)
class CanvasReading:
    """Probabilities. `columns`: 2 (far, near) x 12 x 31 (signed count -15 … 15); `bar`: 2 (light, dark) x 8."""

    columns: Floats
    bar: Floats
    surface: Floats  # maps at STRIDE: checker on the surface, checker on others, light, hand, other thing
    stacked: Floats
    light: Floats
    hand: Floats
    thing: Floats

    def spots(self, least: float = 0.3) -> list[Spot]:
        """Tops of checkers on the canvas, best first. Those beside the bar may show twice (half and strip)."""
        out: list[Spot] = []
        for heat, stacked in ((self.surface, False), (self.stacked, True)):
            grown = cv2.dilate(heat, np.ones((3, 3), np.uint8))
            for y, x in np.argwhere((heat >= grown) & (heat >= least)):
                u, v = _subpixel(heat, int(x), int(y))
                out.append(Spot(u, v, float(heat[y, x]), stacked, float(self.light[y, x])))
        return sorted(out, key=lambda s: -s.score)


def _subpixel(heat: Floats, x: int, y: int) -> tuple[float, float]:
    """Centre of a bump in canvas pixels."""
    y0, y1, x0, x1 = max(0, y - 1), min(heat.shape[0], y + 2), max(0, x - 1), min(heat.shape[1], x + 2)
    w = heat[y0:y1, x0:x1]
    total = float(w.sum()) + 1e-9
    u = float((w.sum(axis=0) * (np.arange(x0, x1) + 0.5)).sum()) / total
    v = float((w.sum(axis=1) * (np.arange(y0, y1) + 0.5)).sum()) / total
    return u * STRIDE, v * STRIDE


def read_canvas(
    canvas: Image,
    white: ColourModel | None = None,
    black: ColourModel | None = None,
    turns: tuple[tuple[bool, bool], ...] = ONCE,
) -> CanvasReading:
    """Run the net; with the sets' colours when they are known.

    `turns`: the canvas is read once as it is and once mirrored for every (left-right, up-down) pair named, and the
    probabilities are averaged: a board mirrored is a board, and the net errs differently on it.
    """
    batch = np.zeros((1, 5, HEIGHT, WIDTH), np.float32)
    batch[0, :3] = canvas.transpose(2, 0, 1)
    if white is not None and black is not None:
        batch[0, 3:] = colours.likeness_planes(canvas, white, black)
    batch /= 255
    parts = [_one_pass(batch, *turn) for turn in turns]
    columns, bar, maps = (np.asarray(np.mean([p[k] for p in parts], axis=0), np.float32) for k in range(3))
    return CanvasReading(columns, bar, maps[0], maps[1], maps[2], maps[3], maps[4])


def _one_pass(batch: Floats, mirror: bool, upside_down: bool) -> tuple[Floats, Floats, Floats]:
    """Columns, bar and maps of the canvas mirrored so, turned back."""
    step_x, step_y = -1 if mirror else 1, -1 if upside_down else 1
    out = infer.load("board_reader").run(np.ascontiguousarray(batch[:, :, ::step_y, ::step_x]))
    columns = infer.softmax(out["columns"][0].transpose(1, 2, 0), -1, COUNT_TEMPERATURE)
    bar = infer.softmax(out["bar"][0].reshape(2, _BAR_CLASSES), -1, BAR_TEMPERATURE)
    maps = infer.sigmoid(out["maps"][0])
    return columns[::step_y, ::step_x], bar, maps[:, ::step_y, ::step_x]


def on_points(spot: Spot) -> bool:
    """Does the spot lie on the points (not in a margin, not in the strip)?"""
    in_left = MARGIN <= spot.u < HALF - MARGIN
    in_right = HALF + STRIP + MARGIN <= spot.u < WIDTH - MARGIN
    return (in_left or in_right) and MARGIN <= spot.v < MARGIN + INNER


def column_of(spot: Spot) -> tuple[int, bool]:
    """Column 0 … 11 and far row of a spot on the points."""
    u = spot.u - MARGIN
    column = int(u // PITCH) if spot.u < HALF else 6 + int((u - 2 * MARGIN - STRIP) // PITCH)
    return min(11, max(0, column)), spot.v < MARGIN + INNER / 2


def top_colours(canvas: Image, spots: list[Spot]) -> Floats:
    """Median Lab of each spot's top, N x 3."""
    values = colours.lab(canvas)
    out = np.zeros((len(spots), 3), np.float32)
    for i, s in enumerate(spots):
        u, v = int(np.clip(s.u, _DISC, WIDTH - _DISC - 1)), int(np.clip(s.v, _DISC, HEIGHT - _DISC - 1))
        patch = values[v - _DISC : v + _DISC + 1, u - _DISC : u + _DISC + 1].reshape(-1, 3)
        out[i] = np.median(patch, axis=0)
    return out


def learn_colours(canvas: Image, reading: CanvasReading) -> tuple[ColourModel, ColourModel] | None:
    """The two sets' colours (lighter first) from the tops the net sees; None unless both sets show clearly."""
    spots = [s for s in reading.spots(0.4) if on_points(s)]
    if len(spots) < 4:
        return None
    tops = top_colours(canvas, spots)
    light = np.array([s.light > 0.5 for s in spots])
    for _ in range(4):
        if min(int(light.sum()), int((~light).sum())) < 2:
            return None
        centres = [np.median(tops[light], axis=0), np.median(tops[~light], axis=0)]
        away = [np.linalg.norm((tops - c) * (0.7, 1.0, 1.0), axis=1) for c in centres]
        light = away[0] < away[1]
    if min(int(light.sum()), int((~light).sum())) < 2:
        return None
    first, second = colours.fit(tops[light]), colours.fit(tops[~light])
    gap = np.linalg.norm(np.subtract(first.mean, second.mean))
    if gap < 12:
        return None
    return (first, second) if first.mean[0] >= second.mean[0] else (second, first)


def read_by_itself(canvas: Image) -> tuple[CanvasReading, tuple[ColourModel, ColourModel] | None]:
    """Photo mode: read without colours, learn them from the checkers seen, read again."""
    first = read_canvas(canvas)
    sets = learn_colours(canvas, first)
    if sets is None:
        return read_canvas(canvas, turns=FOUR_TIMES), None
    return read_canvas(canvas, *sets, turns=FOUR_TIMES), sets
