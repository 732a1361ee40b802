"""A small MJPEG camera on localhost for the tests: well-behaved, or with one of the faults real cameras have."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np

Behaviour = Callable[[BaseHTTPRequestHandler, threading.Event], None]


def jpeg(shade: int, size: tuple[int, int] = (64, 48)) -> bytes:
    """A plain picture of that shade of grey."""
    return cv2.imencode(".jpg", np.full((size[1], size[0], 3), shade, np.uint8))[1].tobytes()


def head(handler: BaseHTTPRequestHandler, kind: str = "multipart/x-mixed-replace; boundary=cut") -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.end_headers()


def part(handler: BaseHTTPRequestHandler, data: bytes, *, length: bool = True) -> None:
    told = f"Content-Length: {len(data)}\r\n" if length else ""
    handler.wfile.write(f"--cut\r\nContent-Type: image/jpeg\r\n{told}\r\n".encode() + data + b"\r\n")
    handler.wfile.flush()


def stream(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """Pictures without end, 50 a second."""
    head(handler)
    for n in range(10_000):
        part(handler, jpeg(n % 250), length=n % 2 == 0)
        if stop.wait(0.02):
            return


def dies(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """Three pictures, then the connection closes."""
    head(handler)
    for n in range(3):
        part(handler, jpeg(50 * n))


def hangs(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """One picture, then silence."""
    head(handler)
    part(handler, jpeg(100))
    stop.wait(30)


def never_answers(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """The connection opens and nothing comes."""
    stop.wait(30)


def garbage(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """Parts that are no pictures."""
    head(handler)
    for _ in range(200):
        part(handler, b"\xff\xd8this is no picture at all")
        if stop.wait(0.005):
            return


def torn(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """Every other picture is cut in half."""
    head(handler)
    for n in range(10_000):
        data = jpeg(n % 250)
        part(handler, data if n % 2 else data[: len(data) // 2])
        if stop.wait(0.02):
            return


def page(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """A web page, not a stream."""
    head(handler, "text/html")
    handler.wfile.write(b"<h1>camera</h1>")


def missing(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    handler.send_error(404)


@contextmanager
def camera(behaviour: Behaviour) -> Iterator[str]:
    """Serve `behaviour` on a free port; the address of the stream."""
    stop = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                behaviour(self, stop)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/stream?x=1"
    finally:
        stop.set()
        server.shutdown()
        server.server_close()
        thread.join()
