"""The capture thread: frames from a source into one slot; a broken source is opened again, patiently."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from companion.errors import CompanionError, SourceError
from companion.sources.base import Frame, Source

log = logging.getLogger(__name__)
BACK_OFF_S = (1.0, 2.0, 4.0, 8.0, 16.0, 20.0)


@dataclass(frozen=True, slots=True)
class CaptureState:
    """`lost`: why no frames come, None = they do. `ended`: the recording is over. `dropped`: frames never looked at."""

    source: str = ""
    lost: str | None = None
    ended: bool = False
    frames: int = 0
    dropped: int = 0


class Capture:
    """Live sources overwrite the slot (the newest frame counts), recorded ones wait until it was taken."""

    def __init__(self, factory: Callable[[], Source], wake: Callable[[], None]) -> None:
        self._factory = factory
        self._wake = wake
        self._lock = threading.Condition()
        self._slot: Frame | None = None
        self._source: Source | None = None
        self._stopping = threading.Event()
        self._last_t = -1.0
        self._offset = 0.0
        self.state = CaptureState()
        self.thread = threading.Thread(target=self._run, name="capture", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        """End soon; returns when the thread is gone."""
        self._stopping.set()
        source = self._source
        if source is not None:
            source.close()
        with self._lock:
            self._lock.notify_all()
        self.thread.join(timeout=5.0)

    def take(self) -> Frame | None:
        """The newest frame not yet taken."""
        with self._lock:
            frame, self._slot = self._slot, None
            self._lock.notify_all()
        return frame

    def begin_at(self, t: float) -> None:
        """Times of frames go on behind `t` (a match taken up again)."""
        self._last_t = max(self._last_t, t)

    def _run(self) -> None:
        tries = 0
        while not self._stopping.is_set():
            try:
                tries = 0 if self._film() else tries
                self._set(ended=True, lost="the source has ended")
                return
            except SourceError as error:
                self._set(lost=str(error))
                if not error.temporary:
                    log.error("source: %s", error)
                    return
            except CompanionError as error:
                self._set(lost=str(error))
                log.error("source: %s", error)
                return
            except Exception as error:  # the supervisor: whatever a driver throws, the table lives on
                log.exception("source")
                self._set(lost=f"the source failed: {error}")
            self._stopping.wait(BACK_OFF_S[min(tries, len(BACK_OFF_S) - 1)])
            tries += 1

    def _film(self) -> bool:
        """All frames of one opening of the source; True when there were any."""
        source = self._factory()
        self._source = source
        some = False
        try:
            for frame in source.frames():
                if self._stopping.is_set():
                    break
                some = True
                self._put(self._on_one_clock(frame, first=not some), live=source.live, name=source.name)
        finally:
            source.close()
        return some

    def _on_one_clock(self, frame: Frame, *, first: bool) -> Frame:
        """A source opened again starts its clock anew: the match's clock goes on."""
        t = frame.t + self._offset
        if t < self._last_t - 5.0 or (self.state.frames == 0 and t <= self._last_t):
            self._offset = self._last_t + 1.0 - frame.t
            t = frame.t + self._offset
        self._last_t = max(self._last_t, t)
        return replace(frame, t=t)

    def _put(self, frame: Frame, *, live: bool, name: str) -> None:
        with self._lock:
            while not live and self._slot is not None and not self._stopping.is_set():
                self._lock.wait(0.5)
            dropped = self.state.dropped + (self._slot is not None)
            self._slot = frame
            self.state = CaptureState(name, None, False, self.state.frames + 1, dropped)
        self._wake()

    def _set(self, *, lost: str | None, ended: bool = False) -> None:
        self.state = replace(self.state, lost=lost, ended=ended)
        self._wake()
