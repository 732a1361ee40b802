"""Finding the board without help (issue 4.1)."""

from __future__ import annotations

import numpy as np
import pytest
from boardpictures import SIZE, shot

from companion.sources.base import Image
from companion.vision.find import find_board, register
from companion.vision.geometry import edge_of, image_order
from companion.vision.read import refine_given


def truth_corners(seed: int) -> np.ndarray:
    return np.array(shot(seed)[1]["board"]["corners_px_TL_TR_BR_BL"])


def error(found: np.ndarray, truth: np.ndarray) -> float:
    """Largest corner distance as a share of the diagonal."""
    a, b = image_order(found), image_order(truth)
    return float(np.linalg.norm(a - b, axis=1).max() / np.linalg.norm(b[0] - b[2]))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_board_is_found_where_it_lies(seed: int) -> None:
    found = find_board(shot(seed)[0])
    assert found is not None
    assert error(found.corners, truth_corners(seed)) < 0.03


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_any_quarter_turn_is_found_with_the_players_ends(turns: int) -> None:
    image = np.ascontiguousarray(np.rot90(shot(2)[0], turns))
    found = find_board(image)
    assert found is not None
    h, w = shot(2)[0].shape[:2]
    corners = truth_corners(2)
    for _ in range(turns):
        corners = np.column_stack([corners[:, 1], w - corners[:, 0]])
        w, h = h, w
    assert error(found.corners, corners) < 0.03
    assert edge_of(corners) in found.seats()


def test_an_empty_table_holds_no_board() -> None:
    table = np.random.default_rng(0).normal(120, 12, (480, 640, 3)).clip(0, 255).astype(np.uint8)
    assert find_board(table) is None


def test_corners_given_by_hand_are_drawn_to_the_board() -> None:
    truth = image_order(truth_corners(1))
    rough = truth + np.array([[9, -7], [-8, 6], [7, 9], [-9, -8]])
    refined = refine_given(shot(1)[0], rough)
    assert error(refined.corners, truth) < error(rough, truth) + 0.002


def test_corners_given_far_from_any_board_are_not_believed_nor_dragged_away() -> None:
    image: Image = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    corners = np.array([[100.0, 100.0], [500.0, 100.0], [500.0, 400.0], [100.0, 400.0]])
    found = refine_given(image, corners)
    assert np.allclose(found.corners, corners)
    assert found.confidence <= 0.5


def test_a_board_that_lies_still_registers_without_a_shift() -> None:
    found = find_board(shot(1)[0])
    assert found is not None
    now = register(shot(1)[0], found.corners)
    assert now.shift is not None
    assert now.shift < 0.008
