"""The real service in a real browser: a short match on the simulated table, seen from its first roll to its end.

Simulated camera, real vision, settling, referee, log, stream and page; nothing but the table itself is put on.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import FLAGS, chromium

MATCH = """; [Player 1 "Ada"]
; [Player 2 "Grace"]

 2 point match

 Game 1
 Ada : 0                          Grace : 0
  1) 31: 8/5 6/5                 42: 8/4 6/4
  2) 65: 13/7 13/8                61: 13/7 8/7
  3)  Doubles => 2                Takes
  4) 42: 8/4 6/4                  Doubles => 4
  5)  Drops                        Wins 2 points and the match
"""
PATIENCE_S = 600.0

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]


class Running(NamedTuple):
    """Where the service plays MATCH, and its operator's PIN."""

    address: str
    pin: str


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    (tmp_path / "short.mat").write_text(MATCH)
    source, data = f"match:{tmp_path / 'short.mat'}", str(tmp_path / "data")
    command = [sys.executable, "-m", "companion.cli", "run", "--source", source, "--data", data, "--host", "127.0.0.1"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (tmp_path / "out").open("w") as output:
        service = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            yield _greeting(service, tmp_path / "out")
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(timeout=30)


def _greeting(service: subprocess.Popen[bytes], output: Path) -> Running:
    end = time.monotonic() + 120
    while time.monotonic() < end and service.poll() is None:
        if found := re.search(r"(http://[\d.]+:\d+)[\s\S]*PIN of the operator: +(\d+)", output.read_text()):
            return Running(found[1], found[2])
        time.sleep(0.2)
    raise AssertionError(output.read_text())


def test_the_page_shows_a_match_from_its_first_roll_to_its_end(running: Running) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no Chromium here: apt install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        faults: list[str] = []
        page = browser.new_page(viewport={"width": 1024, "height": 768}, locale="en")
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(running.address)
        wait = PATIENCE_S * 1000
        page.wait_for_selector('.turn-line:has-text("8/5 6/5")', timeout=wait)
        page.wait_for_selector('.turn-line:has-text("13/7 13/8")', timeout=wait)
        page.wait_for_selector('.turn-line:has-text("doubles to 4")', timeout=wait)
        shown = page.locator(".turn-list").inner_text()
        page.click('button[data-key="lock"]')
        page.fill("#pin", running.pin)
        page.keyboard.press("Enter")
        page.click('.banner button:has-text("Pass")', timeout=wait)  # no camera sees a last pass: nobody moves a thing
        page.wait_for_selector('.plate.black .score:text-is("2")', timeout=wait)
        page.wait_for_selector('html[data-banner="match_end"]', timeout=wait)
        assert not faults
        page.goto(f"{running.address}/matches")
        page.wait_for_selector("text=Ada")
        browser.close()
    for words in ("8/5 6/5", "8/4 6/4", "13/7 13/8", "13/7 8/7", "doubles to 2"):
        assert words in shown, shown
