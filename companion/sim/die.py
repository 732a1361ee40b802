"""Draw one die or doubling cube: a ray-cast rounded cube in any pose under any pinhole camera, as a small patch.

World units are free (the scenes use cm), z up. Light is linear RGB; `companion.sim.die_faces.encode` makes sRGB of it.
A patch is premultiplied: `paste` lays it over a linear picture. Lens distortion is the caller's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.die_faces import DieLook, body_colours, cube_digits, face_values, ink, ink_colour, linear
from companion.sim.scene import Cube, Die, Light, Quat

Floats = NDArray[Any]
Matrix = NDArray[Any]
CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
AXES = np.concatenate([np.eye(3)[[i, i]] * [[1.0], [-1.0]] for i in range(3)])  # face normals +x -x +y -y +z -z


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """Pinhole: pixel ~ K (R x + t)."""

    K: Matrix
    R: Matrix
    t: Matrix

    @property
    def eye(self) -> Matrix:
        """Where the camera stands, world."""
        where: Matrix = -self.R.T @ self.t
        return where

    def project(self, points: Matrix) -> Matrix:
        """World points (n, 3) to pixels (n, 2)."""
        p = (np.atleast_2d(points) @ self.R.T + self.t) @ self.K.T
        pixels: Matrix = p[:, :2] / p[:, 2:]
        return pixels

    def rays(self, pixels: Matrix) -> Matrix:
        """Unit directions (n, 3), world, through pixels (n, 2)."""
        d = np.column_stack([pixels, np.ones(len(pixels))]) @ np.linalg.inv(self.K).T @ self.R
        unit: Matrix = d / np.sqrt(np.einsum("ij,ij->i", d, d))[:, None]
        return unit


@dataclass(frozen=True, eq=False, slots=True)
class Patch:
    """`rgba` (h, w, 4) float32: linear premultiplied RGB and cover; its pixel (0, 0) is the picture's (x0, y0)."""

    rgba: Floats
    x0: int
    y0: int


@dataclass(frozen=True, eq=False, slots=True)
class Shade:
    """Factor (h, w) on the light that reaches the supporting plane, and where it lies in the picture."""

    factor: Floats
    x0: int
    y0: int


@dataclass(frozen=True, eq=False, slots=True)
class DieTruth:
    """Outline and top face in pixels (n, 2), value of the face most up, its tilt in degrees, the apparent edge."""

    hull: Matrix
    top_face: Matrix
    value: int
    tilt: float
    edge_px: float
    centre: Matrix


def matrix(quat: Quat) -> Matrix:
    """Rotation body -> world of a unit quaternion w x y z."""
    w, x, y, z = np.asarray(quat) / np.linalg.norm(quat)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def about(axis: tuple[float, float, float], angle: float) -> Matrix:
    """Rotation by `angle` radians about a unit axis."""
    half = angle / 2
    s = float(np.sin(half))
    return matrix((float(np.cos(half)), s * axis[0], s * axis[1], s * axis[2]))


def pose_showing(value: int, yaw: float, *, mirrored: bool = False, tilt: float = 0.0, towards: float = 0.0) -> Matrix:
    """Rotation with `value` on top, turned by `yaw`, then leaning by `tilt` towards azimuth `towards` (radians)."""
    face = face_values(DieLook(mirrored=mirrored)).index(value)
    up = AXES[face]
    side = AXES[(face + 2) % 6]
    base = np.stack([side, np.cross(up, side), up])
    lean = about((-np.sin(towards), np.cos(towards), 0.0), tilt)
    turn: Matrix = lean @ about((0.0, 0.0, 1.0), yaw) @ base
    return turn


def render_die(die: Die, view: View, light: Light, *, look: DieLook | None = None, lit: float = 1.0) -> Patch:
    """Draw a scene's die. `lit`: share of the lamps' light that reaches it (0 = in shadow)."""
    look = look or DieLook.of(die.style)
    return render_body(look, matrix(die.quat), np.array([die.x, die.y, die.z]), die.size, view, light, lit=lit)


