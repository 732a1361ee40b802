"""The lens from pictures of the printed sheet (issue 4, calibration)."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import CalibrationError, InputError
from companion.sources.base import Image
from companion.vision import lens

FOCAL = 800.0


def photograph(turn: tuple[float, float, float], shift: tuple[float, float, float]) -> Image:
    """The sheet seen by a pinhole camera of 960 x 720 without distortion."""
    sheet = lens.draw_sheet(3.0)
    k = np.array([[FOCAL, 0, 480], [0, FOCAL, 360], [0, 0, 1]])
    rotation = cv2.Rodrigues(np.array(turn))[0]
    centre = np.array([sheet.shape[1], sheet.shape[0]]) / 6.0
    plane = np.column_stack([rotation[:, 0], rotation[:, 1], rotation @ [-centre[0], -centre[1], 0] + shift])
    to_mm = np.diag([1 / 3.0, 1 / 3.0, 1.0])
    view = cv2.warpPerspective(sheet, k @ plane @ to_mm, (960, 720), borderValue=128)
    return np.asarray(cv2.cvtColor(view, cv2.COLOR_GRAY2BGR), np.uint8)


VIEWS = [
    ((0.0, 0.0, 0.0), (0.0, 0.0, 260.0)),
    ((0.4, 0.1, 0.0), (10.0, 0.0, 280.0)),
    ((-0.4, 0.2, 0.1), (-10.0, 5.0, 280.0)),
    ((0.1, 0.5, 0.0), (0.0, 8.0, 300.0)),
    ((0.1, -0.5, -0.1), (5.0, 0.0, 300.0)),
]


def test_the_focal_length_of_a_known_camera_is_found() -> None:
    found, error = lens.calibrate([photograph(*v) for v in VIEWS])
    assert found.fx == pytest.approx(FOCAL, rel=0.02)
    assert abs(found.distortion[0]) < 0.03
    assert error < 1.0


def test_pictures_without_the_sheet_are_refused_with_the_count() -> None:
    with pytest.raises(CalibrationError, match="0 of 2 pictures"):
        lens.calibrate([np.full((720, 960, 3), 90, np.uint8)] * 2)


def test_a_lens_file_comes_back_as_written(tmp_path: Path) -> None:
    for i, view in enumerate(VIEWS):
        cv2.imwrite(str(tmp_path / f"{i}.png"), photograph(*view))
    found, used, _ = lens.calibrate_files([tmp_path])
    lens.save(found, tmp_path / "lens.json")
    assert used == len(VIEWS)
    assert lens.load(tmp_path / "lens.json") == found.lens


def test_a_wrong_lens_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lens.json"
    path.write_text('{"schema": 1}')
    with pytest.raises(InputError, match=r"lens\.json: not a lens file"):
        lens.load(path)
