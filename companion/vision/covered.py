"""Is a hand or an arm over the board, and how much of every point does it hide? A shadow is none."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.rectify import HALF, INNER, MARGIN, PITCH, STRIDE, STRIP

Floats = NDArray[np.float32]
HAND_AT, HAND_PEAK = 0.4, 0.5
"""A hand's cells are at least so probable, and one of them more so: hands are large, so weak signs that hang together
tell more than their height."""
HAND_CELLS = 24
"""Least size in cells (4 x 4 canvas pixels) of one hand: about a fingertip's worth; smaller marks are noise."""


def hand_mask(hand: Floats) -> NDArray[np.bool_]:
    """Cells under a hand: connected marks big and clear enough to be one."""
    n, labels, stats, _ = cv2.connectedComponentsWithStats((hand > HAND_AT).astype(np.uint8))
    big = [k for k in range(1, n) if stats[k, cv2.CC_STAT_AREA] >= HAND_CELLS and hand[labels == k].max() >= HAND_PEAK]
    return np.isin(labels, big)


def visible_shares(mask: NDArray[np.bool_]) -> Floats:
    """2 (far, near) x 12: share of each point not under a hand."""
    out = np.ones((2, 12), np.float32)
    top, middle = MARGIN // STRIDE, (MARGIN + INNER // 2) // STRIDE
    bottom, width = (MARGIN + INNER) // STRIDE, PITCH // STRIDE
    for column in range(12):
        x = (MARGIN + column * PITCH + (0 if column < 6 else HALF + STRIP - 6 * PITCH)) // STRIDE
        out[0, column] = 1 - mask[top:middle, x : x + width].mean()
        out[1, column] = 1 - mask[middle:bottom, x : x + width].mean()
    return out
