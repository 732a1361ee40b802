"""Dice and doubling cube laid out at random, faults included."""

from __future__ import annotations

import math
from dataclasses import replace

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


def _on_checker(scene: Scene, rng: Rng, die: Die) -> Die:
    flat = _flat(scene)
    if not flat:
        return die
    c, lay = flat[int(rng.integers(len(flat)))], scene.layout
    near_by = [k.z for k in scene.checkers if math.hypot(k.x - c.x, k.y - c.y) < lay.checker * 0.6]
    dx, dy = (float(v) for v in rng.normal(0, 0.2, 2))
    top = max(near_by) + lay.thick
    return replace(die, x=c.x + dx, y=c.y + dy, z=top + die.size / 2, cls="on_checker", detail="flat")


def _on_bar(scene: Scene, rng: Rng, die: Die) -> Die:
    lay = scene.layout
    if lay.bar <= die.size or lay.bar_height <= 0.3:
        return die
    x, y = float(rng.normal(0, lay.bar * 0.15)), float(rng.uniform(-0.4, 0.4)) * lay.height
    return replace(die, x=x, y=y, z=lay.bar_height + die.size / 2, cls="on_bar_or_rail", detail="flat", zone="bar")


def _on_rail(scene: Scene, rng: Rng, die: Die) -> Die:
    lay = scene.layout
    if lay.rail <= die.size * 0.8:
        return die
    x, y = float(rng.uniform(-0.4, 0.4)) * lay.width, (lay.height + lay.rail) / 2
    y = math.copysign(y, float(rng.normal()))
    return replace(die, x=x, y=y, z=lay.rail_height + die.size / 2, cls="on_bar_or_rail", detail="flat", zone="rail")


def _off_board(scene: Scene, rng: Rng, die: Die) -> Die:
    lay, gap = scene.layout, float(rng.uniform(1.5, 6))
    x0, _, x1, _ = lay.outer()
    x, y = x1 + gap if rng.random() < 0.5 else x0 - gap, float(rng.uniform(-0.4, 0.4)) * lay.height
    return replace(die, x=x, y=y, z=die.size / 2 - lay.base, cls="off_board", detail="table", zone="table")


def _stacked(rng: Rng, die: Die, under: Die) -> Die:
    dx, dy = (float(v) for v in rng.normal(0, 0.15, 2))
    return replace(die, x=under.x + dx, y=under.y + dy, z=under.z + die.size, cls="cocked", detail="on_die")


def _flat(scene: Scene) -> list[Checker]:
    return [c for c in scene.checkers if c.pose == "flat" and c.loc.startswith("p") and c.layer == 0]


def _fault(scene: Scene, rng: Rng, die: Die, first: Die) -> Die:
    """The die after a throw that went wrong (now and then nothing fits, and it stays as it is)."""
    kind = str(rng.choice(["on_checker", "cocked", "bar", "rail", "stacked", "off_board", "cocked", "small", "touch"]))
    if kind == "small":
        return _leaning(rng, die)
    if kind == "touch":
        return _touching(rng, first, die)
    if kind == "stacked":
        return _stacked(rng, die, first)
    if kind == "cocked":
        return _cocked(scene, rng, die)
    return {"on_checker": _on_checker, "bar": _on_bar, "rail": _on_rail, "off_board": _off_board}[kind](scene, rng, die)


def _cocked(scene: Scene, rng: Rng, die: Die) -> Die:
    """Leaning on a checker's edge where the others leave most room: a lower edge on the surface, a face on the rim."""
    flat = _flat(scene)
    if not flat:
        return die
    lay, s, a = scene.layout, die.size, math.radians(float(rng.uniform(8, 40)))
    every = np.array([(c.x, c.y) for c in flat])
    reach = lay.checker / 2 + min(lay.thick / max(math.tan(a), 0.2), s * 0.8) * 0.6 + s * 0.2
    best, most = (0.0, 0.0, 0.0), -99.0
    for _ in range(24):
        k, towards = int(rng.integers(len(flat))), float(rng.uniform(0, 6.28))
        x, y = every[k] + reach * np.array([math.cos(towards), math.sin(towards)])
        away = np.hypot(every[:, 0] - x, every[:, 1] - y) - lay.checker / 2 - s * 0.6
        away[k] = 9.0
        inside = min(lay.height / 2 - abs(y), lay.width / 2 - abs(x), abs(x) - lay.bar / 2) - s * 0.7
        room = min(float(away.min()), inside)
        if room > most:
            best, most = (float(x), float(y), towards), room
        if room > 0.05:
            break
    z = s / 2 * (math.cos(a) + math.sin(a)) * 0.985
    return replace(die, x=best[0], y=best[1], z=z, quat=_posed(rng, a, best[2]), cls="cocked", detail="chk")


