"""Server-sent events: every viewer gets the whole view once, then the fields that changed.

One pump thread waits for the table and encodes each field once per change; a viewer's thread only compares and
joins bytes. A slow viewer skips what it missed: it always gets the newest state.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import msgspec

from companion.table.view import TableView
from companion.web.ports import TablePort

HEARTBEAT_S = 5.0
"""A comment line at least this often: it finds vanished viewers and tells the page that the server lives."""
PUMP_WAIT_S = 0.5
HEARTBEAT = b": here\nevent: here\ndata: 1\n\n"
"""A comment for proxies and an event for the page: EventSource hides comments from scripts."""
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A view, each field as JSON."""

    revision: int
    fields: dict[str, bytes]


def snapshot(view: TableView) -> Snapshot:
    return Snapshot(view.revision, {name: _encode(getattr(view, name)) for name in view.__struct_fields__})


def message(now: Snapshot, before: Snapshot | None) -> bytes:
    """The event that brings a viewer who has `before` to `now`: `view` (whole) or `patch` (changed fields)."""
    old = before.fields if before else {}
    changed = [b'"%s":%s' % (name.encode(), text) for name, text in now.fields.items() if old.get(name) != text]
    kind = b"patch" if before else b"view"
    return b"event: %s\nid: %d\ndata: {%s}\n\n" % (kind, now.revision, b",".join(changed))


class StreamHub:
    """All open streams. `cap`: how many at once. `boot`: names this run of the server, sent to each viewer first."""

    def __init__(self, table: TablePort, cap: int, boot: str, heartbeat_s: float = HEARTBEAT_S) -> None:
        self.cap = cap
        self.boot = boot
        self.heartbeat_s = heartbeat_s
        self._table = table
        self._news = threading.Condition()
        self._latest = snapshot(table.view())
        self._viewers = 0
        self._closed = False
        self._pump = threading.Thread(target=self._run, name="page-pump", daemon=True)
        self._pump.start()

    @property
    def viewers(self) -> int:
        return self._viewers

    def _run(self) -> None:
        while not self._closed:
            view = self._table.wait(self._latest.revision, PUMP_WAIT_S)
            if view.revision != self._latest.revision:
                fresh = snapshot(view)
                with self._news:
                    self._latest = fresh
                    self._news.notify_all()

    def open(self) -> EventStream | None:
        """A new stream, None when the cap is reached or the server is going down."""
        with self._news:
            if self._closed or self._viewers >= self.cap:
                return None
            self._viewers += 1
        return EventStream(self)

    def leave(self) -> None:
        with self._news:
            self._viewers -= 1

    def next(self, seen: Snapshot | None) -> Snapshot | None:
        """The newest snapshot once it differs from `seen`; `seen` itself after a heartbeat's time, None at the end."""
        with self._news:
            self._news.wait_for(lambda: self._closed or self._latest is not seen, self.heartbeat_s)
            return None if self._closed else self._latest

    def close(self) -> None:
        """End every stream soon; idempotent."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._pump.join(PUMP_WAIT_S)


class EventStream:
    """One viewer's bytes. `close` gives the place back even when the first byte was never asked for."""

    def __init__(self, hub: StreamHub) -> None:
        self._hub = hub
        self._seen: Snapshot | None = None
        self._greeted = False
        self._left = False

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> bytes:
        if not self._greeted:
            self._greeted = True
            return b"retry: 1000\nevent: hello\ndata: %s\n\n" % _encode({"boot": self._hub.boot})
        now = self._hub.next(self._seen)
        if now is None:
            raise StopIteration
        if now is self._seen:
            return HEARTBEAT
        text = message(now, self._seen)
        self._seen = now
        return text

    def close(self) -> None:
        if not self._left:
            self._left = True
            self._hub.leave()
