"""Training pictures of dice: a rest scene of `dice_physics`, random looks, light, camera; windows of a big picture.

Ray-cast with NumPy: a textured surface with points and decals, boxes (rails, bar), cylinders (checkers, cups, coins),
dice and doubling cubes from `companion.sim.die`. The camera's faults come from `dice_looks.camera`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from companion.sim.die import View, about, pose_showing, render_body, shadow, truth
from companion.sim.die_faces import DieLook, linear
from companion.train.dice_looks import BODIES, SURFACES, cube_look, decals, die_look, jitter, lighting, texture
from companion.train.dice_physics import RestDie, RestScene


@dataclass
class Thing:
    """A die or cube in the picture. `jac`: 2x2 px per unit of x, y (y towards White) ; `up`: px per unit z."""

    kind: str
    value: int
    state: str
    tilt: float
    centre: np.ndarray
    edge: float
    edge_px: float
    jac: np.ndarray
    up: np.ndarray
    visible: float
    hull: np.ndarray
    top: np.ndarray
    theta: float
    extra: dict = field(default_factory=dict)


def random_view(rng, target, edge: float, edge_px: float, size: tuple[int, int]) -> View:
    """A camera that sees `target` in the middle of a window of `size` with a die's edge at `edge_px`."""
    theta = np.radians(rng.choice([rng.uniform(0, 12), rng.uniform(8, 35), rng.uniform(25, 52)], p=[0.2, 0.55, 0.25]))
    az = rng.uniform(0, 2 * np.pi)
    away = np.array([np.sin(theta) * np.cos(az), np.sin(theta) * np.sin(az), np.cos(theta)])
    distance = rng.uniform(40, 130)
    eye = target + distance * away
    look = -away + np.tan(rng.uniform(0, np.radians(30))) * unit(np.cross(away, rng.normal(size=3)))
    z = unit(look)
    x = unit(np.cross(z, [0.3, 0.2, 1.0]))
    R = np.stack([x, np.cross(z, x), z])
    a = rng.uniform(0, 2 * np.pi)
    R = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) @ R
    t = -R @ eye
    p = R @ target + t
    f = edge_px / edge * p[2]
    K = np.array([[f, 0, size[0] / 2 - f * p[0] / p[2]], [0, f, size[1] / 2 - f * p[1] / p[2]], [0, 0, 1.0]])
    return View(K, R, t)


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)


