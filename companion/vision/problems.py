"""What is wrong with a view: dark, glare, blurred, moved, blocked, no_board. Each is told, none is guessed around."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sources.base import Image

REFERENCE = (96, 72)
"""Width, height of the small grey picture a calibration keeps."""


@dataclass(frozen=True)
class Limits:
    """When a view is called bad; over the canvas of the board, grey values 0 … 255."""

    dark: float = 38.0  # 90th percentile of the brightness below this
    glare: float = 0.10  # share of burnt-out pixels above this (less what the calibrated board shows)
    sharpness: float = 0.045  # blurred below: strongest edges relative to the contrast
    blocked: float = 0.45  # share of the board under a hand or thing
    moved: float = 0.012  # corners away from the calibrated ones, share of the diagonal
    gone: float = 0.25  # no board: overlap of the calibrated outline with the playing surface seen, below this


LIMITS = Limits()


def brightness(canvas: Image) -> float:
    """90th percentile of the grey values."""
    return float(np.percentile(cv2.cvtColor(canvas[::2, ::2], cv2.COLOR_BGR2GRAY), 90))


def burnt(canvas: Image) -> float:
    """Share of pixels at the end of the scale in all channels, in patches larger than a checker's highlight."""
    small = canvas[::2, ::2]
    mask = cv2.inRange(small, np.array((250, 250, 250)), np.array((255, 255, 255)))
    return float(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)).mean()) / 255


def sharpness(canvas: Image) -> float:
    """Strong fine edges relative to strong coarse ones, 0 … 1: near zero when the picture is out of focus."""
    grey = cv2.cvtColor(canvas, cv2.COLOR_BGR2GRAY)
    fine = np.abs(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 0.7), cv2.CV_16S)[::2, ::2])
    low, high = np.percentile(grey[::3, ::3], (2, 98))
    return float(np.percentile(fine, 98)) / (float(high - low) + 8.0)


def small_grey(image: Image) -> NDArray[np.uint8]:
    """The whole view as a small grey picture."""
    small = cv2.resize(image, REFERENCE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def reference_of(image: Image) -> str:
    """The small grey picture as base64 PNG, for `Calibration.reference`."""
    ok, code = cv2.imencode(".png", small_grey(image))
    return base64.b64encode(code.tobytes()).decode() if ok else ""


def of_picture(canvas: Image, limits: Limits = LIMITS) -> list[str]:
    """Problems of light and focus on the board itself."""
    out = []
    if brightness(canvas) < limits.dark:
        out.append("dark")
    if burnt(canvas) > limits.glare:
        out.append("glare")
    if "dark" not in out and sharpness(canvas) < limits.sharpness:
        out.append("blurred")
    return out
