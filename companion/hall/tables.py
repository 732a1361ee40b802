"""All tables as the broker tells of them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from companion.config import Hall
from companion.hall import broker
from companion.hall.card import ROOT, Card, decode

MOST_TABLES = 500
"""A broker that tells of more is not believed."""
TOPIC = re.compile(rf"{re.escape(ROOT)}/([^/]+)/(card|online)")


@dataclass(slots=True)
class Entry:
    """One table: its last card, whether its companion is connected, since when it needs somebody (monotonic s)."""

    card: Card
    online: bool = False
    needs_since: float | None = None


def natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key: table 2 comes before table 10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part.lower()) for part in re.split(r"(\d+)", name) if part]


class Tables:
    """The newest of every table; written by the broker's thread, read by the page's."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._entries: dict[str, Entry] = {}
        self._connected = False
        self._closed = False
        self.revision = 0

    def hear(self, topic: str, payload: bytes) -> None:
        """A message of the broker; what is not understood is passed over."""
        found = TOPIC.fullmatch(topic)
        if found is None:
            return
        name, kind = found.groups()
        with self._changed:
            if name not in self._entries and len(self._entries) >= MOST_TABLES:
                return
            if not payload:  # how a retained message is wiped away
                self._entries.pop(name, None)
            elif kind == "online":
                self._entry(name).online = payload == b"1"
            else:
                self._put(name, decode(payload))
            self._touch()

    def _entry(self, name: str) -> Entry:
        return self._entries.setdefault(name, Entry(Card(table=name)))

    def _put(self, name: str, card: Card | None) -> None:
        if card is None:
            return
        entry = self._entry(name)
        entry.card = card
        entry.needs_since = (entry.needs_since or self._clock()) if card.needs_you else None

    def set_connected(self, connected: bool) -> None:
        with self._changed:
            self._connected = connected
            self._touch()

    def _touch(self) -> None:
        self.revision += 1
        self._changed.notify_all()

    def wait(self, revision: int, timeout: float) -> None:
        """Until something differs from `revision`, at most `timeout` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self.revision != revision or self._closed, timeout)

    def close(self) -> None:
        """Nobody waits any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def report(self) -> dict[str, Any]:
        """For the page: {revision, connected, tables: [card + key, online, waiting_s]}, tables by name."""
        with self._changed:
            now = self._clock()
            tables = [
                {
                    **msgspec.to_builtins(entry.card),
                    "key": name,
                    "online": entry.online,
                    "waiting_s": None if entry.needs_since is None else int(now - entry.needs_since),
                }
                for name, entry in sorted(self._entries.items(), key=lambda item: natural(item[1].card.table))
            ]
            return {"revision": self.revision, "connected": self._connected, "tables": tables}


class Listener:
    """Keeps `tables` up to date from the broker until `stop`."""

    def __init__(self, hall: Hall, tables: Tables) -> None:
        self._hall = hall
        self._tables = tables
        self._complaints = broker.Complaints(hall)
        self._stopping = False
        self._client: Any = broker.client(hall, "hall")
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._disconnected
        self._client.on_connect_fail = lambda client, userdata: self._complaints.say("cannot be reached")
        self._client.on_message = lambda client, userdata, message: tables.hear(message.topic, message.payload)

    def start(self) -> None:
        broker.connect(self._client, self._hall)

    def stop(self) -> None:
        self._stopping = True
        self._client.disconnect()
        self._client.loop_stop()

    def _connected(self, client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._complaints.say(str(reason))
            return
        self._complaints.say("")
        client.subscribe(f"{ROOT}/+/+", qos=broker.QOS)
        self._tables.set_connected(True)

    def _disconnected(self, client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        self._tables.set_connected(False)
        if not self._stopping:
            self._complaints.say(f"connection lost ({reason})")
