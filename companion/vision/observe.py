"""One call from a frame to everything seen: board, dice, cube, hands, problems of the view."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace
from numpy.typing import ArrayLike

from companion.sources.base import Frame, Image
from companion.vision.geometry import BoardGeometry
from companion.vision.read import BoardReader, Reading
from companion.vision.types import BoardObservation, Calibration, CubeObservation, DieObservation

DiceReader = Callable[[Image, BoardGeometry], tuple[tuple[DieObservation, ...], CubeObservation | None]]


def _dice_and_cube(image: Image, geometry: BoardGeometry) -> tuple[tuple[DieObservation, ...], CubeObservation | None]:
    from companion.vision.dice import read_dice_and_cube  # late: its nets are loaded only where dice are read

    return read_dice_and_cube(image, geometry)


class Observer:
    """Observes frames of one table. Without a calibration every frame is a photograph by itself.

    `dice_reader` can be exchanged (tests, boards without dice). Not thread-safe: one observer a thread.
    """

    def __init__(
        self,
        calibration: Calibration | None = None,
        *,
        corners: ArrayLike | None = None,
        white_side: str | None = None,
        home: str | None = None,
        dice_reader: DiceReader = _dice_and_cube,
    ) -> None:
        self.reader = BoardReader(calibration, corners=corners, white_side=white_side, home=home)
        self._dice_reader = dice_reader

    def observe(self, frame: Frame) -> BoardObservation:
        """Everything seen in a frame."""
        return self.study(frame.image, frame.seq, frame.t).observation

    def study(self, image: Image, seq: int = 0, t: float = 0.0) -> Reading:
        """As `observe`, with what the reading rests on (geometry, canvas, net output)."""
        began = time.perf_counter()
        reading = self.reader.study(image, seq, t)
        if reading.geometry is None:
            return reading
        middle = time.perf_counter()
        dice, cube = self._dice_reader(image, reading.geometry)
        end = time.perf_counter()
        timing = reading.observation.timing_ms | {
            "dice": round((end - middle) * 1000, 2),
            "total": round((end - began) * 1000, 2),
        }
        seen = replace(reading.observation, dice=dice, cube=cube, timing_ms=timing)
        return Reading(seen, reading.geometry, reading.canvas, reading.net, reading.sets)
