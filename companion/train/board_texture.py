"""Cheap random textures for the generated boards: surfaces, points, ornaments, checker tops. BGR float32 0 … 255."""

from __future__ import annotations

import cv2
import numpy as np

Rng = np.random.Generator


def noise(rng: Rng, h: int, w: int, cell_y: float, cell_x: float) -> np.ndarray:
    """Smooth noise of unit spread, h x w; a cell is the size of its blobs in pixels."""
    small = rng.standard_normal((max(2, int(h / cell_y) + 2), max(2, int(w / cell_x) + 2))).astype(np.float32)
    return cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR)


def hsv(h: float, s: float, v: float) -> np.ndarray:
    """BGR 0 … 255 of hue 0 … 1, saturation, value."""
    px = np.uint8([[[int(h * 179) % 180, int(np.clip(s, 0, 1) * 255), int(np.clip(v, 0, 1) * 255)]]])
    return cv2.cvtColor(px, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def luminance(colour: np.ndarray) -> float:
    return float(colour @ np.float32([0.114, 0.587, 0.299]))


def wood_colour(rng: Rng) -> np.ndarray:
    return hsv(rng.uniform(0.02, 0.12), rng.uniform(0.25, 0.85), rng.uniform(0.15, 0.95))


def any_colour(rng: Rng) -> np.ndarray:
    kind = rng.random()
    if kind < 0.42:
        return wood_colour(rng)
    if kind < 0.68:
        return hsv(rng.random(), rng.uniform(0.0, 0.18), rng.uniform(0.07, 1.0))
    return hsv(rng.random(), rng.uniform(0.3, 0.95), rng.uniform(0.2, 0.95))


def surface(rng: Rng, h: int, w: int, colour: np.ndarray) -> np.ndarray:
    """A plain, felt, wooden, marbled or leather surface of that colour (made at half size: it is soft anyway)."""
    full, (h, w) = (w, h), (h // 2, w // 2)
    kind = rng.choice(["plain", "felt", "wood", "wood", "wood", "marble", "leather"])
    tone = np.zeros((h, w), np.float32)
    amp = rng.uniform(0.02, 0.12)
    if kind == "felt":
        tone = noise(rng, h, w, 1.5, 1.5) * amp * 0.7
    elif kind == "leather":
        tone = noise(rng, h, w, 3, 3) * amp * 0.7
    elif kind == "wood":
        cells = (rng.uniform(50, 160), rng.uniform(1.2, 4))
        if rng.random() < 0.4:
            cells = cells[::-1]
        broad = noise(rng, h, w, cells[0] * 2, cells[1] * 5)
        tone = noise(rng, h, w, *cells) * amp + broad * amp * rng.uniform(0.3, 2.0)
        if rng.random() < 0.4:
            tone += np.sin(broad * rng.uniform(3, 12)) * amp
    elif kind == "marble":
        tone = np.abs(noise(rng, h, w, 25, 25) + 0.5 * noise(rng, h, w, 10, 10)) * amp * 1.5
    tint = rng.normal(0, 0.25, 3).astype(np.float32)
    return cv2.resize(np.clip(colour * (1 + tone[..., None] * (1 + tint)), 0, 255), full)


def mosaic(rng: Rng, h: int, w: int) -> np.ndarray:
    """A small repeated inlay pattern of two to four colours."""
    n = int(rng.integers(4, 11))
    tile = np.zeros((n, n), np.int32)
    y, x = np.mgrid[:n, :n]
    for k in range(int(rng.integers(2, 5))):
        shape = (
            np.abs(x - n / 2) + np.abs(y - n / 2) if rng.random() < 0.6 else np.maximum(abs(x - n / 2), abs(y - n / 2))
        )
        tile[(shape.astype(int) + k) % int(rng.integers(2, 5)) == 0] = k + 1
    palette = np.float32([any_colour(rng) for _ in range(6)])
    px = palette[tile]
    reps = (h // n + 2, w // n + 2, 1)
    scale = rng.uniform(1.0, 2.5)
    big = np.tile(px, reps)
    big = cv2.resize(big, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return big[:h, :w]


def polygon(shape: str, x: float, base: float, tip: float, half: float) -> np.ndarray:
    """Outline of a point from its base to its tip, N x 2."""
    t = np.linspace(0, 1, 17)
    width = {
        "sharp": 1 - t,
        "round": np.sqrt(np.clip(1 - t**2, 0, 1)),
        "slim": (1 - t) ** 1.4,
        "lens": np.sin(np.pi * (0.25 + 0.75 * t)) * 1.0,
        "blunt": 1 - 0.75 * t,
        "waist": (1 - t) * (0.75 + 0.25 * np.cos(6 * t)),
        "bar": np.where(t < 0.98, 0.8, 0.2),
    }[shape]
    y = base + (tip - base) * t
    return np.vstack([np.column_stack([x - half * width, y]), np.column_stack([x + half * width, y])[::-1]])


def fill(img: np.ndarray, pts: np.ndarray, paint: np.ndarray, edge: float = 0.0) -> None:
    """Paint (a colour, or a picture of img's size) inside the polygon; `edge` > 0 paints only its outline."""
    x0, y0 = np.maximum(np.floor(pts.min(0)).astype(int) - 3, 0)
    x1, y1 = np.minimum(np.ceil(pts.max(0)).astype(int) + 4, (img.shape[1], img.shape[0]))
    if x1 <= x0 or y1 <= y0:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    p = np.round((pts - (x0, y0)) * 16).astype(np.int32)
    if edge > 0:
        cv2.polylines(mask, [p], True, 255, max(1, round(edge)), cv2.LINE_AA, 4)
    else:
        cv2.fillPoly(mask, [p], 255, cv2.LINE_AA, 4)
    a = mask[..., None].astype(np.float32) / 255
    roi = img[y0:y1, x0:x1]
    src = paint if paint.ndim == 1 else paint[y0:y1, x0:x1]
    roi += (src - roi) * a


def ring_sprite(rng: Rng, colour: np.ndarray, second: np.ndarray, style: dict, size: int = 72) -> np.ndarray:
    """The top of one checker, size x size: rings, dimple, inlay, grain and the light on its relief."""
    y, x = (np.mgrid[:size, :size].astype(np.float32) - (size - 1) / 2) / (size / 2)
    r = np.hypot(x, y)
    base = np.broadcast_to(colour, (size, size, 3)).astype(np.float32).copy()
    if style["finish"] == "wood":
        grain = noise(rng, size, size, 60, rng.uniform(3, 7))
        base *= 1 + (grain * style["strength"] * 0.12)[..., None]
    elif style["finish"] == "marble":
        vein = np.abs(noise(rng, size, size, 14, 14))
        base += (second - base) * np.clip(vein * style["strength"] * 0.7, 0, 0.8)[..., None]
    elif style["finish"] == "stripes":
        stripe = (np.sin(x * style["freq"] + rng.normal(0, 0.5)) > 0.3).astype(np.float32)
        base += (second - base) * (stripe * style["strength"] * 0.6)[..., None]
    if style["inlay"] > 0:
        band = (np.abs(r - style["inlay"]) < style["inlay_w"]).astype(np.float32)
        base += (style["inlay_c"] - base) * band[..., None]
    relief = np.zeros_like(r)
    for centre, width, depth in style["grooves"]:
        relief += depth * np.exp(-(((r - centre) / width) ** 2))
    slope = (x * style["light"][0] + y * style["light"][1]) / np.maximum(r, 0.05)
    radial = np.gradient(relief, axis=1) * x / np.maximum(r, 0.05) + np.gradient(relief, axis=0) * y / np.maximum(
        r, 0.05
    )
    shade = 1 + np.clip(radial * slope * 6, -0.5, 0.6) - np.clip(relief, 0, 1) * 0.12
    shade *= 1 - style["edge"] * np.clip((r - 0.86) / 0.14, 0, 1)
    shade *= 1 + style["tilt"] * (x * style["light"][0] + y * style["light"][1])
    out = base * shade[..., None]
    if style["gloss"] > 0:
        hx, hy = style["spot"]
        spot = np.exp(-(((x - hx) / style["spot_w"]) ** 2 + ((y - hy) / (style["spot_w"] * 0.6)) ** 2))
        out += 255 * style["gloss"] * spot[..., None]
    angle = rng.uniform(0, 360) if style["finish"] in ("wood", "stripes", "marble") else 0.0
    m = cv2.getRotationMatrix2D(((size - 1) / 2, (size - 1) / 2), angle, 1.0)
    out = cv2.warpAffine(out, m, (size, size), borderMode=cv2.BORDER_REPLICATE) if angle else out
    return np.clip(out, 0, 255)


def checker_style(rng: Rng, light: np.ndarray) -> dict:
    """Random look of one side's checkers; `light` = 2-vector of the light on the relief."""
    grooves = []
    for _ in range(int(rng.integers(0, 4))):
        grooves.append((rng.uniform(0.2, 0.95), rng.uniform(0.03, 0.12), rng.uniform(-0.6, 0.6)))
    if rng.random() < 0.3:
        grooves.append((0.0, rng.uniform(0.2, 0.6), rng.uniform(0.3, 1.5)))
    return {
        "finish": rng.choice(["plain", "plain", "plain", "wood", "marble", "stripes"]),
        "strength": rng.uniform(0.2, 1.0),
        "freq": rng.uniform(6, 22),
        "inlay": rng.uniform(0.0, 0.75) if rng.random() < 0.3 else 0.0,
        "inlay_w": rng.uniform(0.04, 0.2),
        "inlay_c": any_colour(rng),
        "grooves": grooves,
        "light": light,
        "edge": rng.uniform(0.0, 0.5),
        "tilt": rng.uniform(0.0, 0.12),
        "gloss": rng.uniform(0.1, 0.7) if rng.random() < 0.4 else 0.0,
        "spot": rng.uniform(-0.6, 0.6, 2),
        "spot_w": rng.uniform(0.12, 0.5),
        "spread": rng.uniform(0.0, 0.09),
    }


def write_text(img: np.ndarray, text: str, at: np.ndarray, size: float, colour: np.ndarray, thick: int) -> None:
    """Text on a float picture (OpenCV draws text on bytes only)."""
    mask = np.zeros(img.shape[:2], np.uint8)
    cv2.putText(mask, text, (int(at[0]), int(at[1])), 0, size, 255, thick, cv2.LINE_AA)
    img += (colour - img) * (mask[..., None].astype(np.float32) / 255)