def render_cube(cube: Cube, view: View, light: Light, *, seed: int = 0, lit: float = 1.0) -> Patch:
    """Draw a scene's doubling cube."""
    look = DieLook(
        body=cube.body, pip=cube.ink, rounding=cube.roundness, gloss=0.4, digits=cube_digits(cube.face, seed), seed=seed
    )
    return render_body(look, cube_rotation(cube), np.array([cube.x, cube.y, cube.z]), cube.size, view, light, lit=lit)


def cube_rotation(cube: Cube) -> Matrix:
    """Body -> world of a doubling cube: the top face is +z, its digits' upper edge +y."""
    return matrix(cube.quat) if cube.quat else about((0.0, 0.0, 1.0), np.radians(cube.digit_up - 90.0))


def render_body(
    look: DieLook,
    turn: Matrix,
    centre: Matrix,
    edge: float,
    view: View,
    light: Light,
    *,
    lit: float = 1.0,
    fine: int = 0,
) -> Patch:
    """Ray-cast the rounded cube `look` turned by `turn` (body -> world). `fine`: rays a pixel each way (0 = chosen)."""
    corners = view.project(CORNERS * (edge / 2) @ turn.T + centre)
    x0, y0 = (int(v) - 1 for v in corners.min(axis=0))
    w, h = (int(b) + 2 - a for a, b in zip((x0, y0), corners.max(axis=0), strict=True))
    fine = fine or (3 if w < 45 else 2)
    offset = (np.arange(fine) + 0.5) / fine - 0.5
    xs = (x0 + np.arange(w)[:, None] + offset).ravel()
    ys = (y0 + np.arange(h)[:, None] + offset).ravel()
    pixels = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    d = (view.rays(pixels) @ turn).astype(np.float32)
    origin = ((view.eye - centre) @ turn / (edge / 2)).astype(np.float32)
    hit, p, normal = _intersect(look, origin, d)
    rgba = np.zeros((len(pixels), 4), np.float32)
    if len(hit):
        rgba[hit, :3] = _shade(look, p, normal, d[hit], turn.astype(np.float32), light, lit)
        rgba[hit, 3] = 1.0
    grid = rgba.reshape(h, fine, w, fine, 4)
    return Patch(grid.mean(axis=(1, 3)), x0, y0)


def paste(image: Floats, patch: Patch) -> None:
    """Lay the patch over a linear RGB picture (H, W, 3) in place; what sticks out is cut."""
    y1, x1 = max(patch.y0, 0), max(patch.x0, 0)
    y2 = min(patch.y0 + patch.rgba.shape[0], image.shape[0])
    x2 = min(patch.x0 + patch.rgba.shape[1], image.shape[1])
    if y2 <= y1 or x2 <= x1:
        return
    part = patch.rgba[y1 - patch.y0 : y2 - patch.y0, x1 - patch.x0 : x2 - patch.x0]
    image[y1:y2, x1:x2] = image[y1:y2, x1:x2] * (1 - part[..., 3:]) + part[..., :3]


def darken(image: Floats, shade: Shade) -> None:
    """Apply a shadow to a linear picture (H, W, 3) in place."""
    y1, x1 = max(shade.y0, 0), max(shade.x0, 0)
    y2 = min(shade.y0 + shade.factor.shape[0], image.shape[0])
    x2 = min(shade.x0 + shade.factor.shape[1], image.shape[1])
    if y2 > y1 and x2 > x1:
        image[y1:y2, x1:x2] *= shade.factor[y1 - shade.y0 : y2 - shade.y0, x1 - shade.x0 : x2 - shade.x0, None]


