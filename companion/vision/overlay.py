"""A picture for people: what the reader saw, drawn over the photograph."""

from __future__ import annotations

import cv2
import numpy as np

from companion.sources.base import Image
from companion.vision.geometry import BoardGeometry
from companion.vision.types import BoardObservation, CountReading

GREEN, AMBER, RED, BLUE, INK, PAPER = (60, 200, 60), (0, 170, 255), (40, 40, 230), (230, 120, 30), (0, 0, 0), (255,) * 3
Bgr = tuple[int, ...]


def draw(image: Image, geometry: BoardGeometry | None, seen: BoardObservation) -> Image:
    """A copy of the picture with outline, counts (amber: doubtful), dice and cube."""
    out = np.array(image, np.uint8)
    if geometry is None:
        _label(out, (12, 30), "no board found", RED, 0.9)
        return out
    size = float(np.clip(image.shape[1] / 1600, 0.4, 1.2))
    cv2.polylines(out, [np.round(geometry.outline()).astype(np.int32)], True, GREEN, 2, cv2.LINE_AA)
    for point, count in enumerate(seen.points, start=1):
        _count(out, geometry, point, count, size)
    for die in seen.dice:
        _label(out, (int(die.x), int(die.y)), f"{die.value or '?'} {die.state}", BLUE, size)
    if seen.cube is not None:
        _label(out, (int(seen.cube.x), int(seen.cube.y)), f"cube {seen.cube.value}", BLUE, size)
    if seen.problems or seen.obstructed:
        _label(out, (12, 30), " ".join((*seen.problems, *(["covered"] if seen.obstructed else []))), RED, 0.9)
    return out


def _count(out: Image, geometry: BoardGeometry, point: int, count: CountReading, size: float) -> None:
    x, base = geometry.point_base(point)
    inward = 0.42 * geometry.aspect * (1 if base == 0.0 else -1)
    at = geometry.to_pixels([[x, base + inward]])[0]
    if count.value or count.why:
        side = "W" if count.value > 0 else "B" if count.value < 0 else ""
        _label(out, (int(at[0]), int(at[1])), f"{abs(count.value)}{side}", AMBER if count.why else GREEN, size)
    number = geometry.to_pixels([[x, base - 0.02 * (1 if base == 0.0 else -1)]])[0]
    _label(out, (int(number[0]), int(number[1])), str(point), PAPER, size * 0.6)


def _label(out: Image, at: tuple[int, int], text: str, colour: Bgr, size: float) -> None:
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 2)
    x, y = at[0] - w // 2, at[1] + h // 2
    cv2.putText(out, text, (max(0, x), y), cv2.FONT_HERSHEY_SIMPLEX, size, INK, 4, cv2.LINE_AA)
    cv2.putText(out, text, (max(0, x), y), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 2, cv2.LINE_AA)
