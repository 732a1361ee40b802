"""Server-sent events: whole view first, changed fields after, a cap, an end that leaves nothing behind."""

from __future__ import annotations

import json
import threading

import msgspec
import pytest
from webfakes import MIDDLE, REROLL, FakeTable

from companion.web import stream


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def hub(table: FakeTable):
    hub = stream.StreamHub(table, cap=2, boot="v-1", heartbeat_s=0.05)
    yield hub
    hub.close()


def event(text: bytes) -> tuple[str, dict]:
    lines = dict(line.split(": ", 1) for line in text.decode().strip().splitlines() if not line.startswith(":"))
    return lines["event"], json.loads(lines["data"])


def test_a_viewer_gets_hello_then_the_whole_view(hub: stream.StreamHub) -> None:
    events = hub.open()
    assert event(next(events)) == ("hello", {"boot": "v-1"})
    kind, view = event(next(events))
    assert kind == "view"
    assert msgspec.convert(view, type(MIDDLE)) == MIDDLE
    events.close()


def test_a_change_brings_only_the_changed_fields(hub: stream.StreamHub, table: FakeTable) -> None:
    events = hub.open()
    next(events), next(events)
    table.change(score=(2, 0))
    text = next(t for t in events if b"here" not in t)
    kind, patch = event(text)
    assert kind == "patch"
    assert set(patch) == {"revision", "score"}
    events.close()


def test_patches_add_up_to_the_view(hub: stream.StreamHub, table: FakeTable) -> None:
    events = hub.open()
    next(events)
    view = event(next(events))[1]
    table.show(REROLL)
    view |= event(next(t for t in events if b"here" not in t))[1]
    assert msgspec.convert(view, type(MIDDLE)) == table.view()
    events.close()


def test_quiet_tables_send_heartbeats(hub: stream.StreamHub) -> None:
    events = hub.open()
    next(events), next(events)
    assert next(events) == stream.HEARTBEAT
    events.close()


def test_beyond_the_cap_nobody_enters_until_somebody_leaves(hub: stream.StreamHub) -> None:
    first, second = hub.open(), hub.open()
    assert hub.open() is None
    first.close()
    first.close()
    third = hub.open()
    assert third is not None
    for events in (second, third):
        events.close()
    assert hub.viewers == 0


def test_closing_ends_every_stream(hub: stream.StreamHub) -> None:
    events = hub.open()
    next(events), next(events)
    rest: list[bytes] = []
    reader = threading.Thread(target=lambda: rest.extend(events))
    reader.start()
    hub.close()
    reader.join(5)
    assert not reader.is_alive()
    assert hub.open() is None