def truth(look: DieLook, turn: Matrix, centre: Matrix, edge: float, view: View) -> DieTruth:
    """What the reader should say of this die."""
    normals = AXES @ turn.T
    top = int(np.argmax(normals[:, 2]))
    world = CORNERS * (edge / 2) @ turn.T + centre
    pixels = view.project(world)
    on_top = pixels[CORNERS @ AXES[top] > 0]
    quad = on_top[[0, 1, 3, 2]]
    hull = cv2.convexHull(pixels.astype(np.float32))[:, 0].astype(np.float64)
    depth = float((view.R @ centre + view.t)[2])
    return DieTruth(
        hull=hull,
        top_face=quad,
        value=face_values(look)[top],
        tilt=float(np.degrees(np.arccos(np.clip(normals[top, 2], -1, 1)))),
        edge_px=float(view.K[0, 0] * edge / depth),
        centre=view.project(centre[None])[0],
    )


def shadow(turn: Matrix, centre: Matrix, edge: float, plane_z: float, view: View, light: Light) -> Shade | None:
    """Shadow and contact darkening the cube casts on the plane z = `plane_z`; None when it lies out of sight."""
    world = CORNERS * (edge / 2) @ turn.T + centre
    feet = [(_drop(world, np.asarray(lamp.direction, float), plane_z), lamp) for lamp in light.lamps]
    around = np.concatenate([world, *(f for f, _ in feet)])
    around = around[np.linalg.norm(around[:, :2] - centre[:2], axis=1) < 6 * edge]
    around = np.column_stack([around[:, :2], np.full(len(around), plane_z)])
    pixels = view.project(around)
    pad = int(0.3 * np.ptp(pixels[:8], axis=0).max()) + 2
    x0, y0 = (int(v) - pad for v in pixels.min(axis=0))
    x1, y1 = (int(v) + pad for v in pixels.max(axis=0))
    if (x1 - x0) * (y1 - y0) > 400_000 or x1 <= x0 or y1 <= y0:
        return None
    grid = np.stack(np.meshgrid(np.arange(x0, x1), np.arange(y0, y1)), axis=-1).reshape(-1, 2).astype(float)
    ray = view.rays(grid)
    eye = view.eye
    ground = (eye + ray * ((plane_z - eye[2]) / np.minimum(ray[:, 2:], -1e-6)))[:, :2]
    below = _outside(ground, world[:, :2])
    height = max(float(world[:, 2].min()) - plane_z, 0.0)
    contact = 0.55 * np.exp(-np.maximum(below, 0) / (0.16 * edge)) * np.exp(-2 * height / edge)
    dim = light.ambient * (1 - contact)
    total = light.ambient
    for foot, lamp in feet:
        power = lamp.power * max(lamp.direction[2] / float(np.linalg.norm(lamp.direction)), 0.05)
        soft = max(lamp.size * edge * 0.9 + height * lamp.size, 0.03 * edge)
        hidden = np.clip(0.5 - _outside(ground, foot[:, :2]) / (2 * soft), 0, 1)
        dim = dim + power * (1 - hidden)
        total += power
    factor = (dim / max(total, 1e-6)).reshape(y1 - y0, x1 - x0)
    return Shade(factor.astype(np.float32), x0, y0)


def _drop(points: Matrix, to_lamp: Matrix, plane_z: float) -> Matrix:
    """Shadow of points on a plane; shallow lamps are kept above 8 degrees."""
    steep = max(float(to_lamp[2]), 0.14 * float(np.linalg.norm(to_lamp)))
    away = -to_lamp / steep
    dropped: Matrix = points + away * (points[:, 2:] - plane_z)
    return dropped


def _outside(points: Matrix, corners: Matrix) -> Matrix:
    """About the distance of points (n, 2) from the convex hull of corners; negative inside."""
    hull = cv2.convexHull(corners.astype(np.float32))[:, 0].astype(float)
    ahead = np.roll(hull, -1, axis=0) - hull
    normal = np.column_stack([ahead[:, 1], -ahead[:, 0]])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    if ((hull.mean(axis=0) - hull) * normal).sum() > 0:
        normal = -normal
    far: Matrix = np.full(len(points), -np.inf)
    for n, corner in zip(normal, hull, strict=True):
        np.maximum(far, points @ n - corner @ n, out=far)
    return far


