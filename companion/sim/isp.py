"""From light to picture: exposure, blur, vignette, noise, tone, colour, sharpening, JPEG. Gamma 2 in between."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.scene import Isp

Floats = NDArray[Any]
Bytes = NDArray[Any]


def exposure_gain(linear: Floats, isp: Isp) -> float:
    """Linear factor: automatic exposure meters the middle of the picture, then adds `exposure` stops."""
    if not isp.auto:
        return isp.gain
    part = linear[::8, ::8]
    h, w = part.shape[:2]
    grey = part[h // 8 : -h // 8, w // 8 : -w // 8].mean(axis=2)
    mean = float(np.sqrt(np.maximum(grey, 0)).mean()) ** 2
    bright = float(np.percentile(grey, 97))
    gain = min(0.21 / max(mean, 1e-3), 1.05 / max(bright, 1e-3))
    return float(gain * 2.0**isp.exposure)


@lru_cache(maxsize=4)
def _noise_sheet(kind: int) -> Floats:
    rng = np.random.default_rng(kind + 991)
    return rng.standard_normal((1024, 1024, 3) if kind == 0 else (1024, 1024, 1), np.float32)


_SHIFT = 48


@lru_cache(maxsize=2)
def _noise(shape: tuple[int, int], isp: Isp) -> Bytes:
    """Noise cut from fixed sheets; a film cuts every frame from another corner of it (drawing is the dear part)."""
    h, w = shape[0] + _SHIFT, shape[1] + _SHIFT
    rng = np.random.default_rng(5)
    grain = max(1.0, isp.grain)
    nh, nw = math.ceil(h / grain) + 1, math.ceil(w / grain) + 1
    colour = _tile(_noise_sheet(0), nh, nw, rng) * np.float32(isp.noise * isp.chroma_noise)
    grey = _tile(_noise_sheet(1), nh, nw, rng) * np.float32(isp.noise * math.sqrt(max(0.0, 1 - isp.chroma_noise**2)))
    colour += grey
    if grain > 1.01:
        big = cv2.resize(colour, (math.ceil(nw * grain), math.ceil(nh * grain)), interpolation=cv2.INTER_LINEAR)
        colour = big * np.float32(0.6 + 0.4 * grain)
    return np.asarray(np.clip(np.round(colour[:h, :w] * 255), -127, 127), np.int8)


def _tile(sheet: Floats, h: int, w: int, rng: np.random.Generator) -> Floats:
    y, x = (int(v) for v in rng.integers(0, 1024, 2))
    rows, cols = (np.arange(y, y + h) % 1024), (np.arange(x, x + w) % 1024)
    if y + h <= 1024 and x + w <= 1024:
        return np.asarray(sheet[y : y + h, x : x + w], np.float32)
    return np.asarray(np.take(np.take(sheet, rows, axis=0), cols, axis=1), np.float32)


@lru_cache(maxsize=8)
def _vignette(size: tuple[int, int], strength: float) -> Floats:
    w, h = size
    x = (np.arange(w, dtype=np.float32) - w / 2) / (0.5 * math.hypot(w, h))
    y = (np.arange(h, dtype=np.float32) - h / 2) / (0.5 * math.hypot(w, h))
    r2 = x[None, :] ** 2 + y[:, None] ** 2
    return np.asarray((1.0 - strength * r2)[..., None], np.float32)


def motion_kernel(length: float, angle: float) -> Floats:
    n = math.ceil(length) * 2 + 3
    kernel = np.zeros((n, n), np.float32)
    c = (n - 1) / 2
    dx, dy = math.cos(math.radians(angle)) * length / 2, math.sin(math.radians(angle)) * length / 2
    ends = [(round((c + s * dx) * 16), round((c + s * dy) * 16)) for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    kernel /= max(float(kernel.sum()), 1e-6)
    return kernel


def _blur(image: Bytes, isp: Isp, scale: float) -> Bytes:
    if isp.defocus * scale > 0.3:
        image = cv2.GaussianBlur(image, (0, 0), isp.defocus * scale)
    if isp.motion * scale > 0.8:
        image = cv2.filter2D(image, -1, motion_kernel(isp.motion * scale, isp.motion_angle))
    return image


def _glow(image: Floats, share: float) -> Floats:
    """Light spilled by the lens around bright places."""
    small = cv2.resize(image, None, fx=0.125, fy=0.125, interpolation=cv2.INTER_AREA)
    halo = cv2.GaussianBlur(np.minimum(small, 4.0), (0, 0), max(2.0, 0.02 * image.shape[1] / 8))
    return image * (1 - share) + share * cv2.resize(halo, (image.shape[1], image.shape[0]))


@lru_cache(maxsize=4)
def _falloff(size: tuple[int, int], vignette: float, balance: tuple[float, float, float]) -> Floats:
    """What every pixel's light is multiplied with: vignette and white balance."""
    return _vignette(size, vignette) * np.array(balance[::-1], np.float32)


