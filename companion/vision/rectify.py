"""The rectified canvas that the reader's net sees: both halves and the bar at fixed places, whatever the board's bar.

Left to right: the left half with margins, a strip about the bar, the right half with margins. A point is always
`PITCH` pixels wide, so column c of either row lies at a fixed place; the strip repeats what lies beside the bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sources.base import Image
from companion.vision.geometry import BoardGeometry

PITCH, MARGIN, STRIP, INNER = 20, 16, 48, 224
HALF = 6 * PITCH + 2 * MARGIN
WIDTH, HEIGHT = 2 * HALF + STRIP, INNER + 2 * MARGIN
STRIDE = 4
"""Canvas pixels per cell of the net's maps."""
MAP_WIDTH, MAP_HEIGHT = WIDTH // STRIDE, HEIGHT // STRIDE
_CENTRE = HALF + STRIP / 2
Array = NDArray[np.floating[Any]]
Float32 = NDArray[np.float32]


def canvas_to_x(u: Array, bar: tuple[float, float]) -> Array:
    """Canvas x (pixel centres at .5) -> board x, piecewise: left half, strip, right half."""
    left, right = bar
    scale = 6 * PITCH
    in_left = (u - MARGIN) / scale * left
    in_strip = (left + right) / 2 + (u - _CENTRE) * left / scale
    in_right = right + (u - HALF - STRIP - MARGIN) / scale * (1 - right)
    return np.where(u < HALF, in_left, np.where(u < HALF + STRIP, in_strip, in_right))


def canvas_to_y(v: Array, aspect: float) -> Array:
    """Canvas y -> board y."""
    return (v - MARGIN) / INNER * aspect


def x_to_canvas(x: Array, bar: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Board x -> canvas x as seen in the left half, the strip and the right half; NaN where it is not shown there."""
    left, right = bar
    scale = 6 * PITCH
    u = (
        MARGIN + x / left * scale,
        _CENTRE + (x - (left + right) / 2) * scale / left,
        HALF + STRIP + MARGIN + (x - right) / (1 - right) * scale,
    )
    bounds = ((0, HALF), (HALF, HALF + STRIP), (HALF + STRIP, WIDTH))
    a, b, c = (np.where((q >= lo) & (q < hi), q, np.nan) for q, (lo, hi) in zip(u, bounds, strict=True))
    return a, b, c


def column_u(column: int) -> float:
    """Canvas x of the middle of column 0 … 11."""
    return MARGIN + (column + 0.5) * PITCH + (0 if column < 6 else 2 * MARGIN + STRIP)


def canvas_maps(
    homography: Array, bar: tuple[float, float], aspect: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where each canvas pixel lies in the picture (x map, y map), through a 3x3 homography board -> pixels."""
    x = canvas_to_x(np.arange(WIDTH) + 0.5, bar)
    y = canvas_to_y(np.arange(HEIGHT) + 0.5, aspect)[:, None]
    h = homography
    w = h[2, 0] * x + h[2, 1] * y + h[2, 2]
    mx = (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w
    my = (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w
    return mx.astype(np.float32), my.astype(np.float32)


@dataclass
class Rectifier:
    """Rectifies pictures of one board; the maps are made once. `z`: height of the plane that is made flat."""

    geometry: BoardGeometry
    z: float = 0.0

    def __post_init__(self) -> None:
        g = self.geometry
        centre = g.scale_at(0.5, g.aspect / 2) * g.bar[0] / (6 * PITCH)
        self.shrink = max(1.0, centre)
        mx, my = self._maps()
        self.crop = self._part(mx, my)
        x, y = self.crop[:2]
        self.maps = cv2.convertMaps(self._shrunk(mx - x), self._shrunk(my - y), cv2.CV_16SC2)

    def _part(self, mx: NDArray[np.float32], my: NDArray[np.float32]) -> tuple[int, int, int, int]:
        """The part of the picture that the canvas shows: x0, y0, x1, y1, at least a pixel."""
        w, h = self.geometry.size
        x0, y0 = int(np.clip(mx.min() - 4, 0, w - 1)), int(np.clip(my.min() - 4, 0, h - 1))
        return x0, y0, int(np.clip(mx.max() + 5, x0 + 1, w)), int(np.clip(my.max() + 5, y0 + 1, h))

    def _maps(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        g = self.geometry
        if g.lens is None or not any(g.lens.distortion):
            return canvas_maps(g.homography_at(self.z), g.bar, g.aspect)
        x, y = np.meshgrid(canvas_to_x(np.arange(WIDTH) + 0.5, g.bar), canvas_to_y(np.arange(HEIGHT) + 0.5, g.aspect))
        px = g.to_pixels(np.column_stack([x.ravel(), y.ravel(), np.full(x.size, self.z)])).astype(np.float32)
        return px[:, 0].reshape(x.shape), px[:, 1].reshape(x.shape)

    def _shrunk(self, m: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray((m + 0.5) / self.shrink - 0.5, np.float32)

    def apply(self, image: Image) -> Image:
        """The canvas, HEIGHT x WIDTH x 3. The picture is shrunk by area first, so that nothing aliases."""
        x0, y0, x1, y1 = self.crop
        image = image[y0:y1, x0:x1]
        if self.shrink > 1.05:
            h, w = image.shape[:2]
            size = (max(1, round(w / self.shrink)), max(1, round(h / self.shrink)))
            image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        out = cv2.remap(image, self.maps[0], self.maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(out, np.uint8)
