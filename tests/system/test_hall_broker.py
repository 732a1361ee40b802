"""Several tables over a real Mosquitto: last wills, a broker restarted in mid-play, passwords, TLS, fifty tables."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from brokers import PROGRAM, Broker, with_password, with_tls

from companion.config import Hall
from companion.errors import InputError
from companion.hall import broker as broker_module
from companion.hall.card import TableHealth
from companion.hall.publisher import Publisher
from companion.hall.tables import Listener, Tables
from companion.table.view import CameraView, Message, TableView

pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed (extra hall)")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no mosquitto here (apt install mosquitto)")


class FakeTable:
    """A table whose view is set by the test."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._view = TableView(match_id="m", white=f"W{name}", black=f"B{name}", length=5, camera=CameraView(ok=True))
        self._changed = threading.Condition()

    def show(self, **changes: object) -> None:
        with self._changed:
            self._view = msgspec.structs.replace(self._view, revision=self._view.revision + 1, **changes)
            self._changed.notify_all()

    def view(self) -> TableView:
        return self._view

    def wait(self, revision: int, timeout: float) -> TableView:
        with self._changed:
            self._changed.wait_for(lambda: self._view.revision != revision, timeout)
        return self._view


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    made = Broker(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def hall(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Hall], Tables]]:
    """Starts a hall for a broker; everything ends with the test."""
    monkeypatch.setattr(broker_module, "SLOWEST_RETRY_S", 1)
    listeners: list[Listener] = []

    def start(options: Hall) -> Tables:
        tables = Tables()
        listeners.append(Listener(options, tables))
        listeners[-1].start()
        return tables

    yield start
    for listener in listeners:
        listener.stop()


def told(options: Hall, table: FakeTable) -> Publisher:
    publisher = Publisher(
        msgspec.structs.replace(options, table=table.name), table, health=lambda: TableHealth(free_gb=9.5)
    )
    publisher.start()
    return publisher


def stop_all(publishers: list[Publisher]) -> None:
    with ThreadPoolExecutor(len(publishers)) as pool:
        list(pool.map(Publisher.stop, publishers))


def until(tables: Tables, true: Callable[[dict], bool], seconds: float = 15.0) -> dict:
    """Wait for a report of which `true` holds."""
    end = time.monotonic() + seconds
    report = tables.report()
    while not true(report):
        assert time.monotonic() < end, f"waited in vain: {report}"
        tables.wait(report["revision"], 0.2)
        report = tables.report()
    return report


def card(report: dict, name: str) -> dict:
    return next((card for card in report["tables"] if card["table"] == name), {})


def known(report: dict, name: str) -> bool:
    """Connected, and its card has come."""
    return bool(card(report, name).get("online") and card(report, name)["match_id"])


def test_a_change_at_the_table_is_seen_in_the_hall(broker: Broker, hall) -> None:  # type: ignore[no-untyped-def]
    options = Hall(broker="127.0.0.1", port=broker.port)
    tables, table = hall(options), FakeTable("Table 7")
    publisher = told(options, table)
    shown = card(until(tables, lambda r: known(r, "Table 7")), "Table 7")
    assert (shown["white"], shown["needs_you"]) == ("WTable 7", False)
    until(tables, lambda r: card(r, "Table 7")["health"]["free_gb"] == 9.5)
    table.show(status="doubt", status_text=Message("status.doubt"), score=(3, 2))
    shown = card(until(tables, lambda r: card(r, "Table 7")["needs_you"]), "Table 7")
    assert tuple(shown["score"]) == (3, 2)
    assert shown["waiting_s"] == 0
    publisher.stop()
    until(tables, lambda r: not card(r, "Table 7")["online"])


def test_a_hall_opened_later_learns_of_every_table_at_once(broker: Broker, hall) -> None:  # type: ignore[no-untyped-def]
    options = Hall(broker="127.0.0.1", port=broker.port)
    publisher = told(options, FakeTable("1"))
    first = hall(options)
    until(first, lambda r: card(r, "1").get("match_id") == "m")
    late = hall(options)
    until(late, lambda r: card(r, "1").get("match_id") == "m", 5.0)
    publisher.stop()


def test_a_companion_that_vanishes_is_told_by_its_last_will_and_touches_no_other(broker: Broker, hall) -> None:  # type: ignore[no-untyped-def]
    options = Hall(broker="127.0.0.1", port=broker.port)
    tables = hall(options)
    dying, living = told(options, FakeTable("1")), told(options, FakeTable("2"))
    until(tables, lambda r: known(r, "1") and known(r, "2"))
    sock = dying._client.socket()  # cut without a goodbye, as a power cut does
    dying._stop.set()
    dying._client.reconnect_on_failure = False
    dying._client._reconnect_on_failure = False
    sock.shutdown(2)
    report = until(tables, lambda r: not card(r, "1")["online"])
    assert card(report, "2")["online"]
    assert card(report, "1")["match_id"] == "m", "what was last known stays"
    living.stop()
    dying.stop()


