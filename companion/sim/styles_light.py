"""Random light and random cameras' faults."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.sim.scene import Colour, Isp, Lamp, Light
from companion.sim.styles import Rng, pick


def _lamp(rng: Rng, steep: tuple[float, float], size: tuple[float, float], power: float, tint: Colour) -> Lamp:
    angle, lean = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(*steep))
    direction = (float(np.sin(lean) * np.cos(angle)), float(np.sin(lean) * np.sin(angle)), float(np.cos(lean)))
    return Lamp(
        direction, float(rng.uniform(*size)), power, tint, float(rng.uniform(90, 260)), bool(rng.random() < 0.6)
    )


def random_light(rng: Rng) -> Light:
    """Window, desk lamp, ceiling panels, pendant, several, or mere sky."""
    mode = pick(rng, "window", "desk", "panel", "pendant", "multi", "ambient", p=(0.22, 0.18, 0.2, 0.12, 0.15, 0.13))
    warm = float(rng.normal(0, 0.05)) + (0.05 if mode in ("desk", "pendant") else 0.0)
    tint = (1.0 + warm, 1.0, 1.0 - 1.3 * warm)
    u = rng.uniform
    if mode == "window":
        lamps: tuple[Lamp, ...] = (_lamp(rng, (35, 68), (0.25, 0.5), float(u(0.6, 1.2)), tint),)
    elif mode == "desk":
        lamps = (_lamp(rng, (15, 55), (0.03, 0.12), float(u(0.7, 1.3)), tint),)
    elif mode == "panel":
        lamps = (_lamp(rng, (5, 35), (0.2, 0.45), float(u(0.5, 0.9)), tint),)
    elif mode == "pendant":
        lamps = (_lamp(rng, (0, 25), (0.05, 0.15), float(u(0.6, 1.0)), tint),)
    elif mode == "multi":
        lamps = tuple(
            _lamp(rng, (10, 55), (0.03, 0.2), float(u(0.2, 0.6)), tint) for _ in range(int(rng.integers(2, 4)))
        )
    else:
        lamps = (_lamp(rng, (0, 50), (0.5, 0.8), float(u(0.15, 0.4)), tint),)
    spot = float(u(0.4, 0.9)) if rng.random() < 0.18 else 0.0
    sky = float(rng.normal(0, 0.05))
    return Light(
        lamps=lamps,
        ambient=float(u(0.1, 0.42)) if mode != "ambient" else float(u(0.5, 0.8)),
        ambient_colour=(1.0 - sky, 1.0, 1.0 + sky),
        spot=spot,
        spot_xy=(float(rng.normal(0, 14)), float(rng.normal(0, 12))),
        spot_radius=float(u(24, 55)),
        screens=_screens(rng, lamps[0]) if rng.random() < 0.16 else (),
    )


def _screens(rng: Rng, lamp: Lamp) -> tuple[tuple[float, float, float, float, float, float], ...]:
    """A person's head and shoulders, or the bars of a window, between the lamp and the table."""
    z = float(rng.uniform(18, 60))
    lean = np.array(lamp.direction[:2]) / max(0.3, lamp.direction[2]) * z
    turn = float(rng.uniform(0, 180))
    if rng.random() < 0.5:
        x, y = lean + rng.normal(0, 22, 2)
        return ((float(x), float(y), z, float(rng.uniform(15, 50)), float(rng.uniform(15, 40)), turn),)
    step, width = float(rng.uniform(12, 40)), float(rng.uniform(2, 8))
    side = np.array([-np.sin(np.radians(turn)), np.cos(np.radians(turn))])
    places = [lean + side * step * (k - 1) + rng.normal(0, 2, 2) for k in range(3)]
    return tuple((float(x), float(y), z, 160.0, width, turn) for x, y in places)


def random_isp(rng: Rng) -> Isp:
    """A camera and what it does to the picture."""
    u = rng.uniform
    quality = pick(rng, "good", "fair", "bad", "stock", p=(0.42, 0.3, 0.16, 0.12))
    cast = rng.normal(0, 0.05, 2)
    base = Isp(
        exposure=float(rng.normal(-0.25, 0.38)),
        noise=float(u(0.003, 0.014)),
        chroma_noise=float(u(0.2, 0.8)),
        grain=float(u(1.0, 1.8)),
        defocus=float(u(0.35, 0.9)),
        vignette=float(u(0.0, 0.35)),
        white_balance=(float(1 + cast[0]), 1.0, float(1 + cast[1])),
        contrast=float(u(-0.1, 0.6)),
        saturation=float(u(0.75, 1.3)),
        sharpen=float(u(0.0, 0.8)),
        jpeg=int(rng.integers(72, 96)),
        glow=float(u(0.0, 0.1)) if rng.random() < 0.3 else 0.0,
        flicker=float(u(0.01, 0.06)) if rng.random() < 0.08 else 0.0,
        quality=quality,
    )
    spoil = {"fair": _fair, "bad": _bad, "stock": _stock}.get(quality)
    return spoil(rng, base) if spoil else base


def _fair(rng: Rng, base: Isp) -> Isp:
    u = rng.uniform
    noise, defocus = float(u(0.01, 0.025)), float(u(0.6, 1.3))
    return replace(base, noise=noise, defocus=defocus, motion=float(u(0, 2)), motion_angle=float(u(0, 180)))


def _bad(rng: Rng, base: Isp) -> Isp:
    u = rng.uniform
    return replace(
        base,
        noise=float(u(0.014, 0.034)),
        grain=float(u(1.0, 2.0)),
        defocus=float(u(0.9, 2.0)),
        motion=float(u(0, 4)),
        motion_angle=float(u(0, 180)),
        jpeg=int(rng.integers(45, 82)),
        exposure=float(rng.normal(-0.4, 0.6)),
    )


def _stock(rng: Rng, base: Isp) -> Isp:
    """Equalised, saturated, sharpened, perhaps with a watermark."""
    u = rng.uniform
    return replace(
        base,
        noise=float(u(0.002, 0.01)),
        exposure=float(rng.normal(0.15, 0.35)),
        equalise=float(u(0.2, 1.0)),
        watermark=float(u(0.08, 0.3)) if rng.random() < 0.5 else 0.0,
        saturation=float(u(1.1, 1.9)),
        contrast=float(u(0.2, 1.0)),
        sharpen=float(u(0.3, 1.5)),
    )
