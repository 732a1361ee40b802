"""The camera: pose and lens of a `scene.Camera` as matrices, projected points, and the ray of every pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.sim.scene import Camera

Floats = NDArray[Any]
Doubles = NDArray[Any]


def _rotation(camera: Camera) -> Doubles:
    """World -> camera. Azimuth 0, tilt 0: looking straight down, picture's up = +y."""
    a, t, r = (math.radians(v) for v in (camera.azimuth, camera.tilt, camera.roll))
    ca, sa, ct, st, cr, sr = math.cos(a), math.sin(a), math.cos(t), math.sin(t), math.cos(r), math.sin(r)
    right = np.array([ca, sa, 0.0])
    ahead = np.array([-sa, ca, 0.0])  # on the table, away from the camera
    forward = ahead * st + np.array([0.0, 0.0, -ct])
    down = np.cross(forward, right)
    base = np.stack([right, down, forward])
    spin = np.array([[cr, -sr, 0.0], [sr, cr, 0.0], [0.0, 0.0, 1.0]])
    return np.asarray(spin @ base)


@lru_cache(maxsize=16)
def _lens_reach(k1: float, k2: float) -> float:
    """How far from the axis (tangent of the angle) the distortion still grows: beyond, it would fold the world back
    into the picture."""
    r = np.linspace(0.2, 4.0, 96)
    growing = 1.0 + 3.0 * k1 * r**2 + 5.0 * k2 * r**4 > 0.05
    return 4.0 if growing.all() else float(r[max(0, int(np.argmin(growing)) - 1)])


@dataclass(frozen=True, eq=False)
class View:
    """A camera made ready for one picture size. `R`, `t` world -> camera; `centre` in the world; rays as float32."""

    size: tuple[int, int]
    K: Doubles
    dist: Doubles
    R: Doubles
    t: Doubles
    centre: Doubles
    rays: Floats  # h x w x 3: world direction with unit depth: P = centre + depth * ray

    def project(self, points: ArrayLike) -> Doubles:
        """n x 3 world points (cm) -> n x 2 pixels, distorted."""
        seen = np.asarray(points, np.float64).reshape(-1, 3) @ self.R.T + self.t
        reach = _lens_reach(float(self.dist[0]), float(self.dist[1]))
        wide = np.hypot(seen[:, 0], seen[:, 1]) / np.maximum(np.abs(seen[:, 2]), 1e-6)
        seen[:, :2] *= np.minimum(1.0, reach / np.maximum(wide, 1e-9))[:, None]
        still = np.zeros(3)
        return np.asarray(cv2.projectPoints(seen[:, None], still, still, self.K, self.dist)[0]).reshape(-1, 2)

    def depth(self, points: ArrayLike) -> Doubles:
        """Depth along the optical axis of n x 3 world points, cm."""
        return np.asarray(np.asarray(points, np.float64).reshape(-1, 3) @ self.R[2] + self.t[2])

    def pixels_per_cm(self, point: ArrayLike) -> float:
        """Scale of the picture at a point."""
        return float(self.K[0, 0] / max(1.0, self.depth(point)[0]))

    def _far_aside(self, world: Doubles, depth: Doubles) -> bool:
        """Some point is so far outside the picture that the lens polynomial means nothing there."""
        across = (world @ self.R.T + self.t)[:, :2] / depth[:, None]
        return bool(np.abs(across).max() > 2.5)

    def box(self, points: ArrayLike, margin: float = 2.0) -> tuple[int, int, int, int] | None:
        """Pixel rectangle x0, y0, x1, y1 (exclusive) around points, cut to the picture; None when outside."""
        world = np.asarray(points, np.float64).reshape(-1, 3)
        depth = self.depth(world)
        if depth.min() < 1.0 or self._far_aside(world, depth):
            return (0, 0, *self.size)
        p = self.project(world)
        x0, y0 = np.floor(p.min(axis=0) - margin).astype(int)
        x1, y1 = np.ceil(p.max(axis=0) + margin).astype(int) + 1
        x0, y0, x1, y1 = max(0, x0), max(0, y0), min(self.size[0], x1), min(self.size[1], y1)
        return (int(x0), int(y0), int(x1), int(y1)) if x1 > x0 and y1 > y0 else None


def scaled_size(camera: Camera, scale: float) -> tuple[int, int]:
    """Picture size at `scale`."""
    return max(16, round(camera.size[0] * scale)), max(16, round(camera.size[1] * scale))


@lru_cache(maxsize=6)
def view_of(camera: Camera, scale: float = 1.0) -> View:
    """The `View` of a camera; `scale` shrinks the picture (0.5 = half the width)."""
    width, height = scaled_size(camera, scale)
    sx, sy = width / camera.size[0], height / camera.size[1]
    K = np.array(
        [
            [camera.focal * sx, 0.0, camera.size[0] * camera.centre[0] * sx - 0.5],
            [0.0, camera.focal * camera.aspect * sy, camera.size[1] * camera.centre[1] * sy - 0.5],
            [0.0, 0.0, 1.0],
        ]
    )
    R = _rotation(camera)
    centre = np.asarray(camera.target) - camera.distance * R[2]
    dist = np.array(camera.dist)
    return View((width, height), K, dist, R, -R @ centre, centre, _rays(width, height, K, dist, R))


def _rays(width: int, height: int, K: Doubles, dist: Doubles, R: Doubles) -> Floats:
    across, along = (np.arange(0.0, n + 8, 8, dtype=np.float32) for n in (width, height))
    xs, ys = np.meshgrid(across, along)
    grid = np.stack([xs, ys], axis=-1)
    norm = cv2.undistortPoints(grid.reshape(-1, 1, 2), K, dist).reshape(grid.shape)
    mx, my = np.meshgrid(np.arange(width, dtype=np.float32) / 8, np.arange(height, dtype=np.float32) / 8)
    xy = cv2.remap(norm.astype(np.float32), mx, my, cv2.INTER_LINEAR)
    rays = np.empty((height, width, 3), np.float32)
    for axis in range(3):  # R.T @ (x, y, 1)
        rays[..., axis] = xy[..., 0] * R[0, axis] + xy[..., 1] * R[1, axis] + R[2, axis]
    return rays
