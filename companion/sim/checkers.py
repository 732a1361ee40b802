"""Checkers: true cylinders with profile, rounded edge, pattern, gloss; each is ray-cast in its own small window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.camera import View
from companion.sim.render_light import mirrored
from companion.sim.render_materials import bgr, smooth_noise
from companion.sim.scene import Checker, CheckerStyle, Layout, Light

Floats = NDArray[Any]
Doubles = NDArray[Any]
_TEXTURE = 128


@dataclass(frozen=True, eq=False)
class Piece:
    """One checker drawn: window at (x0, y0), colour BGR linear, cover 0 … 1, depth, pixels of its upper face."""

    x0: int
    y0: int
    colour: Floats
    cover: Floats
    depth: Floats
    top: NDArray[np.bool_]


@lru_cache(maxsize=32)
def pattern(style: CheckerStyle, seed: int) -> Floats:
    """The face of a checker, BGR linear, square; the disc of radius 1 fills it."""
    rng = np.random.default_rng([seed, 11])
    n = (_TEXTURE, _TEXTURE)
    base, other = bgr(style.colour), bgr(style.second)
    if style.finish == "marble":
        a = smooth_noise(rng, n, 34, 34) + 0.5 * smooth_noise(rng, n, 14, 14) + 0.25 * smooth_noise(rng, n, 5, 5)
        share = np.exp(-np.abs(a) * 4.0) * 0.9 + 0.3 * np.clip(smooth_noise(rng, n, 50, 50), -1, 1)
    elif style.finish == "wood":
        warp = smooth_noise(rng, n, 20, 90)
        x = np.arange(_TEXTURE, dtype=np.float32)[None, :] / _TEXTURE
        share = 0.5 + 0.5 * np.sin(x * rng.uniform(18, 60) + 1.2 * warp) + 0.35 * smooth_noise(rng, n, 2, 40)
    elif style.finish == "stripes":
        x = np.arange(_TEXTURE, dtype=np.float32)[None, :] / _TEXTURE + 0.02 * smooth_noise(rng, n, 60, 60)
        share = np.clip(6 * np.sin(x * rng.uniform(22, 40)) + 0.5, 0, 1)
    elif style.finish == "speck":
        share = np.clip(smooth_noise(rng, n, 5, 5) * 1.6 - 1.0, 0, 1)
    else:
        share = 0.12 * smooth_noise(rng, n, 30, 30)
    out = base + (other - base) * np.clip(share * style.strength, 0, 1)[..., None]
    out = out * (1.0 + 0.02 * smooth_noise(rng, n, 3, 3))[..., None]
    if style.inlay > 0:
        _inlay(out, style)
    return np.asarray(np.clip(out, 0, 1) ** 2, np.float32)


def _inlay(out: Floats, style: CheckerStyle) -> None:
    t = (np.arange(_TEXTURE, dtype=np.float32) + 0.5) / (_TEXTURE / 2) - 1.0
    r = np.sqrt(t[None, :] ** 2 + t[:, None] ** 2)
    if style.inlay_width >= style.inlay:
        share = np.clip((style.inlay - r) * 32 + 0.5, 0, 1)
    else:
        share = np.clip((style.inlay_width / 2 - np.abs(r - style.inlay)) * 32 + 0.5, 0, 1)
    out += (bgr(style.inlay_colour) - out) * share[..., None]


def _bump(r: Floats, at: float, width: float) -> Floats:
    """Slope of a ridge at radius `at`."""
    q = (r - at) / width
    return np.asarray(-q * np.exp(-q * q), np.float32)


def slope_of(style: CheckerStyle, r: Floats, bevel: float) -> Floats:
    """How steeply the upper face falls outwards at radius r (share of the radius): tangent."""
    edge = np.clip((r - (1.0 - bevel)) / max(bevel, 1e-3), 0, 1)
    slope = -(edge * edge) * 1.6
    if style.profile == "rim":
        slope = slope + 0.9 * _bump(r, 0.80, 0.05) + 0.25 * _bump(r, 0.72, 0.05)
    elif style.profile == "groove":
        slope = slope - 0.9 * _bump(r, 0.70, 0.045) - 0.6 * _bump(r, 0.34, 0.04)
    elif style.profile == "dimple":
        slope = slope + np.where(r < 0.62, 0.55 * r, 0.0) + 0.5 * _bump(r, 0.64, 0.05)
    elif style.profile == "dome":
        slope = slope - 0.22 * r
    return np.asarray(-slope, np.float32)  # outwards tilt of the normal


def frame_of(checker: Checker) -> Doubles:
    """Rows: the checker's own axes (u, v, axis) in the world."""
    n = np.asarray(checker.normal, np.float64)
    n = n / np.linalg.norm(n)
    c, s = math.cos(checker.yaw), math.sin(checker.yaw)
    start = np.array([c, s, 0.0]) if abs(n[2]) > 0.5 else np.array([0.0, 0.0, 1.0])
    u = start - n * (start @ n)
    u /= np.linalg.norm(u)
    return np.array([u, [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]], n])