@lru_cache(maxsize=16)
def _tone(contrast: float) -> Bytes:
    """Gamma 2 value (x 255) -> sRGB-like 8 bit value with an S curve and a soft shoulder."""
    t = np.arange(256, dtype=np.float64) / 255
    x = t ** (2 / 2.2)
    s = x * x * (3 - 2 * x)
    return np.asarray(np.clip(np.round(255 * (x + contrast * 0.6 * (s - x))), 0, 255), np.uint8)


def _colours(image: Bytes, isp: Isp) -> Bytes:
    if abs(isp.saturation - 1.0) > 0.02:
        s = isp.saturation
        grey = np.array([0.114, 0.587, 0.299])
        matrix = s * np.eye(3) + (1 - s) * np.tile(grey, (3, 1))
        image = np.asarray(cv2.transform(image, matrix.astype(np.float32)), np.uint8)
    if isp.equalise > 0:
        lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
        flat = cv2.createCLAHE(2.0 + 3.0 * isp.equalise, (6, 6)).apply(lab[..., 0])
        lab[..., 0] = cv2.addWeighted(lab[..., 0], 1 - isp.equalise, flat, isp.equalise, 0)
        image = np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), np.uint8)
    return image


def _sharpen(image: Bytes, amount: float) -> Bytes:
    soft = cv2.GaussianBlur(image, (0, 0), 1.1)
    return np.asarray(cv2.addWeighted(image, 1 + amount, soft, -amount, 0), np.uint8)


def _watermarked(image: Bytes, share: float, rng: np.random.Generator) -> Bytes:
    """Slanting pale words all over the picture."""
    h, w = image.shape[:2]
    word = "".join(rng.choice(list("abcdefghiklmnorstuw"), int(rng.integers(4, 9)))).title()
    size = w / 900 * float(rng.uniform(0.5, 1.1))
    sheet = np.zeros((2 * h, 2 * w), np.uint8)
    step = int(90 * size) + 12
    for row, y in enumerate(range(0, 2 * h, step)):
        for x in range(-(row % 2) * step, 2 * w, int(step * 2.6)):
            cv2.putText(
                sheet, word, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, 255, max(1, round(1.6 * size)), cv2.LINE_AA
            )
    turn = cv2.getRotationMatrix2D((w, h), float(rng.uniform(25, 50)), 1.0)
    turn[:, 2] -= (w / 2, h / 2)
    cover = cv2.warpAffine(sheet, turn, (w, h)).astype(np.float32)[..., None] * np.float32(share / 255)
    return np.asarray(image + (255.0 - image) * cover, np.uint8)


def develop(linear: Floats, isp: Isp, rng: np.random.Generator, gain: float | None = None) -> Bytes:
    """Linear BGR light -> uint8 BGR picture. `gain` overrides the exposure (film mode: a locked camera)."""
    h, w = linear.shape[:2]
    factor = exposure_gain(linear, isp) if gain is None else gain
    share = _falloff((w, h), round(isp.vignette, 3), isp.white_balance)
    if isp.flicker > 0:
        phase = float(rng.uniform(0, 6.28))
        rows = 1.0 + isp.flicker * np.sin(np.arange(h, dtype=np.float32) * (6.28 * 2.3 / h) + phase)
        share = share * rows[:, None, None].astype(np.float32)
    image: Floats = cv2.multiply(_glow(linear, isp.glow) if isp.glow > 0 else linear, share, scale=factor)
    cv2.sqrt(image, image)
    byte: Bytes = _blur(cv2.convertScaleAbs(image, alpha=255.0), isp, w / 1280)
    if isp.noise > 0:
        y, x = (int(v) for v in rng.integers(0, _SHIFT, 2))
        byte = cv2.add(byte, _noise((h, w), isp)[y : y + h, x : x + w], dtype=cv2.CV_8U)
    byte = cv2.LUT(byte, _tone(round(isp.contrast, 2)))
    out = _colours(np.asarray(byte, np.uint8), isp)
    if isp.watermark > 0:
        out = _watermarked(out, isp.watermark, rng)
    if isp.sharpen > 0.02:
        out = _sharpen(out, isp.sharpen)
    if isp.jpeg:
        data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, isp.jpeg])[1]
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return out