def _intersect(look: DieLook, origin: Floats, d: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Rays that hit (indices), where (body, half edge = 1), and the unit normals there: slabs, then sphere tracing."""
    safe = np.where(np.abs(d) < 1e-6, 1e-6, d)
    a, b = (-1 - origin) / safe, (1 - origin) / safe
    near = _most(np.minimum(a, b))
    far = -_most(-np.maximum(a, b))
    hit = np.flatnonzero(near < far)
    ahead = d[hit]
    p = origin + ahead * near[hit, None]
    far = _distance(look, p)
    for _ in range(9):
        moving = np.flatnonzero(far > 0.004)
        p[moving] += ahead[moving] * far[moving, None]
        far[moving] = _distance(look, p[moving])
    kept = far < 0.02
    p = p[kept].astype(np.float32)
    return hit[kept], p, _normals(look, p)


def _most(a: Floats) -> Floats:
    """Largest of three columns; NumPy's own reduction over so short an axis is ten times slower."""
    most: Floats = np.maximum(np.maximum(a[:, 0], a[:, 1]), a[:, 2])
    return most


def _length(a: Floats) -> Floats:
    length: Floats = np.sqrt(np.einsum("ij,ij->i", a, a))
    return length


def _axis(p: Floats) -> NDArray[np.intp]:
    """Which coordinate is largest in size."""
    a = np.abs(p)
    first = np.where(a[:, 1] > a[:, 0], 1, 0)
    return np.where(a[:, 2] > np.maximum(a[:, 0], a[:, 1]), 2, first)


def _distance(look: DieLook, p: Floats) -> Floats:
    inner = 1 - look.rounding
    box = _length(np.maximum(np.abs(p) - inner, 0)) - look.rounding
    out: Floats = np.maximum(box, _length(p) - look.ball)
    return out


def _normals(look: DieLook, p: Floats) -> Floats:
    q = np.maximum(np.abs(p) - (1 - look.rounding), 0) * np.sign(p)
    axis = _axis(p)
    flat = np.zeros_like(p)
    rows = np.arange(len(p))
    flat[rows, axis] = np.sign(p[rows, axis])
    size = _length(q)[:, None]
    n = np.where(size > 1e-4, q / np.maximum(size, 1e-6), flat)
    radius = _length(p)[:, None]
    n = np.where(radius > look.ball - 0.015, p / radius, n) + look.crown * p
    unit: Floats = (n / _length(n)[:, None]).astype(np.float32)
    return unit


def _shade(look: DieLook, p: Floats, n: Floats, d: Floats, turn: Floats, light: Light, lit: float) -> Floats:
    """Linear RGB towards the camera of body points p with normals n seen along d (all in body axes)."""
    share, bent = _painted(look, p, n)
    colour: Floats = body_colours(look, p)
    if look.translucent > 0:
        colour = colour * (1 - look.translucent) + look.translucent * _through(look, p, n, d, turn, light, colour)
    flat = _most(np.abs(p)) > 1 - 0.9 * look.rounding - 0.06
    share = np.where(flat, share, 0.0)[:, None]
    face = _faces(p)
    colour = colour * (1 - share) + ink_colour(look, face) * share
    world_n, world_d = bent @ turn.T, d @ turn.T
    height = ((p @ turn.T)[:, 2:] + 1.2) / 2.4
    out = colour * _diffuse(world_n, light, lit, height, 0.35 * look.translucent)
    gloss = look.gloss * (1 - 0.6 * share)
    seen: Floats = out + gloss * _mirrored(world_n, world_d, light, lit, look.rough)
    return seen


def _faces(p: Floats) -> NDArray[np.intp]:
    axis = _axis(p)
    return axis * 2 + (p[np.arange(len(p)), axis] < 0)


def _painted(look: DieLook, p: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Ink share and the normals with the drilled bowls in them."""
    face = _faces(p)
    axis = face // 2
    rows = np.arange(len(p))
    ui, vi = (axis + 1) % 3, (axis + 2) % 3
    share, su, sv = ink(look, face, p[rows, ui], p[rows, vi])
    bent = n.copy()
    bent[rows, ui] += su
    bent[rows, vi] += sv
    return share, bent / _length(bent)[:, None]


def _diffuse(n: Floats, light: Light, lit: float, height: Floats, wrap: float) -> Floats:
    sky = (0.62 + 0.38 * n[:, 2:]) * (0.55 + 0.45 * np.clip(height, 0, 1))
    out = light.ambient * sky * linear(light.ambient_colour)
    for lamp in light.lamps:
        to = np.asarray(lamp.direction, np.float32)
        facing = np.clip((n @ (to / np.linalg.norm(to)) + wrap) / (1 + wrap), 0, 1)
        out = out + lit * lamp.power * facing[:, None] * linear(lamp.colour)
    return out


def _mirrored(n: Floats, d: Floats, light: Light, lit: float, rough: float) -> Floats:
    """Fresnel reflection of sky and lamps (a lamp's radiance is its power over its apparent area)."""
    cos = np.clip(-np.einsum("ij,ij->i", n, d), 0, 1)
    fresnel = 0.04 + 0.96 * (1 - cos) ** 5
    r = d + 2 * cos[:, None] * n
    out = light.ambient * np.clip(0.45 + 0.55 * r[:, 2:], 0.05, 1) * linear(light.ambient_colour)
    for lamp in light.lamps:
        to = np.asarray(lamp.direction, np.float32)
        to = to / np.linalg.norm(to)
        side = r - (r @ to)[:, None] * to
        if lamp.square:
            east = np.cross(to, [0.0, 0.0, 1.0] if abs(to[2]) < 0.95 else [1.0, 0.0, 0.0])
            east = east / np.linalg.norm(east)
            off = np.maximum(np.abs(side @ east), np.abs(side @ np.cross(to, east)))
        else:
            off = _length(side)
        off = np.where(r @ to > 0, off, 9.0)
        soft = 0.02 + rough
        glow = np.clip((lamp.size + soft - off) / (2 * soft), 0, 1) ** 2
        radiance = lamp.power / (lamp.size + 0.6 * rough) ** 2
        out = out + lit * radiance * glow[:, None] * linear(lamp.colour)
    seen: Floats = fresnel[:, None] * out
    return seen


def _through(look: DieLook, p: Floats, n: Floats, d: Floats, turn: Floats, light: Light, colour: Floats) -> Floats:
    """Light coming through a translucent body: far faces glow, their pips show faintly through."""
    cos = -np.einsum("ij,ij->i", n, d)[:, None]
    bent = d / 1.49 + (cos / 1.49 - np.sqrt(np.maximum(1 - (1 - cos * cos) / 2.22, 0))) * n
    bent = np.where(np.abs(bent) < 1e-4, 1e-4, bent)
    far = -_most(-(np.sign(bent) - p) / bent)[:, None]
    out = (p + bent * np.maximum(far, 0.0)).astype(np.float32)
    share, _ = _painted(look, out, out)
    normal = (out / _length(out)[:, None]) @ turn.T
    glow = _diffuse(normal, light, 1.0, np.full((len(p), 1), 0.8, np.float32), 0.5) * 0.8 + 0.12
    depth = np.exp(-0.5 * np.maximum(far, 0))
    seen = colour * glow * (0.45 + 0.75 * depth)
    out_colour: Floats = (seen * (1 - 0.6 * share[:, None]) + linear(look.pip) * 0.5 * share[:, None] * glow).astype(
        np.float32
    )
    return out_colour
