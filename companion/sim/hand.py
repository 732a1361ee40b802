"""Hands and forearms with sleeves: rounded limbs drawn as one smooth surface, with their shadows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.camera import View
from companion.sim.render_light import Disc, Occluder
from companion.sim.render_materials import bgr, smooth_noise
from companion.sim.scene import Hand, Light

Floats = NDArray[Any]
Doubles = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Limb:
    """A tapered limb from a to b (cm, radii ra, rb). `part`: skin | nail | sleeve. `flat`: height against width."""

    a: tuple[float, float, float]
    b: tuple[float, float, float]
    ra: float
    rb: float
    part: str = "skin"
    flat: float = 1.0


UP = np.array([0.0, 0.0, 1.0])


def _t(p: Doubles) -> tuple[float, float, float]:
    return float(p[0]), float(p[1]), float(p[2])


def _finger(base: Doubles, tip: Doubles, lift: float, thick: float) -> list[Limb]:
    """Three bones from the knuckle to the tip, bent upwards by `lift` cm, with a nail."""
    p = [base, base * 0.55 + tip * 0.45 + UP * lift, base * 0.24 + tip * 0.76 + UP * lift * 0.7, tip]
    radii = [1.02, 0.84, 0.86, 0.72, 0.66]
    out = [Limb(_t(p[k]), _t(p[k + 1]), thick * radii[k], thick * radii[k + 1]) for k in range(3)]
    along = (p[3] - p[2]) / max(1e-6, float(np.linalg.norm(p[3] - p[2])))
    over = UP - along * float(along @ UP)
    nail = p[3] + over * thick * 0.36
    out.append(
        Limb(_t(nail - along * 0.75 * thick), _t(nail + along * 0.25 * thick), 0.5 * thick, 0.5 * thick, "nail", 0.72)
    )
    return out


@dataclass(frozen=True, eq=False)
class _Frame:
    """Directions and joints of a hand."""

    back: Doubles
    side: Doubles
    tip: Doubles
    knuckle: Doubles
    wrist: Doubles
    elbow: Doubles


def _frame(hand: Hand) -> _Frame:
    s, a = hand.scale, math.radians(hand.arm)
    back = np.array([math.cos(a), math.sin(a), 0.0])  # from the tip towards the elbow
    side = np.array([-back[1], back[0], 0.0]) * (-1.0 if hand.left else 1.0)
    flat = hand.pose == "flat"
    rise = 1.0 if flat else 4.4 if hand.pose == "pinch" else 3.2
    tip = np.array(hand.tip)
    knuckle = tip + s * (back * (8.4 if flat else 6.6) + UP * rise)
    wrist = knuckle + s * (back * 9.0 + UP * (0.4 if flat else 1.0))
    return _Frame(back, side, tip, knuckle, wrist, wrist + s * (back * 26.0 + UP * 7.0))


def _four_fingers(hand: Hand, f: _Frame) -> list[Limb]:
    s, flat = hand.scale, hand.pose == "flat"
    rng = np.random.default_rng([hand.seed, 8])
    reach = {"point": (0.0, 4.4, 5.0, 4.8), "fist": (4.4, 4.6, 4.7, 4.6), "flat": (0.3, -0.5, 0.2, 1.7)}
    curl = reach.get(hand.pose, (0.0, 0.5, 1.4, 2.6))
    out: list[Limb] = []
    for k in range(4):
        row = f.side * (k - 1.2) * 1.9 + f.back * (0.16 * (k - 1) ** 2) - UP * 0.14 * (k - 1) ** 2
        base = f.knuckle + s * row
        spread = (k - 0.4) * (1.55 + 1.1 * hand.spread) * (0.85 if hand.pose == "pinch" else 1.0)
        end = f.tip + s * (f.side * spread * (0.8 if k else 0.1) + f.back * curl[k] + UP * (0.25 * curl[k]))
        end = end + rng.normal(0, 0.2, 3) * (1, 1, 0)
        out += _finger(base, end, s * (0.5 if flat else 1.5), s * (0.9, 0.92, 0.86, 0.74)[k])
        heel = f.wrist + s * (f.side * (k - 1.5) * 1.05 - UP * 0.5)
        out.append(Limb(_t(heel), _t(base), 1.5 * s, 1.15 * s, flat=0.85))
    return out


def limbs(hand: Hand) -> list[Limb]:
    """The hand's limbs in the world."""
    s, f = hand.scale, _frame(hand)
    out = _four_fingers(hand, f)
    pinch = hand.pose == "pinch"
    root = f.wrist + s * (f.side * -2.1 - f.back * 2.2 - UP * 0.7)
    tip = f.tip + s * (f.back * (0.5 if pinch else 4.6) + f.side * (-1.0 if pinch else -4.4))
    middle = root * 0.42 + tip * 0.58 + s * (f.side * -1.3 + UP * 0.5)
    out += [Limb(_t(root), _t(middle), 1.6 * s, 1.05 * s), Limb(_t(middle), _t(tip), 1.0 * s, 0.78 * s)]
    along = (tip - middle) / max(1e-6, float(np.linalg.norm(tip - middle)))
    nail = tip + UP * 0.3 * s
    out.append(Limb(_t(nail - along * 0.7 * s), _t(nail + along * 0.2 * s), 0.52 * s, 0.5 * s, "nail", 0.72))
    for side in (-0.8, 0.8):
        a, b = f.wrist - f.back * 2.5 * s + f.side * side * s - UP * 0.7 * s, f.elbow + f.side * side * s
        out.append(Limb(_t(a), _t(b), 1.95 * s, 3.3 * s, flat=0.85))
    return out + _sleeve(hand, f.wrist, f.elbow, f.back)


