"""Light: what every lamp gives to a horizontal level of the table, with soft shadows; and what a gloss mirrors.

Linear units: a white sheet under a lamp of power 1 straight above has radiance 1 (the ambient light adds its own).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.render_materials import bgr
from companion.sim.scene import Lamp, Light

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Disc:
    """An upright cylinder that casts a shadow."""

    x: float
    y: float
    radius: float
    z0: float
    z1: float


@dataclass(frozen=True, eq=False)
class Prism:
    """A convex footprint (n x 2) from z0 to z1 that casts a shadow."""

    polygon: Doubles
    z0: float
    z1: float


Occluder = Disc | Prism


@dataclass(frozen=True, slots=True)
class Grid:
    """The pixels of a level's light map: cm -> pixel is (x - x0) * ppc, (y - y0) * ppc."""

    x0: float
    y0: float
    width: int
    height: int
    ppc: float

    def pixels(self, xy: Doubles) -> Doubles:
        return (xy - np.array([self.x0, self.y0])) * self.ppc


def unit(v: Sequence[float]) -> Doubles:
    a = np.asarray(v, np.float64)
    return np.asarray(a / np.linalg.norm(a))


def lamp_samples(lamp: Lamp) -> Doubles:
    """Positions on the lamp, n x 3 cm."""
    d = unit(lamp.direction)
    u = unit(np.cross(d, [0.13, 0.97, 0.05]))
    v = np.cross(d, u)
    if lamp.size < 0.03:
        spots = [(0.0, 0.0)]
    elif lamp.size < 0.1:
        spots = [(-0.6, -0.35), (0.6, -0.35), (0.0, 0.65)]
    else:
        spots = [
            (-0.75, -0.6),
            (0.05, -0.72),
            (0.75, -0.45),
            (-0.6, 0.55),
            (0.0, 0.1),
            (0.65, 0.65),
            (-0.35, 0.0),
            (0.2, 0.8),
        ]
    reach = lamp.distance * math.tan(min(1.2, lamp.size))
    return np.array([d * lamp.distance + (a * u + b * v) * reach for a, b in spots])


_FIXED = 3  # fractional bits


def _fill(mask: NDArray[np.uint8], polygon: Doubles, value: int) -> None:
    cv2.fillConvexPoly(mask, np.round(polygon * (1 << _FIXED)).astype(np.int32), value, cv2.LINE_8, _FIXED)


def _disc_hulls(discs: Sequence[Disc], z: float, source: Doubles) -> list[Doubles]:
    """Shadow outlines (xy cm) of cylinders on the level z, from a point light."""
    if not discs:
        return []
    c = np.array([(d.x, d.y) for d in discs])
    r = np.array([d.radius for d in discs])[:, None]
    low = np.array([max(d.z0, z) for d in discs])[:, None]
    high = np.array([min(d.z1, source[2] - 5.0) for d in discs])[:, None]
    grow_low, grow_high = source[2] - low, source[2] - high
    away = c - source[:2]
    c0, c1 = source[:2] + away * (source[2] - z) / grow_low, source[:2] + away * (source[2] - z) / grow_high
    r0, r1 = r * (source[2] - z) / grow_low, r * (source[2] - z) / grow_high
    phi = np.arctan2(away[:, 1], away[:, 0])[:, None]
    half = np.linspace(-math.pi / 2, math.pi / 2, 11)[None, :]
    front = np.stack([c1[:, :1] + r1 * np.cos(phi + half), c1[:, 1:] + r1 * np.sin(phi + half)], axis=-1)
    back = np.stack([c0[:, :1] - r0 * np.cos(phi + half), c0[:, 1:] - r0 * np.sin(phi + half)], axis=-1)
    return list(np.concatenate([front, back], axis=1))


def _prism_hull(prism: Prism, z: float, source: Doubles) -> Doubles:
    rings = []
    for level in (max(prism.z0, z), min(prism.z1, source[2] - 5.0)):
        rings.append(source[:2] + (prism.polygon - source[:2]) * (source[2] - z) / (source[2] - level))
    hull = cv2.convexHull(np.concatenate(rings).astype(np.float32))
    return np.asarray(hull.reshape(-1, 2), np.float64)


def _shade(grid: Grid, occluders: Sequence[Occluder], z: float, source: Doubles) -> NDArray[np.uint8]:
    mask = np.zeros((grid.height, grid.width), np.uint8)
    above = [o for o in occluders if o.z1 > z + 0.05]
    for hull in _disc_hulls([o for o in above if isinstance(o, Disc)], z, source):
        _fill(mask, grid.pixels(hull), 255)
    for o in above:
        if isinstance(o, Prism):
            _fill(mask, grid.pixels(_prism_hull(o, z, source)), 255)
    return mask


