"""Phones that leave the Wi-Fi say no goodbye: their streams must be gone within 30 s (real sockets, a cut cable)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))

from webfakes import Fakes

from companion.web.serve import PageServer, listen

pytestmark = pytest.mark.acceptance
SPACE, HERE, THERE = "companion-vanish", "10.99.7.1", "10.99.7.2"
CLIENT = f"""
import socket, time
socks = [socket.create_connection(("{HERE}", PORT)) for _ in range(5)]
for s in socks: s.sendall(b"GET /api/stream HTTP/1.1\\r\\nHost: {HERE}\\r\\n\\r\\n")
time.sleep(300)
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def cable():
    """A network of two ends, one of them in a namespace of its own."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("needs root and iproute2")
    try:
        ip("netns", "add", SPACE)
        ip("link", "add", "cv0", "type", "veth", "peer", "name", "cv1")
        ip("link", "set", "cv1", "netns", SPACE)
        ip("addr", "add", f"{HERE}/24", "dev", "cv0")
        ip("link", "set", "cv0", "up")
        ip("netns", "exec", SPACE, "ip", "addr", "add", f"{THERE}/24", "dev", "cv1")
        ip("netns", "exec", SPACE, "ip", "link", "set", "cv1", "up")
    except subprocess.CalledProcessError as error:
        subprocess.run(["ip", "netns", "del", SPACE], check=False, capture_output=True)
        pytest.skip(f"no network namespaces here: {error.stderr.decode().strip()}")
    yield
    subprocess.run(["ip", "netns", "del", SPACE], check=False)
    subprocess.run(["ip", "link", "del", "cv0"], check=False, capture_output=True)


def wait_for(condition, seconds: float) -> float:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "waited in vain"
        time.sleep(0.1)
    return time.monotonic() - began


def test_vanished_viewers_are_gone_within_thirty_seconds(cable, tmp_path: Path) -> None:
    app = Fakes().app(tmp_path)
    hub = app.extensions["companion"].hub
    server = PageServer(app, hub, listen("0.0.0.0", 0, search=False))
    server.start()
    code = CLIENT.replace("PORT", str(server.port))
    phones = subprocess.Popen(["ip", "netns", "exec", SPACE, sys.executable, "-c", code])
    try:
        wait_for(lambda: hub.viewers == 5, 20)
        ip("netns", "exec", SPACE, "ip", "link", "set", "cv1", "down")
        took = wait_for(lambda: hub.viewers == 0, 60)
        print(f"gone after {took:.1f} s")
        assert took < 30
    finally:
        phones.kill()
        phones.wait()
        server.stop()