def _sleeve(hand: Hand, wrist: Doubles, elbow: Doubles, back: Doubles) -> list[Limb]:
    if hand.sleeve is None:
        far = elbow + back * 40.0
        return [Limb(_t(elbow), _t(far), 3.9 * hand.scale, 4.8 * hand.scale)]
    length = float(np.linalg.norm(elbow - wrist))
    share = np.clip((hand.sleeve_start - 15.0 * hand.scale) / length, 0.02, 0.95)
    start = wrist + (elbow - wrist) * share
    r = hand.scale * (3.2 + 1.5 * float(share))
    rng = np.random.default_rng([hand.seed, 12])
    out = [
        Limb(_t(start), _t(elbow), r, hand.scale * 4.7, "sleeve"),
        Limb(_t(elbow), _t(elbow + back * 40.0), hand.scale * 4.7, hand.scale * 6.0, "sleeve"),
    ]
    side = np.array([-back[1], back[0], 0.0])
    for k in range(7):  # folds of the cloth
        p = start + (elbow + back * 20 - start) * (k + float(rng.uniform(0, 1))) / 7.0
        tilt = float(rng.uniform(-1, 1))
        q = side * r * 0.7 + back * tilt * 2.0
        out.append(Limb(_t(p - q + UP * r * 0.45), _t(p + q + UP * r * 0.55), r * 0.42, r * 0.3, "sleeve"))
    return out


def hand_occluders(hand: Hand) -> list[Occluder]:
    """Shadows: a chain of short discs along every limb."""
    out: list[Occluder] = []
    for limb in limbs(hand):
        a, b = np.array(limb.a), np.array(limb.b)
        n = max(2, int(np.linalg.norm(b - a) / (0.8 * max(limb.ra, limb.rb))) + 1)
        for k in range(n + 1):
            p = a + (b - a) * (k / n)
            r = limb.ra + (limb.rb - limb.ra) * (k / n)
            out.append(Disc(float(p[0]), float(p[1]), r * 0.9, float(p[2]) - 0.6 * r, float(p[2]) + 0.6 * r))
    return out


@dataclass(frozen=True, eq=False)
class _Shown:
    """A limb in the picture: ends in pixels, their depths, the outline."""

    limb: Limb
    a: Doubles
    b: Doubles
    da: float
    db: float
    hull: Doubles


_TURN = np.linspace(0, 2 * math.pi, 16, endpoint=False)


