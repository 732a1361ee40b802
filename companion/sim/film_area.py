"""Which part of a film's picture a thing can change: rectangles of pixels, boxes on the table, parts of light maps."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.camera import View
from companion.sim.hand import hand_occluders
from companion.sim.render_light import Disc, Grid, Occluder
from companion.sim.scene import Checker, Cube, Die, Hand, Scene

Floats = NDArray[np.float32]
Rect = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, the end not included."""
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in cm on the table."""

COARSE = 4
"""Shadows of moving things: one value for 4 x 4 pixels."""


def slices(rect: Rect) -> tuple[slice, slice]:
    return slice(rect[1], rect[3]), slice(rect[0], rect[2])


def padded(rect: Rect, pad: int, size: tuple[int, int]) -> Rect:
    return (
        max(0, rect[0] - pad),
        max(0, rect[1] - pad),
        min(size[0], rect[2] + pad),
        min(size[1], rect[3] + pad),
    )


def merged(rects: list[Rect]) -> list[Rect]:
    """Rectangles that touch, joined."""
    found: list[Rect] = []
    for rect in rects:
        joined = rect
        while True:
            near = [r for r in found if _touch(r, joined)]
            if not near:
                break
            found = [r for r in found if r not in near]
            for r in near:
                joined = (min(r[0], joined[0]), min(r[1], joined[1]), max(r[2], joined[2]), max(r[3], joined[3]))
        found.append(joined)
    return found


def _touch(a: Rect, b: Rect) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


class Reach:
    """Pixel rectangles that moving things may cover."""

    def __init__(self, width: int, height: int) -> None:
        self.size = (width, height)

    def of(self, moving: Scene, view: View) -> list[Rect]:
        found: list[Rect | None] = []
        for c in moving.checkers:
            found.append(_ball(view, (c.x, c.y, c.z + 0.5), 0.75 * moving.layout.checker))
        bodies: list[Die | Cube] = [*moving.dice, *([moving.cube] if moving.cube else [])]
        found += [_ball(view, (body.x, body.y, body.z), body.size) for body in bodies]
        found += [_hand_rect(view, hand) for hand in moving.hands]
        return [rect for rect in found if rect is not None]


def _ball(view: View, centre: tuple[float, float, float], radius: float) -> Rect | None:
    x, y, z = centre
    return view.box(
        [(x + a, y + b, z + c) for a in (-radius, radius) for b in (-radius, radius) for c in (-radius, radius)]
    )


def _hand_rect(view: View, hand: Hand) -> Rect | None:
    """Around all discs the hand's shadow is made of."""
    discs = [o for o in hand_occluders(hand) if isinstance(o, Disc)]
    ends = [
        (o.x + a * o.radius * 1.6, o.y + b * o.radius * 1.6, z)
        for o in discs
        for a in (-1, 1)
        for b in (-1, 1)
        for z in (o.z0, o.z1)
    ]
    ahead = [p for p, depth in zip(ends, view.depth(ends), strict=True) if depth > 5.0]
    return view.box(ahead, 4.0) if ahead else None


def dark_rects(left: Floats, size: tuple[int, int]) -> list[Rect]:
    """Full-resolution rectangles around everything darkened."""
    mask = np.asarray(left < 0.985, np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    rects = []
    for x, y, w, h, _ in stats[1:count]:
        rects.append((int(x) - 1, int(y) - 1, int(x + w) + 1, int(y + h) + 1))
    scaled = [tuple(v * COARSE for v in r) for r in rects]
    return merged([padded((r[0], r[1], r[2], r[3]), 0, size) for r in scaled])


def enlarged(shadow: Floats, rect: Rect) -> Floats:
    """The low-resolution shadow at the pixels of the rectangle."""
    x0, y0, x1, y1 = (v // COARSE for v in rect)
    part = shadow[y0 : max(y0 + 1, y1), x0 : max(x0 + 1, x1)]
    big = cv2.resize(part, (rect[2] - rect[0], rect[3] - rect[1]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(big[..., None], np.float32)


def _slope(scene: Scene) -> float:
    """How far a shadow reaches per cm of height, at most."""
    steep = 0.0
    for lamp in scene.light.lamps:
        x, y, z = lamp.direction
        steep = max(steep, math.hypot(x, y) / max(0.15, z) + math.tan(min(1.0, lamp.size)))
    return min(4.0, steep)


def neighbourhood(thing: Checker | Die | Cube, scene: Scene) -> Box:
    """The part of the table whose look depends on that thing: itself, its shadow, its share of the sky."""
    size = scene.layout.checker / 2 if isinstance(thing, Checker) else thing.size
    height = thing.z + scene.layout.base + 1.5
    above = max(1.5, thing.z + (scene.layout.thick if isinstance(thing, Checker) else thing.size))
    on_board = abs(thing.x) < scene.layout.width / 2 + 2
    r = size + 2.2 + _slope(scene) * (above if on_board else height)
    return (thing.x - r, thing.y - r, thing.x + r, thing.y + r)


def grown(box: Box, by: float) -> Box:
    return (box[0] - by, box[1] - by, box[2] + by, box[3] + by)


def heights(scene: Scene) -> tuple[float, float]:
    return -scene.layout.base, 3.2


def _inside(x: float, y: float, box: Box) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def near(occluders: list[Occluder], box: Box) -> list[Occluder]:
    """Occluders that may shade the box; walls and props always count."""
    wide = grown(box, 12.0)
    return [o for o in occluders if not isinstance(o, Disc) or _inside(o.x, o.y, wide)]


def only_near(scene: Scene, box: Box) -> Scene:
    """The scene with only the things inside the box."""
    cube = scene.cube if scene.cube and _inside(scene.cube.x, scene.cube.y, box) else None
    checkers = tuple(c for c in scene.checkers if _inside(c.x, c.y, box))
    dice = tuple(d for d in scene.dice if _inside(d.x, d.y, box))
    return replace(scene, checkers=checkers, dice=dice, cube=cube)


def part_of(grid: Grid, box: Box) -> Grid:
    """The pixels of the grid inside the box."""
    x0, x1 = (min(grid.width - 2, max(0, math.floor((x - grid.x0) * grid.ppc))) for x in (box[0], box[2]))
    y0, y1 = (min(grid.height - 2, max(0, math.floor((y - grid.y0) * grid.ppc))) for y in (box[1], box[3]))
    return Grid(grid.x0 + x0 / grid.ppc, grid.y0 + y0 / grid.ppc, x1 - x0 + 2, y1 - y0 + 2, grid.ppc)


def offset(part: Grid, grid: Grid) -> tuple[int, int]:
    return round((part.x0 - grid.x0) * grid.ppc), round((part.y0 - grid.y0) * grid.ppc)
