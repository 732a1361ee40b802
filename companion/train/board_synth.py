"""Fast generated pictures of backgammon boards with exact truth; board_layout says what is drawn.

    python -m companion.train.board_synth OUT --count 8000 --seed 1

Every picture k has its own seed, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from companion.train import board_layout as bl
from companion.train.board_texture import (
    any_colour,
    checker_style,
    fill,
    hsv,
    luminance,
    mosaic,
    noise,
    polygon,
    ring_sprite,
    surface,
)

S = 460  # texture pixels per board width
PAD = (0.62, 0.55)  # table around the playing rectangle, board widths
CIRCLE = np.linspace(0, 2 * np.pi, 28, endpoint=False)


def write_text(img: np.ndarray, text: str, at: np.ndarray, size: float, colour: np.ndarray, thick: int) -> None:
    """Text on a float picture (OpenCV draws text on bytes only)."""
    mask = np.zeros(img.shape[:2], np.uint8)
    cv2.putText(mask, text, (int(at[0]), int(at[1])), 0, size, 255, thick, cv2.LINE_AA)
    img += (colour - img) * (mask[..., None].astype(np.float32) / 255)


class Picture:
    """One generated picture in the making."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.lay = bl.layout(self.rng)
        self.cam = bl.camera(self.rng, self.lay)
        self.pr = self.cam["projection"]
        self.light = self.rng.normal(0, 0.7, 2)  # horizontal direction of the shadows
        self.men: list[dict] = []
        self.far, self.near, self.bar, self.off = bl.position(self.rng)

    # --- places -------------------------------------------------------------------------------------------------
    def tex(self, pts: np.ndarray) -> np.ndarray:
        return (np.asarray(pts, float)[..., :2] + PAD) * S

    def px(self, pts: np.ndarray) -> np.ndarray:
        q = np.column_stack([np.atleast_2d(pts), np.ones(len(np.atleast_2d(pts)))]) @ self.pr.T
        return q[:, :2] / q[:, 2:]

    # --- the flat board -----------------------------------------------------------------------------------------
    def paint_board(self) -> np.ndarray:
        rng, lay = self.rng, self.lay
        h, w = int((lay["aspect"] + 2 * PAD[1]) * S), int((1 + 2 * PAD[0]) * S)
        table = surface(rng, h // 2, w // 2, any_colour(rng))
        img = cv2.resize(table, (w, h))
        self.frame_colour = any_colour(rng)
        x0 = -lay["rail"] - (lay["tray_w"] + 0.01 if "L" in lay["tray"] else 0)
        x1 = 1 + lay["rail"] + (lay["tray_w"] + 0.01 if "R" in lay["tray"] else 0)
        a = lay["aspect"]
        self.box(img, x0, -lay["rail"], x1, a + lay["rail"], surface(rng, h, w, self.frame_colour))
        ground = any_colour(rng)
        self.ground = ground
        face = surface(rng, h, w, ground)
        for side in lay["tray"]:
            lo = (
                (x0 + lay["rail"], x0 + lay["rail"] + lay["tray_w"])
                if side == "L"
                else (x1 - lay["rail"] - lay["tray_w"], x1 - lay["rail"])
            )
            self.box(img, lo[0], 0, lo[1], a, face if rng.random() < 0.6 else any_colour(rng))
        bar_paint = (
            face
            if rng.random() < 0.3
            else surface(rng, h, w, self.frame_colour if rng.random() < 0.6 else any_colour(rng))
        )
        self.box(img, 0, 0, 1, a, bar_paint)
        b0, b1 = lay["bar"]
        other = face * rng.uniform(0.8, 1.2) if rng.random() < 0.2 else face
        self.box(img, 0, 0, b0, a, face)
        self.box(img, b1, 0, 1, a, np.clip(other, 0, 255))
        if rng.random() < 0.5:
            self.ornaments(img)
        self.points(img)
        self.lines(img)
        if rng.random() < 0.08:
            write_text(
                img, "ABCD"[: int(rng.integers(2, 5))], self.tex(np.array([0.18, a / 2])), 1.3, any_colour(rng), 3
            )
        return img

    def box(self, img: np.ndarray, x0: float, y0: float, x1: float, y1: float, paint: np.ndarray) -> None:
        (u0, v0), (u1, v1) = self.tex(np.array([[x0, y0], [x1, y1]])).round().astype(int)
        img[max(v0, 0) : v1, max(u0, 0) : u1] = paint if paint.ndim == 1 else paint[max(v0, 0) : v1, max(u0, 0) : u1]

    def points(self, img: np.ndarray) -> None:
        rng, lay = self.rng, self.lay
        h, w = img.shape[:2]
        colours = [any_colour(rng), any_colour(rng)]
        if rng.random() < 0.25:
            colours[0] = np.clip(self.ground * rng.uniform(0.75, 1.3), 0, 255)
        if rng.random() < 0.1:
            colours[1] = colours[0]
        woody = rng.random() < 0.5
        kind = rng.random()
        paints = [surface(rng, h, w, c) if woody else c for c in colours]
        if kind < 0.1:
            paints[int(rng.integers(2))] = mosaic(rng, h, w)
        outline = kind > 0.84
        shape = str(
            rng.choice(
                ["sharp", "sharp", "sharp", "round", "slim", "lens", "blunt", "waist", "bar"],
                p=[0.3, 0.2, 0.17, 0.05, 0.07, 0.07, 0.06, 0.05, 0.03],
            )
        )
        half = lay["pitch"] / 2 * rng.uniform(0.62, 1.0) * S
        inset = rng.uniform(0, 0.015) if rng.random() < 0.3 else 0.0
        edge_c = any_colour(rng) if rng.random() < 0.3 else None
        dots = rng.random() < 0.14
        far_first = int(rng.integers(2))
        mirror = int(rng.random() < 0.85)
        length = lay["point_len"]
        skip = rng.random() < 0.02
        for row in range(2):
            for c in range(12):
                which = (c + far_first + row * mirror) % 2
                if skip and which:
                    continue
                x = (bl.column_x(lay, c) + PAD[0]) * S
                base, tip = (inset, length) if row == 0 else (lay["aspect"] - inset, lay["aspect"] - length)
                pts = polygon(shape, x, (base + PAD[1]) * S, (tip + PAD[1]) * S, half)
                fill(img, pts, paints[which], edge=rng.uniform(2, 5) if outline else 0.0)
                if edge_c is not None:
                    fill(img, pts, edge_c, edge=2.0)
                if dots:
                    cv2.circle(
                        img,
                        (int(x), int((tip + PAD[1]) * S)),
                        int(lay["pitch"] * S * 0.1),
                        colours[1].tolist(),
                        -1,
                        cv2.LINE_AA,
                    )

    def ornaments(self, img: np.ndarray) -> None:
        rng, lay = self.rng, self.lay
        b0, b1 = lay["bar"]
        kind = rng.choice(["diamond", "square", "circle", "band", "pattern", "star"])
        c1, c2 = any_colour(rng), any_colour(rng)
        pattern = mosaic(rng, *img.shape[:2])
        size = rng.uniform(0.04, 0.15) * S
        for x in (b0 / 2, (1 + b1) / 2):
            cx, cy = self.tex(np.array([x, lay["aspect"] / 2]))
            if kind == "band":
                hw, hh = b0 / 2 * S, rng.uniform(0.02, 0.06) * S
                fill(
                    img, np.array([[cx - hw, cy - hh], [cx + hw, cy - hh], [cx + hw, cy + hh], [cx - hw, cy + hh]]), c1
                )
                continue
            n = {"diamond": 4, "square": 4, "circle": 40, "pattern": 4, "star": 16}[kind]
            angle = np.linspace(0, 2 * np.pi, n, endpoint=False) + (np.pi / 4 if kind in ("square", "pattern") else 0)
            rad = np.where(np.arange(n) % 2, 0.5, 1.0) if kind == "star" else np.ones(n)
            for scale, paint in ((1.0, pattern if kind == "pattern" else c1), (0.72, c2), (0.4, c1)):
                pts = np.column_stack(
                    [cx + np.cos(angle) * rad * size * scale, cy + np.sin(angle) * rad * size * scale]
                )
                fill(img, pts, paint)

    def lines(self, img: np.ndarray) -> None:
        rng, lay = self.rng, self.lay
        a, (b0, b1) = lay["aspect"], lay["bar"]
        if rng.random() < 0.35:
            t = float(rng.uniform(1.5, 7))
            c = any_colour(rng).tolist()
            for x0, x1 in ((0, b0), (b1, 1)):
                p, q = self.tex(np.array([[x0, 0], [x1, a]])).round().astype(int)
                cv2.rectangle(img, tuple(map(int, p)), tuple(map(int, q)), c, int(t), cv2.LINE_AA)
        if rng.random() < 0.6:  # the gap of the hinge, or a line between the halves
            p, q = self.tex(np.array([[(b0 + b1) / 2, 0], [(b0 + b1) / 2, a]])).round().astype(int)
            cv2.line(
                img,
                tuple(map(int, p)),
                tuple(map(int, q)),
                (any_colour(rng) * rng.uniform(0.1, 0.6)).tolist(),
                int(rng.integers(1, 7)),
                cv2.LINE_AA,
            )
            if b1 > b0 and rng.random() < 0.5:
                c = any_colour(rng).tolist()
                for y in (rng.uniform(0.08, 0.3), rng.uniform(0.7, 0.92)):
                    m = self.tex(np.array([(b0 + b1) / 2, y * a]))
                    hw, hh = (b1 - b0) * S * rng.uniform(0.2, 0.5), rng.uniform(0.02, 0.07) * S
                    cv2.rectangle(img, (int(m[0] - hw), int(m[1] - hh)), (int(m[0] + hw), int(m[1] + hh)), c, -1)

    # --- things that stand ----------------------------------------------------------------------------------------
    def walls(self) -> list[tuple[float, float, float, float, float]]:
        lay = self.lay
        a, r, h = lay["aspect"], lay["rail"], lay["rail_h"]
        out = []
        if h > 0:
            x0 = -r - (lay["tray_w"] + 0.01 if "L" in lay["tray"] else 0)
            x1 = 1 + r + (lay["tray_w"] + 0.01 if "R" in lay["tray"] else 0)
            out += [(x0, -r, x1, 0, h), (x0, a, x1, a + r, h), (x0, 0, x0 + r, a, h), (x1 - r, 0, x1, a, h)]
            if "L" in lay["tray"]:
                out.append((-0.012, 0, 0, a, h))
            if "R" in lay["tray"]:
                out.append((1, 0, 1.012, a, h))
        if lay["bar_h"] > 0 and lay["bar"][1] - lay["bar"][0] > 0.02:
            out.append((lay["bar"][0], 0, lay["bar"][1], a, lay["bar_h"]))
        return out

    def shadow(self, shape: tuple[int, int]) -> np.ndarray:
        """Multiplier of the board's texture, from checkers and walls."""
        mask = np.zeros(shape, np.uint8)
        dx, dy = self.light
        ring = np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)]) * self.lay["diameter"] / 2
        for m in self.men:
            top = (m["layer"] + 1) * self.lay["height"] + m.get("lift", 0.0)
            pts = np.vstack([np.add(ring, (m["x"], m["y"])), np.add(ring, (m["x"] + dx * top, m["y"] + dy * top))])
            hull = cv2.convexHull(self.tex(pts).astype(np.float32)).round().astype(np.int32)
            cv2.fillConvexPoly(mask, hull, 255)
        for x0, y0, x1, y1, h in self.walls():
            base = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
            hull = cv2.convexHull(self.tex(np.vstack([base, base + np.array([dx, dy]) * h])).astype(np.float32))
            cv2.fillConvexPoly(mask, hull.round().astype(np.int32), 255)
        soft = float(self.rng.uniform(1.0, 9.0))
        m = cv2.GaussianBlur(
            cv2.resize(mask, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), (0, 0), soft / 2 + 0.3
        )
        return 1 - cv2.resize(m, shape[::-1]).astype(np.float32) / 255 * self.rng.uniform(0.1, 0.6)

    def draw_wall(self, img: np.ndarray, wall: tuple[float, float, float, float, float], colour: np.ndarray) -> None:
        x0, y0, x1, y1, h = wall
        floor = np.array([[x0, y0, 0], [x1, y0, 0], [x1, y1, 0], [x0, y1, 0]])
        roof = np.add(floor, (0, 0, h))
        f, r = self.px(floor), self.px(roof)
        order = sorted(
            range(4), key=lambda i: -np.hypot(*((floor[i] + floor[(i + 1) % 4])[:2] / 2 - self.cam["eye"][:2]))
        )
        for i in order:
            j = (i + 1) % 4
            fill(img, np.array([f[i], f[j], r[j], r[i]]), colour * (0.45 + 0.12 * i))
        fill(img, r, colour)

    def draw_checker(self, img: np.ndarray, m: dict, sprite: np.ndarray, side: np.ndarray) -> None:
        lay, ring = self.lay, np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)]) * self.lay["diameter"] / 2
        z0 = m["layer"] * lay["height"] + m.get("lift", 0.0)
        if m["on"] == "edge":
            hw, hh = lay["diameter"] / 2, lay["height"] * 0.48
            q = np.array(
                [
                    [m["x"] - hw, m["y"] - hh, hw],
                    [m["x"] + hw, m["y"] - hh, hw],
                    [m["x"] + hw, m["y"] + hh, hw],
                    [m["x"] - hw, m["y"] + hh, hw],
                ]
            )
            fill(img, self.px(q), side)
            fill(img, self.px(q), side * 0.5, edge=1)
            return
        low = self.px(np.column_stack([np.add(ring, (m["x"], m["y"])), np.full(28, z0)]))
        high = self.px(np.column_stack([np.add(ring, (m["x"], m["y"])), np.full(28, z0 + lay["height"])]))
        m["top"] = high.mean(0)
        hull = cv2.convexHull(np.vstack([low, high]).astype(np.float32))[:, 0]
        lo, hi = hull.min(0), hull.max(0)
        if hi[0] < 2 or hi[1] < 2 or lo[0] > img.shape[1] - 2 or lo[1] > img.shape[0] - 2:
            m["hidden"] = True
            return
        fill(img, hull, side * self.rng.uniform(0.5, 0.85))
        n = sprite.shape[0]
        q = high[[0, 7, 14, 21]].astype(np.float32)
        src = np.float32([[n - 1, (n - 1) / 2], [(n - 1) / 2, n - 1], [0, (n - 1) / 2], [(n - 1) / 2, 0]])
        x0, y0 = np.maximum(np.floor(high.min(0)).astype(int) - 1, 0)
        x1, y1 = np.minimum(np.ceil(high.max(0)).astype(int) + 2, (img.shape[1], img.shape[0]))
        if x1 <= x0 or y1 <= y0:
            return
        mat = cv2.getPerspectiveTransform(src, q - np.float32([x0, y0]))
        patch = cv2.warpPerspective(
            sprite, mat, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
        )
        mask = np.zeros(patch.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round((high - (x0, y0)) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        roi = img[y0:y1, x0:x1]
        roi += (patch - roi) * (mask[..., None].astype(np.float32) / 255)
        if self.rng.random() < self.rim:
            cv2.polylines(
                img, [np.round(high * 16).astype(np.int32)], True, (side * self.rim_tone).tolist(), 1, cv2.LINE_AA, 4
            )

    def draw_men(self, img: np.ndarray) -> None:
        rng = self.rng
        light, dark = self.pick_colours()
        self.rim, self.rim_tone = float(rng.choice([0, 1])), float(rng.uniform(0.4, 1.3))
        direction = rng.normal(0, 0.7, 2)
        looks = {}
        for name, colour in ((True, light), (False, dark)):
            style = checker_style(rng, direction)
            if style["inlay"] > 0.4:
                style["inlay_c"] = np.clip(colour * rng.uniform(0.75, 1.25), 0, 255)
            second = np.clip(colour * rng.uniform(0.6, 1.3) + rng.normal(0, 15, 3), 0, 255)
            sprites = [
                ring_sprite(rng, np.clip(colour * (1 + rng.normal(0, style["spread"])), 0, 255), second, style)
                for _ in range(3)
            ]
            looks[name] = (sprites, colour)
        eye = self.cam["eye"]
        for m in sorted(self.men, key=lambda m: (m["layer"], -np.hypot(m["x"] - eye[0], m["y"] - eye[1]))):
            sprites, colour = looks[bool(m["light"])]
            self.draw_checker(img, m, sprites[int(rng.integers(3))], colour)

    def pick_colours(self) -> tuple[np.ndarray, np.ndarray]:
        rng = self.rng
        for _ in range(40):
            a = (
                hsv(rng.uniform(0.05, 0.17), rng.uniform(0, 0.5), rng.uniform(0.7, 1.0))
                if rng.random() < 0.5
                else any_colour(rng)
            )
            b = (
                hsv(rng.random(), rng.uniform(0, 0.6), rng.uniform(0.03, 0.3))
                if rng.random() < 0.45
                else any_colour(rng)
            )
            if abs(luminance(a) - luminance(b)) > 32:
                break
        return (a, b) if luminance(a) > luminance(b) else (b, a)

    def draw_dice(self, img: np.ndarray, mask: np.ndarray) -> None:
        rng, lay = self.rng, self.lay
        n = int(rng.choice([0, 1, 2, 2, 4]))
        body, pip = any_colour(rng), any_colour(rng)
        if rng.random() < 0.5:
            body, pip = hsv(0.1, rng.uniform(0, 0.2), rng.uniform(0.8, 1)), np.float32([10, 10, 10])
        e = rng.uniform(0.02, 0.045)
        items = [(rng.uniform(0.03, 0.97), rng.uniform(0.05, 0.95) * lay["aspect"], e, body, pip) for _ in range(n)]
        if rng.random() < 0.6:
            cube_y = rng.choice([0.5, 0.5, 0.06, 0.94, rng.random()]) * lay["aspect"]
            x = sum(lay["bar"]) / 2 if rng.random() < 0.6 else rng.choice([-0.06, 1.06, rng.random()])
            items.append((x, cube_y, rng.uniform(0.045, 0.065), any_colour(rng), any_colour(rng)))
        for x, y, size, col, ink in items:
            z0 = 0.0
            for m in self.men:
                if np.hypot(m["x"] - x, m["y"] - y) < lay["diameter"] / 2 + size * 0.4:
                    z0 = max(z0, (m["layer"] + 1) * lay["height"] if rng.random() < 0.5 else -1.0)
                    if z0 < 0:
                        break
            if z0 < 0:
                continue
            t = rng.uniform(0, np.pi / 2)
            sq = np.array([[np.cos(t + k * np.pi / 2), np.sin(t + k * np.pi / 2)] for k in range(4)]) * size * 0.707
            low = self.px(np.column_stack([np.add(sq, (x, y)), np.full(4, z0)]))
            high = self.px(np.column_stack([np.add(sq, (x, y)), np.full(4, z0 + size)]))
            for k in range(4):
                fill(img, np.array([low[k], low[(k + 1) % 4], high[(k + 1) % 4], high[k]]), col * (0.5 + 0.12 * k))
            fill(img, high, col)
            hull = cv2.convexHull(np.vstack([low, high]).astype(np.float32))[:, 0]
            cv2.fillConvexPoly(mask, hull.round().astype(np.int32), 2)
            centre, r = high.mean(0), np.hypot(*(high[0] - high[2])) / 2
            if size > 0.044:
                write_text(
                    img,
                    str(rng.choice(["64", "2", "4", "8", "16"])),
                    np.add(centre, (-r / 2, r / 4)),
                    r / 30,
                    ink,
                    max(1, int(r / 8)),
                )
            else:
                for _ in range(int(rng.integers(1, 7))):
                    p = (
                        centre
                        + (high[0] - high[2]) * rng.uniform(-0.27, 0.27)
                        + (high[1] - high[3]) * rng.uniform(-0.27, 0.27)
                    )
                    cv2.circle(
                        img,
                        tuple(np.round(p * 16).astype(int).tolist()),
                        max(16, int(r * 2.2)),
                        ink.tolist(),
                        -1,
                        cv2.LINE_AA,
                        4,
                    )

    def draw_hand(self, img: np.ndarray, mask: np.ndarray) -> None:
        rng = self.rng
        a = self.lay["aspect"]
        skin = hsv(rng.uniform(0.02, 0.08), rng.uniform(0.25, 0.65), rng.uniform(0.3, 0.98))
        tip = np.array([rng.uniform(0.0, 1.0), rng.uniform(0.02, 0.98) * a])
        angle = rng.choice([np.pi / 2, -np.pi / 2, 0, np.pi], p=[0.45, 0.35, 0.1, 0.1]) + rng.normal(0, 0.5)
        d = np.array([np.cos(angle), np.sin(angle)])
        side = np.array([-d[1], d[0]])
        layer = np.zeros((*img.shape[:2], 4), np.float32)
        scale = rng.uniform(0.8, 1.25)

        def line(p: np.ndarray, q: np.ndarray, width: float, colour: np.ndarray) -> None:
            ends = self.px(np.array([[*p, 0.06], [*q, 0.1]])).clip(-3000, 3000)
            t = max(
                2,
                int(
                    width
                    * scale
                    * np.hypot(
                        *(
                            self.px(np.array([[0.5, a / 2, 0], [0.6, a / 2, 0]]))[1]
                            - self.px(np.array([[0.5, a / 2, 0]]))[0]
                        )
                    )
                    * 10
                ),
            )
            p0, p1 = (tuple(map(int, e)) for e in ends)
            cv2.line(layer, p0, p1, (*colour.tolist(), 255.0), t, cv2.LINE_AA)
            cv2.line(layer, p0, p1, (*(colour * 0.86).tolist(), 255.0), max(1, t // 3), cv2.LINE_AA)

        palm = tip + d * 0.17 * scale
        sleeve = any_colour(rng) if rng.random() < 0.7 else skin
        line(palm + d * 0.3, palm + d * 2.0, rng.uniform(0.09, 0.16), sleeve)
        line(palm + d * 0.08, palm + d * 0.32, 0.07, skin)
        for k in range(5):
            s = (k - 2) * 0.026
            reach = rng.uniform(0.0, 0.13)
            line(
                palm + side * s * 1.2,
                palm - d * reach + side * (s * rng.uniform(0.3, 1.6)),
                0.028,
                skin * rng.uniform(0.85, 1.08),
            )
        line(palm, palm + d * 0.06, 0.12, skin)
        alpha = layer[..., 3:4] / 255
        shadow = cv2.GaussianBlur(
            np.roll(alpha[..., 0], (int(rng.integers(-25, 25)), int(rng.integers(-25, 25))), (0, 1)), (0, 0), 7
        )
        img *= 1 - 0.4 * shadow[..., None]
        shade = 1 + 0.15 * noise(rng, *img.shape[:2], 25, 25)[..., None]
        img += (np.clip(layer[..., :3] * shade, 0, 255) - img) * alpha
        mask[alpha[..., 0] > 0.5] = 1

    def clutter(self, tex: np.ndarray) -> None:
        """Flat things on the table and, sometimes, cups, watches, papers on or near the board."""
        rng, a = self.rng, self.lay["aspect"]
        for _ in range(int(rng.integers(0, 6))):
            x, y = rng.uniform(-0.6, 1.6), rng.uniform(-0.5, a + 0.5)
            inside = -0.12 < x < 1.12 and -0.12 < y < a + 0.12
            if inside:
                continue
            c = self.tex(np.array([x, y]))
            colour = any_colour(rng)
            if rng.random() < 0.5:
                r = rng.uniform(0.02, 0.09) * S
                cv2.circle(tex, tuple(map(int, c)), int(r), colour.tolist(), -1, cv2.LINE_AA)
                cv2.circle(
                    tex, tuple(map(int, c)), int(r * rng.uniform(0.5, 0.9)), (colour * 0.5).tolist(), -1, cv2.LINE_AA
                )
            else:
                box = cv2.boxPoints(
                    (
                        (float(c[0]), float(c[1])),
                        (rng.uniform(0.05, 0.3) * S, rng.uniform(0.05, 0.2) * S),
                        rng.uniform(0, 180),
                    )
                )
                fill(tex, box, colour)

    def on_board_clutter(self, img: np.ndarray, mask: np.ndarray) -> None:
        """A cup, box or book standing or lying on free ground of the board."""
        rng, a = self.rng, self.lay["aspect"]
        x, y = rng.uniform(0.1, 0.9), a * rng.uniform(0.4, 0.6)
        w, h, z = rng.uniform(0.04, 0.1), rng.uniform(0.04, 0.1), rng.uniform(0.02, 0.15)
        n = 4 if rng.random() < 0.6 else 24
        t = np.linspace(0, 2 * np.pi, n, endpoint=False) + rng.uniform(0, 6)
        base = np.column_stack([x + w * np.cos(t), y + (h if n == 4 else w) * np.sin(t)])
        if any(np.hypot(m["x"] - x, m["y"] - y) < max(w, h) + 0.03 for m in self.men):
            return
        low, high = (self.px(np.column_stack([base, np.full(n, v)])) for v in (0.0, z))
        colour = any_colour(rng)
        hull = cv2.convexHull(np.vstack([low, high]).astype(np.float32))[:, 0]
        fill(img, hull, colour * 0.6)
        fill(img, high, colour)
        if n > 4:
            fill(img, high.mean(0) + (high - high.mean(0)) * 0.85, colour * 0.35)
        cv2.fillConvexPoly(mask, hull.round().astype(np.int32), 2)

    # --- the camera -----------------------------------------------------------------------------------------------
    def develop(self, img: np.ndarray) -> np.ndarray:
        rng = self.rng
        h, w = img.shape[:2]
        img = img * (1 + rng.uniform(0.02, 0.28) * cv2.resize(noise(rng, 24, 32, 12, 16), (w, h)))[..., None]
        if rng.random() < 0.25:
            img += (
                255
                * rng.uniform(0.1, 0.8)
                * np.exp(
                    -(
                        ((np.mgrid[:h, :w] - rng.uniform(0, 1, (2, 1, 1)) * [[[h]], [[w]]]) / rng.uniform(15, 90)) ** 2
                    ).sum(0)
                )[..., None]
            )
        img = img * np.float32(rng.normal(1, 0.09, 3).clip(0.6, 1.4)) * rng.uniform(0.75, 1.35)
        img = 255 * np.clip(img / 255, 0, 1) ** rng.uniform(0.6, 1.3)
        grey = img.mean(2, keepdims=True)
        img = grey + (img - grey) * rng.uniform(0.5, 1.6)
        out = np.clip(img, 0, 255).astype(np.uint8)
        if rng.random() < 0.18:
            ycc = cv2.cvtColor(out, cv2.COLOR_BGR2YCrCb)
            flat = (
                cv2.equalizeHist(ycc[..., 0])
                if rng.random() < 0.5
                else cv2.createCLAHE(rng.uniform(1, 4), (4, 4)).apply(ycc[..., 0])
            )
            ycc[..., 0] = flat
            out = cv2.cvtColor(ycc, cv2.COLOR_YCrCb2BGR)
        if rng.random() < 0.6:
            out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, 1.3))
        sigma = rng.uniform(0, 9)
        out = np.clip(out + rng.normal(0, 1, (h, w, 3)).astype(np.float32) * sigma, 0, 255).astype(np.uint8)
        if rng.random() < 0.12:
            for _ in range(6):
                p = (int(rng.uniform(-50, w)), int(rng.uniform(0, h)))
                layer = out.copy()
                cv2.putText(layer, "Stock photo", p, 0, rng.uniform(0.5, 1.1), (230, 230, 230), 2, cv2.LINE_AA)
                out = cv2.addWeighted(layer, 0.5, out, 0.5, 0)
        return out

    def bend(self, img: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Barrel or cushion distortion of the finished picture; `bent` moves truth points the same way."""
        k, (w, h) = self.cam["bend"], self.cam["size"]
        if k == 0:
            return img, mask
        y, x = np.mgrid[:h, :w].astype(np.float32)
        u, v = (x - w / 2) / (w / 2), (y - h / 2) / (w / 2)
        s = 1 + k * (u * u + v * v)
        mx, my = u * s * (w / 2) + w / 2, v * s * (w / 2) + h / 2
        return cv2.remap(img, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), cv2.remap(
            mask, mx, my, cv2.INTER_NEAREST
        )

    def bent(self, pts: np.ndarray) -> np.ndarray:
        k, (w, h) = self.cam["bend"], self.cam["size"]
        q = (np.atleast_2d(pts) - (w / 2, h / 2)) / (w / 2)
        r = q.copy()
        for _ in range(8):
            r = q / (1 + k * (r**2).sum(1, keepdims=True))
        return r * (w / 2) + (w / 2, h / 2)

    def render(self) -> tuple[np.ndarray, np.ndarray, dict]:
        """(picture BGR, mask 0 ground 1 hand 2 die/cube/thing, truth)."""
        rng, lay, (w, h) = self.rng, self.lay, self.cam["size"]
        self.men = bl.place(rng, lay, self.far, self.near, self.bar)
        for m in self.men:
            m["lift"] = lay["bar_h"] if m["on"] == "bar" else 0.0
        self.men += bl.aside(rng, lay, self.off)
        tex = self.paint_board()
        self.clutter(tex)
        tex *= self.shadow(tex.shape[:2])[..., None]
        to_board = np.array([[1 / S, 0, -PAD[0]], [0, 1 / S, -PAD[1]], [0, 0, 1]])
        img = cv2.warpPerspective(
            tex, self.pr[:, [0, 1, 3]] @ to_board, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )
        mask = np.zeros((h, w), np.uint8)
        eye = self.cam["eye"]
        walls = sorted(self.walls(), key=lambda q: -np.hypot((q[0] + q[2]) / 2 - eye[0], (q[1] + q[3]) / 2 - eye[1]))
        tone = self.frame_colour * rng.uniform(0.85, 1.1)
        near_walls = [q for q in walls if q[1] >= lay["aspect"]] if eye[1] > lay["aspect"] else []
        for q in walls:
            if q not in near_walls:
                self.draw_wall(img, q, tone)
        self.draw_men(img)
        for q in near_walls:
            self.draw_wall(img, q, tone)
        self.draw_dice(img, mask)
        if rng.random() < 0.08:
            self.on_board_clutter(img, mask)
        hand = rng.random() < 0.12
        if hand:
            self.draw_hand(img, mask)
        if rng.random() < 0.08:  # a person's shadow is no hand
            img *= 1 - 0.5 * np.clip(cv2.resize(noise(rng, 12, 16, 5, 6), (w, h)), 0, 1)[..., None]
        img, mask = self.bend(np.clip(img, 0, 255).astype(np.float32), mask)
        return self.develop(img), mask, self.truth(mask)

    def truth(self, mask: np.ndarray) -> dict:
        a, (b0, b1) = self.lay["aspect"], self.lay["bar"]
        corners = np.array([[0, 0, 0], [1, 0, 0], [1, a, 0], [0, a, 0]], float)
        bars = np.array([[b0, 0, 0], [b1, 0, 0], [b1, a, 0], [b0, a, 0]], float)
        up = self.px(np.array([[0, 0, 0.02], [1, 0, 0.02], [1, a, 0.02], [0, a, 0.02]]))
        men = [
            [*self.bent(m["top"])[0].round(1).tolist(), int(m["light"]), int(m["layer"]), m["on"]]
            for m in self.men
            if "top" in m and not m.get("hidden")
        ]
        return {
            "size": list(self.cam["size"]),
            "corners": self.bent(self.px(corners)).round(2).tolist(),
            "lifted": self.bent(up).round(2).tolist(),
            "lift": 0.02,
            "bar_px": self.bent(self.px(bars)).round(2).tolist(),
            "bar": [b0, b1],
            "aspect": a,
            "height": self.lay["height"],
            "diameter": self.lay["diameter"],
            "far": self.far.tolist(),
            "near": self.near.tolist(),
            "on_bar": self.bar.tolist(),
            "men": men,
        }


def write(out: Path, seed: int) -> None:
    img, mask, truth = Picture(seed).render()
    name = f"{seed:07d}"
    cv2.imwrite(
        str(out / f"{name}.jpg"), img, [cv2.IMWRITE_JPEG_QUALITY, int(np.random.default_rng(seed + 1).integers(55, 96))]
    )
    cv2.imwrite(str(out / f"{name}.png"), mask)
    (out / f"{name}.json").write_text(json.dumps(truth))


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("out", type=Path)
    ap.add_argument("--count", type=int, default=8000)
    ap.add_argument("--seed", type=int, default=1, help="pictures have the seeds seed*1000000 …")
    a = ap.parse_args()
    cv2.setNumThreads(1)
    a.out.mkdir(parents=True, exist_ok=True)
    for k in range(a.count):
        seed = a.seed * 1_000_000 + k
        if not (a.out / f"{seed:07d}.json").exists():
            write(a.out, seed)


if __name__ == "__main__":
    main()
