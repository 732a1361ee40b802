"""Light: what every lamp gives to a horizontal level of the table, with soft shadows; and what a gloss mirrors.

Linear units: a white sheet under a lamp of power 1 straight above has radiance 1 (the ambient light adds its own).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.render_materials import bgr
from companion.sim.scene import Lamp, Light

Floats = NDArray[Any]
Doubles = NDArray[Any]


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
    """A convex footprint (n x 2) from z0 to z1 that casts a shadow. `high`: far above, its shadow is blurred whole."""

    polygon: Doubles
    z0: float
    z1: float
    high: bool = False


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
        return np.asarray((xy - np.array([self.x0, self.y0])) * self.ppc)


def unit(v: Sequence[float] | Doubles) -> Doubles:
    a = np.asarray(v, np.float64)
    return np.asarray(a / np.linalg.norm(a))


@lru_cache(maxsize=64)
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


def _disc_hulls(discs: Sequence[Disc], z: float, source: Doubles) -> Doubles:
    """Shadow outlines (xy cm) of cylinders on the level z, from a point light."""
    if not discs:
        return np.zeros((0, 22, 2))
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
    return np.concatenate([front, back], axis=1)


def _prism_hull(prism: Prism, z: float, source: Doubles) -> Doubles:
    rings = []
    for level in (max(prism.z0, z), min(prism.z1, source[2] - 5.0)):
        rings.append(source[:2] + (prism.polygon - source[:2]) * (source[2] - z) / (source[2] - level))
    hull = cv2.convexHull(np.concatenate(rings).astype(np.float32))
    return np.asarray(hull.reshape(-1, 2), np.float64)


def _static_shade(
    grid: Grid, occluders: Sequence[Occluder], z: float, source: Doubles, mask: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Draw the shadows of occluders into `mask`."""
    above = [o for o in occluders if o.z1 > z + 0.05]
    hulls = _disc_hulls([o for o in above if isinstance(o, Disc)], z, source)
    if len(hulls):
        fixed = np.round((hulls - (grid.x0, grid.y0)) * (grid.ppc * (1 << _FIXED))).astype(np.int32)
        for hull in fixed:
            cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_8, _FIXED)
    for o in above:
        if isinstance(o, Prism) and not o.high:
            _fill(mask, grid.pixels(_prism_hull(o, z, source)), 255)
    return mask


@dataclass(eq=False)
class LevelShade:
    """Light map of one level; remembers the shadows of what stands still."""

    grid: Grid
    light: Light
    z: float
    still: Sequence[Occluder]

    def __post_init__(self) -> None:
        g = self.grid
        blank = (g.height, g.width)
        self.shades = [
            [_static_shade(g, self.still, self.z, source, np.zeros(blank, np.uint8)) for source in lamp_samples(lamp)]
            for lamp in self.light.lamps
        ]
        self.masks = _footprints(g, self.still, self.z, np.zeros(blank, np.uint8), np.zeros(blank, np.uint8))
        self.given = self._given()

    def _given(self) -> tuple[Floats, list[Floats]]:
        """Unshadowed light: sky, and each lamp."""
        g = self.grid
        x = np.arange(g.width, dtype=np.float32)[None, :] / np.float32(g.ppc) + np.float32(g.x0)
        y = np.arange(g.height, dtype=np.float32)[:, None] / np.float32(g.ppc) + np.float32(g.y0)
        spot = spot_factor(self.light, x, y)
        sky = (
            np.full((g.height, g.width), self.light.ambient, np.float32) * np.float32(0.35)
            + np.float32(0.65 * self.light.ambient) * spot
        )
        lamps = []
        for lamp in self.light.lamps:
            px, py, pz = (np.float32(v) for v in unit(lamp.direction) * lamp.distance)
            d2 = (x - px) ** 2 + (y - py) ** 2 + (pz - np.float32(self.z)) ** 2
            share = np.float32(lamp.power * (pz - self.z) * lamp.distance**2) / (d2 * np.sqrt(d2)) * spot
            lamps.append(np.asarray(share * self._screened(lamp), np.float32))
        return np.asarray(sky, np.float32), lamps

    def _screened(self, lamp: Lamp) -> Floats | float:
        """Share of a lamp's light that passes the screens far above the table."""
        screens = [o for o in self.still if isinstance(o, Prism) and o.high]
        if not screens:
            return 1.0
        g = self.grid
        mask = np.zeros((g.height, g.width), np.uint8)
        for o in screens:
            _fill(mask, g.pixels(_prism_hull(o, self.z, unit(lamp.direction) * lamp.distance)), 255)
        soft = max(1.0, (screens[0].z0 - self.z) * math.tan(min(lamp.size, 0.7)) * 0.55 * g.ppc)
        small = cv2.resize(mask, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), soft / 2)
        return 1.0 - cv2.resize(small, (g.width, g.height)).astype(np.float32) * np.float32(0.95 / 255)

    def lit(self, moving: Sequence[Occluder]) -> Floats:
        """Irradiance (BGR, linear) with movable things added."""
        g, light = self.grid, self.light
        above = [o for o in moving if o.z1 > self.z + 0.05]
        sky, lamps = self.given
        out = np.empty((g.height, g.width, 3), np.float32)
        open_ = _open_share(g, *_footprints(g, above, self.z, self.masks[0].copy(), self.masks[1].copy()))
        ambient = sky * open_
        for k in range(3):
            np.multiply(ambient, np.float32(light.ambient_colour[2 - k]), out=out[..., k])
        for lamp, given, shades in zip(light.lamps, lamps, self.shades, strict=True):
            total: Floats = np.zeros((g.height, g.width), np.float32)
            for source, shade in zip(lamp_samples(lamp), shades, strict=True):
                cv2.accumulate(_static_shade(g, above, self.z, source, shade.copy()) if above else shade, total)
            total = cv2.GaussianBlur(total, (0, 0), max(0.7, 0.13 * g.ppc))
            total = (1.0 - total * np.float32(1.0 / (255.0 * len(shades)))) * given
            for k in range(3):
                out[..., k] += total * np.float32(lamp.colour[2 - k])
        return out


