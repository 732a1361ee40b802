"""Movable things laid out at random: checkers as hands place them, dice, cube, hands, props."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from companion.rules.position import BAR, OFF, Position, Side
from companion.sim.scene import Checker, Hand, Layout, Prop, Scene, Vec3
from companion.sim.styles import near

Rng = np.random.Generator


def _sides(layout: Layout, side: Side, own: int) -> tuple[float, bool]:
    """x and far flag of a side's own point."""
    white = own if side is Side.WHITE else 25 - own
    return layout.point_x(white), layout.point_column(white)[1]


class _Habits:
    """How this pair of players lays checkers: gaps, disorder, how stacks grow."""

    def __init__(self, layout: Layout, rng: Rng) -> None:
        self.rng, self.layout = rng, layout
        self.gap = float(rng.choice([0.0, 0.01, 0.04, 0.1], p=[0.3, 0.35, 0.25, 0.1])) * layout.checker
        self.mess = float(rng.choice([0.015, 0.05, 0.1], p=[0.4, 0.42, 0.18])) * layout.checker
        room = layout.height / 2 - 0.05 * layout.checker
        fit = int(room / (layout.checker + self.gap))
        self.column = 5 if rng.random() < 0.6 else max(3, min(fit, int(rng.integers(5, 7))))
        self.inset = float(rng.uniform(0.1, 0.7)) * layout.checker if rng.random() < 0.12 else 0.0
        self.bar_sign = 1.0 if rng.random() < 0.75 else -1.0
        self.bar_stack = bool(rng.random() < 0.4)


def _point(h: _Habits, side: Side, own: int, n: int) -> list[Checker]:
    lay, rng = h.layout, h.rng
    x0, far = _sides(lay, side, own)
    d = lay.checker
    out: list[Checker] = []
    lean, start = float(rng.normal(0, h.mess * 0.25)), h.inset + abs(float(rng.normal(0, h.mess * 0.5)))
    bridge = bool(rng.random() < 0.3)  # the second layer lies between two of the first
    gap = 0.0 if rng.random() < 0.25 else h.gap * float(rng.uniform(0.3, 1.6))
    column = h.column
    if n > column and n <= 7 and rng.random() < 0.4:
        column = min(n, int((lay.height / 2 + 0.3 * d) / (d + gap)))
    y = d / 2 + start
    for k in range(n):
        layer, slot = divmod(k, column)
        if layer == 0:
            at, x = y, x0 + lean * slot + float(rng.normal(0, h.mess * 0.35))
            y += d + gap + abs(float(rng.normal(0, h.mess * 0.4)))
        else:
            below = out[(layer - 1) * column + slot]
            at = abs(abs(below.y) - lay.height / 2) + float(rng.normal(0, h.mess * 0.4))
            at += d / 2 if layer == 1 and bridge and slot < column - 1 else 0.0
            x = below.x + float(rng.normal(0, h.mess * 0.4))
        x, at = _inside(lay, x, x0), max(d / 2, at)
        py = lay.height / 2 - at if far else at - lay.height / 2
        out.append(_piece(h, side, (x, py, layer * lay.thick), f"p{own}", layer, k))
    return out


def _inside(lay: Layout, x: float, column: float) -> float:
    """x kept off the side rails, and off the bar where that stands up."""
    edge = (lay.width - lay.checker) / 2
    x = min(max(x, -edge), edge)
    if lay.bar > 0.8 and lay.bar_height > 0.2:
        x = math.copysign(max(abs(x), (lay.bar + lay.checker) / 2), column)
    return x


def _piece(h: _Habits, side: Side, xyz: Vec3, loc: str, layer: int, k: int) -> Checker:
    """A checker lying flat, turned at random."""
    yaw, seed = float(h.rng.uniform(0, 6.28)), int(h.rng.integers(1 << 20))
    return Checker(side, *xyz, loc, layer, k, "flat", (0.0, 0.0, 1.0), yaw, seed)


def _bar(h: _Habits, side: Side, n: int) -> list[Checker]:
    lay, rng, out = h.layout, h.rng, []
    sign = h.bar_sign if side is Side.WHITE else -h.bar_sign
    z = lay.bar_height if lay.bar > 0.8 else 0.0
    start, step = float(rng.uniform(0.6, 1.6)) * lay.checker, lay.checker * 1.03 + h.gap
    room = max(1, int((lay.height / 2 - lay.checker / 2 - start) / step) + 1)
    for k in range(n):
        layer, slot = (k, 0) if h.bar_stack else divmod(k, room)
        x, y = (float(v) for v in rng.normal(0, h.mess, 2))
        out.append(_piece(h, side, (x, y + sign * (start + slot * step), z + layer * lay.thick), "bar", layer, k))
    return out


