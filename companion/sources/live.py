"""What all live sources share: a capture thread and one slot that always holds the newest picture."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.errors import SourceError
from companion.sources.base import Frame, Image


@dataclass(frozen=True, slots=True)
class Picture:
    """One captured picture; `seq` counts what the device made, `t` seconds on the source's clock."""

    seq: int
    t: float
    image: Image
    meta: dict[str, Any] = field(default_factory=dict)


class Capture(Protocol):
    """A device read by the capture thread. `interrupt` makes a blocked read return soon; safe from other threads."""

    def pictures(self, stop: threading.Event) -> Iterator[Picture]: ...

    def interrupt(self) -> None: ...


class _Slot:
    """The newest picture, or the end, or the error; one writer, one reader."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._picture: Picture | None = None
        self._error: SourceError | None = None
        self._ended = False

    def put(self, picture: Picture) -> None:
        with self._changed:
            self._picture = picture
            self._changed.notify()

    def end(self, error: SourceError | None = None) -> None:
        with self._changed:
            self._error = self._error or error
            self._ended = True
            self._changed.notify()

    def take(self, timeout: float) -> Picture | None:
        """The newest picture; None at the end. Raises the capture's error, or TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._picture is not None or self._ended, timeout):
                raise TimeoutError
            picture, self._picture = self._picture, None
            if picture is None and self._error is not None:
                raise self._error
            return picture


class LiveSource:
    """Runs a Capture in a thread and hands out only the newest picture: a slow reader sees gaps in `seq`."""

    live = True

    def __init__(self, name: str, capture: Capture, *, stall_s: float = 10.0) -> None:
        """`stall_s`: seconds without any picture after which the source counts as hung (a temporary fault)."""
        self.name = name
        self._capture = capture
        self._stall_s = stall_s
        self._stop = threading.Event()
        self._slot = _Slot()

    def frames(self) -> Iterator[Frame]:
        """Newest frames until the device ends or `close()`. Raises SourceError when it fails or hangs."""
        if self._stop.is_set():
            return
        slot = self._slot
        thread = threading.Thread(target=self._run, args=(slot,), name=f"capture {self.name}", daemon=True)
        thread.start()
        try:
            while (picture := self._next(slot)) is not None and not self._stop.is_set():
                yield Frame(picture.seq, picture.t, picture.image, picture.meta)
        finally:
            self.close()
            thread.join(timeout=2.0)

    def _next(self, slot: _Slot) -> Picture | None:
        try:
            return slot.take(self._stall_s)
        except TimeoutError:
            raise SourceError(f"{self.name}: no picture for {self._stall_s:g} s", temporary=True) from None

    def _run(self, slot: _Slot) -> None:
        # What nobody foresaw must not look like the end of a film: the source is opened again.
        error: SourceError | None = SourceError(f"{self.name}: the capture failed (see the log)", temporary=True)
        try:
            for picture in self._capture.pictures(self._stop):
                if self._stop.is_set():
                    break
                slot.put(picture)
            error = None
        except SourceError as failure:
            error = failure
        except OSError as failure:
            error = SourceError(f"{self.name}: {failure}", temporary=True)
        finally:
            slot.end(error)

    def close(self) -> None:
        self._stop.set()
        self._capture.interrupt()
        self._slot.end()
