"""Which source the service uses, and how it is opened again in mid-match."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.sources.base import Frame, Source
from companion.sources.open import open_source
from companion.sources.simulated import RealTimeFilm
from companion.table.state import MatchState

SIMULATED = ("demo", "match")
CAMERAS = ("picamera2", "v4l2", "http", "https")
"""These may come later or come back: opened, and opened again, by the capture thread. All others must be there now."""
CAMERA_DEVICE = Path("/dev/video0")
HOLD_S = 0.5
"""While a simulated table waits (before its first play, after its last) it gives one picture in this time."""
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Opened:
    """What is known of a source before its first frame. `script`: the simulated match, None for cameras and films."""

    script: Any = None

    @property
    def length(self) -> int:
        return int(getattr(self.script, "length", 0))

    @property
    def white(self) -> str:
        return str(getattr(self.script, "white", "") or "White")

    @property
    def black(self) -> str:
        return str(getattr(self.script, "black", "") or "Black")


def found_camera() -> str:
    """The camera that is there, else the demo."""
    if importlib.util.find_spec("companion.sources.picamera") and importlib.util.find_spec("picamera2"):
        return "picamera2"
    return f"v4l2:{CAMERA_DEVICE}" if CAMERA_DEVICE.exists() else "demo"


class HeldFilm:
    """A simulated table in real time, from `start_s` on.

    The players wait until the camera knows the board (`ready`), as people would; after the last play the last
    picture stays until the source is closed.
    """

    live = True

    def __init__(self, table: Any, start_s: float, ready: Callable[[], bool]) -> None:
        self.name: str = table.name
        self._table = table
        self._start = max(0.0, start_s)
        self._ready = ready
        self._stop = threading.Event()

    def frames(self) -> Iterator[Frame]:
        """Frames whose time has passed are left out, as a camera would."""
        fps, total = self._table.fps, self._table.total
        self._table.first = min(int(self._start * fps) + (self._start > 0), total - 1)
        yield from self._waiting(self._table.frame(self._table.first))
        for shown in RealTimeFilm(self._table).pictures(self._stop):
            yield Frame(shown.seq, shown.t, shown.image, shown.meta)
        yield from self._hold()

    def _waiting(self, first: Frame) -> Iterator[Frame]:
        """The first picture again and again (its time all but stands still), a minute at most."""
        for step in range(int(PATIENCE_S / HOLD_S)):
            yield Frame(first.seq, first.t + step * 1e-4, first.image, first.meta)
            if self._ready() or self._stop.wait(HOLD_S):
                return

    def _hold(self) -> Iterator[Frame]:
        last: Frame = self._table.frame(self._table.total - 1)
        step = 0
        while not self._stop.wait(HOLD_S):
            step += 1
            yield Frame(last.seq + step, last.t + step * HOLD_S, last.image, last.meta)

    def close(self) -> None:
        self._stop.set()
        self._table.close()


class SourcePlan:
    """The source by its name. A simulated one takes up the match where it stands and waits until `ready`."""

    def __init__(self, spec: str) -> None:
        self.spec = spec or found_camera()
        self.kind = self.spec.partition(":")[0]
        self.ready: Callable[[], bool] = lambda: True
        self._opened: Source | None = None if self.kind in CAMERAS else open_source(self.spec)

    def describe(self) -> Opened:
        return Opened(getattr(self._opened, "script", None))

    def open(self, match: MatchState) -> Source:
        """Called by the capture thread, also again after a fault."""
        source = self._opened or open_source(self.spec)
        self._opened = None
        if self.kind not in SIMULATED:
            return source
        return HeldFilm(source, match.t if match.started else 0.0, self.ready)