def _shown(parts: list[Limb], view: View) -> list[_Shown]:
    """All limbs that lie in front of the camera."""
    ends = np.array([p for limb in parts for p in (limb.a, limb.b)])
    depth = view.depth(ends)
    px = view.project(np.where(depth[:, None] < 5.0, ends * 0.0, ends))
    circle = np.stack([np.cos(_TURN), np.sin(_TURN) * view.K[1, 1] / view.K[0, 0]], 1)
    out = []
    for k, limb in enumerate(parts):
        da, db = depth[2 * k], depth[2 * k + 1]
        if min(da, db) < 5.0:
            continue
        pa, pb = px[2 * k], px[2 * k + 1]
        rings = [pa + circle * (limb.ra * view.K[0, 0] / da), pb + circle * (limb.rb * view.K[0, 0] / db)]
        hull = cv2.convexHull(np.concatenate(rings).astype(np.float32)).reshape(-1, 2).astype(np.float64)
        out.append(_Shown(limb, pa, pb, float(da), float(db), hull))
    return out


def hand_polygon(hand: Hand, view: View) -> list[Doubles]:
    """Outlines (pixels) whose union is the hand with its arm."""
    return [s.hull for s in _shown(limbs(hand), view)]


@dataclass(frozen=True, eq=False)
class HandArt:
    """A drawn hand: window at (x0, y0); `colour` is the share of the level light it sends back (BGR linear)."""

    x0: int
    y0: int
    colour: Floats
    cover: Floats
    depth: Floats

    @staticmethod
    def draw(hand: Hand, view: View, light: Light) -> HandArt | None:
        """None when the hand is outside the picture."""
        shown = _shown(limbs(hand), view)
        if not shown:
            return None
        every = np.concatenate([s.hull for s in shown])
        x0, y0 = np.maximum(np.floor(every.min(axis=0)).astype(int) - 2, 0)
        x1, y1 = np.minimum(np.ceil(every.max(axis=0)).astype(int) + 3, view.size)
        if x1 - x0 < 3 or y1 - y0 < 3:
            return None
        return _paint(hand, shown, view, light, (int(x0), int(y0), int(x1), int(y1)))