def _off_home(lay: Layout, side: Side) -> tuple[str, float]:
    """Tray side and which half (sign of y) a side bears off to."""
    home = lay.home
    if home not in lay.tray:
        home = "L" if home == "R" else "R"
    return home, -1.0 if side is Side.WHITE else 1.0


def _off(h: _Habits, side: Side, n: int) -> list[Checker]:
    if n == 0:
        return []
    lay, rng = h.layout, h.rng
    if lay.tray and rng.random() < 0.9:
        home, sign = _off_home(lay, side)
        x = lay.tray_x(home)
        return _off_edge(h, side, n, x, sign) if rng.random() < 0.5 else _off_flat(h, side, n, x, sign)
    return _off_table(h, side, n)


def _off_edge(h: _Habits, side: Side, n: int, x: float, sign: float) -> list[Checker]:
    """Standing on edge, a row against the tray's end."""
    lay, rng, out = h.layout, h.rng, []
    step = min(lay.thick * 1.02, (lay.height / 2 - lay.divider) / max(n, 1))
    for k in range(n):
        normal = (float(rng.normal(0, 0.03)), -1.0 if sign > 0 else 1.0, float(rng.normal(0, 0.03)))
        x0 = x + float(rng.normal(0, 0.12 * (lay.tray_width - lay.checker)))
        yaw, seed = float(rng.uniform(0, 6.28)), int(rng.integers(1 << 20))
        y = sign * (lay.height / 2 - k * step)
        out.append(Checker(side, x0, y, lay.checker / 2, "off", 0, k, "edge", normal, yaw, seed))
    return out


def _off_flat(h: _Habits, side: Side, n: int, x: float, sign: float) -> list[Checker]:
    lay, rng, out = h.layout, h.rng, []
    d = lay.checker
    fit = max(1, int((lay.height / 2 - lay.divider) / (d * 1.02)))
    for k in range(n):
        layer, slot = divmod(k, fit)
        y = sign * (lay.height / 2 - d / 2 - slot * d * 1.02)
        x0 = x + float(rng.uniform(-0.4, 0.4)) * max(0.0, lay.tray_width - d)
        out.append(_piece(h, side, (x0, y, layer * lay.thick), "off", layer, k))
    return out


def _off_table(h: _Habits, side: Side, n: int) -> list[Checker]:
    """Beside the board on the table: a heap, rows or stacks, or out of sight."""
    lay, rng, out = h.layout, h.rng, []
    if rng.random() < 0.3:
        return []
    x0, _, x1, _ = lay.outer()
    sign = -1.0 if side is Side.WHITE else 1.0
    d, high = lay.checker, int(rng.choice([1, 1, 3, 5]))
    x = x1 + d * float(rng.uniform(0.7, 1.5)) if rng.random() < 0.7 else x0 - d * float(rng.uniform(0.7, 1.5))
    for k in range(n):
        slot, layer = divmod(k, high)
        row, col = slot % 5, slot // 5
        mess = rng.normal(0, 0.08 * d * (layer == 0), 2)
        px = x + math.copysign(col * d * 1.1, x) + float(mess[0])
        py = sign * (lay.height * 0.45 - row * d * 1.12) + float(mess[1])
        out.append(_piece(h, side, (px, py, -lay.base + layer * lay.thick), "off", layer, k))
    return out


def lay_checkers(layout: Layout, position: Position, rng: Rng) -> tuple[Checker, ...]:
    """All checkers of a position as hands would place them."""
    h = _Habits(layout, rng)
    out: list[Checker] = []
    for side in Side:
        counts = position.of(side)
        for own in range(1, 25):
            out += _point(h, side, own, counts[own])
        out += _bar(h, side, counts[BAR])
        out += _off(h, side, counts[OFF])
    return _tipped(_apart(tuple(out), layout), layout, rng)


def _tipped(checkers: tuple[Checker, ...], layout: Layout, rng: Rng) -> tuple[Checker, ...]:
    """Rarely one checker leans on its neighbour."""
    loose = [k for k, c in enumerate(checkers) if c.loc.startswith("p") and c.layer == 0 and c.k > 0]
    if not loose or rng.random() > 0.04:
        return checkers
    k, a, turn = loose[int(rng.integers(len(loose)))], float(rng.uniform(0.12, 0.4)), float(rng.uniform(0, 6.28))
    if any(c.loc == checkers[k].loc and c.layer > 0 for c in checkers):
        return checkers
    normal = (math.sin(a) * math.cos(turn), math.sin(a) * math.sin(turn), math.cos(a))
    leaning = replace(checkers[k], normal=normal, z=layout.checker / 2 * math.sin(a), pose="tilted")
    return (*checkers[:k], leaning, *checkers[k + 1 :])