def ring(checker: Checker, layout: Layout, upper: bool, n: int = 24) -> Doubles:
    """n points on the rim of the upper or lower face, world."""
    axes = frame_of(checker)
    t = np.linspace(0, 2 * math.pi, n, endpoint=False)
    r = layout.checker / 2
    local = np.stack([r * np.cos(t), r * np.sin(t), np.full(n, layout.thick if upper else 0.0)], axis=1)
    return np.asarray(local @ axes + np.array([checker.x, checker.y, checker.z]))


def rims(checkers: Sequence[Checker], layout: Layout, n: int = 16) -> Doubles:
    """Rims of lower and upper faces of many checkers: k x 2 x n x 3, world."""
    t = np.linspace(0, 2 * math.pi, n, endpoint=False)
    r = layout.checker / 2
    circle = np.stack([r * np.cos(t), r * np.sin(t)])
    axes = np.array([frame_of(c) for c in checkers]).reshape(-1, 3, 3)
    base = np.array([(c.x, c.y, c.z) for c in checkers]).reshape(-1, 3)
    low = np.einsum("an,kax->knx", circle, axes[:, :2]) + base[:, None]
    return np.asarray(np.stack([low, low + layout.thick * axes[:, None, 2]], axis=1))


def outlines(checkers: Sequence[Checker], layout: Layout, view: View) -> list[Doubles]:
    """Convex outlines in pixels."""
    if not checkers:
        return []
    px = view.project(rims(checkers, layout, 24)).reshape(len(checkers), 48, 2).astype(np.float32)
    return [np.asarray(cv2.convexHull(p).reshape(-1, 2), np.float64) for p in px]


def window_of(hull: Doubles, view: View) -> tuple[int, int, int, int] | None:
    """Pixel window x0, y0, x1, y1 around an outline; None when it is outside the picture."""
    x0, y0 = np.floor(hull.min(axis=0)).astype(int) - 1
    x1, y1 = np.ceil(hull.max(axis=0)).astype(int) + 2
    x0, y0, x1, y1 = max(0, x0), max(0, y0), min(view.size[0], x1), min(view.size[1], y1)
    return (int(x0), int(y0), int(x1), int(y1)) if x1 - x0 > 1 and y1 - y0 > 1 else None


def _cover(hull: Doubles, x0: int, y0: int, shape: tuple[int, int], fine: int = 4) -> Floats:
    """Share of every pixel inside the outline."""
    mask = np.zeros((shape[0] * fine, shape[1] * fine), np.uint8)
    points = ((hull - (x0, y0) + 0.5) * fine - 0.5) * 16
    cv2.fillConvexPoly(mask, np.round(points).astype(np.int32), 255, cv2.LINE_8, 4)
    small = cv2.resize(mask, (shape[1], shape[0]), interpolation=cv2.INTER_AREA)
    return small.astype(np.float32) * np.float32(1 / 255)


@dataclass(frozen=True, eq=False)
class _Hit:
    """Where the rays of a window meet the cylinder: own coordinates (radius 1 in x, y; z in cm), depth, face."""

    x: Floats
    y: Floats
    z: Floats
    depth: Floats
    cap: NDArray[np.bool_]
    side: float  # +1: the upper cap is the one seen, -1: the lower


def _meet(rays: Floats, eye: Doubles, axes: Doubles, radius: float, thick: float) -> _Hit:
    d = rays @ axes.T.astype(np.float32)
    o = axes @ eye
    dx, dy, dz = d[..., 0], d[..., 1], d[..., 2]
    upper = o[2] > thick / 2
    level = np.float32(thick if upper else 0.0)
    to_cap = (level - np.float32(o[2])) / np.where(np.abs(dz) < 1e-5, np.float32(1e-5), dz)
    cx, cy = np.float32(o[0]) + to_cap * dx, np.float32(o[1]) + to_cap * dy
    seen = (o[2] > thick) if upper else (o[2] < 0)
    cap = (cx * cx + cy * cy <= radius * radius) & bool(seen)
    a = dx * dx + dy * dy + np.float32(1e-9)
    b = np.float32(o[0]) * dx + np.float32(o[1]) * dy
    c = np.float32(o[0] ** 2 + o[1] ** 2 - radius**2)
    to_side = (-b - np.sqrt(np.maximum(b * b - a * c, 0.0))) / a
    depth = np.where(cap, to_cap, to_side)
    x, y = np.float32(o[0]) + depth * dx, np.float32(o[1]) + depth * dy
    z = np.clip(np.float32(o[2]) + depth * dz, 0.0, thick)
    return _Hit(x / radius, y / radius, z, depth, cap, 1.0 if upper else -1.0)


