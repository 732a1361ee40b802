"""A die is on a checker only where a checker is."""

from __future__ import annotations

import random

import msgspec
import pytest
from tablebench import Table

from companion.table.plausible import plausible
from companion.vision.types import Calibration, ColourModel, DieObservation

GREY = ColourModel(mean=(128, 128, 128), std=(9, 9, 9))
BOARD = Calibration(
    image_size=(1000, 800),
    corners=((0, 0), (1000, 0), (1000, 800), (0, 800)),
    white_side="bottom",
    home="right",
    aspect=0.9,
    bar=(0.47, 0.53),
    white=GREY,
    black=GREY,
    checker_diameter=0.075,
    checker_height=0.02,
)


def state_at(x: float, y: float, home: str = "right") -> str:
    die = DieObservation(
        x=0, y=0, value=3, state="on_checker", half="right", tilt_deg=0, confidence=0.9, board_xy=(x, y)
    )
    seen = msgspec.structs.replace(Table(random.Random(0)).observation(), dice=(die,))
    return plausible(seen, msgspec.structs.replace(BOARD, home=home)).dice[0].state


@pytest.mark.parametrize(("x", "y"), [(0.57, 0.85), (0.57, 0.6), (0.35, 0.85), (0.96, 0.05)])
def test_a_die_over_a_stack_may_be_on_it(x: float, y: float) -> None:
    assert state_at(x, y) == "on_checker"


@pytest.mark.parametrize(("x", "y"), [(0.57, 0.47), (0.8, 0.45), (0.88, 0.85), (0.72, 0.5)])
def test_a_die_where_no_checker_is_lies_flat(x: float, y: float) -> None:
    assert state_at(x, y) == "flat"


def test_homes_on_the_left_are_mirrored() -> None:
    assert state_at(0.43, 0.6, home="left") == "on_checker"
    assert state_at(0.57, 0.75, home="left") == "flat"


def test_an_empty_bar_holds_no_die_on_a_checker() -> None:
    assert state_at(0.5, 0.45) == "flat"
