"""Things beside and on the board: cups, mugs, phones, watches, score cards, pens, books, coins."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules.position import Side
from companion.sim.checkers import draw_checker, outlines, window_of
from companion.sim.render_canvas import Canvas, Face, Floats, Level, Paint, draw_face, wall_light
from companion.sim.render_light import Disc, Occluder, Prism
from companion.sim.render_materials import bgr, bgr255, surface_picture
from companion.sim.scene import Checker, CheckerStyle, Colour, Layout, Material, Prop, Scene

Doubles = NDArray[Any]
Bytes = NDArray[Any]
Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Round:
    """A cylinder: centre of its lower face, axis, radius, length, look."""

    x: float
    y: float
    z: float
    radius: float
    length: float
    style: CheckerStyle
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Block:
    """A box turned about z; `top` paints its upper face, seen as a picture with the box's sides."""

    x: float
    y: float
    z: float
    size: tuple[float, float, float]
    yaw: float
    side: Colour
    top: Bytes | Colour
    gloss: float = 0.1
    rough: float = 0.4


Shape = Round | Block


def _look(prop: Prop, gloss: float = 0.3, inlay: float = 0.0, inside: Colour = (0.05, 0.04, 0.04)) -> CheckerStyle:
    return CheckerStyle(
        prop.colour, prop.colour, gloss=gloss, rough=0.25, bevel=0.25, inlay=inlay, inlay_width=1.0, inlay_colour=inside
    )


def _lying(prop: Prop) -> tuple[float, float, float]:
    return math.cos(math.radians(prop.yaw)), math.sin(math.radians(prop.yaw)), 0.0


def _cup(p: Prop) -> list[Shape]:
    s = p.size
    look = _look(p, 0.15, 0.86)
    if p.lying:
        return [Round(p.x, p.y, p.z + 3.4 * s, 3.4 * s, 9.5 * s, look, _lying(p))]
    return [Round(p.x, p.y, p.z, 3.6 * s, 9.0 * s, look)]


def _mug(p: Prop) -> list[Shape]:
    s = p.size
    drink = ((0.16, 0.08, 0.04), (0.45, 0.28, 0.14), (0.35, 0.15, 0.05))[p.seed % 3]
    c, d = math.cos(math.radians(p.yaw)), math.sin(math.radians(p.yaw))
    handle = Block(
        p.x + 4.6 * s * c, p.y + 4.6 * s * d, p.z + 2.2 * s, (2.4 * s, 0.9 * s, 4.5 * s), p.yaw, p.colour, p.colour, 0.4
    )
    return [handle, Round(p.x, p.y, p.z, 4.0 * s, 9.0 * s, _look(p, 0.8, 0.87, drink))]


def _glass(p: Prop) -> list[Shape]:
    look = replace(
        _look(p, 1.0, 0.85, (0.75, 0.78, 0.78)),
        colour=(0.7, 0.73, 0.74),
        second=(0.8, 0.8, 0.8),
        rough=0.1,
        translucent=0.6,
    )
    return [Round(p.x, p.y, p.z, 3.3 * p.size, 11.0 * p.size, look)]


def _can(p: Prop) -> list[Shape]:
    return [Round(p.x, p.y, p.z, 3.3 * p.size, 12.0 * p.size, replace(_look(p, 0.9, 0.8, (0.7, 0.7, 0.72)), rough=0.2))]


def _bowl(p: Prop) -> list[Shape]:
    return [Round(p.x, p.y, p.z, 6.5 * p.size, 4.0 * p.size, _look(p, 0.5, 0.9, p.second))]


def _coins(p: Prop) -> list[Shape]:
    rng = np.random.default_rng([p.seed, 2])
    tones: tuple[Colour, ...] = ((0.72, 0.55, 0.25), (0.7, 0.7, 0.7), (0.55, 0.32, 0.18))
    out: list[Shape] = []
    for _ in range(int(rng.integers(2, 8))):
        tone = tones[int(rng.integers(3))]
        look = CheckerStyle(tone, tone, profile="rim", gloss=1.0, rough=0.4, bevel=0.05)
        x, y = (float(v) for v in rng.normal(0, 2.2, 2))
        out.append(Round(p.x + x, p.y + y, p.z, float(rng.uniform(0.8, 1.3)), 0.2, look))
    return out