def _depths(
    shown: list[_Shown], view: View, box: tuple[int, int, int, int], step: int
) -> tuple[Floats, Floats, Floats]:
    """Smoothly joined height (towards the camera) of all limbs, shares of sleeve and nails; on a coarse grid."""
    x0, y0, x1, y1 = box
    h, w = -(-(y1 - y0) // step), -(-(x1 - x0) // step)
    total = np.zeros((h, w), np.float32)
    sleeve, nail = np.zeros((h, w), np.float32), np.zeros((h, w), np.float32)
    k = np.float32(1.5)  # 1/cm: how sharply limbs join
    for s in shown:
        p0 = np.maximum(((s.hull.min(axis=0) - (x0, y0)) / step).astype(int) - 1, 0)
        p1 = np.minimum(((s.hull.max(axis=0) - (x0, y0)) / step).astype(int) + 2, (w, h))
        if (p1 <= p0).any():
            continue
        xs = (np.arange(p0[0], p1[0], dtype=np.float32) * step + x0)[None, :]
        ys = (np.arange(p0[1], p1[1], dtype=np.float32) * step + y0)[:, None]
        weight = np.exp(np.clip(k * _height(s, view, xs, ys, shown[0].da), -30, 60))
        part = (slice(int(p0[1]), int(p1[1])), slice(int(p0[0]), int(p1[0])))
        total[part] += weight
        if s.limb.part == "nail":
            np.maximum(nail[part], weight, out=nail[part])
        if s.limb.part == "sleeve":
            sleeve[part] += weight
    safe = np.maximum(total, 1e-12)
    return np.log(safe) / k, sleeve / safe, nail / safe


def _height(s: _Shown, view: View, xs: Floats, ys: Floats, ref: float) -> Floats:
    """Height (cm towards the camera, against depth `ref`) of a tapered limb; far below when beside it."""
    f = np.float32
    sa, sb = view.K[0, 0] / s.da, view.K[0, 0] / s.db
    ab = s.b - s.a
    scale = 1.0 / max(float(ab @ ab), 1e-3)
    t = np.clip((xs - f(s.a[0])) * f(ab[0] * scale) + (ys - f(s.a[1])) * f(ab[1] * scale), 0, 1)
    dx, dy = xs - f(s.a[0]) - f(ab[0]) * t, ys - f(s.a[1]) - f(ab[1]) * t
    r = f(s.limb.ra) + f(s.limb.rb - s.limb.ra) * t
    inside = r * r - (dx * dx + dy * dy) / (f(sa) + f(sb - sa) * t) ** 2
    root = np.sqrt(np.abs(inside))
    bulge = np.where(inside > 0, root * f(s.limb.flat), root * f(-3.0) - f(0.4))
    return np.asarray(f(ref - s.da) - f(s.db - s.da) * t + bulge, np.float32)


def _paint(hand: Hand, shown: list[_Shown], view: View, light: Light, box: tuple[int, int, int, int]) -> HandArt:
    x0, y0, x1, y1 = box
    step = 2 if view.size[0] > 900 else 1
    height, sleeve, nail = _depths(shown, view, box, step)
    ref = shown[0].da
    px = view.K[0, 0] / ref / step
    soft = cv2.GaussianBlur(np.maximum(height, -8.0), (0, 0), max(0.8, 0.15 * px))
    gx = cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3) * np.float32(px / 8)
    gy = cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3) * np.float32(px / 8)
    inv = 1.0 / np.sqrt(gx * gx + gy * gy + 1.0)
    R = view.R.tolist()
    normal = [-(gx * R[0][k] + gy * R[1][k] + R[2][k]) * inv for k in range(3)]  # camera -> world
    colour = _skin(hand, (sleeve, nail), normal, height, light)
    full = (x1 - x0, y1 - y0)
    if step > 1:
        colour = cv2.resize(colour, full, interpolation=cv2.INTER_LINEAR)
        soft = cv2.resize(soft, full, interpolation=cv2.INTER_LINEAR)
    fine = 2
    mask: Floats = np.zeros((full[1] * fine, full[0] * fine), np.uint8)
    for s in shown:
        points = ((s.hull - (x0, y0) + 0.5) * fine - 0.5) * 16
        cv2.fillConvexPoly(mask, np.round(points).astype(np.int32), 255, cv2.LINE_8, 4)
    mask = cv2.GaussianBlur(mask, (0, 0), 1.2)
    cover = cv2.resize(mask, full, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    return HandArt(x0, y0, colour, cover, np.asarray(ref - soft, np.float32))


def _skin(hand: Hand, parts: tuple[Floats, Floats], n: list[Floats], height: Floats, light: Light) -> Floats:
    """Share of the level light sent back, BGR."""
    rng = np.random.default_rng([hand.seed, 9])
    shape = (height.shape[0], height.shape[1])
    fine = smooth_noise(rng, shape, 2, 2)
    blotch = 1.0 + 0.035 * smooth_noise(rng, shape, 14, 14) + 0.02 * fine
    level, lit = light.ambient, light.ambient * (0.5 + 0.5 * n[2])
    for lamp in light.lamps:
        length = math.sqrt(sum(v * v for v in lamp.direction))
        x, y, z = (v / length for v in lamp.direction)
        level += lamp.power * z
        lit = lit + lamp.power * np.maximum((n[0] * x + n[1] * y + n[2] * z + 0.25) / 1.25, 0.0)
    shade = lit * (1.0 / max(level, 1e-3))
    dusk = 1.0 - np.clip(shade, 0, 1)  # light that went through skin is warm
    edge = np.clip((parts[0] - 0.5) * 8 + 0.5, 0, 1)
    nail = np.clip((parts[1] - 0.33) * 9, 0, 1)
    skin, cloth = bgr(hand.skin) ** 2, bgr(hand.sleeve or hand.skin) ** 2
    out = np.empty((*shape, 3), np.float32)
    for k, warm in enumerate((-0.16, -0.06, 0.06)):
        pale = float(skin[k]) * 0.75 + 0.18 * (0.62, 0.66, 0.85)[k]
        own = (float(skin[k]) + (pale - float(skin[k])) * nail) * blotch * (1.0 + warm * dusk) * (1 - edge)
        out[..., k] = (own + float(cloth[k]) * (1.0 + 0.07 * fine) * edge) * shade
    return out
