"""The reader net over the rectified canvas: what it says about columns, bar, checkers, hands. No decisions here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sources.base import Image
from companion.vision import colours, infer
from companion.vision.rectify import HALF, HEIGHT, INNER, MARGIN, PITCH, STRIDE, STRIP, WIDTH, column_u
from companion.vision.types import ColourModel

Floats = NDArray[np.float32]
COUNT_TEMPERATURE = 1.0
BAR_TEMPERATURE = 1.0
"""Divisors of the logits, chosen on the generated hold-out (see models/README.md)."""
_BAR_CLASSES = 8
ONCE = ((False, False),)
TWICE = ((False, False), (True, True))
FOUR_TIMES = (*TWICE, (True, False), (False, True))
SLOT_STEP = 0.93 * PITCH
"""Canvas pixels from one checker to the next along a point, on a board of usual shape."""
LEAST_GAP = 12.0
"""Sets whose colours are nearer than this (Lab) are not told apart."""


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


def slot_places(column: int, far: bool, count: int, step: float = SLOT_STEP) -> list[tuple[float, float]]:
    """Canvas places (u, v) of the first `count` checkers of a column from its base; only four are sure to lie so."""
    v = [MARGIN + (k + 0.5) * step for k in range(min(count, 4))]
    return [(column_u(column), y if far else HEIGHT - y) for y in v]


def patches(canvas: Image, places: list[tuple[float, float]]) -> Floats:
    """Lab pixels of checkers' tops, N x 25 x 3; as in training, of the canvas at half size."""
    half = cv2.resize(canvas, (WIDTH // 2, HEIGHT // 2), interpolation=cv2.INTER_AREA)
    values = colours.lab(np.asarray(half, np.uint8))
    out = np.zeros((len(places), 25, 3), np.float32)
    for i, (u, v) in enumerate(places):
        x, y = int(np.clip(u / 2, 2, WIDTH // 2 - 3)), int(np.clip(v / 2, 2, HEIGHT // 2 - 3))
        out[i] = values[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3)
    return out


def learn_colours(canvas: Image, reading: CanvasReading) -> tuple[ColourModel, ColourModel] | None:
    """The two sets' colours (lighter first) from the columns read; None unless both sets show clearly."""
    places, light_of = [], []
    for row, column in np.argwhere(reading.columns.max(axis=-1) > 0.5):
        n = int(reading.columns[row, column].argmax()) - 15
        found = slot_places(int(column), row == 0, abs(n))
        places += found
        light_of += [n > 0] * len(found)
    if len(places) < 4:
        return None
    pixels = patches(canvas, places)
    light = two_sets(np.median(pixels, axis=1), np.array(light_of))
    if light is None:
        return None
    first, second = (colours.fit(pixels[pick].reshape(-1, 3)) for pick in (light, ~light))
    if np.linalg.norm(np.subtract(first.mean, second.mean)) < LEAST_GAP:
        return None
    return (first, second) if first.mean[0] >= second.mean[0] else (second, first)


def two_sets(tops: Floats, light: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Tops (N x 3 Lab) put into two sets, starting from the net's opinion; None when one set is (nearly) empty."""
    for _ in range(4):
        if min(int(light.sum()), int((~light).sum())) < 2:
            return None
        centres = [np.median(tops[light], axis=0), np.median(tops[~light], axis=0)]
        away = [np.linalg.norm((tops - c) * (0.7, 1.0, 1.0), axis=1) for c in centres]
        light = away[0] < away[1]
    return light if min(int(light.sum()), int((~light).sum())) >= 2 else None


def read_by_itself(canvas: Image) -> tuple[CanvasReading, tuple[ColourModel, ColourModel] | None]:
    """Photo mode: read without colours, learn them from the checkers seen, read again."""
    first = read_canvas(canvas)
    sets = learn_colours(canvas, first)
    if sets is None:
        return read_canvas(canvas, turns=FOUR_TIMES), None
    return read_canvas(canvas, *sets, turns=FOUR_TIMES), sets
