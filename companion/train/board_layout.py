"""Random boards, positions, places of checkers, and cameras for the generated training boards.

Units: board widths; x to White's right, y to White's edge, z up (as in companion.vision.types).
"""

from __future__ import annotations

import numpy as np

Rng = np.random.Generator
START_FAR = (5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2)
START_NEAR = (-5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2)
"""Columns of the starting position, left to right, home right; light > 0."""


def layout(rng: Rng) -> dict:
    aspect = float(np.clip(rng.normal(0.87, 0.07), 0.66, 1.12))
    bar = 0.0 if rng.random() < 0.12 else float(rng.uniform(0.015, 0.13))
    pitch = (1 - bar) / 12
    return {
        "aspect": aspect,
        "bar": ((1 - bar) / 2, (1 + bar) / 2),
        "pitch": pitch,
        "diameter": pitch * float(rng.uniform(0.8, 1.02)),
        "height": float(rng.uniform(0.012, 0.028)),
        "point_len": aspect * float(rng.uniform(0.3, 0.47)),
        "rail": float(rng.uniform(0.015, 0.06)),
        "rail_h": float(rng.choice([0.0, rng.uniform(0.01, 0.07), rng.uniform(0.06, 0.22)], p=[0.13, 0.57, 0.3])),
        "bar_h": float(rng.choice([0.0, rng.uniform(0.005, 0.05)], p=[0.4, 0.6])),
        "tray": [side for side in ("L", "R") if rng.random() < 0.5],
        "tray_w": float(rng.uniform(0.07, 0.13)),
    }


def column_x(lay: dict, column: int) -> float:
    b0, b1 = lay["bar"]
    return b0 * (column + 0.5) / 6 if column < 6 else b1 + (1 - b1) * (column - 5.5) / 6


def spread_counts(rng: Rng, total: int, columns: list[int], clumping: float) -> np.ndarray:
    """`total` men over these columns; higher clumping makes taller stacks."""
    out = np.zeros(24, int)
    weights = rng.gamma(clumping, size=len(columns)) + 1e-6
    weights /= weights.sum()
    left = total
    while left > 0:
        n = min(left, int(rng.choice([1, 2, 2, 3, 4, 5], p=[0.25, 0.25, 0.2, 0.15, 0.1, 0.05])))
        out[rng.choice(columns, p=weights)] += n
        left -= n
    return out


