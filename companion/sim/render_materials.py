"""Procedural surfaces: pictures (uint8 BGR, gamma 2) of wood, felt, leather, marble and so on, seeded."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.scene import Colour, Material

Floats = NDArray[Any]
Bytes = NDArray[Any]


def bgr(colour: Colour) -> Floats:
    """sRGB triple 0 … 1 -> BGR float32 0 … 1."""
    return np.array(colour[::-1], np.float32)


def bgr255(colour: Colour) -> tuple[float, float, float]:
    """sRGB triple -> BGR 0 … 255, as OpenCV's drawing calls want it."""
    return colour[2] * 255.0, colour[1] * 255.0, colour[0] * 255.0


def smooth_noise(rng: np.random.Generator, shape: tuple[int, int], cell_x: float, cell_y: float) -> Floats:
    """Gaussian value noise (about unit variance) with cells of so many pixels."""
    h, w = shape
    if min(cell_x, cell_y) > 9:  # smooth enough to be made small and stretched
        small = smooth_noise(rng, (h // 4 + 2, w // 4 + 2), cell_x / 4, cell_y / 4)
        return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)
    cells = max(2, math.ceil(h / max(1.0, cell_y)) + 1), max(2, math.ceil(w / max(1.0, cell_x)) + 1)
    noise: Floats = rng.standard_normal(cells, np.float32)
    if max(cell_x, cell_y) <= 1:
        return noise[:h, :w]
    kind = cv2.INTER_LINEAR if max(cell_x, cell_y) < 6 else cv2.INTER_CUBIC
    for axis, cell in ((0, cell_y), (1, cell_x)):  # one direction after the other is cheaper
        if cell > 1:
            size = [noise.shape[1], noise.shape[0]]
            size[1 - axis] = (h, w)[axis]
            noise = cv2.resize(noise, (size[0], size[1]), interpolation=kind)
    return np.asarray(noise[:h, :w], np.float32)


def _mix(a: Floats, b: Floats, share: Floats) -> Floats:
    s = np.clip(share, 0.0, 1.0)[..., None]
    return np.asarray(a + (b - a) * s, np.float32)


def _wood(m: Material, rng: np.random.Generator, shape: tuple[int, int], ppc: float) -> Floats:
    h, w = shape
    s = ppc * m.scale
    along = 90.0 <= m.angle % 180.0 + 45.0 <= 180.0  # grain runs along y
    n = (w, h) if along else (h, w)
    warp = smooth_noise(rng, n, 42 * s, 3.2 * s) * 0.8 + smooth_noise(rng, n, 16 * s, 1.2 * s) * 0.13
    across = np.arange(n[0], dtype=np.float32)[:, None] / (s * rng.uniform(0.5, 1.6))
    rings = 0.5 + 0.5 * np.sin(2.6 * (across * 0.6 + 1.3 * warp))
    fibre = smooth_noise(rng, n, 4.5 * s, max(1.0, 0.06 * s)) * 0.16 + smooth_noise(rng, n, 1.2 * s, 1.0) * 0.06
    pores = np.clip(smooth_noise(rng, n, 0.7 * s, max(1.0, 0.05 * s)) - 1.3, 0, 1) * 0.35
    blocks = smooth_noise(rng, n, 30 * s, 5 * s) * 0.16
    share = rings ** rng.uniform(0.8, 3.0) * rng.uniform(0.25, 0.6) + fibre + pores + blocks + 0.12
    out = _mix(bgr(m.colour), bgr(m.second), share * (0.3 + 0.9 * m.grain))
    return np.ascontiguousarray(np.swapaxes(out, 0, 1)) if along else out


def _felt(m: Material, rng: np.random.Generator, shape: tuple[int, int], ppc: float) -> Floats:
    fine = smooth_noise(rng, shape, 1.0, 1.0) * 0.5 + smooth_noise(rng, shape, 0.16 * ppc + 1, 0.16 * ppc + 1) * 0.5
    slow = smooth_noise(rng, shape, 3.0 * ppc * m.scale, 2.0 * ppc * m.scale)
    strong = 0.035 if m.kind == "felt" else 0.075
    gain = 1.0 + m.grain * (strong * fine * 2.2 + strong * 0.8 * slow)
    return np.asarray(bgr(m.colour) * gain[..., None], np.float32)


def _leather(m: Material, rng: np.random.Generator, shape: tuple[int, int], ppc: float) -> Floats:
    cell = 0.22 * ppc * m.scale + 1.2
    bumps = np.abs(smooth_noise(rng, shape, cell, cell)) + 0.5 * np.abs(
        smooth_noise(rng, shape, cell * 0.6, cell * 0.6)
    )
    emboss = cv2.Sobel(bumps, cv2.CV_32F, 1, 1, ksize=3) * 0.02 - 0.05 * np.exp(-bumps * 3.0)
    slow = smooth_noise(rng, shape, 6 * ppc, 6 * ppc) * 0.02
    gain = 1.0 + m.grain * (emboss * (2.0 if m.kind == "leather" else 1.0) + slow)
    return np.asarray(bgr(m.colour) * gain[..., None], np.float32)


def _marble(m: Material, rng: np.random.Generator, shape: tuple[int, int], ppc: float) -> Floats:
    s = ppc * m.scale * 5
    n = (
        smooth_noise(rng, shape, s, s)
        + 0.5 * smooth_noise(rng, shape, s / 2, s / 2)
        + 0.25 * smooth_noise(rng, shape, s / 5, s / 5)
    )
    veins = np.exp(-np.abs(n) * 9.0) * (0.5 + 0.5 * np.clip(smooth_noise(rng, shape, s, s), -1, 1))
    cloud = 0.25 + 0.2 * smooth_noise(rng, shape, s * 1.5, s * 1.5)
    return _mix(bgr(m.colour), bgr(m.second), (veins + cloud * 0.4) * m.grain)


def _checked(m: Material, rng: np.random.Generator, shape: tuple[int, int], ppc: float) -> Floats:
    cell = 3.5 * ppc * m.scale
    x = (np.arange(shape[1]) // cell % 2).astype(np.float32)[None, :]
    y = (np.arange(shape[0]) // cell % 2).astype(np.float32)[:, None]
    out = _mix(bgr(m.colour), bgr(m.second), (x + y) / 2)
    return np.asarray(out * (1.0 + 0.08 * m.grain * smooth_noise(rng, shape, 1.6, 1.6)[..., None]), np.float32)


def _weave(m: Material, rng: np.random.Generator, shape: tuple[int, int], ppc: float) -> Floats:
    k = 6.2832 / max(3.0, 0.28 * ppc * m.scale)
    x, y = np.arange(shape[1], dtype=np.float32)[None, :], np.arange(shape[0], dtype=np.float32)[:, None]
    threads = (
        np.sin(k * x) * np.sin(k * y) + 0.6 * smooth_noise(rng, shape, 3, 1) + 0.4 * smooth_noise(rng, shape, 1, 3)
    )
    return _mix(bgr(m.colour), bgr(m.second), 0.5 + 0.3 * m.grain * threads)


def _cork(m: Material, rng: np.random.Generator, shape: tuple[int, int], ppc: float) -> Floats:
    n = smooth_noise(rng, shape, 0.3 * ppc + 1, 0.3 * ppc + 1) + 0.5 * smooth_noise(rng, shape, 1.5, 1.5)
    return _mix(bgr(m.colour), bgr(m.second), np.clip(n - 0.6, 0, 1) * m.grain + 0.1)


def _plain(m: Material, rng: np.random.Generator, shape: tuple[int, int], ppc: float) -> Floats:
    slow = smooth_noise(rng, shape, 8 * ppc, 8 * ppc) * 0.015 + smooth_noise(rng, shape, 1.3, 1.3) * 0.012
    return np.asarray(bgr(m.colour) * (1.0 + m.grain * slow)[..., None], np.float32)


_MAKERS = {
    "wood": _wood,
    "felt": _felt,
    "velvet": _felt,
    "leather": _leather,
    "vinyl": _leather,
    "marble": _marble,
    "checked": _checked,
    "weave": _weave,
    "cork": _cork,
}


def surface_picture(m: Material, width_cm: float, height_cm: float, ppc: float, salt: int = 0) -> Bytes:
    """A picture of the material, `ppc` pixels per cm, uint8 BGR in the gamma 2 scale."""
    shape = max(4, round(height_cm * ppc)), max(4, round(width_cm * ppc))
    rng = np.random.default_rng([m.seed, salt, 77])
    out = _MAKERS.get(m.kind, _plain)(m, rng, shape, ppc)
    return np.asarray(np.clip(out * 255.0, 0, 255), np.uint8)
