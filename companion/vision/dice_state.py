"""What a die shows and how it lies: crops made square by the board's geometry, one net (`models/dice_state.onnx`).

With a board the crop is warped so that the surface is square and "up" points up: a flat die's top face is then a square
of known size, its visible sides hang below it by the tangent of the view's tilt (told to the net), and any other
look means tilt or height.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision import infer
from companion.vision.geometry import BoardGeometry

Image = NDArray[np.uint8]
Array = NDArray[np.float64]
MODEL = "dice_state"
CROP = 64  # pixels, edge of the crop
DIE_PX = 22.0  # a die's edge in it
UNKNOWN_TILT = -0.5
STATES = ("flat", "cocked", "on_checker", "on_bar", "stacked")
PLACE_MODEL = "dice_place"
WIDE = 32  # pixels, edge of the wide crop
WIDE_PX = 5.5  # a die's edge in it
VALUE_TEMPERATURE = 1.0
PRIOR = (3.0, 1.0, 1.0, 1.0, 0.5)  # how much commoner each state is on a table than in training
CHECKER_SHARE = 0.36  # of the dice the place net was trained on lay on a checker


@dataclass(frozen=True, slots=True)
class Local:
    """The board near a thing: pixels per board unit along x, y (2x2) and along z (2), for its centre in pixels."""

    jacobian: Array
    up: Array
    xy: tuple[float, float]

    @property
    def tangent(self) -> float:
        """Tangent of the angle between the view and straight down here."""
        return float(np.hypot(*(np.linalg.inv(self.jacobian) @ self.up)))

    @property
    def px_per_unit(self) -> float:
        """Pixels a board unit across the view has here."""
        return float(np.sqrt(abs(np.linalg.det(self.jacobian))) * (1 + self.tangent**2) ** 0.25)


@dataclass(frozen=True, slots=True)
class DieReading:
    """The net's answer: probabilities of 1 … 6, of the states, of being a die at all, and the tilt in degrees."""

    values: NDArray[np.float32]
    states: NDArray[np.float32]
    die: float
    tilt_deg: float


def local(geometry: BoardGeometry, x: float, y: float, z: float) -> Local:
    """The board's local shape around the thing whose centre, z above the surface, is seen at pixel (x, y)."""
    bx, by = geometry.to_board([[x, y]], z)[0]
    d = 0.01
    o, px, py, pz = geometry.to_pixels([[bx, by, z], [bx + d, by, z], [bx, by + d, z], [bx, by, z + d]])
    return Local(np.column_stack([px - o, py - o]) / d, (pz - o) / d, (float(bx), float(by)))


def crop_map(place: Local | None, edge: float, die_px: float = DIE_PX) -> Array:
    """2x2 from crop offsets to picture offsets: the surface square and "up" up; without a place just scaled.

    `edge`: the die's, in board units, or in pixels without a place; it becomes `die_px` in the crop.
    """
    if place is None:
        return np.eye(2) * (edge / die_px)
    tall = np.linalg.inv(place.jacobian) @ place.up
    angle = float(np.arctan2(tall[0], -tall[1])) if np.hypot(*tall) > 0.02 else 0.0
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(place.jacobian @ np.array([[c, -s], [s, c]]) * (edge / die_px))


def square_crop(image: Image, place: Local, x: float, y: float, px_per_unit: float, size: int = CROP) -> Image:
    """Crop (size, size) around pixel (x, y): the surface square, `px_per_unit` crop pixels a board unit, up is up."""
    return sample(image, crop_map(place, DIE_PX / px_per_unit), x, y, size)


def plain_crop(image: Image, x: float, y: float, edge_px: float, *, die_px: float = DIE_PX, size: int = CROP) -> Image:
    """Crop around pixel (x, y) scaled so that `edge_px` becomes `die_px`."""
    return sample(image, np.eye(2) * (edge_px / die_px), x, y, size)


