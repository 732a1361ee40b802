"""Rolls nobody trained on: fresh rest poses, looks, lights and cameras, with the board's geometry, for measuring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from companion.train.dice_looks import camera
from companion.train.dice_physics import make_layout, settle
from companion.train.dice_scenes import Thing, compose
from companion.vision.geometry import BoardGeometry
from companion.vision.types import Lens

HEIGHT = 45.0  # cm of the imagined board around the corner the dice lie in


@dataclass
class Roll:
    """A window of a picture, the board around it, what lies there, and the camera's class (clear | poor)."""

    image: np.ndarray
    geometry: BoardGeometry
    things: list[Thing]
    light: str


def rolls(count: int, seed: int) -> Iterator[Roll]:
    """`count` rolls; the same seed gives the same ones."""
    rng = np.random.default_rng([seed, 7919])
    made = 0
    while made < count:
        rest = make_layout(rng)
        if not settle(rest, rng):
            continue
        if not any(d.state in ("cocked", "stacked") for d in rest.dice) and rng.random() < 0.5:
            continue
        edge_px = float(np.exp(rng.uniform(np.log(10.0), np.log(50.0))))
        n = int(min(12 * edge_px, 360))
        light, things, view = compose(rng, rest, edge_px, (n, n), clutter=0.3, with_view=True)
        poor = rng.random() < 0.4
        image = camera(rng, light, edge_px, 1.0 if poor else 0.0)
        made += 1
        yield Roll(image, geometry_of(rest, view, n), things, "poor" if poor else "clear")


def geometry_of(rest, view, size: int) -> BoardGeometry:
    """The board whose right far corner the rest scene is, as a perfect calibration would know it."""
    bar = next((b[2] - b[0] for b in rest.boxes if b[5] == "bar"), 0.0)
    left = -30.0 - bar
    corners = np.array([[left, 9, 0], [10, 9, 0], [10, 9 - HEIGHT, 0], [left, 9 - HEIGHT, 0]], float)
    width = 10 - left
    k = view.K
    return BoardGeometry(
        corners=view.project(corners),
        size=(size, size),
        home="right",
        aspect=HEIGHT / width,
        bar=(20 / width, (20 + bar) / width),
        checker_diameter=2 * (rest.checkers[0][3] if rest.checkers else 2.0) / width,
        checker_height=0.02,
        lens=Lens(fx=k[0, 0], fy=k[1, 1], cx=k[0, 2], cy=k[1, 2]),
    )
