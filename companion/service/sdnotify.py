"""systemd told of the service's life: READY, STATUS, WATCHDOG, STOPPING.

The watchdog is fed only by real progress: the table's thread goes its rounds, a new picture reached it (or an
announced, bounded opening or recovery of the camera runs, or a film is over) and the page answered a request.
"""

from __future__ import annotations

import http.client
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from companion.app_sources import CAMERAS
from companion.sources.patience import CAMERA, Patience

if TYPE_CHECKING:
    from companion.app import Service

log = logging.getLogger(__name__)
FRESH_S = 15.0
"""A picture, or a round of the table's thread, younger than this is progress."""
PROBE_S = 2.0
NAP_S = 5.0
CAPTURE_THREAD = "capture"


def notify(text: str, address: str | None = None) -> bool:
    """One datagram to systemd; False when nobody listens (not started by systemd, or its socket is gone)."""
    where = os.environ.get("NOTIFY_SOCKET", "") if address is None else address
    if not where:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        try:
            sock.sendto(text.encode(), "\0" + where[1:] if where.startswith("@") else where)
        except OSError as error:
            log.warning("systemd cannot be told: %s", error)
            return False
    return True


def page_answers(host: str, port: int, timeout_s: float = PROBE_S) -> bool:
    """Does the web server answer a small request?"""
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", "/api/session", headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class Progress:
    """Is the camera getting on? Asked about once a second."""

    def __init__(self, patience: Patience = CAMERA, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._clock = clock
        self._frame: object = None
        self._at = float("-inf")

    def verdict(self, frame: object, *, beat: float, camera: bool, capturing: bool) -> str:
        """Why things go on; "" when they do not.

        `beat`: when the table's thread last began a round, seconds of the clock; `camera`: the source can come back;
        `capturing`: its thread lives.
        """
        if frame is not None and frame is not self._frame:
            self._frame, self._at = frame, self._clock()
        if self._patience.stuck:
            return ""
        if self._clock() - beat > FRESH_S:
            return self._patience.doing() or ""
        if self._clock() - self._at < FRESH_S:
            return "pictures come"
        if not capturing:
            # Its supervisor said why and will not try again: a restart would change nothing.
            return "the source is over"
        if not camera:
            return "a film waits"
        return self._patience.doing() or ""


def probe_host(host: str) -> str:
    """Where this machine itself reaches a page that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)


class Systemd:
    """`companion.app.Notifier` for a unit of Type=notify with WatchdogSec."""

    def __init__(
        self,
        address: str,
        *,
        progress: Progress | None = None,
        answers: Callable[[str, int], bool] = page_answers,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = address
        self._progress = progress or Progress()
        self._answers = answers
        self._clock = clock
        self._status = ""
        self._next = float("-inf")

    def ready(self, text: str) -> None:
        notify(f"READY=1\nSTATUS={text}", self._address)

    def alive(self, service: Service) -> None:
        """Feed the watchdog if table, camera and page all get on; say in STATUS what does not."""
        why = self._verdict(service)
        if self._clock() < self._next:
            return
        self._next = self._clock() + NAP_S
        host = probe_host(service.options.host or service.options.config.web.host)
        if not why or not service.runner.thread.is_alive():
            self._say("no progress: no picture reaches the table, or the table hangs")
        elif not self._answers(host, service.server.port):
            self._say("no progress: the page does not answer")
        else:
            self._say(why)
            notify("WATCHDOG=1", self._address)

    def _verdict(self, service: Service) -> str:
        capturing = any(thread.name == CAPTURE_THREAD for thread in threading.enumerate())
        camera = service.source.partition(":")[0] in CAMERAS
        runner = service.runner
        return self._progress.verdict(runner.latest_frame(), beat=runner.beat, camera=camera, capturing=capturing)

    def _say(self, text: str) -> None:
        if text != self._status:
            notify(f"STATUS={text}", self._address)
        self._status = text

    def stopping(self) -> None:
        notify("STOPPING=1", self._address)


def from_environment(variables: Mapping[str, str] | None = None) -> Systemd | None:
    """systemd's notifier when the service was started by it, else None."""
    address = (os.environ if variables is None else variables).get("NOTIFY_SOCKET", "")
    return Systemd(address) if address else None