def test_a_broker_restarted_in_mid_play_costs_nothing(broker: Broker, hall) -> None:  # type: ignore[no-untyped-def]
    options = Hall(broker="127.0.0.1", port=broker.port)
    tables, table = hall(options), FakeTable("1")
    publisher = told(options, table)
    until(tables, lambda r: card(r, "1").get("online", False))
    broker.stop()
    until(tables, lambda r: not r["connected"])
    for score in range(1, 5):
        table.show(score=(score, 0))
    broker.start()
    report = until(tables, lambda r: r["connected"] and tuple(card(r, "1")["score"]) == (4, 0))
    assert until(tables, lambda r: card(r, "1")["online"])
    assert report["connected"]
    publisher.stop()


def test_a_broker_that_is_not_there_does_not_hold_up_the_table(hall, caplog: pytest.LogCaptureFixture) -> None:  # type: ignore[no-untyped-def]
    options = Hall(broker="127.0.0.1", port=9)
    publisher = told(options, FakeTable("1"))
    end = time.monotonic() + 10
    while not caplog.records and time.monotonic() < end:
        time.sleep(0.05)
    began = time.monotonic()
    publisher.stop()
    assert time.monotonic() - began < 3
    warned = [r for r in caplog.records if r.levelno == logging.WARNING and "companion.hall" in r.name]
    assert len(warned) == 1, "said once, not with every try"


def test_a_password_is_asked_for_and_given(tmp_path: Path, hall) -> None:  # type: ignore[no-untyped-def]
    broker = Broker(tmp_path, with_password(tmp_path, "table", "s3cret"))
    broker.start()
    (tmp_path / "secret").write_text("s3cret\n")
    (tmp_path / "wrong").write_text("guess\n")
    right = Hall(broker="127.0.0.1", port=broker.port, user="table", password_file=str(tmp_path / "secret"))
    tables = hall(right)
    publisher = told(right, FakeTable("1"))
    stranger = told(msgspec.structs.replace(right, password_file=str(tmp_path / "wrong")), FakeTable("2"))
    until(tables, lambda r: card(r, "1").get("online", False))
    assert not card(tables.report(), "2")
    publisher.stop()
    stranger.stop()
    broker.stop()


def test_an_encrypted_connection_checks_the_brokers_certificate(tmp_path: Path, hall) -> None:  # type: ignore[no-untyped-def]
    broker = Broker(tmp_path, with_tls(tmp_path))
    broker.start()
    known = Hall(broker="localhost", port=broker.port, tls=True, ca_file=str(tmp_path / "ca.pem"))
    tables = hall(known)
    publisher = told(known, FakeTable("1"))
    untrusting = hall(msgspec.structs.replace(known, ca_file=""))
    until(tables, lambda r: card(r, "1").get("online", False))
    assert not untrusting.report()["connected"]
    publisher.stop()
    broker.stop()


def test_a_configuration_without_hope_is_one_clear_line(tmp_path: Path) -> None:
    table = FakeTable("1")
    for options, named in (
        (Hall(broker="x", user="u", password_file=str(tmp_path / "none")), "hall.password_file"),
        (Hall(broker="x", tls=True, ca_file=str(tmp_path / "none")), "hall.ca_file"),
    ):
        with pytest.raises(InputError, match=named):
            Publisher(options, table, health=TableHealth)


def test_fifty_tables_play_while_the_broker_is_restarted(broker: Broker, hall) -> None:  # type: ignore[no-untyped-def]
    options = Hall(broker="127.0.0.1", port=broker.port)
    tables = hall(options)
    all_ = [FakeTable(f"Table {n}") for n in range(1, 51)]
    publishers = [told(options, table) for table in all_]
    until(tables, lambda r: len(r["tables"]) == 50 and all(c["online"] for c in r["tables"]), 30.0)
    for round_ in range(1, 6):
        for n, table in enumerate(all_):
            table.show(score=(round_, n % 3), seq=round_)
        if round_ == 3:
            broker.stop()
        if round_ == 4:
            broker.start()
    report = until(
        tables, lambda r: len(r["tables"]) == 50 and all(c["seq"] == 5 and c["online"] for c in r["tables"]), 40.0
    )
    assert [c["table"] for c in report["tables"]] == [table.name for table in all_], "table 2 stands before table 10"
    assert all(tuple(c["score"]) == (5, n % 3) for n, c in enumerate(report["tables"]))
    stop_all(publishers[:10])
    report = until(tables, lambda r: sum(c["online"] for c in r["tables"]) == 40)
    assert all(c["online"] for c in report["tables"][10:]), "ten lost companions touch no other"
    stop_all(publishers[10:])
