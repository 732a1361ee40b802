"""The flat board of a generated picture: surfaces, points, ornaments, lines, and flat clutter on the table."""

from __future__ import annotations

import cv2
import numpy as np

from companion.train import board_layout as bl
from companion.train.board_texture import any_colour, fill, mosaic, polygon, surface, write_text

S = 460  # texture pixels per board width
PAD = (0.62, 0.55)  # table around the playing rectangle, board widths


class FlatBoard:
    """Paints the texture of the board's plane; a mixin of board_synth.Picture, which knows layout and chance."""

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
