"""Reading whole boards of the simulated table (issue 4.3-4.5)."""

from __future__ import annotations

import numpy as np
import pytest
from boardpictures import counts, shot

from companion.rules.position import Position, side_counts
from companion.vision.calibrate import calibrate
from companion.vision.geometry import edge_of
from companion.vision.read import BoardReader
from companion.vision.types import BoardObservation, Calibration

POSITIONS = {
    "a bear-off": Position(side_counts({1: 2, 2: 3, 3: 1, 5: 2}, off=7), side_counts({1: 3, 2: 2, 4: 3, 6: 1}, off=6)),
    "men on both bars": Position(
        side_counts({6: 4, 8: 3, 13: 5, 24: 2}, bar=1), side_counts({6: 5, 8: 3, 13: 4, 24: 2}, bar=1)
    ),
    "blots": Position(
        side_counts({1: 1, 4: 1, 6: 3, 7: 1, 8: 2, 10: 1, 13: 4, 22: 1, 24: 1}),
        side_counts({2: 1, 5: 2, 6: 4, 8: 2, 11: 1, 13: 3, 20: 1, 23: 1}),
    ),
}
BOARD = 3


@pytest.fixture(scope="module")
def learned() -> Calibration:
    image, truth = shot(BOARD)
    corners = np.array(truth["board"]["corners_px_TL_TR_BR_BL"])
    home = "right" if truth["board"]["light_home"] == "bottom-right" else "left"
    return calibrate(image, corners=corners, white_side=edge_of(corners), home=home)


def read(learned: Calibration, position: Position, *, hand: bool = False) -> tuple[BoardObservation, list[int]]:
    image, truth = shot(BOARD, position, hand=hand)
    return BoardReader(learned).read(image), counts(truth)


@pytest.mark.parametrize("name", POSITIONS)
def test_a_whole_position_is_read(learned: Calibration, name: str) -> None:
    seen, want = read(learned, POSITIONS[name])
    assert [c.value for c in seen.points] == want
    assert seen.bar is not None
    assert (seen.bar[0].value, -seen.bar[1].value) == (POSITIONS[name].white[25], POSITIONS[name].black[25])


def test_a_clear_board_is_not_called_covered(learned: Calibration) -> None:
    assert not read(learned, POSITIONS["blots"])[0].obstructed


def test_a_hand_over_the_board_is_noticed_and_hides_points(learned: Calibration) -> None:
    seen, _ = read(learned, POSITIONS["blots"], hand=True)
    assert seen.obstructed
    assert min(c.visible for c in seen.points) < 1.0


def test_a_photograph_is_read_without_any_calibration() -> None:
    image, truth = shot(BOARD, POSITIONS["blots"])
    corners = np.array(truth["board"]["corners_px_TL_TR_BR_BL"])
    home = "right" if truth["board"]["light_home"] == "bottom-right" else "left"
    seen = BoardReader(white_side=edge_of(corners), home=home).read(image)
    assert [c.value for c in seen.points] == counts(truth)


def test_alternatives_and_value_never_exceed_certainty(learned: Calibration) -> None:
    seen, _ = read(learned, POSITIONS["a bear-off"])
    for c in seen.points:
        assert c.confidence + sum(p for _, p in c.alternatives) <= 1.001