def _pen(p: Prop) -> list[Shape]:
    n = _lying(p)
    cap = _look(replace(p, colour=p.second), 0.6)
    body = Round(p.x, p.y, p.z + 0.5, 0.5, 12.5, _look(p, 0.6), n)
    return [body, Round(p.x - 1.5 * n[0], p.y - 1.5 * n[1], p.z + 0.5, 0.42, 1.6, cap, n)]


def _phone(p: Prop) -> list[Shape]:
    rng = np.random.default_rng([p.seed, 3])
    picture = np.full((150, 75, 3), bgr255(p.colour), np.float32)
    lit = bool(rng.random() < 0.4)
    screen = rng.uniform(60, 255, 3) if lit else np.array([12, 11, 10])
    picture[4:-4, 4:-4] = screen
    if lit:
        for k in range(10, 140, 14):
            picture[k : k + 7, 10 : int(rng.integers(30, 66))] = rng.uniform(0, 255, 3)
    picture[7:10, 33:42] = 4
    return [
        Block(p.x, p.y, p.z, (7.4 * p.size, 15.2 * p.size, 0.8), p.yaw, p.colour, picture.astype(np.uint8), 1.0, 0.08)
    ]


def _watch(p: Prop) -> list[Shape]:
    strap = Block(p.x, p.y, p.z, (2.2, 22.0, 0.35), p.yaw, p.colour, p.colour, 0.2)
    face = CheckerStyle(
        (0.7, 0.68, 0.6), (0.7, 0.7, 0.7), gloss=1.0, rough=0.15, inlay=0.8, inlay_width=1.0, inlay_colour=p.second
    )
    return [strap, Round(p.x, p.y, p.z, 2.0, 1.1, face)]


def _written(p: Prop, w: int, h: int, lines: int, numbers: bool) -> Bytes:
    rng = np.random.default_rng([p.seed, 4])
    paper = float(rng.uniform(215, 250))
    picture = np.full((h, w, 3), (paper * 0.95, paper * 0.98, paper), np.uint8)
    ink = (60.0, 40.0, 30.0)
    for k in range(lines):
        y = int((k + 1) * h / (lines + 1))
        if numbers:
            cv2.line(picture, (4, y), (w - 4, y), (150, 150, 150), 1)
            for x in (0.15, 0.62):
                text = str(int(rng.integers(0, 17)))
                cv2.putText(
                    picture, text, (int(x * w), y - 4), cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 0.5, ink, 1, cv2.LINE_AA
                )
        else:
            x = 8
            while x < w - 18 and rng.random() < 0.95:
                n = int(rng.integers(4, 16))
                cv2.line(picture, (x, y), (min(x + n, w - 8), y), ink, 2)
                x += n + 5
    return picture


def _score(p: Prop) -> list[Shape]:
    return [
        Block(
            p.x, p.y, p.z, (8.0 * p.size, 12.0 * p.size, 0.1), p.yaw, (0.9, 0.9, 0.88), _written(p, 100, 150, 7, True)
        )
    ]


def _paper(p: Prop) -> list[Shape]:
    return [
        Block(
            p.x,
            p.y,
            p.z,
            (14.8 * p.size, 21.0 * p.size, 0.05),
            p.yaw,
            (0.9, 0.9, 0.9),
            _written(p, 148, 210, 14, False),
        )
    ]


def _book(p: Prop) -> list[Shape]:
    picture = np.full((190, 130, 3), bgr255(p.colour), np.uint8)
    cv2.rectangle(picture, (10, 10), (119, 179), bgr255(p.second), 2)
    cv2.rectangle(picture, (30, 40), (100, 62), bgr255(p.second), -1)
    return [Block(p.x, p.y, p.z, (13.0 * p.size, 19.0 * p.size, 2.4), p.yaw, (0.85, 0.82, 0.74), picture, 0.3, 0.3)]


