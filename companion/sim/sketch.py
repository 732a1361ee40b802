"""A sketch of a scene in flat colours: many times faster than the renderer, for previews and tests of the timing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules.position import Side
from companion.sim.camera import View, view_of
from companion.sim.motion import rotate
from companion.sim.scene import Checker, Colour, Cube, Die, Hand, Layout, Scene, Vec3
from companion.sources.base import Image

_FACES: dict[int, Vec3] = {1: (0, 0, 1), 6: (0, 0, -1), 2: (0, 1, 0), 5: (0, -1, 0), 3: (1, 0, 0), 4: (-1, 0, 0)}
_PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
Points = Sequence[tuple[float, float, float]]


def _bgr(colour: Colour, shade: float = 1.0) -> tuple[float, float, float]:
    r, g, b = (255 * min(1.0, c * shade) for c in colour)
    return (b, g, r)


class _Pencil:
    def __init__(self, image: Image, view: View) -> None:
        self.image = image
        self.view = view

    def area(self, points: Points, colour: Colour, shade: float = 1.0) -> None:
        corners = self._pixels(points)
        cv2.fillConvexPoly(self.image, cv2.convexHull(corners), _bgr(colour, shade), cv2.LINE_AA, shift=4)

    def _pixels(self, points: Points) -> NDArray[np.int32]:
        return np.asarray(np.round(self.view.project(points) * 16), np.int32)


class SketchPrinter:
    """Draws the frames of a film as sketches, with the printer's interface (see companion.sim.film)."""

    def picture(self, rest: Scene, moving: Scene, number: int) -> Image:
        """All things of both scenes, flat; the number is not used, a sketch has no noise."""
        del number
        return sketch(
            rest.with_objects(
                (*rest.checkers, *moving.checkers), (*rest.dice, *moving.dice), moving.cube or rest.cube, moving.hands
            )
        )


def sketch(scene: Scene) -> Image:
    """Draw the scene: uint8 BGR of the camera's size; no shadows, no noise."""
    view = view_of(scene.camera)
    width, height = scene.camera.size
    image: Image = np.full((height, width, 3), _bgr(scene.table.colour), np.uint8)
    pencil = _Pencil(image, view)
    _board(pencil, scene)
    for checker in sorted(scene.checkers, key=lambda c: c.z):
        _checker(pencil, scene, checker)
    if scene.cube is not None:
        _box(pencil, scene.cube, scene.cube.body)
    for die in scene.dice:
        _die(pencil, die)
    for hand in scene.hands:
        _hand(pencil, hand)
    return image


def _rectangle(x0: float, y0: float, x1: float, y1: float, z: float) -> Points:
    return ((x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z))


def _board(pencil: _Pencil, scene: Scene) -> None:
    layout, style = scene.layout, scene.board
    w, h = layout.width / 2, layout.height / 2
    pencil.area(_rectangle(*layout.outer(), layout.rail_height), style.rail.colour)
    pencil.area(_rectangle(-w, -h, w, h, 0.0), style.surface.colour)
    pencil.area(_rectangle(-layout.bar / 2, -h, layout.bar / 2, h, layout.bar_height), style.bar.colour)
    for point in range(1, 25):
        _point(pencil, layout, point, style.point_a if point % 2 else style.point_b, style.point_length)


def _point(pencil: _Pencil, layout: Layout, point: int, colour: Colour, length: float) -> None:
    x, half = layout.point_x(point), layout.pitch * 0.48
    base = layout.height / 2 if point > 12 else -layout.height / 2
    tip = base * (1 - 2 * length)
    pencil.area(((x - half, base, 0.0), (x + half, base, 0.0), (x, tip, 0.0)), colour)


def _disc(x: float, y: float, z: float, radius: float) -> Points:
    angles = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    return [(x + radius * math.cos(a), y + radius * math.sin(a), z) for a in angles]


def _checker(pencil: _Pencil, scene: Scene, checker: Checker) -> None:
    layout = scene.layout
    colour = (scene.white if checker.side is Side.WHITE else scene.black).colour
    low = _disc(checker.x, checker.y, checker.z, layout.checker / 2)
    high = [(x, y, z + layout.thick) for x, y, z in low]
    pencil.area([*low, *high], colour, 0.6)
    pencil.area(high, colour)


def _box(pencil: _Pencil, thing: Die | Cube, colour: Colour) -> None:
    quat = thing.quat or (1.0, 0.0, 0.0, 0.0)
    r = thing.size / 2
    corners = [rotate(quat, (x, y, z)) for x in (-r, r) for y in (-r, r) for z in (-r, r)]
    pencil.area([(thing.x + x, thing.y + y, thing.z + z) for x, y, z in corners], colour, 0.8)


def _die(pencil: _Pencil, die: Die) -> None:
    _box(pencil, die, die.style.body)
    r = die.size / 2
    for value, normal in _FACES.items():
        if rotate(die.quat, normal)[2] < 0.3:
            continue
        across = (normal[1], normal[2], normal[0])
        along = (normal[2], normal[0], normal[1])
        for u, v in _PIPS[value]:
            p = tuple(r * (n + 0.5 * (u * a + v * b)) for n, a, b in zip(normal, across, along, strict=True))
            x, y, z = rotate(die.quat, (p[0], p[1], p[2]))
            pencil.area(_disc(die.x + x, die.y + y, die.z + z, 0.18 * r), die.style.pip)


def _hand(pencil: _Pencil, hand: Hand) -> None:
    x, y, z = hand.tip
    dx, dy = math.cos(math.radians(hand.arm)), math.sin(math.radians(hand.arm))
    for start, end, wide, colour in ((0.0, 9.0, 3.2, hand.skin), (9.0, 60.0, 4.5, hand.sleeve or hand.skin)):
        a, b = (x + dx * start, y + dy * start), (x + dx * end, y + dy * end)
        side = (-dy * wide, dx * wide)
        top = z + 1.0
        thin = 0.3 if start == 0.0 else 1.0
        quad = [
            (a[0] + side[0] * thin, a[1] + side[1] * thin, top),
            (a[0] - side[0] * thin, a[1] - side[1] * thin, top),
            (b[0] - side[0], b[1] - side[1], top + 3.0),
            (b[0] + side[0], b[1] + side[1], top + 3.0),
        ]
        pencil.area(quad, colour)
