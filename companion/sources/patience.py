"""How long the camera may be silent: announced by who opens or mends it, asked by the watchdog.

A camera that is missing is opened again and again, and each try is announced: that is progress. A driver call that
never returns announces nothing more: the watchdog then lets systemd end the process, the only mend there is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Patience:
    """One camera's announcements; every method may be called from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until = float("-inf")
        self._what = ""
        self._stuck = ""

    def announce(self, what: str, seconds: float) -> None:
        """`what` begins now and will be over, well or badly, within `seconds`."""
        with self._lock:
            self._what, self._until = what, self._clock() + seconds

    def give_up(self, why: str) -> None:
        """Nothing inside this process can help any more; stays so until it ends."""
        with self._lock:
            self._stuck = why

    @property
    def stuck(self) -> str:
        """Why nothing helps any more; "" while there is hope."""
        with self._lock:
            return self._stuck

    def doing(self) -> str | None:
        """What was announced and may still take its time; None when that time is over, or nothing helps."""
        with self._lock:
            hopeful = not self._stuck and self._clock() < self._until
            return self._what if hopeful else None


CAMERA = Patience()
"""The camera of this process."""
