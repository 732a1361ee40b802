"""Motion JPEG over HTTP (`http://…`): network cameras, phones with a camera app, another companion."""

from __future__ import annotations

import base64
import http.client
import logging
import socket
import threading
import time
from collections.abc import Iterator
from email.message import Message
from urllib.parse import unquote, urlsplit, urlunsplit

from companion.errors import InputError, SourceError
from companion.sources.base import Image
from companion.sources.decode import decode_picture
from companion.sources.live import LiveSource, Picture

log = logging.getLogger(__name__)

_MOST = 32 * 1024 * 1024  # bytes of one part: more is no camera
_BROKEN_IN_A_ROW = 20
_TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})


class MjpegCapture:
    """One GET request that never ends; every part of the multipart answer is a picture."""

    def __init__(self, url: str, *, timeout_s: float) -> None:
        self._url = url
        self._parts = urlsplit(url)
        self._timeout_s = timeout_s
        self._socket: socket.socket | None = None
        shown = self._parts.netloc.rpartition("@")[2]
        self.name = urlunsplit(self._parts._replace(netloc=shown))  # never the password in a message

    def pictures(self, stop: threading.Event) -> Iterator[Picture]:
        connection = self._connect()
        try:
            response = self._request(connection)
            yield from self._decode(response, stop)
        except TimeoutError:
            raise SourceError(f"{self.name}: sends nothing for {self._timeout_s:g} s", temporary=True) from None
        except (http.client.HTTPException, OSError) as error:
            if not stop.is_set():
                raise SourceError(f"{self.name}: the connection broke ({error})", temporary=True) from None
        finally:
            self._socket = None
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=self._timeout_s)
        try:
            connection.connect()
        except (OSError, UnicodeError) as error:
            raise SourceError(f"{self.name}: no answer ({error}); is the camera on?", temporary=True) from None
        self._socket = connection.sock
        return connection

    def _request(self, connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        target = urlunsplit(("", "", self._parts.path or "/", self._parts.query, ""))
        connection.request("GET", target, headers=self._headers())
        response = connection.getresponse()
        if response.status != 200:
            why = f"answers {response.status} {response.reason}"
            raise SourceError(f"{self.name}: {why}", temporary=response.status in _TEMPORARY)
        if response.headers.get_content_maintype() != "multipart":
            kind = response.headers.get_content_type()
            raise SourceError(f"{self.name}: sends {kind}, no MJPEG stream; give the address of the stream itself")
        return response

    def _headers(self) -> dict[str, str]:
        if self._parts.username is None:
            return {}
        pair = f"{unquote(self._parts.username)}:{unquote(self._parts.password or '')}"
        return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}

    def _decode(self, response: http.client.HTTPResponse, stop: threading.Event) -> Iterator[Picture]:
        start, broken = time.monotonic(), 0
        for seq, data in enumerate(_jpegs(response, _boundary(response.headers), self.name)):
            if stop.is_set():
                return
            image = self._picture(data)
            broken = 0 if image is not None else broken + 1
            if broken >= _BROKEN_IN_A_ROW:
                raise SourceError(f"{self.name}: sends {broken} broken pictures in a row", temporary=True)
            if image is not None:
                yield Picture(seq, time.monotonic() - start, image)
        if not stop.is_set():
            raise SourceError(f"{self.name}: the camera ended the stream", temporary=True)

    def _picture(self, data: bytes) -> Image | None:
        try:
            return decode_picture(data, self.name)
        except InputError as error:
            log.warning("%s, skipped", error)
            return None

    def interrupt(self) -> None:
        """Wake a blocked read by shutting the socket."""
        sock = self._socket
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                log.debug("%s: already closed", self.name)


def _boundary(headers: Message) -> bytes:
    text = str(headers.get_param("boundary") or "")
    return b"--" + text.strip().removeprefix("--").encode("latin-1", "replace")


def _jpegs(response: http.client.HTTPResponse, boundary: bytes, name: str) -> Iterator[bytes]:
    """The body of each part: by its Content-Length where told, else up to the next boundary."""
    while (length := _part_head(response, boundary, name)) is not None:
        if length > _MOST:
            raise SourceError(f"{name}: sends a picture of {length} bytes: not an MJPEG camera")
        yield response.read(length) if length else _until_boundary(response, boundary, name)


def _part_head(response: http.client.HTTPResponse, boundary: bytes, name: str) -> int | None:
    """Skip to the end of the next part's header; its Content-Length, 0 if it has none, None at the end."""
    length, inside, skipped = 0, False, 0
    while line := response.readline(65536):
        skipped += len(line)
        if skipped > _MOST:
            raise SourceError(f"{name}: sends no pictures but garbage: not an MJPEG camera")
        text = line.strip()
        if boundary != b"--" and text.startswith(boundary):
            inside = True
        elif text.lower().startswith(b"content-length:"):
            digits = text.partition(b":")[2].strip()
            length, inside = int(digits) if digits.isdigit() else 0, True
        elif text.lower().startswith(b"content-type:"):
            inside = True
        elif not text and inside:
            return length
    return None


def _until_boundary(response: http.client.HTTPResponse, boundary: bytes, name: str) -> bytes:
    """A part without a length: lines are gathered until the JPEG's end mark is followed by the boundary."""
    data = bytearray()
    while line := response.readline(65536):
        data += line
        end = data.rfind(boundary, max(0, len(data) - len(line) - len(boundary)))
        if end > 0 and data[:end].rstrip(b"\r\n").endswith(b"\xff\xd9"):
            return bytes(data[:end])
        if len(data) > _MOST:
            raise SourceError(f"{name}: sends no pictures but garbage: not an MJPEG camera")
    return bytes(data)


def mjpeg_source(url: str, *, timeout_s: float = 10.0) -> LiveSource:
    """A live source over `http://` or `https://`. Raises SourceError for an address without a host."""
    try:
        parts = urlsplit(url)
        valid = bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise SourceError(f"{url}: not a web address; write http://HOST:PORT/PATH")
    capture = MjpegCapture(url, timeout_s=timeout_s)
    return LiveSource(capture.name, capture, stall_s=timeout_s + 1.0)
