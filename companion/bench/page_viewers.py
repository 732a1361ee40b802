"""Viewers and readers of the page as a program of their own, so that they cost the server nothing but their requests.

`python -m companion.bench.page_viewers watch PORT COUNT SECONDS` follows COUNT streams and prints, as JSON, when each
revision reached each viewer (CLOCK_MONOTONIC, the same for all processes); `… read PORT COUNT SECONDS` opens COUNT
stream attempts and times GET /api/view meanwhile.
"""

from __future__ import annotations

import http.client
import json
import re
import selectors
import socket
import sys
import time

REQUEST = b"GET /api/stream HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
REVISION = re.compile(rb"^id: (\d+)$", re.MULTILINE)


def connect(port: int) -> socket.socket:
    """A stream asked for; the answer comes later."""
    sock = socket.create_connection(("127.0.0.1", port), 10)
    sock.sendall(REQUEST)
    sock.setblocking(False)
    return sock


def watch(port: int, count: int, seconds: float) -> dict[str, object]:
    """[revision, time] of every event of every viewer."""
    box = selectors.DefaultSelector()
    for _ in range(count):
        box.register(connect(port), selectors.EVENT_READ)
    seen: list[tuple[int, float]] = []
    greeted: set[int] = set()
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for key, _ in box.select(left):
            sock = key.fileobj
            assert isinstance(sock, socket.socket)
            data = sock.recv(1 << 18)
            now = time.monotonic()
            news = [(int(text), now) for text in REVISION.findall(data)]
            if news and sock.fileno() not in greeted:
                greeted.add(sock.fileno())
                del news[0]  # the view that was there already
            seen += news
            if not data:
                box.unregister(sock)
    return {"viewers_left": len(box.get_map()), "seen": seen}


def read(port: int, count: int, seconds: float) -> dict[str, object]:
    """Seconds each GET took while `count` streams were asked for, and how many of those were let in."""
    streams = [connect(port) for _ in range(count)]
    took: list[float] = []
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        link.request("GET", "/api/view", headers={"Host": "localhost"})
        link.getresponse().read()
        took.append(time.monotonic() - began)
        time.sleep(0.02)
    heads = [first_line(sock) for sock in streams]
    return {"took": took, "let_in": heads.count(b"200"), "sent_away": heads.count(b"503")}


def first_line(sock: socket.socket) -> bytes:
    """The status of the answer."""
    try:
        return sock.recv(64)[9:12]
    except BlockingIOError:
        return b""


if __name__ == "__main__":
    what = {"watch": watch, "read": read}[sys.argv[1]]
    json.dump(what(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])), sys.stdout)
