"""Hands over the board: noticed, and which points they hide (issue 4.5)."""

from __future__ import annotations

import numpy as np

from companion.vision.covered import HAND_CELLS, HAND_PEAK, hand_mask, visible_shares
from companion.vision.rectify import INNER, MAP_HEIGHT, MAP_WIDTH, MARGIN, PITCH, STRIDE


def marked(x: slice, y: slice, value: float = 0.9) -> np.ndarray:
    hand = np.full((MAP_HEIGHT, MAP_WIDTH), 0.02, np.float32)
    hand[y, x] = value
    return hand


def test_a_clear_board_shows_every_point_whole() -> None:
    mask = hand_mask(marked(slice(0, 0), slice(0, 0)))
    assert not mask.any()
    assert visible_shares(mask).min() == 1.0


def test_a_few_marked_cells_are_noise_not_a_hand() -> None:
    assert not hand_mask(marked(slice(10, 12), slice(10, 12))).any()


def test_an_area_as_large_as_fingers_is_a_hand() -> None:
    side = int(np.ceil(HAND_CELLS**0.5)) + 1
    assert hand_mask(marked(slice(20, 20 + side), slice(10, 10 + side))).any()


def test_a_shadow_marks_faintly_and_is_no_hand() -> None:
    assert not hand_mask(marked(slice(10, 40), slice(10, 40), HAND_PEAK * 0.8)).any()


def test_only_the_points_under_the_hand_are_hidden() -> None:
    first = MARGIN // STRIDE
    width, half = PITCH // STRIDE, INNER // STRIDE // 2
    shares = visible_shares(hand_mask(marked(slice(first, first + 2 * width), slice(first, first + half))))
    assert shares[0, :2].max() < 0.1
    assert shares[0, 2:].min() == 1.0
    assert shares[1].min() == 1.0