def place_dice(scene: Scene, rng: Rng, faults: float) -> tuple[Die, ...]:
    """Two dice thrown into one half, the second faulty by chance `faults`; now and then a spare die by the board."""
    first = die_style(rng)
    looks = [first, first if rng.random() < 0.7 else die_style(rng)]
    right = 1.0 if scene.on_roll is Side.WHITE else -1.0
    half = right if rng.random() < 0.9 else -right
    dice: list[Die] = []
    for look in looks:
        dice.append(_flat_die(scene, rng, look, half if rng.random() < 0.95 else -half, dice))
    if rng.random() < faults:
        dice[1] = _fault(scene, rng, dice[1], dice[0])
    if rng.random() < 0.06:
        dice.append(spare_die(scene, rng, die_style(rng)))
    return tuple(dice)


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


def spare_die(scene: Scene, rng: Rng, style: DieStyle) -> Die:
    x0, _, x1, _ = scene.layout.outer()
    x = x1 + 3.0 if rng.random() < 0.5 else x0 - 3.0
    y = float(rng.uniform(-0.4, 0.4)) * scene.layout.height
    h = scene.layout.die / 2
    return Die(x, y, h - scene.layout.base, _posed(rng), scene.layout.die, style, "off_board", "table", "table")


_CUBES: tuple[tuple[Colour, Colour], ...] = (
    ((0.94, 0.93, 0.88), (0.06, 0.06, 0.08)),
    ((0.94, 0.93, 0.9), (0.65, 0.08, 0.08)),
    ((0.12, 0.25, 0.5), (0.95, 0.95, 0.95)),
    ((0.55, 0.1, 0.12), (0.95, 0.93, 0.9)),
    ((0.1, 0.1, 0.11), (0.9, 0.85, 0.7)),
    ((0.16, 0.42, 0.27), (0.95, 0.95, 0.92)),
    ((0.5, 0.3, 0.16), (0.95, 0.9, 0.8)),
)


def place_cube(scene: Scene, rng: Rng) -> Cube:
    """The doubling cube: on the bar, in a tray, on the table beside the board, or offered on the playing surface."""
    body, ink = _CUBES[int(rng.integers(len(_CUBES)))]
    place = str(rng.choice(["centre", "light", "dark", "offered"], p=[0.5, 0.23, 0.22, 0.05]))
    face = int(rng.choice([2, 4, 8, 16, 32, 64], p=[0.4, 0.25, 0.15, 0.1, 0.05, 0.05])) if place != "centre" else 64
    x, y, z, where = _cube_place(scene, rng, place)
    up = float(rng.choice([0, 90, 180, 270])) + float(rng.normal(0, 8))
    size, round_ = scene.layout.cube, float(rng.uniform(0.1, 0.4))
    return Cube(x, y, z, face, up, size, near(rng, body, 0.03), ink, place, where, None, round_)


def _cube_place(scene: Scene, rng: Rng, place: str) -> tuple[float, float, float, str]:
    lay, h = scene.layout, scene.layout.cube / 2
    if place == "offered":
        return (*_free_spot(scene, rng, 1.0 if rng.random() < 0.5 else -1.0, []), h, "surface")
    y = {"centre": float(rng.normal(0, 1.0)), "light": -lay.height * 0.4, "dark": lay.height * 0.4}[place]
    free = not any(c.loc == "bar" and abs(c.y - y) < lay.checker for c in scene.checkers)
    if lay.bar > lay.cube * 0.8 and free and rng.random() < 0.6:
        return float(rng.normal(0, 0.15)), y, lay.bar_height + h, "bar"
    if place != "centre" and lay.tray and rng.random() < 0.4:
        x = lay.tray_x(lay.tray[int(rng.integers(len(lay.tray)))])
        tray_y = math.copysign(float(rng.uniform(0.04, 0.12)) * lay.height + h, y)
        if all(math.hypot(c.x - x, c.y - tray_y) > lay.checker / 2 + lay.cube * 0.75 for c in scene.checkers):
            return x, tray_y, h, "side_tray"
    x0, _, x1, _ = lay.outer()
    gap = lay.cube * float(rng.uniform(0.7, 1.6))
    return x1 + gap if rng.random() < 0.5 else x0 - gap, y, h - lay.base, "side_table"
