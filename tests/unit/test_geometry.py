"""Orientation, poses and expected places (issue 4; CONTRACT.md "Orientation, two facts")."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import InputError
from companion.vision.geometry import (
    SIDES,
    BoardGeometry,
    canonical_corners,
    column_point,
    edge_of,
    image_order,
    point_column,
)
from companion.vision.types import Lens

UPRIGHT = np.array([[100.0, 80.0], [700.0, 80.0], [700.0, 600.0], [100.0, 600.0]])


def view(tilt_deg: float, focal: float = 900.0, aspect: float = 0.87) -> tuple[np.ndarray, np.ndarray]:
    """Corners in pixels of a board seen from White's side, and the camera's 3 x 4 projection of (x, y, z up)."""
    t = np.radians(tilt_deg)
    rotation = np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])
    rotation = rotation.T if (rotation @ [0, 1, 0])[2] > 0 else rotation
    centre = np.array([0.5, aspect / 2, 0.0])
    shift = np.array([0, 0, 1.5]) - rotation @ centre
    k = np.array([[focal, 0, 640], [0, focal, 480], [0, 0, 1]])
    p = k @ np.column_stack([rotation, shift])
    p[:, 2] *= -1
    board = np.array([[0, 0, 0, 1], [1, 0, 0, 1], [1, aspect, 0, 1], [0, aspect, 0, 1]]) @ p.T
    return board[:, :2] / board[:, 2:], p


@pytest.mark.parametrize("side", SIDES)
def test_white_sits_at_the_side_asked_for(side: str) -> None:
    assert edge_of(canonical_corners(UPRIGHT, side)) == side


def test_corners_may_come_in_any_order() -> None:
    shuffled = UPRIGHT[[2, 0, 3, 1]]
    assert np.allclose(image_order(shuffled), UPRIGHT)


def test_an_unknown_side_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'north'"):
        canonical_corners(UPRIGHT, "north")


@pytest.mark.parametrize("home", ["right", "left"])
def test_points_and_columns_are_inverse(home: str) -> None:
    for point in range(1, 25):
        column, far = point_column(point, home)
        assert column_point(column, far, home) == point


def test_white_at_the_bottom_home_right_has_its_corners_as_the_contract_says() -> None:
    assert point_column(1, "right") == (11, False)
    assert point_column(12, "right") == (0, False)
    assert point_column(13, "right") == (0, True)
    assert point_column(24, "right") == (11, True)


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.8), st.floats(0, 0.1))
def test_pixels_and_board_are_inverse_at_any_height(x: float, y: float, z: float) -> None:
    g = BoardGeometry(view(30)[0], (1280, 960), aspect=0.87)
    assert g.to_board(g.to_pixels([[x, y, z]]), z)[0] == pytest.approx([x, y], abs=1e-6)


@pytest.mark.parametrize("tilt", [15.0, 30.0, 45.0])
def test_the_tilt_is_found_without_a_known_lens(tilt: float) -> None:
    g = BoardGeometry(view(tilt)[0], (1280, 960), aspect=0.87)
    assert g.tilt_deg == pytest.approx(tilt, abs=4.0)


def test_height_moves_a_checker_as_the_camera_sees_it() -> None:
    corners, projection = view(35)
    g = BoardGeometry(corners, (1280, 960), aspect=0.87)
    want = projection @ [0.3, 0.1, 0.05, 1]
    got = g.to_pixels([[0.3, 0.1, 0.05]])[0]
    flat = g.to_pixels([[0.3, 0.1, 0.0]])[0]
    assert np.linalg.norm(got - want[:2] / want[2]) < 0.25 * np.linalg.norm(flat - want[:2] / want[2])


def test_a_checker_shows_as_an_ellipse_flattened_by_the_view() -> None:
    g = BoardGeometry(view(40)[0], (1280, 960), aspect=0.87)
    _, axes, _ = g.checker_ellipse(0.5, 0.4)
    assert 0.6 < min(axes) / max(axes) < 0.95
    assert max(axes) == pytest.approx(
        g.checker_diameter * g.scale_at(0.5, 0.4) / np.cos(np.radians(40)) ** 0.5, rel=0.1
    )


def test_a_distorting_lens_is_taken_into_account() -> None:
    lens = Lens(fx=900, fy=900, cx=640, cy=480, distortion=(-0.2, 0.05, 0, 0, 0))
    g = BoardGeometry(view(20)[0], (1280, 960), aspect=0.87, lens=lens)
    assert g.to_board(g.to_pixels([[0.2, 0.7]]))[0] == pytest.approx([0.2, 0.7], abs=1e-3)
    outline = g.outline()
    top = outline[:10]
    bend = top[:, 1] - np.interp(top[:, 0], [top[0, 0], top[-1, 0]], [top[0, 1], top[-1, 1]])
    assert np.abs(bend).max() > 1.0


def test_the_bar_belongs_to_neither_half() -> None:
    g = BoardGeometry(UPRIGHT, (800, 700), bar=(0.46, 0.54))
    assert g.half_of(0.2, 0.4) == "left"
    assert g.half_of(0.8, 0.4) == "right"
    assert g.half_of(0.5, 0.4) is None
    assert g.half_of(1.2, 0.4) is None
