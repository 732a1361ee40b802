"""The web server: waitress, its listening socket, and a stop that open streams cannot hold up."""

from __future__ import annotations

import errno
import logging
import socket
import threading
from typing import Any

import waitress
from flask import Flask

from companion.errors import InputError
from companion.web.stream import StreamHub

log = logging.getLogger(__name__)
logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a rush of viewers queues for milliseconds: no news

SPARE_THREADS = 16
"""Threads above the stream cap: ordinary requests never wait behind streams."""
VANISHED_MS = 15_000
"""TCP_USER_TIMEOUT: a phone that left the Wi-Fi is dropped after this long without an answer."""
PORTS_TRIED = 20
MAX_BODY = 12 * 1024 * 1024
STOP_S = 1.0


def listen(host: str, port: int, *, search: bool) -> socket.socket:
    """A listening socket. `search`: a busy port is replaced by the next free one, else it is an InputError."""
    for offset in range(PORTS_TRIED if search else 1):
        try:
            return _bind(host, port + offset)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise InputError(f"--host {host} --port {port}: cannot listen there ({error.strerror})") from error
    raise InputError(f"--port {port}: busy, another program listens there; stop it or give another --port")


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_MS)
        sock.bind((host, port))
        sock.listen(1024)
    except OSError:
        sock.close()
        raise
    return sock


class PageServer:
    """Serves `app` on `sock` in its own threads until `stop`."""

    def __init__(self, app: Flask, hub: StreamHub, sock: socket.socket) -> None:
        self._hub = hub
        self._server: Any = waitress.create_server(
            app,
            sockets=[sock],
            threads=hub.cap + SPARE_THREADS,
            connection_limit=max(500, 2 * hub.cap + 200),
            asyncore_use_poll=True,
            channel_request_lookahead=1,
            max_request_body_size=MAX_BODY,
            ident=None,
            clear_untrusted_proxy_headers=True,
        )
        self.port: int = sock.getsockname()[1]
        self._thread = threading.Thread(target=self._server.run, name="page-server", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End streams, requests and sockets; done within about 2.5 s."""
        self._hub.close()
        self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=STOP_S)
        self._server.trigger.pull_trigger(self._close_sockets)
        self._thread.join(STOP_S)

    def _close_sockets(self) -> None:
        """Runs in the server's own thread, the only one that may touch its channels."""
        for channel in list(self._server.active_channels.values()):
            channel.handle_close()
        self._server.close()