def _normals(hit: _Hit, style: CheckerStyle, layout: Layout, axes: Doubles, r: Floats) -> tuple[Floats, Floats, Floats]:
    """World normals."""
    bevel = style.bevel / (layout.checker / 2)
    out = slope_of(style, r, bevel)
    low = np.clip(1.0 - hit.z / max(style.bevel, 0.02), 0, 1)
    high = np.clip(1.0 - (layout.thick - hit.z) / max(style.bevel, 0.02), 0, 1)
    safe = np.maximum(r, 1e-3)
    ux, uy = hit.x / safe, hit.y / safe
    radial = np.where(hit.cap, out, 1.0)
    axial = np.where(hit.cap, hit.side, 0.8 * (high - low))
    inv = 1.0 / np.sqrt(radial * radial + axial * axial)
    nx, ny, nz = radial * ux * inv, radial * uy * inv, axial * inv
    a = axes.astype(np.float32)
    parts = [nx * a[0, k] + ny * a[1, k] + nz * a[2, k] for k in range(3)]
    return parts[0], parts[1], parts[2]


def _colour(hit: _Hit, style: CheckerStyle, checker: Checker, r: Floats) -> Floats:
    texture = pattern(style, checker.seed % 6)
    rng = np.random.default_rng([checker.seed, 3])
    gain = float(1.0 + style.spread * rng.standard_normal())
    half = _TEXTURE / 2
    reach = np.where(hit.cap, 1.0, 0.97 / np.maximum(r, 1e-3))
    mx = hit.x * reach * (half - 1) + half
    my = hit.y * reach * (half - 1) + half
    got = cv2.remap(
        texture, mx.astype(np.float32), my.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(got * np.float32(gain), np.float32)


def _diffuse(light: Light, n: tuple[Floats, Floats, Floats], wrap: float) -> Floats:
    """Light of a surface against that of a level one under the same sky (shadows come from the light map)."""
    level = light.ambient + sum(p.power * p.direction[2] / float(np.linalg.norm(p.direction)) for p in light.lamps)
    own = light.ambient * (0.55 + 0.45 * n[2])
    for lamp in light.lamps:
        d = np.asarray(lamp.direction) / np.linalg.norm(lamp.direction)
        facing = n[0] * np.float32(d[0]) + n[1] * np.float32(d[1]) + n[2] * np.float32(d[2])
        own = own + lamp.power * np.maximum(0.0, (facing + wrap) / (1 + wrap))
    return np.asarray(own / max(level, 1e-3), np.float32)


def draw_checker(
    checker: Checker,
    style: CheckerStyle,
    layout: Layout,
    view: View,
    light: Light,
    lit: Floats,
    hull: Doubles,
    box: tuple[int, int, int, int],
) -> Piece:
    """Ray-cast one checker. `lit`: irradiance (BGR) at its upper face, one value or one a pixel of its window `box`."""
    x0, y0, x1, y1 = box
    rays = view.rays[y0:y1, x0:x1]
    axes = frame_of(checker)
    hit = _meet(rays, view.centre - (checker.x, checker.y, checker.z), axes, layout.checker / 2, layout.thick)
    r = np.sqrt(hit.x * hit.x + hit.y * hit.y)
    n = _normals(hit, style, layout, axes, r)
    shade = _diffuse(light, n, 0.3 * style.translucent)
    world_z = checker.z + hit.z if checker.pose == "flat" else np.full_like(hit.z, checker.z + layout.thick)
    low = np.clip((world_z - checker.z) / layout.thick, 0.0, 1.0)
    shade = shade * np.where(hit.cap, 1.0, 0.38 + 0.57 * low)
    colour = _colour(hit, style, checker, r) * shade[..., None] * lit
    if style.translucent > 0:
        glow = (0.25 * style.translucent) * bgr(style.colour) ** 2 * lit
        colour = colour * (1 - 0.25 * style.translucent) + glow * (0.6 + 0.8 * r * r)[..., None]
    if style.gloss > 0.02:
        colour = colour + mirrored(light, n[0], n[1], n[2], rays, style.rough) * np.float32(style.gloss)
    cover = _cover(hull, x0, y0, (y1 - y0, x1 - x0))
    top = hit.cap & (hit.side > 0)
    return Piece(x0, y0, np.asarray(colour, np.float32), cover, hit.depth, top)
