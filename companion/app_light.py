"""The exposure a camera holds: kept with the calibration, given back to the camera, measured anew between turns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from companion.sources.base import Frame, Source
from companion.table.view import TableView

log = logging.getLogger(__name__)
CALM = frozenset({"no_match", "calibrate", "watching", "waiting_roll", "paused", "game_over", "match_over"})
"""States in which no play is under way: colours may change a little without harm."""
BAD_LIGHT = frozenset({"dark", "glare"})
PATIENCE_S = 20.0
"""Seconds of film for which the light must be bad, at a calm table all the while."""
AGAIN_S = 180.0


@runtime_checkable
class Holding(Protocol):
    """A source whose exposure can be held (`companion.sources.picamera.PicameraSource`)."""

    def hold(self, exposure: Mapping[str, float]) -> None: ...

    def relock(self) -> None: ...


class Light:
    """One camera's exposure. `known()`: the exposure of the calibration in use, empty when there is none."""

    def __init__(self, known: Callable[[], Mapping[str, float]]) -> None:
        self._known = known
        self._source: Holding | None = None
        self._held: dict[str, float] = {}
        self._bad_since: float | None = None
        self._next = float("-inf")

    def opened(self, source: Source) -> Source:
        """A source just opened: it holds what the calibration was made with."""
        self._source = source if isinstance(source, Holding) else None
        if self._source and self._known():
            self._source.hold(self._known())
        return source

    def held(self) -> dict[str, float]:
        """What the camera held in the newest frame, for a calibration made from it."""
        return dict(self._held)

    def watch(self, frame: Frame, view: TableView) -> None:
        """Each frame: the light is measured anew when it stays bad between turns."""
        told: Any = frame.meta.get("exposure")
        if isinstance(told, Mapping):
            self._held = dict(told)
        bad = view.status in CALM and bool(BAD_LIGHT & set(view.camera.problems))
        if not bad:
            self._bad_since = None
        elif self._bad_since is None:
            self._bad_since = frame.t
        elif self._source and frame.t - self._bad_since >= PATIENCE_S and frame.t >= self._next:
            log.warning("the light has changed: exposure is measured anew")
            self._source.relock()
            self._bad_since, self._next = None, frame.t + AGAIN_S
