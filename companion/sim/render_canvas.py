"""The picture in the making: colour, depth and light-map address of every pixel; flat faces are drawn into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.sim.camera import View
from companion.sim.render_light import Grid, mirrored
from companion.sim.scene import Light

Floats = NDArray[Any]
Doubles = NDArray[Any]
Paint = Callable[[Floats, Floats], Floats]
"""Face coordinates in cm (two arrays of one shape) -> BGR linear, shape + (3,)."""


@dataclass(frozen=True, slots=True)
class Level:
    """One horizontal light map inside the atlas: rows start at `row`."""

    z: float
    grid: Grid
    row: int


@dataclass(frozen=True, eq=False)
class Face:
    """A rectangle in space: `origin` + a * u + b * v, 0 <= a <= size[0], 0 <= b <= size[1]; cm, unit vectors."""

    origin: Doubles
    u: Doubles
    v: Doubles
    size: tuple[float, float]
    normal: Doubles
    paint: Paint
    level: Level
    gloss: float = 0.0
    rough: float = 0.5
    bevel: float = 0.0  # cm: how far the edges are rounded
    wall: float = 1.0  # light of a wall against its level's
    foot: tuple[float, float] | None = None  # where its light is looked up (None: at its own places)

    def corners(self) -> Doubles:
        a, b = self.u * self.size[0], self.v * self.size[1]
        return np.array([self.origin, self.origin + a, self.origin + a + b, self.origin + b])


@dataclass(eq=False)
class Canvas:
    """Static part of a picture. `albedo` and `gloss` BGR linear, `depth` cm, `mapx/mapy` pixels of the light atlas."""

    view: View
    albedo: Floats
    gloss: Floats
    depth: Floats
    mapx: Floats
    mapy: Floats
    solid: NDArray[np.bool_]

    @staticmethod
    def blank(view: View) -> Canvas:
        w, h = view.size
        return Canvas(
            view,
            np.zeros((h, w, 3), np.float32),
            np.zeros((h, w, 3), np.float32),
            np.full((h, w), 1e6, np.float32),
            np.zeros((h, w), np.float32),
            np.zeros((h, w), np.float32),
            np.zeros((h, w), np.bool_),
        )


def _hit(view: View, face: Face, rows: slice, cols: slice) -> tuple[Floats, Floats, Floats]:
    """Depth and face coordinates of a face's plane for a block of pixels."""
    rays = view.rays[rows, cols]
    n, c = face.normal, view.centre
    down = rays[..., 0] * np.float32(n[0]) + rays[..., 1] * np.float32(n[1]) + rays[..., 2] * np.float32(n[2])
    depth = np.float32(n @ (face.origin - c)) / np.where(np.abs(down) < 1e-6, np.float32(1e-6), down)
    rel = c - face.origin
    a = np.float32(rel @ face.u) + depth * sum(rays[..., k] * np.float32(face.u[k]) for k in range(3))
    b = np.float32(rel @ face.v) + depth * sum(rays[..., k] * np.float32(face.v[k]) for k in range(3))
    return depth, a, b


def draw_face(canvas: Canvas, face: Face, light: Light, hidden: NDArray[np.bool_] | None = None) -> None:
    """Draw one face where it is in front of what is there. `hidden`: pixels that others will cover anyway."""
    view = canvas.view
    if face.normal @ (view.centre - face.origin) <= 0.01:
        return
    box = view.box(face.corners())
    if box is None:
        return
    rows, cols = slice(box[1], box[3]), slice(box[0], box[2])
    depth, a, b = _hit(view, face, rows, cols)
    edge = np.minimum(np.minimum(a, face.size[0] - a), np.minimum(b, face.size[1] - b))
    with np.errstate(all="ignore"):
        cover = np.clip(edge * (np.float32(view.K[0, 0]) / depth) + 0.5, 0.0, 1.0)
    cover = np.where((depth > 1.0) & (depth < canvas.depth[rows, cols] + 0.02), cover, np.float32(0.0))
    if hidden is not None:
        cover[hidden[rows, cols]] = 0.0
    where = np.nonzero(cover > 0.002)
    if where[0].size:
        _lay(canvas, face, light, (box[1], box[0]), where, cover[where], depth[where], a[where], b[where])


