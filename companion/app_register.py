"""The board found again after a bump: the known corners are drawn to what is seen, and the record must fit there."""

from __future__ import annotations

import logging

import msgspec
import numpy as np

from companion.rules.position import Position
from companion.sources.base import Image
from companion.table.state import MatchState
from companion.vision import find
from companion.vision.geometry import BoardGeometry, as_corners
from companion.vision.problems import reference_of
from companion.vision.read import BoardReader, locate, scaled_geometry
from companion.vision.types import BoardObservation, Calibration

log = logging.getLogger(__name__)
ROUNDS = 3
MOST_OTHER = 8
"""Places that may read otherwise than the record says: a play may be half made."""


def corners_now(image: Image, old: BoardGeometry, calibration: Calibration) -> np.ndarray | None:
    """Where the corners lie now, as White sees them; None when no board is seen."""
    corners = old.corners
    for _ in range(ROUNDS):
        seen = find.register(image, corners)
        if seen.shift is None:
            afresh = locate(image, None, calibration.white_side, calibration.home)
            return afresh.geometry.corners if afresh else None
        corners = seen.corners
    return np.asarray(corners)


def differences(seen: BoardObservation, position: Position) -> int:
    """Points that read otherwise than `position` says; all of them when nothing is read."""
    if len(seen.points) != 24:
        return 24
    return sum(seen.points[p - 1].value != position.white[p] - position.black[25 - p] for p in range(1, 25))


def register(image: Image, old: Calibration, match: MatchState) -> Calibration | None:
    """The calibration with the corners of now, None when the board is not found or shows quite another position."""
    size = (image.shape[1], image.shape[0])
    corners = corners_now(image, scaled_geometry(old, size), old)
    if corners is None:
        return None
    moved = msgspec.structs.replace(
        old, image_size=size, corners=as_corners(corners), rotation=(), reference=reference_of(image)
    )
    seen = BoardReader(moved, register=False).read(image)
    wrong = differences(seen, match.position)
    if match.match_id and wrong > MOST_OTHER:
        log.info("board found again, but %d points read otherwise than the record says", wrong)
        return None
    return moved
