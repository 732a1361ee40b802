"""Learning a board from its starting position, and refusing with the reason (issue 4.2)."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from boardpictures import counts, shot

from companion.errors import CalibrationError, InputError
from companion.rules.position import Position, side_counts
from companion.vision import calibrate as learn
from companion.vision.geometry import edge_of
from companion.vision.read import BoardReader
from companion.vision.types import Calibration

BOARD = 3


def truth(seed: int = BOARD) -> tuple[np.ndarray, str, str]:
    """Corners as White sees them, White's side, home."""
    board = shot(seed)[1]["board"]
    corners = np.array(board["corners_px_TL_TR_BR_BL"])
    return corners, edge_of(corners), "right" if board["light_home"] == "bottom-right" else "left"


@pytest.fixture(scope="module")
def learned() -> Calibration:
    return learn.calibrate(shot(BOARD)[0])


def test_orientation_is_told_by_the_starting_position_alone(learned: Calibration) -> None:
    _, side, home = truth()
    assert (learned.white_side, learned.home) == (side, home)


def test_the_lighter_set_is_white_s(learned: Calibration) -> None:
    assert learned.white.mean[0] > learned.black.mean[0]


def test_sizes_are_measured_within_reason(learned: Calibration) -> None:
    cm = shot(BOARD)[1]["board"]["cm"]
    width = 12 * cm["pitch"] + cm["barw"]
    assert learned.checker_diameter == pytest.approx(cm["D"] / width, rel=0.12)
    assert learned.aspect == pytest.approx(cm["H"] / width, rel=0.12)


def test_the_board_learned_from_reads_its_own_picture(learned: Calibration) -> None:
    seen = BoardReader(learned).read(shot(BOARD)[0])
    assert [c.value for c in seen.points] == counts(shot(BOARD)[1])


def test_another_position_is_refused_as_not_the_starting_position() -> None:
    position = Position(side_counts({1: 5, 2: 5, 3: 5}), side_counts({1: 5, 2: 5, 3: 5}))
    with pytest.raises(CalibrationError, match="not the starting position"):
        learn.calibrate(shot(BOARD, position)[0])


def test_a_named_position_can_be_learned_from() -> None:
    position = Position(side_counts({6: 4, 8: 4, 13: 5, 24: 2}), side_counts({6: 5, 8: 3, 13: 4, 24: 3}))
    _, side, home = truth()
    found = learn.calibrate(shot(BOARD, position)[0], position=position, white_side=side, home=home)
    assert found.white_side == side


def test_a_dark_picture_is_refused_as_dark() -> None:
    with pytest.raises(CalibrationError, match="dark"):
        learn.calibrate((shot(BOARD)[0] * 0.06).astype(np.uint8))


def test_a_tiny_board_is_refused_as_too_small() -> None:
    small = np.asarray(cv2.resize(shot(BOARD)[0], (240, 180), interpolation=cv2.INTER_AREA), np.uint8)
    with pytest.raises(CalibrationError, match="too small"):
        learn.calibrate(small)


def test_a_blurred_picture_is_refused() -> None:
    soft = np.asarray(cv2.GaussianBlur(shot(BOARD)[0], (0, 0), 16), np.uint8)
    with pytest.raises(CalibrationError, match=r"blurred|no board"):
        learn.calibrate(soft)


def test_a_picture_without_a_board_is_refused() -> None:
    with pytest.raises(CalibrationError, match="no board"):
        learn.calibrate(np.full((480, 640, 3), 120, np.uint8))


def test_a_board_file_comes_back_as_written(learned: Calibration, tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    learn.save(learned, path)
    assert learn.load(path) == learned
    assert [p.name for p in tmp_path.iterdir()] == ["board.json"]


def test_a_board_file_may_hold_comment_lines(learned: Calibration, tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    learn.save(learned, path)
    path.write_text("// my board at home\n" + path.read_text())
    assert learn.load(path) == learned


@pytest.mark.parametrize(
    ("text", "named"), [("{}", "not a board file"), ("not json", "not a board file"), ("", "not a board file")]
)
def test_a_wrong_board_file_is_named(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "board.json"
    path.write_text(text)
    with pytest.raises(InputError, match=named):
        learn.load(path)


def test_a_board_file_of_another_schema_is_refused(learned: Calibration, tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    learn.save(learned, path)
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 99'))
    with pytest.raises(InputError, match="schema 99"):
        learn.load(path)


def test_a_place_that_cannot_be_written_is_named(learned: Calibration) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        learn.save(learned, Path("/proc/board.json"))


def test_the_example_board_file_with_its_comments_is_valid() -> None:
    example = Path(__file__).resolve().parents[2] / "calibration" / "example_board.json"
    assert learn.load(example).schema == learn.SCHEMA
