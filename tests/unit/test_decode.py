"""Joint decoding: fifteen men a side decide doubtful stacks, and doubt is said (issue 4.3; CONTRACT.md `off`)."""

from __future__ import annotations

import numpy as np
import pytest

from companion.read_json import position_of, uncertain
from companion.rules.position import START
from companion.vision.decode import decode
from companion.vision.geometry import point_column
from companion.vision.types import BoardObservation, BoardView

SEEN = np.ones((2, 12), np.float32)


def evidence(points: dict[int, dict[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Columns and bar as the net gives them: {White's point: {signed count: probability}}, the rest empty."""
    columns = np.zeros((2, 12, 31), np.float32)
    columns[:, :, 15] = 1.0
    for point, counts in points.items():
        column, far = point_column(point, "right")
        columns[0 if far else 1, column] = 0.0
        for value, p in counts.items():
            columns[0 if far else 1, column, value + 15] = p
    bar = np.zeros((2, 8), np.float32)
    bar[:, 0] = 1.0
    return columns, bar


def start(**changes: dict[int, float]) -> dict[int, dict[int, float]]:
    out = {p: {n: 1.0} for p, n in ((6, 5), (8, 3), (13, 5), (24, 2), (19, -5), (17, -3), (12, -5), (1, -2))}
    return out | {int(k[1:]): v for k, v in changes.items()}


def test_a_clear_board_is_read_as_seen_and_sure() -> None:
    got = decode(*evidence(start()), "right", SEEN)
    assert [c.value for c in got.points] == [START.white[p] - START.black[25 - p] for p in range(1, 25)]
    assert not [c for c in got.points if c.why]
    assert got.total == (15, 15)


def test_fifteen_a_side_decide_a_doubtful_stack_and_the_doubt_is_said() -> None:
    columns, bar = evidence(start(p6={6: 0.55, 5: 0.45}))
    got = decode(columns, bar, "right", SEEN)
    assert got.points[5].value == 5
    assert got.points[5].why
    assert (6, pytest.approx(0.55)) in got.points[5].alternatives


def test_without_conservation_the_region_alone_decides() -> None:
    got = decode(*evidence(start(p6={6: 0.55, 5: 0.45})), "right", SEEN, conserve=False)
    assert got.points[5].value == 6


def test_clear_evidence_for_fewer_men_is_not_overruled() -> None:
    got = decode(*evidence(start(p6={3: 0.999, 5: 0.001})), "right", SEEN)
    assert got.points[5].value == 3
    assert got.total == (13, 15)


def test_known_borne_off_men_settle_the_count() -> None:
    columns, bar = evidence(start(p6={4: 0.4, 5: 0.6}))
    assert decode(columns, bar, "right", SEEN, off_known=(1, 0)).points[5].value == 4


def test_sixteen_men_seen_beyond_doubt_are_reported_not_hidden() -> None:
    got = decode(*evidence(start(p7={1: 1.0})), "right", SEEN)
    seen = BoardObservation(
        seq=0, t=0.0, size=(640, 480), board=BoardView(found=True, confidence=0.9), points=got.points, bar=got.bar
    )
    position, white, black = position_of(seen)
    assert (white, black) == (True, False)
    assert position.white[0] == 0
    assert [u["why"] for u in uncertain(seen, (white, black))] == ["too_many"]


def test_a_hidden_point_is_doubtful() -> None:
    seen = SEEN.copy()
    column, far = point_column(6, "right")
    seen[0 if far else 1, column] = 0.4
    got = decode(*evidence(start(p6={5: 0.9, 4: 0.1})), "right", seen)
    assert got.points[5].why == "hidden"
    assert got.points[5].visible == pytest.approx(0.4)


def test_a_count_whose_colour_is_not_clear_says_colour() -> None:
    got = decode(*evidence(start(p6={5: 0.8, -5: 0.2})), "right", SEEN)
    assert got.points[5].why == "colour"


def test_men_on_both_bars_are_told_apart() -> None:
    columns, bar = evidence(start(p6={4: 1.0}, p19={-3: 1.0}))
    bar[0] = np.eye(8)[1]
    bar[1] = np.eye(8)[2]
    got = decode(columns, bar, "right", SEEN)
    assert (got.bar[0].value, got.bar[1].value) == (1, -2)
    assert got.total == (15, 15)
