"""Random looks for training scenes: dice, doubling cubes, lamps, textures, decals, and what a camera does to them."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from companion.sim.die_faces import TEXTURE, DieLook, digit_mask, encode, linear
from companion.sim.scene import Lamp, Light

BODIES = [
    (0.95, 0.95, 0.93), (0.93, 0.9, 0.8), (0.88, 0.82, 0.66), (0.06, 0.06, 0.07), (0.13, 0.1, 0.1), (0.7, 0.05, 0.05),
    (0.45, 0.03, 0.05), (0.05, 0.12, 0.55), (0.05, 0.06, 0.25), (0.05, 0.4, 0.15), (0.02, 0.2, 0.1), (0.9, 0.6, 0.1),
    (0.85, 0.75, 0.15), (0.9, 0.45, 0.1), (0.5, 0.2, 0.55), (0.3, 0.18, 0.1), (0.6, 0.42, 0.25), (0.55, 0.55, 0.57),
    (0.75, 0.3, 0.4), (0.4, 0.65, 0.8), (0.2, 0.55, 0.55), (0.8, 0.8, 0.85),
]  # fmt: skip
SURFACES = [
    (0.05, 0.3, 0.18), (0.1, 0.2, 0.4), (0.3, 0.05, 0.08), (0.1, 0.1, 0.1), (0.3, 0.3, 0.32), (0.55, 0.4, 0.25),
    (0.75, 0.6, 0.4), (0.35, 0.2, 0.1), (0.8, 0.78, 0.7), (0.1, 0.4, 0.45), (0.3, 0.15, 0.4), (0.6, 0.6, 0.62),
    (0.85, 0.85, 0.86), (0.5, 0.1, 0.1), (0.2, 0.35, 0.2), (0.7, 0.5, 0.3),
]  # fmt: skip


def jitter(rng, colour, amount=0.06):
    c = np.clip(np.asarray(colour) * rng.uniform(0.75, 1.2) + rng.normal(0, amount, 3), 0.01, 0.99)
    return tuple(float(v) for v in c)


def luminance(colour) -> float:
    return float(linear(colour) @ np.array([0.21, 0.72, 0.07]))


def die_look(rng) -> DieLook:
    """A random die: body, pips, roundness, finish, handedness."""
    body = jitter(rng, BODIES[int(rng.choice(len(BODIES), p=body_weights()))], 0.03)
    lum = luminance(body)
    if lum > 0.16:
        pip = [
            (0.03, 0.03, 0.03),
            (0.03, 0.03, 0.03),
            (0.05, 0.07, 0.35),
            (0.5, 0.03, 0.03),
            (0.03, 0.2, 0.08),
            (0.25, 0.13, 0.06),
        ]
    else:
        pip = [
            (0.96, 0.96, 0.94),
            (0.96, 0.96, 0.94),
            (0.9, 0.8, 0.4),
            (0.85, 0.65, 0.15),
            (0.8, 0.8, 0.82),
            (0.9, 0.6, 0.6),
        ]
    colour = jitter(rng, pip[int(rng.choice(6, p=[0.34, 0.26, 0.12, 0.12, 0.08, 0.08]))], 0.02)
    radius = float(rng.uniform(0.13, 0.24))
    sharp = rng.random() < 0.3
    return DieLook(
        body=body,
        pip=colour,
        one=jitter(rng, (0.75, 0.05, 0.05)) if rng.random() < 0.06 else None,
        rounding=float(rng.uniform(0.01, 0.06) if sharp else rng.uniform(0.06, 0.32)),
        ball=float(1.75 if sharp or rng.random() < 0.35 else rng.uniform(1.36, 1.7)),
        pip_radius=radius,
        one_radius=float(radius * rng.uniform(1.2, 1.8)) if rng.random() < 0.15 else 0.0,
        pip_gap=float(rng.uniform(0.44, 0.6)),
        pip_depth=float(rng.uniform(0, 0.9)),
        crown=float(rng.uniform(0, 0.06)),
        translucent=float(rng.uniform(0.3, 0.95)) if rng.random() < 0.25 else 0.0,
        finish=str(rng.choice(["plain", "marble", "wood"], p=[0.8, 0.15, 0.05])),
        second=jitter(rng, BODIES[int(rng.integers(len(BODIES)))]) if rng.random() < 0.3 else jitter(rng, body, 0.1),
        finish_scale=float(rng.uniform(0.8, 3)),
        gloss=float(rng.uniform(0.0, 1.3)),
        rough=float(rng.uniform(0.0, 0.25)),
        mirrored=bool(rng.random() < 0.5),
        turned=tuple(bool(v) for v in rng.random(3) < 0.5),
        seed=int(rng.integers(1 << 30)),
    )


@lru_cache(maxsize=1)
def body_weights() -> np.ndarray:
    w = np.ones(len(BODIES))
    w[:3] = 3.5
    w[3:9] = 2
    return w / w.sum()


def cube_look(rng, top: int) -> DieLook:
    """A random doubling cube with `top` on +z."""
    body = jitter(rng, BODIES[int(rng.choice(len(BODIES), p=body_weights()))], 0.03)
    light_body = luminance(body) > 0.16
    inks = (
        [(0.03, 0.03, 0.03), (0.05, 0.05, 0.4), (0.6, 0.03, 0.03), (0.03, 0.3, 0.1)]
        if light_body
        else [(0.95, 0.95, 0.93), (0.9, 0.75, 0.3), (0.8, 0.8, 0.8)]
    )
    values = [2, 4, 8, 16, 32, 64]
    others = [v for v in values if v != top]
    rng.shuffle(others)
    draw = digit_painter(rng)
    masks = [draw(str(v), int(rng.integers(4))) for v in (*others[:4], top, others[4])]
    masks[4] = draw(str(top), 0)
    return DieLook(
        body=body, pip=jitter(rng, inks[int(rng.integers(len(inks)))], 0.03), rounding=float(rng.uniform(0.04, 0.3)),
        ball=float(1.75 if rng.random() < 0.7 else rng.uniform(1.45, 1.7)), gloss=float(rng.uniform(0, 1)),
        rough=float(rng.uniform(0, 0.25)),
        finish=str(rng.choice(["plain", "marble", "wood"], p=[0.7, 0.1, 0.2])), second=jitter(rng, body, 0.08),
        translucent=float(rng.uniform(0.3, 0.8)) if rng.random() < 0.08 else 0.0, digits=tuple(masks),
        seed=int(rng.integers(1 << 30)),
    )  # fmt: skip


@lru_cache(maxsize=1)
def fonts() -> tuple[str, ...]:
    """Font files of this machine for digits; Hershey alone when Pillow is absent."""
    import glob

    keep = ("DejaVu", "Liberation", "URW", "Nimbus", "Free", "P052", "C059", "Lato", "Open")
    found = [f for f in glob.glob("/usr/share/fonts/**/*.?tf", recursive=True) if any(k in f for k in keep)]
    return tuple(f for f in sorted(found) if "Dingbats" not in f and "Symbol" not in f and "D050000L" not in f)


def digit_painter(rng):
    """A function (text, quarter turns) -> mask, of one font, weight and size."""
    height = float(rng.uniform(0.34, 0.72))
    underline = rng.random() < 0.12
    ring = rng.random() < 0.12
    if rng.random() < 0.35 or not fonts():
        font, weight = int(rng.integers(4)), int(rng.integers(2, 12))
        base = lambda t: digit_mask(t, font, weight, 0, min(height, 0.62))  # noqa: E731
    else:
        path = fonts()[int(rng.integers(len(fonts())))]
        bold = float(rng.choice([0, 0, 1, 2]))
        base = lambda t: font_mask(t, path, height, bold)  # noqa: E731

    def draw(text: str, turns: int) -> np.ndarray:
        m = base(text).copy()
        if ring:
            cv2.circle(m, (TEXTURE // 2, TEXTURE // 2), int(TEXTURE * 0.44), 1.0, 3, cv2.LINE_AA)
        if underline:
            cv2.line(m, (TEXTURE // 3, int(TEXTURE * 0.84)), (TEXTURE * 2 // 3, int(TEXTURE * 0.84)), 1.0, 4)
        return np.ascontiguousarray(np.rot90(m, turns))

    return draw


@lru_cache(maxsize=4096)
def font_mask(text: str, path: str, height: float, bold: float) -> np.ndarray:
    from PIL import Image, ImageDraw, ImageFont

    big = TEXTURE * 3
    font = ImageFont.truetype(path, int(big * height * 1.35))
    img = Image.new("L", (big * 2, big * 2))
    ImageDraw.Draw(img).text((big, big), text, 255, font=font, anchor="mm")
    a = np.asarray(img)
    ys, xs = np.nonzero(a > 60)
    if len(xs) == 0:
        return digit_mask(text)
    a = a[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    k = min(height * TEXTURE / a.shape[0], 0.8 * TEXTURE / a.shape[1])
    a = cv2.resize(a, (max(int(a.shape[1] * k), 2), max(int(a.shape[0] * k), 4)), interpolation=cv2.INTER_AREA)
    out = np.zeros((TEXTURE, TEXTURE), np.float32)
    y, x = (TEXTURE - a.shape[0]) // 2, (TEXTURE - a.shape[1]) // 2
    out[y : y + a.shape[0], x : x + a.shape[1]] = a / 255.0
    if bold:
        out = cv2.dilate(out, np.ones((int(bold) + 1, int(bold) + 1)))
    return out


def lighting(rng) -> Light:
    """One or two lamps and sky light."""
    lamps = []
    for _ in range(int(rng.choice([1, 2], p=[0.7, 0.3]))):
        az, el = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(20, 85))
        d = (float(np.cos(el) * np.cos(az)), float(np.cos(el) * np.sin(az)), float(np.sin(el)))
        tint = tuple(float(v) for v in np.clip(rng.normal(1, 0.06, 3), 0.7, 1.2))
        lamps.append(
            Lamp(
                direction=d,
                size=float(rng.uniform(0.03, 0.35)),
                power=float(rng.uniform(0.2, 1.1)),
                colour=tint,
                square=bool(rng.random() < 0.6),
            )
        )
    return Light(lamps=tuple(lamps), ambient=float(rng.uniform(0.15, 0.7)))


@lru_cache(maxsize=64)
def texture(kind: int) -> np.ndarray:
    """A 256² periodic grey texture, mean 0, deviation about 1: noise of several grains, wood, weave."""
    rng = np.random.default_rng(1000 + kind)
    f = np.fft.fftfreq(256)
    fx, fy = np.meshgrid(f, f)
    stretch = [1.0, 1.0, 12.0, 25.0][kind % 4]
    r = np.sqrt((fx * stretch) ** 2 + fy**2) + 1e-3
    spec = np.fft.fft2(rng.normal(size=(256, 256))) * r ** -[0.3, 1.0, 1.1, 0.8][kind % 4]
    t = np.real(np.fft.ifft2(spec))
    return ((t - t.mean()) / t.std()).astype(np.float32)


@lru_cache(maxsize=1)
def decal_pool() -> list:
    """120 decal sheets, painted once a process."""
    rng = np.random.default_rng(77)
    return [tuple(a.astype(np.float16) for a in paint_decals(rng)) for _ in range(120)]


def decals(rng) -> tuple[np.ndarray, np.ndarray]:
    """One sheet of the pool, its colours changed round."""
    colour, cover = decal_pool()[int(rng.integers(len(decal_pool())))]
    order = rng.permutation(3)
    return np.ascontiguousarray(colour[..., order], np.float32), cover.astype(np.float32)


def paint_decals(rng, size: int = 512) -> tuple[np.ndarray, np.ndarray]:
    """Things printed on or lying flat on the surface: text, dots, faces with pips, watches, cards. Linear RGB + cover."""  # noqa: E501
    colour = np.zeros((size, size, 3), np.float32)
    cover = np.zeros((size, size), np.float32)
    for _ in range(int(rng.integers(1, 7))):
        ink = tuple(float(v) for v in linear(jitter(rng, BODIES[int(rng.integers(len(BODIES)))])))
        x, y = (int(v) for v in rng.integers(0, size, 2))
        kind = rng.choice(["text", "dots", "face", "watch", "card", "star", "line", "coin"])
        layer = np.zeros((size, size), np.uint8)
        if kind == "text":
            word = "".join(rng.choice(list("ABCDEGHKMNORSTUWabcegmo0123456789"), int(rng.integers(2, 9))))
            cv2.putText(
                layer,
                word,
                (x, y),
                int(rng.integers(0, 4)),
                float(rng.uniform(0.5, 3)),
                255,
                int(rng.integers(1, 7)),
                cv2.LINE_AA,
            )
        elif kind == "dots":
            step = int(rng.integers(8, 30))
            for i in range(int(rng.integers(1, 6))):
                cv2.circle(layer, (x + i * step, y), int(rng.integers(2, 10)), 255, -1, cv2.LINE_AA)
        elif kind in ("face", "card"):
            w, h = (
                (int(rng.integers(20, 46)),) * 2
                if kind == "face"
                else (int(rng.integers(50, 160)), int(rng.integers(40, 120)))
            )
            turn = cv2.boxPoints(((x, y), (w, h), float(rng.uniform(0, 180)))).astype(np.int32)
            cv2.fillPoly(layer, [turn], 255, cv2.LINE_AA)
            colour, cover = over(colour, cover, layer, ink)
            layer = np.zeros_like(layer)
            dark = (0.02, 0.02, 0.02) if sum(ink) > 0.6 else (0.9, 0.9, 0.9)
            if kind == "card":
                for i in range(4):
                    cv2.putText(
                        layer, str(rng.integers(100)), (x - w // 3, y - h // 3 + i * 18), 0, 0.6, 255, 1, cv2.LINE_AA
                    )
            elif rng.random() < 0.5:
                cv2.putText(
                    layer, str(rng.choice([2, 4, 8, 16])), (x - w // 3, y + h // 4), 0, w / 45, 255, 2, cv2.LINE_AA
                )
            else:
                for _ in range(int(rng.integers(1, 4))):
                    cv2.circle(
                        layer,
                        (x + int(rng.integers(-w // 3, w // 3)), y + int(rng.integers(-w // 3, w // 3))),
                        max(w // 9, 2),
                        255,
                        -1,
                    )
            ink = dark
        elif kind == "watch":
            r = int(rng.integers(25, 50))
            cv2.circle(layer, (x, y), r, 255, -1, cv2.LINE_AA)
            colour, cover = over(colour, cover, layer, ink)
            layer = np.zeros_like(layer)
            for i in range(12):
                a = i * np.pi / 6
                cv2.circle(layer, (int(x + 0.8 * r * np.cos(a)), int(y + 0.8 * r * np.sin(a))), 2, 255, -1)
            for a in rng.uniform(0, 6.28, 2):
                cv2.line(
                    layer, (x, y), (int(x + 0.7 * r * np.cos(a)), int(y + 0.7 * r * np.sin(a))), 255, 2, cv2.LINE_AA
                )
            ink = (0.02, 0.02, 0.02) if sum(ink) > 0.6 else (0.9, 0.9, 0.9)
        elif kind == "coin":
            cv2.circle(layer, (x, y), int(rng.integers(8, 26)), 255, -1, cv2.LINE_AA)
        elif kind == "star":
            pts = [
                (x + r * np.cos(a), y + r * np.sin(a))
                for a, r in zip(np.arange(16) * np.pi / 8, [40, 15] * 8, strict=True)
            ]
            cv2.fillPoly(layer, [np.array(pts, np.int32)], 255, cv2.LINE_AA)
        else:
            a = rng.uniform(0, 6.28)
            cv2.line(
                layer,
                (x, y),
                (int(x + 400 * np.cos(a)), int(y + 400 * np.sin(a))),
                255,
                int(rng.integers(1, 14)),
                cv2.LINE_AA,
            )
        colour, cover = over(colour, cover, layer, ink)
    return colour, cover


def over(colour, cover, layer, ink):
    a = layer.astype(np.float32) / 255
    return colour * (1 - a[..., None]) + a[..., None] * np.asarray(ink, np.float32), np.maximum(cover, a)


def camera(rng, light: np.ndarray, edge_px: float, hard: float = 0.5) -> np.ndarray:
    """What a camera makes of linear RGB: exposure, white balance, blur, noise, mosaic, sharpening, JPEG. uint8 BGR."""
    img = light * float(2 ** rng.normal(0.15, 0.55)) / max(float(np.percentile(light, 90)), 0.05) * 0.75
    img = img * rng.normal(1, 0.06, 3).clip(0.8, 1.25).astype(np.float32)
    worse = rng.random() < hard
    soft = float(rng.gamma(1.6, 0.4)) + 0.25 if worse else float(rng.uniform(0.2, 0.75))
    soft = min(soft, 0.16 * edge_px)
    img = cv2.GaussianBlur(img, (0, 0), soft)
    if worse and rng.random() < 0.35:
        img = cv2.filter2D(img, -1, motion_kernel(rng, float(rng.uniform(1.0, 0.28 * edge_px))))
    img = encode(np.clip(img.astype(np.float32), 0, 1.0))
    sigma = float(rng.gamma(1.2, 0.012)) + 0.003 if worse else float(rng.uniform(0.002, 0.012))
    noise = rng.normal(0, sigma, img.shape).astype(np.float32)
    grain = float(rng.uniform(0.3, 1.0)) if rng.random() < 0.6 else 0.0
    if grain:
        noise = cv2.GaussianBlur(noise, (0, 0), grain) * (1 + 1.5 * grain)
    img = img + noise
    if rng.random() < 0.3:
        img = mosaic(img)
    if rng.random() < 0.5:
        k = float(rng.uniform(0.2, 1.3))
        img = img + k * (img - cv2.GaussianBlur(img, (0, 0), float(rng.uniform(0.6, 1.6))))
    contrast = float(rng.normal(0, 0.15))
    img = np.clip(img, 0, 1)
    img = img + contrast * img * (1 - img) * (2 * img - 1) * 2
    grey = img.mean(axis=2, keepdims=True)
    img = grey + (img - grey) * float(rng.uniform(0.5, 1.3))
    out = (np.clip(img, 0, 1)[..., ::-1] * 255 + 0.5).astype(np.uint8)
    if rng.random() < 0.8:
        q = int(rng.uniform(40, 97))
        out = cv2.imdecode(cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, q])[1], 1)
    return out


def motion_kernel(rng, length: float) -> np.ndarray:
    n = int(length) | 1
    n = max(n, 3)
    k = np.zeros((n, n), np.float32)
    a = rng.uniform(0, np.pi)
    c = n // 2
    cv2.line(
        k,
        (round(c - c * np.cos(a)), round(c - c * np.sin(a))),
        (round(c + c * np.cos(a)), round(c + c * np.sin(a))),
        1.0,
    )
    return k / k.sum()


def mosaic(img: np.ndarray) -> np.ndarray:
    """Bayer mosaic and OpenCV's demosaic."""
    u = (np.clip(img, 0, 1) * 255).astype(np.uint8)
    h, w = u.shape[0] // 2 * 2, u.shape[1] // 2 * 2
    raw = np.zeros((h, w), np.uint8)
    raw[0::2, 0::2], raw[0::2, 1::2] = u[0:h:2, 0:w:2, 0], u[0:h:2, 1:w:2, 1]
    raw[1::2, 0::2], raw[1::2, 1::2] = u[1:h:2, 0:w:2, 1], u[1:h:2, 1:w:2, 2]
    out = img.copy()
    out[:h, :w] = cv2.cvtColor(raw, cv2.COLOR_BayerBG2RGB).astype(np.float32) / 255
    return out