def _lay(
    canvas: Canvas,
    face: Face,
    light: Light,
    offset: tuple[int, int],
    where: tuple[NDArray[np.intp], ...],
    cover: Floats,
    depth: Floats,
    a: Floats,
    b: Floats,
) -> None:
    at = (where[0] + offset[0]) * canvas.view.size[0] + where[1] + offset[1]
    rays = np.take(canvas.view.rays.reshape(-1, 3), at, axis=0)
    normal = _bent(face, a, b, canvas.view.K[0, 0] / depth)
    colour = face.paint(np.clip(a, 0, face.size[0]), np.clip(b, 0, face.size[1]))
    gain = _turned(face, light, normal) if face.bevel > 0 else face.wall
    colour = colour * (gain[:, None] if isinstance(gain, np.ndarray) else np.float32(gain))
    shine: Floats | None = None
    if face.gloss > 0.02:
        shine = mirrored(light, normal[0], normal[1], normal[2], rays, face.rough) * np.float32(face.gloss)
    _blend(canvas.albedo.reshape(-1, 3), at, cover, colour)
    _blend(canvas.gloss.reshape(-1, 3), at, cover, shine)
    most = cover > 0.5
    inner = at[most]
    canvas.depth.reshape(-1)[inner] = depth[most]
    canvas.solid.reshape(-1)[inner] = True
    grid = face.level.grid
    foot = canvas.view.centre[:2] + depth[most][:, None] * rays[most][:, :2] + face.normal[:2] * 0.35
    if face.foot is not None:
        foot[:] = face.foot
    canvas.mapx.reshape(-1)[inner] = np.clip((foot[:, 0] - grid.x0) * grid.ppc, 0, grid.width - 1.01)
    row = np.clip((foot[:, 1] - grid.y0) * grid.ppc, 0, grid.height - 1.01) + face.level.row
    canvas.mapy.reshape(-1)[inner] = row


def _blend(target: Floats, at: NDArray[np.intp], cover: Floats, value: Floats | None) -> None:
    """Lay colours (None = black) over flat pixels; the whole ones are simply set."""
    whole = cover >= 0.999
    part = ~whole
    target[at[whole]] = 0.0 if value is None else value[whole]
    edge = at[part]
    share = cover[part][:, None]
    target[edge] = target[edge] * (1 - share) + (0.0 if value is None else value[part] * share)


def _bent(face: Face, a: Floats, b: Floats, scale: Floats) -> tuple[Floats, Floats, Floats]:
    """Normals: the face's own, turned outwards near rounded edges."""
    n = face.normal
    if face.bevel <= 0:
        return tuple(np.float32(v) for v in n)  # type: ignore[return-value]
    reach = np.maximum(np.float32(face.bevel), 1.2 / scale)
    lean_u = np.clip(1 - (face.size[0] - a) / reach, 0, 1) - np.clip(1 - a / reach, 0, 1)
    lean_v = np.clip(1 - (face.size[1] - b) / reach, 0, 1) - np.clip(1 - b / reach, 0, 1)
    parts = [n[k] + face.u[k] * lean_u + face.v[k] * lean_v for k in range(3)]
    inv = 1.0 / np.sqrt(parts[0] ** 2 + parts[1] ** 2 + parts[2] ** 2)
    return tuple(np.asarray(p * inv, np.float32) for p in parts)  # type: ignore[return-value]


def wall_light(light: Light, normal: tuple[Floats, Floats, Floats] | Doubles) -> Floats:
    """Light of a leaning surface against that of a level one (shadows come from the light map)."""
    nx, ny, nz = normal[0], normal[1], normal[2]
    level = light.ambient
    own = light.ambient * (0.5 + 0.5 * np.asarray(nz))
    for lamp in light.lamps:
        d = np.asarray(lamp.direction) / np.linalg.norm(lamp.direction)
        level += lamp.power * d[2]
        own = own + lamp.power * np.maximum(0.0, nx * d[0] + ny * d[1] + nz * d[2])
    return np.asarray(own / max(level, 1e-3), np.float32)


def _turned(face: Face, light: Light, normal: tuple[Floats, Floats, Floats]) -> Floats:
    return np.asarray(face.wall * wall_light(light, normal) / wall_light(light, face.normal), np.float32)
