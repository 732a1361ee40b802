"""Things on a generated board that are no checkers: dice, cube, hands, cups and boxes."""

from __future__ import annotations

import cv2
import numpy as np

from companion.train.board_texture import any_colour, fill, hsv, noise, write_text


class Things:
    """Draws them; a mixin of board_synth.Picture, which knows layout, camera and chance."""

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
