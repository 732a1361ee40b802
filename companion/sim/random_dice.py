"""Dice and doubling cube laid out at random, faults included."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from companion.rules.position import Side
from companion.sim import die as dice_art
from companion.sim.scene import Checker, Colour, Cube, Die, DieStyle, Quat, Scene
from companion.sim.styles import die_style, near

Rng = np.random.Generator


def _quat(matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Quat:
    """Quaternion w x y z of a rotation matrix."""
    m = matrix
    w = math.sqrt(max(0.0, 1 + m[0, 0] + m[1, 1] + m[2, 2])) / 2
    x = math.copysign(math.sqrt(max(0.0, 1 + m[0, 0] - m[1, 1] - m[2, 2])) / 2, m[2, 1] - m[1, 2])
    y = math.copysign(math.sqrt(max(0.0, 1 - m[0, 0] + m[1, 1] - m[2, 2])) / 2, m[0, 2] - m[2, 0])
    z = math.copysign(math.sqrt(max(0.0, 1 - m[0, 0] - m[1, 1] + m[2, 2])) / 2, m[1, 0] - m[0, 1])
    return w, x, y, z


def _posed(rng: Rng, tilt: float = 0.0, towards: float = 0.0) -> Quat:
    turn = dice_art.pose_showing(int(rng.integers(1, 7)), float(rng.uniform(0, 6.28)), tilt=tilt, towards=towards)
    m = np.asarray(turn, np.float64)
    angle = math.acos(max(-1.0, min(1.0, (np.trace(m) - 1) / 2)))
    if angle > 3.0:  # near a half turn the short formula loses the signs
        values, vectors = np.linalg.eigh((m + m.T) / 2)
        axis = vectors[:, int(np.argmax(values))]
        skew = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
        if skew @ axis < 0:
            axis = -axis
        s = math.sin(angle / 2)
        return math.cos(angle / 2), float(axis[0] * s), float(axis[1] * s), float(axis[2] * s)
    return _quat(m)


def _free_spot(scene: Scene, rng: Rng, half: float, others: list[Die]) -> tuple[float, float]:
    """A place on the surface clear of checkers (half: -1 left, +1 right)."""
    lay = scene.layout
    c = np.array([(k.x, k.y) for k in scene.checkers if k.pose == "flat"] or [(999.0, 999.0)])
    best, most = (0.0, 0.0), -9.0
    for _ in range(40):
        x = half * float(rng.uniform(lay.bar / 2 + lay.die, lay.width / 2 - lay.die))
        y = float(rng.normal(0, lay.height * 0.16))
        y = float(np.clip(y, -lay.height / 2 + lay.die, lay.height / 2 - lay.die))
        gap = float(np.hypot(c[:, 0] - x, c[:, 1] - y).min()) - lay.checker / 2 - lay.die * 0.72
        gap = min([gap, *(math.hypot(o.x - x, o.y - y) - lay.die * 1.45 for o in others)])
        if gap > 0.05:
            return x, y
        if gap > most:
            best, most = (x, y), gap
    return best


def _fault(scene: Scene, rng: Rng, die: Die, kind: str, others: list[Die]) -> Die:
    lay = scene.layout
    h = die.size / 2
    flat = [c for c in scene.checkers if c.pose == "flat" and c.loc.startswith("p") and c.layer == 0]
    if kind == "on_checker" and flat:
        c = flat[int(rng.integers(len(flat)))]
        top = max(k.z for k in scene.checkers if math.hypot(k.x - c.x, k.y - c.y) < lay.checker * 0.6) + lay.thick
        return replace(
            die,
            x=c.x + float(rng.normal(0, 0.2)),
            y=c.y + float(rng.normal(0, 0.2)),
            z=top + h,
            cls="on_checker",
            detail="flat",
        )
    if kind == "cocked" and flat:
        return _cocked(scene, rng, die, flat[int(rng.integers(len(flat)))])
    if kind == "bar" and lay.bar > die.size and lay.bar_height > 0.3:
        y = float(rng.uniform(-0.4, 0.4)) * lay.height
        return replace(
            die,
            x=float(rng.normal(0, lay.bar * 0.15)),
            y=y,
            z=lay.bar_height + h,
            cls="on_bar_or_rail",
            detail="flat",
            zone="bar",
        )
    if kind == "rail" and lay.rail > die.size * 0.8:
        y = math.copysign(lay.height / 2 + lay.rail / 2, float(rng.normal()))
        return replace(
            die,
            x=float(rng.uniform(-0.4, 0.4)) * lay.width,
            y=y,
            z=lay.rail_height + h,
            cls="on_bar_or_rail",
            detail="flat",
            zone="rail",
        )
    if kind == "stacked" and others:
        o = others[0]
        return replace(
            die,
            x=o.x + float(rng.normal(0, 0.15)),
            y=o.y + float(rng.normal(0, 0.15)),
            z=o.z + die.size,
            cls="cocked",
            detail="on_die",
        )
    if kind == "off_board":
        x0, _, x1, _ = lay.outer()
        x = x1 + float(rng.uniform(1.5, 6)) if rng.random() < 0.5 else x0 - float(rng.uniform(1.5, 6))
        return replace(
            die,
            x=x,
            y=float(rng.uniform(-0.4, 0.4)) * lay.height,
            z=-lay.base + h,
            cls="off_board",
            detail="table",
            zone="table",
        )
    return die


def _cocked(scene: Scene, rng: Rng, die: Die, c: Checker) -> Die:
    """Leaning against a checker: one lower edge on the surface, a face on the checker's rim."""
    lay, s = scene.layout, die.size
    tilt = float(rng.uniform(10, 40))
    a = math.radians(tilt)
    towards = math.atan2(-c.y, -c.x) + float(rng.normal(0, 0.8))
    out = np.array([math.cos(towards), math.sin(towards)])
    reach = lay.checker / 2 + min(lay.thick / max(math.tan(a), 0.2), s * 0.8) * 0.6 + s * 0.2
    where = np.array([c.x, c.y]) + out * reach
    z = s / 2 * (math.cos(a) + math.sin(a)) * 0.985
    return replace(
        die, x=float(where[0]), y=float(where[1]), z=z, quat=_posed(rng, a, towards), cls="cocked", detail="chk"
    )


