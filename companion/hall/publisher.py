"""Tells the broker of this table. Whatever happens to the broker, the table plays on: nothing here can hold it up."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from companion.config import Hall
from companion.hall import broker
from companion.hall.card import ROOT, Card, TableHealth, card_of, encode, topic_name
from companion.table.view import TableView

log = logging.getLogger(__name__)
HEALTH_S = 30.0
"""The machine's health is told this often."""
WAIT_S = 0.5
GOODBYE_S = 0.5


class Views(Protocol):
    """Where the table's views come from (`companion.table.runner.TableRunner`)."""

    def view(self) -> TableView: ...

    def wait(self, revision: int, timeout: float) -> TableView: ...


class Publisher:
    """One table's messages, retained, QoS 1, with a last will. Raises InputError for a configuration without hope."""

    def __init__(self, hall: Hall, table: Views, *, address: str = "", health: Callable[[], TableHealth]) -> None:
        self.name = broker.table_name(hall)
        self._hall = hall
        self._table = table
        self._address = address
        self._health = health
        self._topic = f"{ROOT}/{topic_name(self.name)}"
        self._complaints = broker.Complaints(hall)
        self._stop = threading.Event()
        self._greeted = threading.Event()
        self._client: Any = broker.client(hall, "table")
        self._client.will_set(f"{self._topic}/online", "0", qos=broker.QOS, retain=True)
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._disconnected
        self._client.on_connect_fail = self._failed
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)

    def start(self) -> None:
        broker.connect(self._client, self._hall)
        self._thread.start()

    def stop(self) -> None:
        """Say goodbye, if the broker listens, and end; quick in any case."""
        self._stop.set()
        self._thread.join(2 * WAIT_S)
        if self._client.is_connected():
            told = self._client.publish(f"{self._topic}/online", "0", qos=broker.QOS, retain=True)
            try:
                told.wait_for_publish(GOODBYE_S)
            except (ValueError, RuntimeError) as error:
                log.debug("no goodbye: %s", error)
        self._client.disconnect()
        self._client.loop_stop()

    # --- paho's thread -------------------------------------------------------------------------------------------

    def _connected(self, client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._complaints.say(str(reason))
            return
        self._complaints.say("")
        client.publish(f"{self._topic}/online", "1", qos=broker.QOS, retain=True)
        self._greeted.set()

    def _disconnected(self, client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        if not self._stop.is_set():
            self._complaints.say(f"connection lost ({reason})")

    def _failed(self, client: Any, userdata: Any) -> None:
        self._complaints.say("cannot be reached")

    # --- our thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        told: Card | None = None
        health, measured = TableHealth(), float("-inf")
        revision = -1
        while not self._stop.is_set():
            view = self._table.wait(revision, WAIT_S)
            revision = view.revision
            if time.monotonic() - measured >= HEALTH_S:
                health, measured = self._health(), time.monotonic()
            if self._greeted.is_set():
                self._greeted.clear()
                told = None
            card = card_of(view, self.name, self._address, health)
            if card != told and self._tell(card):
                told = card

    def _tell(self, card: Card) -> bool:
        """False while nobody listens: the newest card is told once somebody does, never a queue of old ones."""
        if not self._client.is_connected():
            return False
        self._client.publish(f"{self._topic}/card", encode(card), qos=broker.QOS, retain=True)
        return True


def health_of(report: dict[str, Any]) -> TableHealth:
    """From `companion.app_health.Health.report()`."""
    return msgspec.convert(
        {
            "temperature_c": report.get("temperature_c"),
            "free_gb": float(report["disk"]["free_gb"]),
            "uptime_s": int(report["uptime_s"]),
        },
        TableHealth,
    )