def _footprints(
    grid: Grid, occluders: Sequence[Occluder], z: float, low: NDArray[np.uint8], tall: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Outlines from above of what stands on or little above a level: all of it, and the tall part."""
    for o in occluders:
        if o.z1 < z + 0.1 or o.z0 > z + 6.0:
            continue
        for target in (low, tall) if o.z1 > z + 1.6 else (low,):
            if isinstance(o, Disc):
                x, y = round((o.x - grid.x0) * grid.ppc * 8), round((o.y - grid.y0) * grid.ppc * 8)
                cv2.circle(target, (x, y), round(o.radius * grid.ppc * 8), 255, -1, cv2.LINE_8, 3)
            else:
                _fill(target, grid.pixels(o.polygon), 255)
    return low, tall


def _open_share(grid: Grid, low: NDArray[np.uint8], tall: NDArray[np.uint8]) -> Floats:
    """Share of the sky that a level sees: footprints spread out (contact shadow and wide shade)."""
    near = cv2.GaussianBlur(low, (0, 0), 0.45 * grid.ppc)
    small = cv2.resize(tall, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    wide = cv2.resize(cv2.GaussianBlur(small, (0, 0), 0.4 * grid.ppc), (grid.width, grid.height))
    return np.asarray(1.0 - cv2.addWeighted(near, 0.62 / 255, wide, 0.45 / 255, 0.0, dtype=cv2.CV_32F), np.float32)


def light_at(light: Light, occluders: Sequence[Occluder], point: tuple[float, float, float]) -> Floats:
    """Irradiance (BGR) at one place, shadows of discs and prisms above it included."""
    x, y, z = point
    discs = [o for o in occluders if isinstance(o, Disc) and o.z1 > z + 0.05]
    prisms = [o for o in occluders if isinstance(o, Prism) and o.z1 > z + 0.05]
    d = np.array([(o.x, o.y, o.radius, max(o.z0, z), o.z1) for o in discs]).reshape(-1, 5)
    spot = float(np.mean(spot_factor(light, np.array([x], np.float32), np.array([y], np.float32))))
    out = np.asarray(bgr(light.ambient_colour) * np.float32(light.ambient * (0.35 + 0.65 * spot)), np.float32)
    for lamp in light.lamps:
        samples, open_ = lamp_samples(lamp), 0
        for s in samples:
            slope = (s[:2] - (x, y)) / max(s[2] - z, 1.0)
            open_ += not (_disc_hides(d, x, y, z, slope) or any(_prism_hides(p, x, y, z, slope) for p in prisms))
        p = unit(lamp.direction) * lamp.distance
        far = float(np.linalg.norm(p - (x, y, z)))
        power = lamp.power * (p[2] - z) * lamp.distance**2 / far**3 * open_ / len(samples) * spot
        out += bgr(lamp.colour) * np.float32(power)
    return out


def _disc_hides(d: Doubles, x: float, y: float, z: float, slope: Doubles) -> bool:
    if not len(d):
        return False
    rise = (d[:, 3] + d[:, 4]) / 2 - z
    return bool((np.hypot(x + slope[0] * rise - d[:, 0], y + slope[1] * rise - d[:, 1]) < d[:, 2]).any())


def _prism_hides(p: Prism, x: float, y: float, z: float, slope: Doubles) -> bool:
    polygon = p.polygon.astype(np.float32)
    for level in (max(p.z0, z), (max(p.z0, z) + p.z1) / 2, p.z1):
        at = (float(x + slope[0] * (level - z)), float(y + slope[1] * (level - z)))
        if cv2.pointPolygonTest(polygon, at, False) > 0:
            return True
    return False


def spot_factor(light: Light, x: Floats, y: Floats) -> Floats | float:
    """A pool of light on the table, 0 … 1."""
    if light.spot <= 0:
        return 1.0
    r2 = ((x - light.spot_xy[0]) ** 2 + (y - light.spot_xy[1]) ** 2) / light.spot_radius**2
    return np.asarray(1.0 - light.spot * (1.0 - np.exp(-0.7 * r2 * np.sqrt(r2))), np.float32)


@lru_cache(maxsize=64)
def _lamp_axes(lamp: Lamp) -> tuple[list[float], list[float], list[float]]:
    """Direction to a lamp and its two sides, as plain numbers (NumPy's own doubles would widen the arrays)."""
    d = unit(lamp.direction)
    u = unit(np.cross(d, [0.13, 0.97, 0.05]))
    return d.tolist(), u.tolist(), np.cross(d, u).tolist()


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
        d, u, w = _lamp_axes(lamp)
        front = np.maximum(rx * d[0] + ry * d[1] + rz * d[2], 1e-3)
        a = np.abs((rx * u[0] + ry * u[1] + rz * u[2]) / front)
        b = np.abs((rx * w[0] + ry * w[1] + rz * w[2]) / front)
        size, soft = max(lamp.size, 0.04), 0.03 + 0.7 * rough * rough
        m = np.maximum(a, b) if lamp.square else np.sqrt(a * a + b * b)
        share = np.clip((size + soft - m) / (2 * soft), 0.0, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        power = lamp.power * 0.9 / (size * size + 0.25 * soft * soft + 0.01)
        out = out + (np.minimum(power, 24.0) * share)[..., None] * bgr(lamp.colour)
    return np.asarray(out * fresnel[..., None], np.float32)