def _clock(p: Prop) -> list[Shape]:
    picture = np.full((70, 160, 3), bgr255(p.colour), np.uint8)
    rng = np.random.default_rng([p.seed, 5])
    for x in (14, 90):
        cv2.rectangle(picture, (x, 15), (x + 56, 50), (150, 165, 150), -1)
        text = f"{int(rng.integers(0, 13))}:{int(rng.integers(0, 60)):02d}"
        cv2.putText(picture, text, (x + 5, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (20, 25, 20), 2, cv2.LINE_AA)
    return [Block(p.x, p.y, p.z, (16.0 * p.size, 7.0 * p.size, 4.5), p.yaw, p.colour, picture, 0.3, 0.3)]


def _towel(p: Prop) -> list[Shape]:
    m = Material("checked" if p.seed % 2 else "weave", p.colour, p.second, 0.8, 0.5, seed=p.seed)
    picture = surface_picture(m, 18.0, 24.0, 7.0)
    return [Block(p.x, p.y, p.z, (18.0 * p.size, 24.0 * p.size, 0.8), p.yaw, p.colour, picture, 0.0)]


_KINDS: dict[str, Callable[[Prop], list[Shape]]] = {
    "cup": _cup,
    "mug": _mug,
    "glass": _glass,
    "can": _can,
    "bowl": _bowl,
    "coins": _coins,
    "pen": _pen,
    "phone": _phone,
    "watch": _watch,
    "score": _score,
    "paper": _paper,
    "book": _book,
    "clock": _clock,
    "towel": _towel,
}


def shapes_of(prop: Prop) -> list[Shape]:
    """The parts a thing is made of."""
    return _KINDS.get(prop.kind, _cup)(prop)


def footprint(shape: Shape) -> Doubles:
    """Outline from above, n x 2."""
    if isinstance(shape, Block):
        c, s = math.cos(math.radians(shape.yaw)), math.sin(math.radians(shape.yaw))
        half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(shape.size[:2]) / 2
        return np.asarray(half @ np.array([[c, s], [-s, c]]) + (shape.x, shape.y))
    n = np.array(shape.normal[:2])
    side = np.array([-n[1], n[0]]) * shape.radius
    a, b = np.array([shape.x, shape.y]), np.array([shape.x, shape.y]) + n * shape.length
    return np.array([a - side, b - side, b + side, a + side])


def _occluder(shape: Shape) -> Occluder:
    if isinstance(shape, Block):
        return Prism(footprint(shape), shape.z, shape.z + shape.size[2])
    if shape.normal[2] > 0.5:
        return Disc(shape.x, shape.y, shape.radius, shape.z, shape.z + shape.length)
    return Prism(footprint(shape), shape.z - shape.radius, shape.z + shape.radius)


def prop_occluders(scene: Scene) -> list[Occluder]:
    """Their shadows."""
    return [_occluder(s) for p in scene.props for s in shapes_of(p) if isinstance(s, Round) or s.size[2] > 0.3]


def _picture_paint(picture: Bytes, size: tuple[float, float]) -> Paint:
    h, w = picture.shape[:2]
    linear = (picture.astype(np.float32) / 255) ** 2

    def paint(a: Floats, b: Floats) -> Floats:
        x, y = a / size[0] * w - 0.5, (1 - b / size[1]) * h - 0.5
        n = a.size
        width = 16384
        pad = (-n) % width if n > width else 0
        shape = (-1, width) if n > width else (1, n)
        mx, my = (np.pad(v.astype(np.float32).ravel(), (0, pad)).reshape(shape) for v in (x, y))
        got = cv2.remap(linear, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(got.reshape(-1, 3)[:n], np.float32)

    return paint


def _flat_paint(colour: Colour) -> Paint:
    linear = bgr(colour) ** 2
    return lambda a, b: np.broadcast_to(linear, (*a.shape, 3)).astype(np.float32)


def _draw_block(canvas: Canvas, scene: Scene, s: Block, level: Level) -> None:
    c, d = math.cos(math.radians(s.yaw)), math.sin(math.radians(s.yaw))
    u, v = np.array([c, d, 0.0]), np.array([-d, c, 0.0])
    dx, dy, dz = s.size
    middle = np.array([s.x, s.y, s.z])
    for origin, along, length, normal in (
        (middle - u * dx / 2 - v * dy / 2, u, dx, -v),
        (middle + u * dx / 2 + v * dy / 2, -u, dx, v),
        (middle + u * dx / 2 - v * dy / 2, v, dy, u),
        (middle - u * dx / 2 + v * dy / 2, -v, dy, -u),
    ):
        wall = float(wall_light(scene.light, normal)) * 0.85
        draw_face(
            canvas, Face(origin, along, Z, (length, dz), normal, _flat_paint(s.side), level, wall=wall), scene.light
        )
    paint = _picture_paint(s.top, (dx, dy)) if isinstance(s.top, np.ndarray) else _flat_paint(s.top)
    origin = middle - u * dx / 2 - v * dy / 2 + Z * dz
    foot = _beside(scene, s.x, s.y, math.hypot(dx, dy) / 2) if dz > 0.3 else None
    face = Face(origin, u, v, (dx, dy), Z, paint, level, s.gloss, s.rough, 0.12 if dz > 0.3 else 0.0, foot=foot)
    draw_face(canvas, face, scene.light)


def _beside(scene: Scene, x: float, y: float, reach: float) -> tuple[float, float]:
    """A place on the lamp's side of a thing, out of its own shadow."""
    lamp = np.array(scene.light.lamps[0].direction[:2]) if scene.light.lamps else np.array([1.0, 0.0])
    lamp = lamp / max(1e-6, float(np.hypot(*lamp))) * (reach + 0.8)
    return float(x + lamp[0]), float(y + lamp[1])


def _draw_round(canvas: Canvas, scene: Scene, s: Round, level: Level) -> None:
    pose = "flat" if s.normal[2] > 0.5 else "edge"
    checker = Checker(Side.WHITE, s.x, s.y, s.z, "off", pose=pose, normal=s.normal, seed=1)
    layout = Layout(checker=2 * s.radius, thick=s.length)
    hull = outlines([checker], layout, canvas.view)[0]
    box = window_of(hull, canvas.view)
    if box is None or canvas.view.depth([s.x, s.y, s.z])[0] < 10:
        return
    one = np.ones(3, np.float32)
    piece = draw_checker(checker, replace(s.style, spread=0.0), layout, canvas.view, scene.light, one, hull, box)
    part = (slice(box[1], box[3]), slice(box[0], box[2]))
    share = np.where(piece.depth < canvas.depth[part] + 0.02, piece.cover, np.float32(0.0))
    canvas.albedo[part] += (piece.colour - canvas.albedo[part]) * share[..., None]
    canvas.gloss[part] *= 1 - share[..., None]
    most = share > 0.5
    canvas.depth[part][most] = piece.depth[most]
    canvas.solid[part][most] = True
    x, y = _beside(scene, s.x, s.y, s.radius)
    canvas.mapx[part][most] = (x - level.grid.x0) * level.grid.ppc
    canvas.mapy[part][most] = np.clip((y - level.grid.y0) * level.grid.ppc, 0, level.grid.height - 1.01) + level.row


def draw_props(canvas: Canvas, scene: Scene, levels: dict[str, Level]) -> None:
    """Draw them into the static picture."""
    for prop in sorted(
        scene.props, key=lambda p: -float(np.hypot(p.x - canvas.view.centre[0], p.y - canvas.view.centre[1]))
    ):
        level = levels["table"] if prop.z < -0.05 else levels["floor"]
        for shape in shapes_of(prop):
            if isinstance(shape, Block):
                _draw_block(canvas, scene, shape, level)
            else:
                _draw_round(canvas, scene, shape, level)
