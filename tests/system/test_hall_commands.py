"""`companion run` with a broker in its configuration and `companion hall`, as processes, over a real Mosquitto."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from brokers import PROGRAM, Broker

pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed (extra hall)")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no mosquitto here (apt install mosquitto)")


class Command:
    """A companion command in a process of its own; `address` is the first page it tells."""

    def __init__(self, *args: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "companion.cli", *args], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        said = ""
        while "Stop with" not in said:
            line = self.process.stdout.readline()
            assert line, f"{args[0]} ended before it was ready"
            said += line
        self.address = re.search(r"http://127\.0\.0\.1:\d+/", said).group()  # type: ignore[union-attr]

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait(15)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    made = Broker(tmp_path)
    made.start()
    yield made
    made.stop()


def until_table(hall: Command, true: Any) -> dict[str, Any]:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with urllib.request.urlopen(hall.address + "api/tables", timeout=15) as answer:
            tables = json.load(answer)["tables"]
        if tables and true(tables[0]):
            found: dict[str, Any] = tables[0]
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited in vain: {tables}")


def test_a_running_table_is_seen_in_the_hall_and_missed_when_it_is_killed(broker: Broker, tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(f'[hall]\nbroker = "127.0.0.1"\nport = {broker.port}\ntable = "Table 4"\n')
    where = ["--host", "127.0.0.1", "--port", "0"]
    hall = Command("hall", "--broker", "127.0.0.1", "--broker-port", str(broker.port), *where)
    table = Command("run", "--source", "demo", "--data", str(tmp_path / "data"), "--config", str(config), *where)
    shown = until_table(hall, lambda card: card["online"] and card["camera_ok"] and card["match_id"])
    assert (shown["table"], shown["address"]) == ("Table 4", table.address)
    table.stop(signal.SIGKILL)
    shown = until_table(hall, lambda card: not card["online"])
    assert shown["match_id"], "what was last known stays"
    assert hall.stop() == 0
