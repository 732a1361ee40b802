"""The service under a real systemd, booted in namespaces on this machine's own /usr: start, hang, crash, stop.

The unit is the one `companion install-service` writes; only WatchdogSec is shortened, to spare the test's time.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from brokers import free_port
from click.testing import CliRunner

from companion import cli_service

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
UNIT = "backgammon-companion"
WATCHDOG_S = 8
OUTPUT = "StandardOutput=append:/var/log/unit.log\nStandardError=append:/var/log/unit.log\n"
MISSING = [name for name in ("systemctl", "unshare", "nsenter") if shutil.which(name) is None]

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root (namespaces, mounts)"),
    pytest.mark.skipif(bool(MISSING), reason=f"not here: {', '.join(MISSING)} (apt install systemd)"),
    pytest.mark.skipif(not Path("/lib/systemd/systemd").exists(), reason="no systemd here (apt install systemd)"),
    pytest.mark.skipif(not Path("/bin").is_symlink(), reason="needs a merged /usr"),
]

PASSWD = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"
GROUPS = "root:x:0:\nvideo:x:44:\nnogroup:x:65534:\nsystemd-journal:x:101:\n"


def machine(root: Path, port: int) -> None:
    """/etc of a small machine with the service installed, and views of where this Python lives."""
    done = CliRunner().invoke(cli_service.install_service, ["--write", "--root", str(root), "--source", "demo"])
    assert done.exit_code == 0, done.output
    etc = root / "etc"
    files = {
        "passwd": PASSWD,
        "group": GROUPS,
        "nsswitch.conf": "passwd: files systemd\ngroup: files systemd\nhosts: files\n",
        "hosts": "127.0.0.1 localhost\n",
        "machine-id": "0123456789abcdef0123456789abcdef\n",
        "os-release": "ID=test\nNAME=test\nVERSION_ID=1\n",
        "backgammon-companion.toml": f'[camera]\nsource = "demo"\n[web]\nhost = "127.0.0.1"\nport = {port}\n',
        "systemd/system/test.target": "[Unit]\nDescription=Nothing but what the test starts\nAllowIsolate=yes\n",
        f"systemd/system/{UNIT}.service.d/test.conf": f"[Service]\nWatchdogSec={WATCHDOG_S}s\n{OUTPUT}",
    }
    for name, text in files.items():
        (etc / name).parent.mkdir(parents=True, exist_ok=True)
        (etc / name).write_text(text)
    shutil.copy("/etc/ld.so.cache", etc / "ld.so.cache")
    places = {PROJECT, Path(sys.prefix).resolve(), Path(sys.executable).resolve().parents[1]}
    outside = sorted(str(place) for place in places if not place.is_relative_to("/usr"))
    (root / "views").write_text("".join(f"{place} {place}\n" for place in outside))
    for place in (root, *(parent for name in outside for parent in (root / name[1:]).parents)):
        place.mkdir(parents=True, exist_ok=True)
        if place.is_relative_to(root):
            place.chmod(0o755)


class Machine:
    """A booted systemd and what one asks of it."""

    def __init__(self, root: Path, port: int) -> None:
        self.root, self.port = root, port
        self.log = (root.parent / "boot.log").open("w+")
        self.process = subprocess.Popen(
            ["unshare", "--fork", "--pid", "--mount", "--uts", "--ipc", "--cgroup", "--kill-child", "bash",
             str(HERE / "systemd_boot.sh"), str(root)], stdout=self.log, stderr=self.log,
        )  # fmt: skip

    @property
    def init(self) -> int:
        """The pid, out here, of the systemd in there; 0 before there is one."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children else 0

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        enter = ["nsenter", "--target", str(self.init), "--pid", "--mount", "--uts", "--ipc", "--cgroup"]
        return subprocess.run([*enter, *command], capture_output=True, text=True, timeout=120)

    def ask(self, name: str) -> str:
        return self.run("systemctl", "show", "-P", name, UNIT).stdout.strip()

    def view(self) -> dict[str, Any]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/view", timeout=5) as answer:
                found: dict[str, Any] = json.load(answer)
        except (urllib.error.URLError, OSError):
            return {}
        return found

    def until(self, true: Callable[[], bool], what: str, seconds: float = 90.0) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert self.process.poll() is None, f"systemd ended: {self.said()}"
            assert time.monotonic() < end, f"waited in vain for {what}: {self.said()}"
            time.sleep(0.1)

    def said(self) -> str:
        self.log.seek(0)
        own = self.root / "var/log/unit.log"
        return self.log.read()[-2000:] + (own.read_text()[-3000:] if own.exists() else "")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()


@pytest.fixture(scope="module")
def booted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    root, port = tmp_path_factory.mktemp("machine") / "root", free_port()
    for parent in (root.parent, *root.parent.parents):
        if parent.stat().st_mode & 0o005 != 0o005 and parent.is_relative_to("/tmp"):
            parent.chmod(parent.stat().st_mode | 0o055)
    root.mkdir()
    machine(root, port)
    made = Machine(root, port)
    try:
        made.until(lambda: made.init > 0 and made.run("systemctl", "show", "-P", "Version").returncode == 0, "systemd")
    except AssertionError as error:
        made.end()
        pytest.skip(f"systemd does not boot in namespaces here: {str(error).splitlines()[0][:200]}")
    yield made
    made.end()


def test_it_starts_is_ready_and_says_what_it_does(booted: Machine) -> None:
    done = booted.run("systemctl", "start", UNIT)
    assert done.returncode == 0, done.stderr + booted.said() + booted.run("systemctl", "status", UNIT).stdout
    assert booted.ask("ActiveState") == "active"
    booted.until(lambda: booted.view().get("seq", 0) >= 3, "play")
    booted.until(lambda: booted.ask("StatusText") == "pictures come", "the status")
    assert booted.ask("DynamicUser") == "yes"
    assert (booted.root / "var/lib/private/backgammon-companion/matches.db").exists()


def goes_on(booted: Machine, harm: str, restarts: int) -> None:
    """After `harm` (a signal to the main process) the service is back with the same match, nothing of it lost."""
    before = booted.view()
    assert before["match_id"]
    booted.run("kill", f"-{harm}", booted.ask("MainPID"))
    booted.until(lambda: booted.ask("NRestarts") == str(restarts), "the restart")
    booted.until(lambda: booted.view().get("match_id", "") != "", "the page")
    after = booted.view()
    assert after["match_id"] == before["match_id"]
    assert after["seq"] >= before["seq"]
    booted.until(lambda: booted.view().get("seq", 0) > before["seq"], "play to go on")


def test_a_service_that_hangs_is_killed_by_the_watchdog_and_comes_back_with_its_match(booted: Machine) -> None:
    goes_on(booted, "STOP", 1)
    assert "watchdog" in booted.said().lower() or booted.ask("NRestarts") == "1"


def test_a_service_that_crashes_comes_back_with_its_match(booted: Machine) -> None:
    goes_on(booted, "SEGV", 2)


def test_it_stops_cleanly_and_soon(booted: Machine) -> None:
    began = time.monotonic()
    assert booted.run("systemctl", "stop", UNIT).returncode == 0
    took = time.monotonic() - began
    print(f"\nstopped in {took:.1f} s")
    assert booted.ask("Result") == "success", "it had to be killed"
    assert took < 3.0
