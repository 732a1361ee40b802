"""The colours of the two sets of checkers under this light: learned from the picture, never constants."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sources.base import Image
from companion.vision.types import ColourModel

SPREAD_FLOOR = (14.0, 7.0, 7.0)
"""Least spread of L, a, b (OpenCV 8-bit scale) granted to a set: light differs over the board."""


def lab(image: Image) -> NDArray[np.float32]:
    """BGR picture -> L*a*b* in OpenCV's 8-bit scale, float."""
    return cv2.cvtColor(image, cv2.COLOR_BGR2LAB).astype(np.float32)


def fit(samples: NDArray[np.float32]) -> ColourModel:
    """Robust mean and spread of N x 3 Lab samples (median and scaled median deviation)."""
    centre = np.median(samples, axis=0)
    spread = 1.4826 * np.median(np.abs(samples - centre), axis=0)
    m, s = centre.tolist(), np.maximum(spread, 1.0).tolist()
    return ColourModel(mean=(m[0], m[1], m[2]), std=(s[0], s[1], s[2]))


def likeness(lab_image: NDArray[np.float32], model: ColourModel) -> NDArray[np.float32]:
    """Per pixel 0 … 1: how well the colour fits the model."""
    std = np.maximum(np.array(model.std, np.float32) * np.float32(1.5), np.array(SPREAD_FLOOR, np.float32))
    d = (lab_image - np.array(model.mean, np.float32)) / std
    return np.asarray(cv2.exp(np.einsum("...i,...i->...", d, d) * np.float32(-0.5)), np.float32)


def likeness_planes(image: Image, white: ColourModel, black: ColourModel) -> NDArray[np.uint8]:
    """Likeness to White's and to Black's checkers, 2 x height x width, 0 … 255; made at half size: colour is soft."""
    h, w = image.shape[:2]
    half = lab(np.asarray(cv2.resize(image, (w // 2, h // 2), interpolation=cv2.INTER_AREA), np.uint8))
    small = [np.asarray(likeness(half, m) * np.float32(255), np.uint8) for m in (white, black)]
    return np.stack([np.asarray(cv2.resize(s, (w, h), interpolation=cv2.INTER_LINEAR), np.uint8) for s in small])
