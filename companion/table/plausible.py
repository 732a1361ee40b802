"""Dice checked against the checkers: a die cannot lie on a checker where none is."""

from __future__ import annotations

import msgspec

from companion.vision.geometry import column_point
from companion.vision.types import BoardObservation, Calibration, DieObservation

MARGIN = 0.35
"""Checker diameters beyond the end of a stack in which a die may still rest on its last checker."""
DOUBT = 0.9


def plausible(seen: BoardObservation, calibration: Calibration) -> BoardObservation:
    """The observation with `on_checker` taken back where no checker lies under the die."""
    if len(seen.points) != 24 or not any(die.state == "on_checker" for die in seen.dice):
        return seen
    dice = tuple(_checked(die, seen, calibration) for die in seen.dice)
    return msgspec.structs.replace(seen, dice=dice)


def _checked(die: DieObservation, seen: BoardObservation, calibration: Calibration) -> DieObservation:
    if die.state != "on_checker" or die.board_xy is None or die.value is None:
        return die
    if _checker_under(die.board_xy, seen, calibration):
        return die
    return msgspec.structs.replace(die, state="flat", confidence=DOUBT * die.confidence)


def _checker_under(xy: tuple[float, float], seen: BoardObservation, calibration: Calibration) -> bool:
    """Is the place within a stack, or on the bar where checkers lie?"""
    x, y = xy
    left, right = calibration.bar
    if left < x < right:
        return seen.bar is not None and any(reading.value for reading in seen.bar)
    columns = {min(range(12), key=lambda c: abs(_column_x(c, calibration) - x + shift)) for shift in (-0.02, 0.0, 0.02)}
    far = y < calibration.aspect / 2
    depth = y if far else calibration.aspect - y
    return any(_reaches(column, far, depth, seen, calibration) for column in columns)


def _column_x(column: int, calibration: Calibration) -> float:
    """The middle of a column 0 … 11, board units."""
    left, right = calibration.bar
    if column < 6:
        return left * (column + 0.5) / 6
    return right + (1 - right) * (column - 5.5) / 6


def _reaches(column: int, far: bool, depth: float, seen: BoardObservation, calibration: Calibration) -> bool:
    point = column_point(column, far, calibration.home)
    count = min(abs(seen.points[point - 1].value), 6)
    if count == 0:
        return False
    return depth < (count + MARGIN) * calibration.checker_diameter
