"""Bad views are named (issue 4.6): dark, glare, blurred, moved, blocked, no_board."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from boardpictures import shot

from companion.sources.base import Image
from companion.vision import problems
from companion.vision.calibrate import calibrate
from companion.vision.geometry import BoardGeometry, canonical_corners, edge_of
from companion.vision.read import BoardReader
from companion.vision.rectify import Rectifier
from companion.vision.types import Calibration

BOARD = 3


@pytest.fixture(scope="module")
def picture() -> Image:
    return shot(BOARD)[0]


@pytest.fixture(scope="module")
def learned(picture: Image) -> Calibration:
    truth = shot(BOARD)[1]
    corners = truth["board"]["corners_px_TL_TR_BR_BL"]
    home = "right" if truth["board"]["light_home"] == "bottom-right" else "left"
    return calibrate(picture, corners=corners, white_side=edge_of(corners), home=home)


def canvas(image: Image) -> Image:
    corners = np.array(shot(BOARD)[1]["board"]["corners_px_TL_TR_BR_BL"])
    side = edge_of(corners)
    return Rectifier(BoardGeometry(canonical_corners(corners, side), (image.shape[1], image.shape[0]))).apply(image)


def test_a_good_view_has_no_problem(picture: Image) -> None:
    assert problems.of_picture(canvas(picture)) == []


def test_a_view_without_light_is_dark(picture: Image) -> None:
    assert problems.of_picture(canvas((picture * 0.1).astype(np.uint8))) == ["dark"]


def test_a_view_out_of_focus_is_blurred(picture: Image) -> None:
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), 14), np.uint8)
    assert "blurred" in problems.of_picture(canvas(soft))


def test_a_burnt_out_patch_is_glare(picture: Image) -> None:
    bright = canvas(picture).copy()
    cv2.circle(bright, (180, 120), 85, (255, 255, 255), -1)
    assert "glare" in problems.of_picture(bright)


def test_a_bumped_board_is_told_and_followed(picture: Image, learned: Calibration) -> None:
    h, w = picture.shape[:2]
    shift = np.float32([[1, 0, 0.05 * w], [0, 1, -0.02 * h]])
    moved = np.asarray(cv2.warpAffine(picture, shift, (w, h), borderMode=cv2.BORDER_REFLECT), np.uint8)
    seen = BoardReader(learned).read(moved)
    assert "moved" in seen.problems
    assert seen.board.corners is not None
    want = np.add(learned.corners, (0.05 * w, -0.02 * h))
    assert np.abs(np.array(seen.board.corners) - want).max() < 0.02 * w


def test_a_still_board_is_not_called_moved(picture: Image, learned: Calibration) -> None:
    assert "moved" not in BoardReader(learned).read(picture).problems


def test_a_view_without_the_board_says_so(picture: Image, learned: Calibration) -> None:
    table = np.asarray(cv2.GaussianBlur(np.full_like(picture, 120), (0, 0), 3), np.uint8)
    seen = BoardReader(learned).read(table)
    assert seen.problems == ("no_board",)
    assert not seen.board.found


def test_a_board_mostly_under_something_is_blocked(
    picture: Image, learned: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion.vision import covered

    monkeypatch.setattr(covered, "hand_mask", lambda hand: np.ones(hand.shape, np.bool_))
    seen = BoardReader(learned).read(picture)
    assert "blocked" in seen.problems
    assert seen.obstructed
