"""The doubling cube: whose it is by where it lies."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision import cube, dice_detect
from companion.vision.geometry import BoardGeometry

ASPECT = 0.86
BOARD = BoardGeometry(
    corners=np.array([[100, 100], [900, 100], [900, 788], [100, 788]], float), size=(1000, 900), bar=(0.46, 0.54)
)


@pytest.mark.parametrize(
    ("x", "y", "place"),
    [
        (0.5, 0.43, "centre"),
        (0.5, 0.05, "black"),
        (0.5, 0.82, "white"),
        (-0.07, 0.43, "centre"),
        (1.07, 0.0, "black"),
        (-0.08, 0.85, "white"),
        (0.25, 0.4, "offered"),
        (0.8, 0.2, "offered"),
    ],
)
def test_place(x: float, y: float, place: str) -> None:
    assert cube.place_of(x, y, BOARD) == place


def test_offered_by_the_side_at_whose_right_hand_it_lies() -> None:
    assert cube.offerer(0.8, BOARD) == "white"
    assert cube.offerer(0.2, BOARD) == "black"


def test_no_cube_without_sightings_and_none_of_impossible_size() -> None:
    image = np.zeros((900, 1000, 3), np.uint8)
    assert cube.read_cube(image, BOARD, sightings=()) is None
    assert cube.find_cube(image, BOARD, (dice_detect.Sighting("cube", 500, 400, 300.0, 0.9),)) is None


@pytest.mark.parametrize(("place", "face", "value"), [("centre", 64, 1), ("white", 64, 64), ("centre", 2, 2)])
def test_sixty_four_in_the_centre_stands_for_one(place: str, face: int, value: int) -> None:
    chances = np.full(7, 0.01, np.float32)
    chances[cube.FACES.index(face)] = 0.9
    y = {"centre": 444.0, "white": 770.0}[place]
    seen = cube.observe(dice_detect.Sighting("cube", 500.0, y, 45.0, 0.9), chances, BOARD)
    assert (seen.place, seen.value) == (place, value)
