"""A hundred kills of a running table, and kills of the whole service with its page, camera (simulated) and vision.

KILLS=n takes another count of kills of the table, SERVICE_KILLS of the service.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from killedtable import kill_many
from test_runner import turns_of

from companion.record.log import MatchLog
from companion.sim.table import demo_table

KILLS = int(os.environ.get("KILLS", "100"))
SERVICE_KILLS = int(os.environ.get("SERVICE_KILLS", "8"))

pytestmark = pytest.mark.acceptance


def test_a_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    matches = kill_many(tmp_path, kills=KILLS, seed=100)
    truth = [event["play"] for event in demo_table().events if event["type"] == "turn_end"]
    events = 0
    for match_id, data in matches:
        log = MatchLog(data / "matches.db")
        assert turns_of(log, match_id) == truth
        events += log.verify(match_id).events
        log.close()
    print(f"\n{KILLS} kills in {len(matches)} matches, {events} events: none lost, none twice, every chain whole")


class Running:
    """`companion run --source demo` in a process of its own."""

    def __init__(self, data: Path) -> None:
        command = ["run", "--source", "demo", "--data", str(data), "--host", "127.0.0.1", "--port", "0"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "companion.cli", *command], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        said = ""
        while "Stop with" not in said:
            line = self.process.stdout.readline()
            assert line, "the service ended before it was ready"
            said += line
        self.address = re.search(r"http://127\.0\.0\.1:\d+/", said).group()  # type: ignore[union-attr]

    def view(self) -> dict[str, Any]:
        with urllib.request.urlopen(self.address + "api/view", timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def test_the_whole_service_killed_goes_on_with_its_match(tmp_path: Path) -> None:
    rng = random.Random(5)
    match_id, seen = "", -1
    for _ in range(SERVICE_KILLS):
        service = Running(tmp_path)
        view = service.view()
        assert not match_id or (view["match_id"], view["seq"] >= seen) == (match_id, True)
        end = time.monotonic() + rng.uniform(4.0, 15.0)
        while time.monotonic() < end:
            try:
                view = service.view()
            except (urllib.error.URLError, ConnectionError):
                break
            match_id, seen = view["match_id"], view["seq"]
            time.sleep(0.02)
        service.kill()
        done = subprocess.run(
            [sys.executable, "-m", "companion.cli", "verify", match_id, "--data", str(tmp_path)],
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        log = MatchLog(tmp_path / "matches.db")
        assert log.entries(match_id)[-1].seq >= seen
        log.close()
    assert seen > 5, "so little was played that the test says nothing"
    print(f"\n{SERVICE_KILLS} kills of the service, {seen + 1} events acknowledged, all there")