def _ambient_open(grid: Grid, occluders: Sequence[Occluder], z: float) -> Floats:
    """Share of the sky that a level sees: footprints spread out (contact shadow and wide shade)."""
    mask = np.zeros((grid.height, grid.width), np.uint8)
    tall = np.zeros((grid.height, grid.width), np.uint8)
    for o in occluders:
        if o.z1 < z + 0.1 or o.z0 > z + 6.0:
            continue
        for target in (mask, tall) if o.z1 > z + 1.6 else (mask,):
            if isinstance(o, Disc):
                at = np.round(grid.pixels(np.array([o.x, o.y])) * 8).astype(int)
                cv2.circle(target, (int(at[0]), int(at[1])), round(o.radius * grid.ppc * 8), 255, -1, cv2.LINE_8, 3)
            else:
                _fill(target, grid.pixels(o.polygon), 255)
    near = cv2.GaussianBlur(mask, (0, 0), 0.45 * grid.ppc)
    wide = cv2.GaussianBlur(tall, (0, 0), 1.6 * grid.ppc)
    return np.asarray(1.0 - near.astype(np.float32) * (0.5 / 255) - wide.astype(np.float32) * (0.45 / 255), np.float32)


def spot_factor(light: Light, x: Floats, y: Floats) -> Floats | float:
    """A pool of light on the table, 0 … 1."""
    if light.spot <= 0:
        return 1.0
    r2 = ((x - light.spot_xy[0]) ** 2 + (y - light.spot_xy[1]) ** 2) / light.spot_radius**2
    return np.asarray(1.0 - light.spot * (1.0 - np.exp(-0.7 * r2 * np.sqrt(r2))), np.float32)


def light_map(grid: Grid, light: Light, occluders: Sequence[Occluder], z: float) -> Floats:
    """Irradiance (BGR, linear) of the horizontal level z over the grid."""
    x = np.arange(grid.width, dtype=np.float32)[None, :] / grid.ppc + grid.x0
    y = np.arange(grid.height, dtype=np.float32)[:, None] / grid.ppc + grid.y0
    spot = spot_factor(light, x, y)
    ambient = _ambient_open(grid, occluders, z) * light.ambient * (0.35 + 0.65 * spot)
    out = ambient[..., None] * bgr(light.ambient_colour)
    for lamp in light.lamps:
        shade = np.zeros((grid.height, grid.width), np.float32)
        samples = lamp_samples(lamp)
        for source in samples:
            cv2.accumulate(_shade(grid, occluders, z, source), shade)
        lit = 1.0 - cv2.GaussianBlur(shade, (0, 0), max(0.5, 0.09 * grid.ppc)) / (255.0 * len(samples))
        px, py, pz = unit(lamp.direction) * lamp.distance
        d2 = (x - px) ** 2 + (y - py) ** 2 + (pz - z) ** 2
        given = lamp.power * (pz - z) * lamp.distance**2 / (d2 * np.sqrt(d2)) * lit * spot
        out += given[..., None] * bgr(lamp.colour)
    return np.asarray(out, np.float32)


def mirrored(light: Light, nx: Floats, ny: Floats, nz: Floats, rays: Floats, rough: float) -> Floats:
    """What a glossy surface mirrors (BGR, linear, Fresnel included): ambient sky and the lamps' shapes.

    `rays`: ... x 3 view rays (any length), normals as three arrays (or numbers) that broadcast.
    """
    vx, vy, vz = rays[..., 0], rays[..., 1], rays[..., 2]
    inv = 1.0 / np.sqrt(vx * vx + vy * vy + vz * vz)
    cos = -(vx * nx + vy * ny + vz * nz) * inv
    rx, ry, rz = vx * inv + 2 * cos * nx, vy * inv + 2 * cos * ny, vz * inv + 2 * cos * nz
    grazing = np.clip(1.0 - cos, 0.0, 1.0)
    fresnel = 0.04 + 0.96 * grazing**5 * (1.0 - 0.7 * rough)
    sky = light.ambient * (0.35 + 0.65 * np.clip(rz, 0.0, 1.0))
    out = sky[..., None] * bgr(light.ambient_colour)
    for lamp in light.lamps:
        d = unit(lamp.direction)
        u = unit(np.cross(d, [0.13, 0.97, 0.05]))
        w = np.cross(d, u)
        front = np.maximum(rx * d[0] + ry * d[1] + rz * d[2], 1e-3)
        a = np.abs((rx * u[0] + ry * u[1] + rz * u[2]) / front)
        b = np.abs((rx * w[0] + ry * w[1] + rz * w[2]) / front)
        size, soft = max(lamp.size, 0.04), 0.03 + 0.7 * rough * rough
        m = np.maximum(a, b) if lamp.square else np.sqrt(a * a + b * b)
        share = np.clip((size + soft - m) / (2 * soft), 0.0, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        power = lamp.power * 0.9 / (size * size + 0.25 * soft * soft + 0.01)
        out = out + (np.minimum(power, 60.0) * share)[..., None] * bgr(lamp.colour)
    return np.asarray(out * fresnel[..., None], np.float32)