def place_dice(scene: Scene, rng: Rng, faults: float) -> tuple[Die, ...]:
    """Two dice (now and then four colours apart, or one), thrown into one half; sometimes faulty."""
    lay = scene.layout
    first = die_style(rng)
    looks = [first, first if rng.random() < 0.7 else die_style(rng)]
    right = 1.0 if scene.on_roll is Side.WHITE else -1.0
    half = right if rng.random() < 0.9 else -right
    others: list[Die] = []
    for k in range(2):
        side = half if rng.random() < 0.95 else -half
        others.append(_flat_die(scene, rng, looks[k], side, others))
    if rng.random() < faults:
        kind = str(
            rng.choice(["on_checker", "cocked", "bar", "rail", "stacked", "off_board", "cocked", "small", "touch"])
        )
        if kind == "small":
            others[1] = _leaning(rng, others[1])
        elif kind == "touch":
            others[1] = _touching(rng, others[0], others[1])
        else:
            others[1] = _fault(scene, rng, others[1], kind, others[:1])
    if rng.random() < 0.06:
        others.append(_spare(scene, rng, die_style(rng)))
    del lay
    return tuple(others)


def _flat_die(scene: Scene, rng: Rng, style: DieStyle, half: float, others: list[Die]) -> Die:
    x, y = _free_spot(scene, rng, half, others)
    return Die(x, y, scene.layout.die / 2, _posed(rng), scene.layout.die, style)


def _leaning(rng: Rng, die: Die) -> Die:
    a = math.radians(float(rng.uniform(4, 14)))
    z = die.size / 2 * (math.cos(a) + math.sin(a))
    return replace(die, quat=_posed(rng, a, float(rng.uniform(0, 6.28))), z=z, cls="cocked", detail="small_tilt")