def position(rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(far 12, near 12 signed columns, bar (light, dark), off (light, dark))."""
    kind = rng.random()
    sign = 1 if rng.random() < 0.5 else -1
    if kind < 0.16:
        far, near = sign * np.array(START_FAR), sign * np.array(START_NEAR)
        if rng.random() < 0.5:
            far, near = far[::-1], near[::-1]
        return far, near, np.zeros(2, int), np.zeros(2, int)
    bar = np.array([0, 0]) if rng.random() < 0.72 else rng.choice([0, 1, 1, 2, 3], 2) * rng.integers(0, 2, 2)
    off = np.zeros(2, int)
    if rng.random() < 0.3:
        off = rng.integers(0, 14, 2)
    if rng.random() < 0.05:
        off = np.array([15, 15]) - rng.integers(0, 2, 2)
    order = rng.permutation(24)
    cut = int(rng.integers(6, 18))
    columns = (list(order[:cut]), list(order[cut:]))
    if rng.random() < 0.35:  # men at home: few neighbouring columns hold many
        a, b = (list(range(6)), list(range(12, 18)))
        columns = (b, a) if rng.random() < 0.5 else (a, b)
        if rng.random() < 0.5:
            columns = ([c + 6 for c in columns[0]], [c + 6 for c in columns[1]])
    counts = np.zeros(24, int)
    for k, s in enumerate((1, -1)):
        n = max(0, 15 - int(bar[k]) - int(off[k]))
        if n:
            counts += s * spread_counts(rng, n, columns[k], float(rng.choice([0.15, 0.6, 2.0])))
    return counts[:12], counts[12:], bar, np.minimum(off, 15 - bar)


def place(rng: Rng, lay: dict, far: np.ndarray, near: np.ndarray, bar: np.ndarray) -> list[dict]:
    """Checkers lying as people leave them: columns from the base, rows on top, jitter, some aside."""
    d, a = lay["diameter"], lay["aspect"]
    men: list[dict] = []
    sloppy = float(rng.choice([0.01, 0.04, 0.12], p=[0.4, 0.4, 0.2]))
    loose = float(rng.choice([1.0, 1.02, 1.08], p=[0.5, 0.3, 0.2]))
    room = max(3, int(a / 2 / (d * loose)))
    for row, base, step in ((far, 0.0, 1), (near, a, -1)):
        for column, n in enumerate(row):
            depth = min(room, int(rng.choice([5, 6, 5, 4, 1], p=[0.62, 0.22, 0.08, 0.05, 0.03])))
            gap = abs(rng.normal(0, 0.06)) * d
            drift = rng.normal(0, sloppy * 0.7)
            for k in range(abs(int(n))):
                layer, slot = divmod(k, depth)
                offset = 0.5 * (layer % 2) if rng.random() < 0.8 and depth > 1 else 0.0
                x = column_x(lay, column) + (drift + rng.normal(0, sloppy)) * d
                y = base + step * (gap + d * 0.5 + d * loose * (slot + offset) + abs(rng.normal(0, sloppy * 0.5)) * d)
                men.append({"light": n > 0, "x": x, "y": y, "layer": layer, "on": "board"})
    middle = sum(lay["bar"]) / 2
    stacked = rng.random() < 0.4
    for k, s in ((0, 1), (1, -1)):
        for i in range(int(bar[k])):
            y = a / 2 + (s if rng.random() < 0.9 else -s) * d * (0.8 if stacked else 0.8 + i * 1.05)
            men.append(
                {
                    "light": k == 0,
                    "x": middle + rng.normal(0, 0.08) * d,
                    "y": y,
                    "layer": i if stacked else 0,
                    "on": "bar",
                }
            )
    return men


def aside(rng: Rng, lay: dict, off: np.ndarray) -> list[dict]:
    """Borne-off men: in a tray, or on the table, or gone."""
    men: list[dict] = []
    d, a = lay["diameter"], lay["aspect"]
    out = lay["rail"] + lay["tray_w"] / 2
    for k in range(2):
        if rng.random() < 0.3:
            continue
        side = 1 + out if rng.random() < 0.5 else -out
        if rng.random() < 0.3:
            side += np.sign(side) * 0.2
        edge = rng.random() < 0.4
        for i in range(int(off[k])):
            step = lay["height"] * 1.05 if edge else d
            y = (a * 0.98 - step * (i + 0.5)) if k == 0 else (a * 0.02 + step * (i + 0.5))
            if 0 < y < a:
                men.append({"light": k == 0, "x": side, "y": y, "layer": 0, "on": "edge" if edge else "off"})
    return men


def camera(rng: Rng, lay: dict) -> dict:
    """A view: 3x4 projection of (x, y, z up) to pixels of a picture about 640 wide, its size, and the lens' bend."""
    a = lay["aspect"]
    w = 640
    h = int(rng.choice([480, 480, 360, 640]))
    turn = float(rng.choice([0, 180, 90, 270], p=[0.6, 0.14, 0.13, 0.13])) + rng.normal(0, rng.choice([2, 9]))
    steep = rng.random() < 0.5
    tilt = rng.uniform(0, 12) if steep else rng.uniform(8, 50)
    azimuth = turn + rng.normal(0, 14) if rng.random() < 0.8 else rng.uniform(0, 360)
    focal = w / 2 / np.tan(np.radians(rng.uniform(38, 84)) / 2)
    t, p, q = np.radians(tilt), np.radians(azimuth), np.radians(turn)
    towards = np.array([np.sin(t) * np.sin(p), np.sin(t) * np.cos(p), -np.cos(t)])  # (x, y, -z)
    z = -towards
    down = np.array([np.sin(q), np.cos(q), 0.0])
    y = down - (down @ z) * z
    y /= np.linalg.norm(y)
    r = np.vstack([np.cross(y, z), y, z])
    target = np.array([0.5 + rng.normal(0, 0.03), a / 2 + rng.normal(0, 0.03), 0.0])
    k = np.array([[focal, 0, w / 2], [0, focal, h / 2], [0, 0, 1]])
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, a, 0], [0, a, 0]])
    kind = rng.random()
    share = rng.uniform(0.62, 0.93) if kind < 0.6 else rng.uniform(0.4, 0.7) if kind < 0.75 else rng.uniform(0.9, 1.06)

    def project(distance: float) -> tuple[np.ndarray, np.ndarray]:
        shift = -r @ (target + towards * distance)
        pr = k @ np.column_stack([r, shift])
        pr[:, 2] *= -1  # z up
        c = np.column_stack([corners, np.ones(4)]) @ pr.T
        return pr, c[:, :2] / c[:, 2:]

    distance = 1.5
    for _ in range(4):
        _, c = project(distance)
        used = max(np.ptp(c[:, 0]) / w, np.ptp(c[:, 1]) / h)
        distance *= used / share
        distance = max(distance, 0.75)
    pr, c = project(distance)
    if kind >= 0.75 and rng.random() < 0.8:  # cropped or squeezed to a square around the board, as web pictures are
        pad = rng.uniform(-0.03, 0.08, 4)
        x0, x1 = c[:, 0].min() - pad[0] * np.ptp(c[:, 0]), c[:, 0].max() + pad[1] * np.ptp(c[:, 0])
        y0, y1 = c[:, 1].min() - pad[2] * np.ptp(c[:, 1]), c[:, 1].max() + pad[3] * np.ptp(c[:, 1])
        h = w = int(rng.integers(480, 600))
        fit = np.array([[w / (x1 - x0), 0, -x0 * w / (x1 - x0)], [0, h / (y1 - y0), -y0 * h / (y1 - y0)], [0, 0, 1]])
        pr = fit @ pr
    bend = float(rng.normal(0, 0.04)) if rng.random() < 0.4 else 0.0
    return {"projection": pr, "size": (w, h), "tilt": tilt, "eye": target + towards * distance, "bend": bend}