class Painter:
    """One window: depth buffer, linear RGB, and which die is seen where."""

    def __init__(self, rng, view: View, size: tuple[int, int], light):
        self.rng, self.view, self.w, self.h, self.light = rng, view, size[0], size[1], light
        xs, ys = np.meshgrid(np.arange(self.w), np.arange(self.h))
        self.rays = view.rays(np.stack([xs, ys], -1).reshape(-1, 2).astype(float)).astype(np.float32)
        self.eye = view.eye.astype(np.float32)
        self.ids = np.zeros((self.h, self.w), np.int16)

    def ground(self, rest: RestScene, plain: bool) -> None:
        rng = self.rng
        self.depth = (-self.eye[2] / np.minimum(self.rays[:, 2], -1e-3)).astype(np.float32)
        self.depth[self.rays[:, 2] > -0.02] = 1e4
        g = self.eye + self.rays * self.depth[:, None]
        x, y = g[:, 0], g[:, 1]
        base = linear(jitter(rng, SURFACES[int(rng.integers(len(SURFACES)))]))
        colour = np.broadcast_to(base, (len(x), 3)).copy()
        if not plain:
            colour = self.points(rest, x, y, colour)
        if rng.random() < 0.6:
            paint, cover = decals(rng)
            k = 512 / rng.uniform(16, 40)
            m = [
                (x * k + 256).reshape(self.h, self.w).astype(np.float32),
                (y * k + 256).reshape(self.h, self.w).astype(np.float32),
            ]
            a = cv2.remap(cover, *m, cv2.INTER_LINEAR).reshape(-1, 1) * (
                1.0 if rng.random() < 0.6 else rng.uniform(0.2, 0.9)
            )
            colour = colour * (1 - a) + a * cv2.remap(paint, *m, cv2.INTER_LINEAR).reshape(-1, 3)
        colour = colour * self.grain(x, y)
        dim = self.shadows(rest, x, y)
        self.rgb = (colour * dim).astype(np.float32)

    def points(self, rest, x, y, colour):
        rng = self.rng
        length, round_tip = rng.uniform(9, 16), rng.random() < 0.2
        col = np.floor((x + 10) / rest.pitch)
        u = np.abs((x + 10) / rest.pitch - col - 0.5)
        v = (9 - y) / length
        width = (
            np.clip(0.5 * (1 - v), 0, 0.5)
            if not round_tip
            else np.where(v < 0.8, 0.42, 0.42 * np.sqrt(np.clip(1 - ((v - 0.8) / 0.2) ** 2, 0, 1)))
        )
        inside = np.clip((width * rng.uniform(0.85, 1) - u) * 40, 0, 1) * (v < 1) * (v > 0) * (np.abs(x) < 10)
        a, b = (
            linear(jitter(rng, (SURFACES + BODIES)[int(rng.integers(len(SURFACES) + len(BODIES)))])) for _ in range(2)
        )
        paint = np.where((col % 2 == 0)[:, None], a, b)
        if rng.random() < 0.2:
            inside = inside * (np.clip((width - u) * 40, 0, 1) - np.clip((width - 0.06 - u) * 40, 0, 1))
        return colour * (1 - inside[:, None]) + paint * inside[:, None]

    def grain(self, x, y):
        rng = self.rng
        k, strength = rng.uniform(4, 30), rng.choice([0.02, 0.06, 0.15, 0.3], p=[0.3, 0.35, 0.25, 0.1])
        a = rng.uniform(0, np.pi)
        tex = texture(int(rng.integers(16)))
        i = ((x * np.cos(a) + y * np.sin(a)) * k).astype(np.int64) & 255
        j = ((y * np.cos(a) - x * np.sin(a)) * k).astype(np.int64) & 255
        return np.clip(1 + strength * tex[j, i], 0.2, 2.5)[:, None]

    def shadows(self, rest, x, y):
        """Light on the surface between boxes and checkers, relative to open light 1."""
        total = self.light.ambient + sum(l.power * l.direction[2] for l in self.light.lamps)
        ambient = np.ones_like(x)
        near = self.checkers_near(rest, 8)
        for c in near:
            ambient *= 1 - 0.4 * np.exp(-np.maximum(np.hypot(x - c[0], y - c[1]) - c[3], 0) / (0.35 * c[4] + 0.05))
        dim = self.light.ambient * ambient
        for lamp in self.light.lamps:
            d = np.asarray(lamp.direction)
            s = d[:2] / max(d[2], 0.14)
            hidden = np.zeros_like(x)
            for c in near:
                along = np.clip(((c[0] - x) * s[0] + (c[1] - y) * s[1]) / max(s @ s, 1e-6), 0, c[2] + c[4])
                far = np.hypot(c[0] - x - along * s[0], c[1] - y - along * s[1])
                hidden = np.maximum(hidden, np.clip((c[3] - far) / (0.1 + lamp.size) + 0.5, 0, 1))
            for b in rest.boxes:
                px, py = x + s[0] * b[4], y + s[1] * b[4]
                inside = np.minimum(np.minimum(px - b[0], b[2] - px), np.minimum(py - b[1], b[3] - py))
                hidden = np.maximum(hidden, np.clip(inside / (0.1 + lamp.size * b[4]) + 0.5, 0, 1))
            dim = dim + lamp.power * d[2] * (1 - hidden)
        return (dim / 1.0)[:, None] * linear(self.light.lamps[0].colour) / max(total, 0.3) * total

    def checkers_near(self, rest, reach):
        mid = self.eye + self.rays[len(self.rays) // 2 + self.w // 2] * self.depth[len(self.rays) // 2 + self.w // 2]
        span = 0.75 * max(self.w, self.h) * float(np.linalg.norm(mid - self.eye)) / float(self.view.K[0, 0]) + reach
        return [c for c in rest.checkers if np.hypot(c[0] - mid[0], c[1] - mid[1]) < span]

    def lit(self, n):
        out = self.light.ambient * (0.7 + 0.3 * n[..., 2:])
        for lamp in self.light.lamps:
            out = out + lamp.power * np.clip(n @ unit(lamp.direction).astype(np.float32), 0, 1)[..., None] * linear(
                lamp.colour
            )
        return out

    def box(self, b, colour, hinge=False):
        x0, y0, x1, y1, h = b[:5]
        lo, hi = np.array([x0, y0, 0], np.float32), np.array([x1, y1, h], np.float32)
        d = np.where(np.abs(self.rays) < 1e-6, 1e-6, self.rays)
        a, c = (lo - self.eye) / d, (hi - self.eye) / d
        near3 = np.minimum(a, c)
        far3 = np.maximum(a, c)
        near = np.maximum(np.maximum(near3[:, 0], near3[:, 1]), near3[:, 2])
        far = np.minimum(np.minimum(far3[:, 0], far3[:, 1]), far3[:, 2])
        hit = np.flatnonzero((near < far) & (near < self.depth - 1e-3))
        if not len(hit):
            return
        axis = near3[hit].argmax(axis=1)
        n = np.zeros((len(hit), 3), np.float32)
        n[np.arange(len(hit)), axis] = -np.sign(self.rays[hit, axis])
        p = self.eye + self.rays[hit] * near[hit, None]
        self.rgb[hit] = colour * self.grain(p[:, 0] + 3 * p[:, 2], p[:, 1] + 2 * p[:, 2]) * self.lit(n)
        self.depth[hit] = near[hit]

    def cylinder(self, c, paint):
        """A checker, coin or cup: (x, y, z, radius, height); paint(radius share, px, py, top?) -> linear RGB."""
        x, y, z, r, h = c
        ring = np.array(
            [[x + r * np.cos(a), y + r * np.sin(a), zz] for a in np.arange(8) * np.pi / 4 for zz in (z, z + h)]
        )
        px = self.view.project(ring)
        x0, y0 = np.maximum(np.floor(px.min(axis=0)).astype(int) - 3, 0)
        x1, y1 = np.minimum(np.ceil(px.max(axis=0)).astype(int) + 4, [self.w, self.h])
        if x1 <= x0 or y1 <= y0:
            return
        idx = (np.arange(y0, y1)[:, None] * self.w + np.arange(x0, x1)).ravel()
        d, depth = self.rays[idx], self.depth[idx]
        o = self.eye - np.array([x, y, z], np.float32)
        t_top = (h - o[2]) / np.minimum(d[:, 2], -1e-4)
        p = o + d * t_top[:, None]
        rad = np.hypot(p[:, 0], p[:, 1]) / r
        top = (rad < 1) & (t_top < depth)
        rgb = paint(rad, p[:, 0], p[:, 1], True)
        bevel = np.clip((rad - 0.93) / 0.07, 0, 1)[:, None] * 0.7
        n = np.concatenate([p[:, :2] / r * bevel, np.ones((len(p), 1), np.float32)], axis=1)
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        shade = self.lit(n)
        half = unit(unit(self.light.lamps[0].direction) - d[len(d) // 2])
        shade = shade + self.gloss * np.clip(n @ half, 0, 1)[:, None] ** 60
        where = idx[top]
        self.rgb[where], self.depth[where] = (rgb * shade)[top], t_top[top]
        aa = d[:, 0] ** 2 + d[:, 1] ** 2 + 1e-9
        bb = o[0] * d[:, 0] + o[1] * d[:, 1]
        disc = bb * bb - aa * (o[0] ** 2 + o[1] ** 2 - r * r)
        t = (-bb - np.sqrt(np.maximum(disc, 0))) / aa
        q = o + d * t[:, None]
        side = (disc > 0) & (q[:, 2] > 0) & (q[:, 2] < h) & (t < self.depth[idx])
        if side.any():
            n = np.concatenate([q[side, :2] / r, np.zeros((int(side.sum()), 1), np.float32)], axis=1)
            where = idx[side]
            self.rgb[where] = paint(np.full(len(where), 0.99), q[side, 0], q[side, 1], False) * self.lit(n) * 0.85
            self.depth[where] = t[side]

    def shade_plane(self, dark) -> None:
        if dark is None:
            return
        img = self.rgb.reshape(self.h, self.w, 3)
        y1, x1 = max(dark.y0, 0), max(dark.x0, 0)
        y2, x2 = min(dark.y0 + dark.factor.shape[0], self.h), min(dark.x0 + dark.factor.shape[1], self.w)
        if y2 > y1 and x2 > x1:
            img[y1:y2, x1:x2] *= dark.factor[y1 - dark.y0 : y2 - dark.y0, x1 - dark.x0 : x2 - dark.x0, None]

    def body(self, number, look, turn, centre, edge, fine=0) -> float:
        """Paste a die; returns its own area in pixels."""
        patch = render_body(look, turn, centre, edge, self.view, self.light, fine=fine)
        y1, x1 = max(patch.y0, 0), max(patch.x0, 0)
        y2, x2 = min(patch.y0 + patch.rgba.shape[0], self.h), min(patch.x0 + patch.rgba.shape[1], self.w)
        area = float(patch.rgba[..., 3].sum())
        if y2 <= y1 or x2 <= x1:
            return area
        part = patch.rgba[y1 - patch.y0 : y2 - patch.y0, x1 - patch.x0 : x2 - patch.x0]
        depth = self.depth.reshape(self.h, self.w)[y1:y2, x1:x2]
        dist = float(np.linalg.norm(centre - self.eye))
        free = (depth > dist - 0.35 * edge).astype(np.float32)
        a = part[..., 3:] * free[..., None]
        img = self.rgb.reshape(self.h, self.w, 3)
        img[y1:y2, x1:x2] = img[y1:y2, x1:x2] * (1 - a) + part[..., :3] * free[..., None]
        self.ids[y1:y2, x1:x2][a[..., 0] > 0.5] = number
        return area


def checker_paint(rng):
    """How one side's checkers look."""
    base = linear(jitter(rng, BODIES[int(rng.integers(len(BODIES)))]))
    second = (
        linear(jitter(rng, BODIES[int(rng.integers(len(BODIES)))]))
        if rng.random() < 0.4
        else base * rng.uniform(0.5, 1.3)
    )
    rings = np.sort(rng.uniform(0.1, 0.95, 2))
    kind, tex, k = rng.choice(["plain", "ring", "disc", "marble"]), texture(int(rng.integers(16))), rng.uniform(8, 40)

    def paint(rad, px, py, top):
        if kind == "marble":
            i, j = (px * k).astype(int) & 255, (py * k).astype(int) & 255
            m = np.clip(0.5 + 0.3 * tex[j, i], 0, 1)[:, None]
            return base * m + second * (1 - m)
        if not top or kind == "plain":
            return np.broadcast_to(base, (len(rad), 3))
        inner = rings[0] if kind == "ring" else 0.0
        m = ((rad > inner) & (rad < rings[1]))[:, None]
        return np.where(m, second, base)

    return paint


def lean(rng, die: RestDie) -> RestDie:
    """A flat die made to lean by 3 to 14 degrees about its lower edge."""
    tilt = float(rng.choice([rng.uniform(3, 8), rng.uniform(5, 16)]))
    towards = rng.uniform(0, 2 * np.pi)
    turn = about((-np.sin(towards), np.cos(towards), 0.0), np.radians(tilt)) @ die.turn
    floor = die.centre[2] - die.edge / 2
    reach = np.abs(turn[2]).sum() * die.edge / 2
    return RestDie(np.array([*die.centre[:2], floor + reach]), turn, die.edge, "cocked", tilt, die.touches)


def stack(rng, lower: RestDie) -> RestDie:
    """A die lying flat on another."""
    xy = lower.centre[:2] + rng.uniform(-0.35, 0.35, 2) * lower.edge
    return RestDie(
        np.array([*xy, lower.centre[2] + lower.edge]),
        pose_showing(1, rng.uniform(0, 6.3)),
        lower.edge,
        "stacked",
        0.0,
        ("die",),
    )


def compose(
    rng,
    rest: RestScene,
    edge_px: float,
    size: tuple[int, int],
    *,
    plain: bool = False,
    target: int | None = None,
    clutter: float = 0.3,
    with_view: bool = False,
):
    """Linear RGB (h, w, 3) of a window and its `Thing`s (dice, cubes); the window is centred near die `target`."""
    dice = [lean(rng, d) if d.state == "flat" and rng.random() < 0.12 else d for d in rest.dice]
    if rng.random() < 0.05:
        flat = [d for d in dice if d.state in ("flat", "on_checker")]
        if flat:
            dice.append(stack(rng, flat[int(rng.integers(len(flat)))]))
    if plain:
        rest = RestScene(dice=dice)
        dice = [d for d in dice if d.state in ("flat", "stacked") or d.tilt > 0]
        dice = [
            RestDie(np.array([*d.centre[:2], d.edge / 2]), d.turn, d.edge, "flat", 0.0) if d.state == "flat" else d
            for d in dice
        ]
        dice = [d for d in dice if d.state == "flat"] or [
            RestDie(np.array([0, 0, 0.75]), pose_showing(1, rng.uniform(0, 6)), 1.5, "flat", 0.0)
        ]
    k = int(rng.integers(len(dice))) if target is None else min(target, len(dice) - 1)
    aim = dice[k]
    view = random_view(rng, aim.centre, aim.edge, edge_px, size)
    light = lighting(rng)
    painter = Painter(rng, view, size, light)
    painter.gloss = float(rng.choice([0, 0.3, 1.0]))
    painter.ground(rest, plain)
    wood = linear(jitter(rng, SURFACES[int(rng.integers(len(SURFACES)))]))
    for b in rest.boxes:
        painter.box(b, wood if b[5] != "trim" else wood * rng.uniform(0.5, 2))
    paints = checker_paint(rng), checker_paint(rng)
    sides = rng.integers(0, 2, 40)
    for c in painter.checkers_near(rest, 3):
        painter.cylinder(c, paints[sides[round((c[0] + 20) / rest.pitch) % 40]])
    if rng.random() < clutter:
        for _ in range(int(rng.integers(1, 4))):
            p = aim.centre[:2] + rng.normal(0, 5, 2)
            if min(np.hypot(*(p - d.centre[:2])) for d in dice) > 3.2:
                r = float(rng.uniform(0.7, 1.4)) if rng.random() < 0.6 else float(rng.uniform(2.5, 4.5))
                painter.cylinder((*p, 0.0, r, 0.18 if r < 1.5 else float(rng.uniform(0.5, 8))), checker_paint(rng))
    placed = _place(rng, painter, rest, dice, view, light, clutter, aim)
    return (*placed, view) if with_view else placed


def _place(rng, painter, rest, dice, view, light, clutter, aim):
    same = rng.random() < 0.65
    first = die_look(rng)
    bodies = []
    for d in dice:
        look = first if same else die_look(rng)
        top = int(rng.integers(1, 7))
        bodies.append((d, look, spin(rng, d, look, top)))
    if rng.random() < clutter:
        p = aim.centre[:2] + rng.normal(0, 4.5, 2)
        edge = float(rng.uniform(1.9, 3.2))
        if min(np.hypot(*(p - d.centre[:2])) for d in dice) > 2.6:
            tops = [2, 4, 8, 16, 32, 64]
            value = tops[int(rng.integers(6))]
            cube = RestDie(np.array([*p, edge / 2]), about((0.0, 0.0, 1.0), rng.uniform(0, 6.3)), edge, "flat", 0.0)
            bodies.append((cube, cube_look(rng, value), cube.turn))
    order = sorted(range(len(bodies)), key=lambda i: -np.linalg.norm(bodies[i][0].centre - view.eye))
    for i in order:
        d, look, turn = bodies[i]
        plane = support(d, rest)
        painter.shade_plane(shadow(turn, d.centre, d.edge, plane, view, light))
    areas = {}
    for i in order:
        d, look, turn = bodies[i]
        areas[i] = painter.body(i + 1, look, turn, d.centre, d.edge, fine=2)
    things = [describe(i, *b, painter, areas[i], view) for i, b in enumerate(bodies)]
    return painter.rgb.reshape(painter.h, painter.w, 3), things


def support(d: RestDie, rest: RestScene) -> float:
    """Height of the plane the die's shadow falls on."""
    if d.state in ("on_checker", "on_bar", "stacked"):
        return float(d.centre[2] - d.edge / 2)
    return 0.0 if d.state == "flat" else max(0.0, float(d.centre[2] - np.abs(d.turn[2]).sum() * d.edge / 2))


def spin(rng, d: RestDie, look: DieLook, top: int) -> np.ndarray:
    """The die's rest pose with `top` as the face most up (the cube's 24 own rotations leave the shape unchanged)."""
    values = (3, 4, 5, 2, 1, 6) if look.mirrored else (3, 4, 2, 5, 1, 6)
    axis = int(np.abs(d.turn[2]).argmax())
    face = 2 * axis + int(d.turn[2, axis] < 0)
    want = values.index(top)
    axes = np.concatenate([np.eye(3)[[i, i]] * [[1.0], [-1.0]] for i in range(3)])
    side = axes[(want + 2 + int(rng.integers(4))) % 6]
    while abs(side @ axes[want]) > 0.5:
        side = axes[int(rng.integers(6))]
    source = np.stack([axes[want], side, np.cross(axes[want], side)])
    up = axes[face]
    other = axes[(face + 2) % 6]
    goal = np.stack([up, other, np.cross(up, other)])
    return d.turn @ goal.T @ source


def describe(i, d: RestDie, look: DieLook, turn, painter, area, view: View) -> Thing:
    told = truth(look, turn, d.centre, d.edge, view)
    visible = float((painter.ids == i + 1).sum()) / max(area, 1.0)
    h = 0.05
    o, px, py, pz = view.project(d.centre + np.array([[0, 0, 0], [h, 0, 0], [0, -h, 0], [0, 0, h]]))
    ray = unit(view.eye - d.centre)
    kind = "cube" if look.digits is not None else "die"
    value = told.value
    if kind == "cube":
        value = 0
    return Thing(
        kind, value, d.state, told.tilt, told.centre, d.edge, told.edge_px,
        np.column_stack([px - o, py - o]) / h, (pz - o) / h,
        visible, told.hull, told.top_face, float(np.arccos(ray[2])),
    )  # fmt: skip


def normal_crop(image: np.ndarray, centre, jac, up, scale: float, out: int, turn: float = 0.0) -> np.ndarray:
    """The surface made square around `centre`: `scale` crop px a unit, turned so that "up" points up, (out, out, 3)."""
    tall = np.linalg.inv(jac) @ up
    a = np.arctan2(tall[0], -tall[1]) + turn if np.hypot(*tall) > 0.02 else turn
    c, s = np.cos(a), np.sin(a)
    to_image = jac @ np.array([[c, -s], [s, c]]) / scale
    return sample(image, to_image, centre, out)


def sample(image, to_image, centre, out):
    """Crop (out, out) by a 2x2 map from crop offsets to image offsets, smoothed first where it shrinks."""
    shrink = float(np.sqrt(abs(np.linalg.det(to_image))))
    m = np.column_stack([to_image, np.asarray(centre) - to_image @ np.full(2, (out - 1) / 2)])
    if shrink > 1.4:
        image = cv2.GaussianBlur(image, (0, 0), 0.45 * shrink)
    return cv2.warpAffine(
        image,
        m.astype(np.float64),
        (out, out),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