def sample(image: Image, to_image: Array, x: float, y: float, size: int) -> Image:
    """Crop by a 2x2 map from crop offsets to picture offsets; smoothed before it shrinks."""
    shrink = float(np.sqrt(abs(np.linalg.det(to_image))))
    reach = int(np.abs(to_image).sum(axis=1).max() * size / 2) + 4
    x0, y0 = max(int(x) - reach, 0), max(int(y) - reach, 0)
    part: NDArray[Any] = image[y0 : int(y) + reach, x0 : int(x) + reach]
    if part.size == 0:
        return np.zeros((size, size, 3), np.uint8)
    if shrink > 1.4:
        part = cv2.GaussianBlur(part, (0, 0), 0.45 * shrink)
    shift = np.array([x - x0, y - y0]) - to_image @ np.full(2, (size - 1) / 2)
    matrix = np.column_stack([to_image, shift])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(part, matrix, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def standard(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(n, s, s, 3) -> (n, 3, s, s) float, each with mean 0 and a deviation of about 1 (as in training)."""
    x = crops.astype(np.float32).transpose(0, 3, 1, 2)
    mean = x.mean(axis=(1, 2, 3), keepdims=True)
    n = x[0].size
    spread = x.std(axis=(1, 2, 3), keepdims=True) * np.sqrt(n / (n - 1))
    return np.asarray((x - mean) / (spread + 8.0), np.float32)


def glance(crops: list[Image], tangents: list[float]) -> NDArray[np.float32]:
    """(n, 4): logit of being a die, and where its centre is (x, y in crop pixels) and its log edge over DIE_PX."""
    if not crops:
        return np.zeros((0, 4), np.float32)
    out = _run(np.stack(crops), np.asarray(tangents, np.float32))
    return np.column_stack([out[:, 11], out[:, 13:15] * DIE_PX, out[:, 15]])


def read(crops: list[Image], tangents: list[float], wide: list[Image] | None = None) -> list[DieReading]:
    """Read well centred crops (each with the tangent of its view, or UNKNOWN_TILT), as they are and mirrored.

    `wide`: crops of the same dice, WIDE pixels, that show what they lie on.
    """
    if not crops:
        return []
    both = np.stack([v for c in crops for v in (c, c[:, ::-1])])
    out = _run(both, np.repeat(np.asarray(tangents, np.float32), 2))
    readings = [_reading(row) for row in out.reshape(len(crops), 2, -1).mean(axis=1)]
    if not wide:
        return readings
    places = _places(wide, tangents)
    return [replace(r, states=fused(r.states, p)) for r, p in zip(readings, places, strict=True)]


def _places(wide: list[Image], tangents: list[float]) -> NDArray[np.float32]:
    """(n, 3) chances of lying on the surface, a checker, wood, from crops wide enough to show a whole checker."""
    both = np.stack([v for c in wide for v in (c, c[:, ::-1])])
    out = _run(both, np.repeat(np.asarray(tangents, np.float32), 2), PLACE_MODEL)
    return infer.softmax(out.reshape(len(wide), 2, 3).mean(axis=1), 1)


def fused(states: NDArray[np.float32], place: NDArray[np.float32]) -> NDArray[np.float32]:
    """States as both nets see them: the close look knows the tilt, the wide one whether a checker lies beneath."""
    on_checker = float(place[1]) / CHECKER_SHARE
    elsewhere = (1 - float(place[1])) / (1 - CHECKER_SHARE)
    beneath = np.array([elsewhere, 1.0, on_checker, elsewhere, elsewhere], np.float32)
    odds = states * beneath * np.asarray(PRIOR, np.float32)
    return np.asarray(odds / odds.sum(), np.float32)


def _run(crops: NDArray[np.uint8], tangents: NDArray[np.float32], model: str = MODEL) -> NDArray[np.float32]:
    planes = np.broadcast_to(tangents[:, None, None, None], (len(crops), 1, *crops.shape[1:3]))
    x = np.concatenate([standard(crops), planes], axis=1)
    return infer.load(model).run(np.ascontiguousarray(x, np.float32))["out"].copy()


def _reading(row: NDArray[np.float32]) -> DieReading:
    return DieReading(
        values=infer.softmax(row[:6], 0, VALUE_TEMPERATURE),
        states=infer.softmax(row[6:11], 0),
        die=float(infer.sigmoid(row[11:12])[0]),
        tilt_deg=float(np.clip(row[12] * 30, 0, 54.7)),
    )
