"""Where dice and doubling cubes lie: one small convolutional net on the reduced picture (`models/dice_detect.onnx`).

With a known board the picture is reduced so that a die's edge is about 11 pixels; without one a pyramid is searched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision import infer
from companion.vision.geometry import BoardGeometry

Image = NDArray[np.uint8]
MODEL = "dice_detect"
EDGE = 11.0  # pixels: edge of a die the net likes best
USUAL_DIE = 0.028  # board units
MARGIN_X, MARGIN_Y = 0.16, 0.08  # board units around the surface: trays and the table beside
MIN_SCORE = 0.15
PYRAMID = (1000, 560, 320, 180, 100)  # longest side in pixels, searched when nothing is known
RANGE = (6.5, 22.0)  # edges in reduced pixels the net can judge


@dataclass(frozen=True, slots=True)
class Sighting:
    """Something like a die or a cube: centre and apparent edge in pixels, score 0 … 1."""

    kind: str  # die | cube
    x: float
    y: float
    edge_px: float
    score: float


def find(image: Image, geometry: BoardGeometry | None) -> tuple[Sighting, ...]:
    """All dice and cubes seen in a BGR picture, best first, doubles removed."""
    if geometry is None:
        return _distinct(s for scale in _scales(image) for s in _search(image, scale, (0, 0), alone=False))
    x0, y0, x1, y1 = roi(image, geometry)
    scale = min(EDGE / usual_edge_px(geometry), 1.6)
    return _distinct(_search(image[y0:y1, x0:x1], scale, (x0, y0), alone=True))


def usual_edge_px(geometry: BoardGeometry) -> float:
    """Pixels a usual die's edge has in the middle of the board."""
    return USUAL_DIE * geometry.scale_at(0.5, geometry.aspect / 2)


def roi(image: Image, geometry: BoardGeometry) -> tuple[int, int, int, int]:
    """x0, y0, x1, y1 in pixels of the board with its surroundings, cut to the picture."""
    a = geometry.aspect
    xs, ys = (-MARGIN_X, 0.5, 1 + MARGIN_X), (-MARGIN_Y, a / 2, a + MARGIN_Y)
    seen = geometry.to_pixels([[x, y] for x in xs for y in ys])
    h, w = image.shape[:2]
    x0, y0 = np.clip(seen.min(axis=0), 0, [w - 16, h - 16]).astype(int)
    x1, y1 = np.clip(seen.max(axis=0), [x0 + 16, y0 + 16], [w, h]).astype(int)
    return int(x0), int(y0), int(x1), int(y1)


def _scales(image: Image) -> list[float]:
    longest = max(image.shape[:2])
    return [side / longest for side in PYRAMID if side <= longest * 1.2]


def _search(image: Image, scale: float, corner: tuple[int, int], *, alone: bool) -> list[Sighting]:
    """Peaks of the net's two heat maps at one scale. `alone`: no other scale will look, so keep all sizes."""
    h, w = (max(round(v * scale), 16) for v in image.shape[:2])
    small = cv2.copyMakeBorder(_reduced(image, w, h), 0, -h % 8, 0, -w % 8, cv2.BORDER_REPLICATE)
    blob = cv2.dnn.blobFromImage(small, 1 / 127.5, mean=(127.5, 127.5, 127.5))
    out = infer.load(MODEL).run(np.asarray(blob, np.float32))["out"][0]
    fx, fy = image.shape[1] / w, image.shape[0] / h
    seen = [s for k in (0, 1) for s in _peaks(out, k)]
    kept = seen if alone else [s for s in seen if s.kind == "cube" or RANGE[0] < s.edge_px < RANGE[1]]
    return [
        replace(
            s,
            x=(s.x + 0.5) * fx - 0.5 + corner[0],
            y=(s.y + 0.5) * fy - 0.5 + corner[1],
            edge_px=s.edge_px * (fx + fy) / 2,
        )
        for s in kept
    ]


def _reduced(image: Image, w: int, h: int) -> Image:
    """The picture at w x h; halved first where that is enough, since exact halving is many times faster."""
    while image.shape[1] >= 2 * w and image.shape[0] >= 2 * h:
        even = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]
        image = np.asarray(cv2.resize(even, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    way = cv2.INTER_AREA if image.shape[1] > w else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (w, h), interpolation=way), np.uint8)


def _peaks(out: NDArray[np.float32], k: int) -> list[Sighting]:
    """Local maxima of heat map k, in reduced pixels."""
    heat = infer.sigmoid(out[k])
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= top) & (heat > MIN_SCORE))
    kind = ("die", "cube")[k]
    return [
        Sighting(
            kind,
            float((x + out[2, y, x] + 0.5) * 4 - 0.5),
            float((y + out[3, y, x] + 0.5) * 4 - 0.5),
            float(12 * np.exp(np.clip(out[4 + k, y, x], -2, 2))),
            float(heat[y, x]),
        )
        for y, x in zip(ys, xs, strict=True)
    ]


def _distinct(seen: Iterable[Sighting]) -> tuple[Sighting, ...]:
    """Best first; a weaker one within about half an edge of a better one of its kind is the same thing."""
    kept: list[Sighting] = []
    for s in sorted(seen, key=lambda s: -s.score):
        near = (k for k in kept if k.kind == s.kind)
        if all((k.x - s.x) ** 2 + (k.y - s.y) ** 2 > (0.55 * max(k.edge_px, s.edge_px)) ** 2 for k in near):
            kept.append(s)
    return tuple(kept)