def _touching(rng: Rng, first: Die, die: Die) -> Die:
    a = float(rng.uniform(0, 6.28))
    return replace(die, x=first.x + math.cos(a) * die.size * 1.2, y=first.y + math.sin(a) * die.size * 1.2)


def _spare(scene: Scene, rng: Rng, style: DieStyle) -> Die:
    x0, _, x1, _ = scene.layout.outer()
    x = x1 + 3.0 if rng.random() < 0.5 else x0 - 3.0
    y = float(rng.uniform(-0.4, 0.4)) * scene.layout.height
    h = scene.layout.die / 2
    return Die(x, y, h - scene.layout.base, _posed(rng), scene.layout.die, style, "off_board", "table", "table")


def place_cube(scene: Scene, rng: Rng) -> Cube:
    """The doubling cube: on the bar, in a tray or on the table beside the board."""
    lay = scene.layout
    palette: tuple[tuple[Colour, Colour], ...] = (
        ((0.94, 0.93, 0.88), (0.06, 0.06, 0.08)),
        ((0.94, 0.93, 0.9), (0.65, 0.08, 0.08)),
        ((0.12, 0.25, 0.5), (0.95, 0.95, 0.95)),
        ((0.55, 0.1, 0.12), (0.95, 0.93, 0.9)),
        ((0.1, 0.1, 0.11), (0.9, 0.85, 0.7)),
        ((0.16, 0.42, 0.27), (0.95, 0.95, 0.92)),
        ((0.5, 0.3, 0.16), (0.95, 0.9, 0.8)),
    )
    body, ink = palette[int(rng.integers(len(palette)))]
    place = str(rng.choice(["centre", "light", "dark"], p=[0.5, 0.25, 0.25]))
    face = int(rng.choice([2, 4, 8, 16, 32, 64], p=[0.4, 0.25, 0.15, 0.1, 0.05, 0.05])) if place != "centre" else 64
    h = lay.cube / 2
    y = {"centre": float(rng.normal(0, 1.0)), "light": -lay.height * 0.4, "dark": lay.height * 0.4}[place]
    up = float(rng.choice([0, 90, 180, 270])) + float(rng.normal(0, 8))
    common: dict[str, Any] = {
        "face": face,
        "digit_up": up,
        "size": lay.cube,
        "body": near(rng, body, 0.03),
        "ink": ink,
        "place": place,
    }
    common["roundness"] = float(rng.uniform(0.1, 0.4))
    if lay.bar > lay.cube * 0.8 and rng.random() < 0.6:
        z = lay.bar_height if lay.bar_height else 0.0
        busy = [c for c in scene.checkers if c.loc == "bar" and abs(c.y - y) < lay.checker]
        if not busy:
            return Cube(float(rng.normal(0, 0.15)), y, z + h, where="bar", **common)
    if place != "centre" and lay.tray and rng.random() < 0.4:
        side = lay.tray[int(rng.integers(len(lay.tray)))]
        spot = lay.tray_x(side), math.copysign(float(rng.uniform(0.04, 0.12)) * lay.height + h, y)
        if not any(
            math.hypot(c.x - spot[0], c.y - spot[1]) < lay.checker / 2 + lay.cube * 0.75 for c in scene.checkers
        ):
            return Cube(*spot, h, where="side_tray", **common)
    if place != "centre" and rng.random() < 0.15:
        common["place"] = "offered"
        x, y = _free_spot(scene, rng, 1.0 if rng.random() < 0.5 else -1.0, [])
        return Cube(x, y, h, where="surface", **common)
    x0, _, x1, _ = lay.outer()
    x = (
        x1 + lay.cube * float(rng.uniform(0.7, 1.6))
        if rng.random() < 0.5
        else x0 - lay.cube * float(rng.uniform(0.7, 1.6))
    )
    return Cube(x, y, h - lay.base, where="side_table", **common)