def _apart(checkers: tuple[Checker, ...], layout: Layout) -> tuple[Checker, ...]:
    """Push checkers of neighbouring columns that overlap apart, sideways."""
    flat = [k for k, c in enumerate(checkers) if c.loc.startswith("p") and c.layer == 0]
    xy = np.array([(checkers[k].x, checkers[k].y) for k in flat]).reshape(-1, 2)
    for _ in range(6):
        diff = xy[:, None] - xy[None]
        dist = np.hypot(diff[..., 0], diff[..., 1]) + np.eye(len(xy)) * 99
        close = np.clip(layout.checker - dist, 0, None)
        if not close.max(initial=0.0) > 1e-3:
            break
        xy = xy + (diff / np.maximum(dist, 1e-3)[..., None] * close[..., None] * 0.5).sum(axis=1) * 0.7
    xy[:, 1] = np.clip(xy[:, 1], -(layout.height - layout.checker) / 2, (layout.height - layout.checker) / 2)
    out = list(checkers)
    for k, (x, y) in zip(flat, xy, strict=True):
        out[k] = replace(out[k], x=float(x), y=float(y))
    return tuple(out)


def random_hands(scene: Scene, rng: Rng) -> tuple[Hand, ...]:
    """One hand, rarely two, reaching in from a player's side."""
    lay, out = scene.layout, []
    for _ in range(1 if rng.random() < 0.85 else 2):
        white = rng.random() < 0.5
        tip = (
            float(rng.uniform(-0.5, 0.5)) * lay.width,
            float(rng.uniform(-0.5, 0.5)) * lay.height,
            float(rng.uniform(0.8, 8)),
        )
        arm = (-90.0 if white else 90.0) + float(rng.normal(0, 28))
        tone = float(rng.uniform(0, 1))
        skin = (0.93 - 0.6 * tone, 0.75 - 0.55 * tone, 0.62 - 0.5 * tone)
        sleeve = None if rng.random() < 0.3 else near(rng, (float(rng.uniform(0.05, 0.9)),) * 3, 0.12)
        pose = str(rng.choice(["pinch", "point", "flat", "fist", "cup"], p=[0.5, 0.12, 0.16, 0.12, 0.1]))
        out.append(
            Hand(
                tip,
                arm,
                pose,
                near(rng, skin, 0.015),
                sleeve,
                float(rng.uniform(17, 34)),
                float(rng.uniform(0.8, 1.12)),
                bool(rng.random() < 0.3),
                float(rng.uniform(0, 1)),
                int(rng.integers(1 << 20)),
            )
        )
    return tuple(out)


_REACH = {
    "cup": 5,
    "mug": 7,
    "phone": 9,
    "book": 13,
    "paper": 14,
    "towel": 16,
    "clock": 9,
    "score": 8,
    "pen": 8,
    "watch": 11,
}


def random_props(scene: Scene, rng: Rng) -> tuple[Prop, ...]:
    """Things around the board, now and then a cup on it."""
    lay, out = scene.layout, []
    x0, y0, x1, y1 = lay.outer()
    kinds = [
        "cup",
        "mug",
        "glass",
        "can",
        "phone",
        "watch",
        "score",
        "book",
        "pen",
        "coins",
        "paper",
        "clock",
        "towel",
        "bowl",
    ]
    for _ in range(int(rng.integers(1, 6))):
        kind = str(rng.choice(kinds, p=np.array([4, 2, 1, 1, 1.5, 0.7, 1.5, 1, 1, 0.7, 1, 0.7, 0.5, 0.5]) / 17.1))
        side = int(rng.integers(4))
        gap = _REACH.get(kind, 6) * 1.1 + float(rng.exponential(4))
        x = (x0 - gap, x1 + gap)[side % 2] if side < 2 else float(rng.uniform(x0, x1))
        y = float(rng.uniform(y0, y1)) if side < 2 else (y0 - gap, y1 + gap)[side % 2]
        out.append(_prop(rng, kind, x, y, -lay.base))
    if rng.random() < 0.07:
        x = math.copysign(float(rng.uniform(0.3, 0.7)) * lay.width / 2, float(rng.normal()))
        out.append(_prop(rng, str(rng.choice(["cup", "cup", "score", "pen"])), x, float(rng.normal(0, 2.0)), 0.0))
    return tuple(out)


def _prop(rng: Rng, kind: str, x: float, y: float, z: float) -> Prop:
    r, g, b = (float(v) for v in rng.uniform(0.05, 0.9, 3))
    grey = (r + g + b) / 3
    mix = float(rng.uniform(0, 1))
    colour = near(rng, (grey + (r - grey) * mix, grey + (g - grey) * mix, grey + (b - grey) * mix))
    second = near(rng, (0.9, 0.9, 0.88) if rng.random() < 0.6 else (0.1, 0.1, 0.1))
    lying, seed = bool(rng.random() < 0.4), int(rng.integers(1 << 20))
    return Prop(kind, x, y, z, float(rng.uniform(0, 360)), float(rng.uniform(0.85, 1.15)), colour, second, lying, seed)
