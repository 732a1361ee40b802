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
from companion.train.board_paint import PAD, FlatBoard, S
from companion.train.board_texture import (
    any_colour,
    checker_style,
    fill,
    hsv,
    luminance,
    noise,
    ring_sprite,
)
from companion.train.board_things import Things

CIRCLE = np.linspace(0, 2 * np.pi, 28, endpoint=False)


class Picture(FlatBoard, Things):
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
