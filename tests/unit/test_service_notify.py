"""systemd is told of the service's life, and its watchdog is fed by real progress only."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.service import sdnotify
from companion.service.sdnotify import Progress, Systemd, from_environment, notify, page_answers, probe_host
from companion.sources.patience import Patience


class Time:
    """A clock that stands until told otherwise."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time_() -> Time:
    return Time()


@pytest.fixture
def patience(time_: Time) -> Patience:
    return Patience(time_)


@pytest.fixture
def progress(time_: Time, patience: Patience) -> Progress:
    return Progress(patience, time_)


def asked(progress: Progress, time_: Time, frame: object, *, beat: float | None = None, **more: bool) -> str:
    return progress.verdict(
        frame, beat=time_.now if beat is None else beat, **{"camera": True, "capturing": True, **more}
    )


def test_new_pictures_are_progress_the_same_one_again_is_not(progress: Progress, time_: Time) -> None:
    frame = object()
    assert asked(progress, time_, frame)
    time_.now += 16
    assert asked(progress, time_, frame) == ""
    assert asked(progress, time_, object())


def test_a_table_thread_that_hangs_is_no_progress_though_pictures_came(progress: Progress, time_: Time) -> None:
    beat = time_.now
    assert asked(progress, time_, object(), beat=beat)
    time_.now += 16
    assert asked(progress, time_, object(), beat=beat) == ""


def test_learning_a_board_may_take_its_announced_time(progress: Progress, time_: Time, patience: Patience) -> None:
    beat = time_.now
    patience.announce("learning the board", 60)
    time_.now += 30
    assert asked(progress, time_, object(), beat=beat) == "learning the board"
    time_.now += 31
    assert asked(progress, time_, object(), beat=beat) == ""


def test_an_announced_recovery_counts_until_its_time_is_over(
    progress: Progress, time_: Time, patience: Patience
) -> None:
    patience.announce("opening", 10)
    assert asked(progress, time_, None) == "opening"
    time_.now += 11
    assert asked(progress, time_, None) == ""


def test_a_driver_that_never_returns_is_never_progress(progress: Progress, time_: Time, patience: Patience) -> None:
    patience.announce("opening", 10)
    patience.give_up("stuck in the driver")
    assert asked(progress, time_, object()) == ""


def test_a_source_that_is_over_needs_no_restart(progress: Progress, time_: Time) -> None:
    assert asked(progress, time_, None, capturing=False) == "the source is over"
    assert asked(progress, time_, None, camera=False) == "a film waits"


@pytest.fixture
def listening(tmp_path: Path) -> Any:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.settimeout(0.2)
        yield SimpleNamespace(address=str(tmp_path / "notify"), hear=lambda: sock.recv(1000).decode(), sock=sock)


def heard(listening: Any) -> list[str]:
    found = []
    listening.sock.setblocking(False)
    while True:
        try:
            found.append(listening.sock.recv(1000).decode())
        except BlockingIOError:
            return found


def fake_service(frame: object, time_: Time, alive: bool = True) -> Any:
    return SimpleNamespace(
        source="picamera2:0",
        options=SimpleNamespace(host="127.0.0.1", config=None),
        server=SimpleNamespace(port=1),
        runner=SimpleNamespace(
            latest_frame=lambda: frame, beat=time_.now, thread=SimpleNamespace(is_alive=lambda: alive)
        ),
    )


def test_systemd_hears_ready_watchdog_and_stopping(
    listening: Any, progress: Progress, time_: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = threading.Event()
    thread = threading.Thread(target=capture.wait, name=sdnotify.CAPTURE_THREAD, daemon=True)
    thread.start()
    systemd = Systemd(listening.address, progress=progress, answers=lambda host, port: True, clock=time_)
    systemd.ready("match m1")
    systemd.alive(fake_service(object(), time_))
    systemd.stopping()
    capture.set()
    assert heard(listening) == ["READY=1\nSTATUS=match m1", "STATUS=pictures come", "WATCHDOG=1", "STOPPING=1"]


@pytest.mark.parametrize("broken", ["page", "table", "pictures"])
def test_the_watchdog_starves_when_one_part_stands_still(
    broken: str, listening: Any, progress: Progress, time_: Time, patience: Patience
) -> None:
    if broken == "pictures":
        patience.give_up("stuck")
    systemd = Systemd(listening.address, progress=progress, answers=lambda host, port: broken != "page", clock=time_)
    systemd.alive(fake_service(object(), time_, alive=broken != "table"))
    (said,) = heard(listening)
    assert said.startswith("STATUS=no progress")


def test_nobody_listening_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert from_environment({}) is None
    assert not notify("READY=1")
    assert not notify("READY=1", str(tmp_path / "gone"))
    assert isinstance(from_environment({"NOTIFY_SOCKET": "/x"}), Systemd)


def test_a_closed_port_does_not_answer() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    assert not page_answers("127.0.0.1", port, 0.5)


@pytest.mark.parametrize(
    ("host", "where"), [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("", "127.0.0.1"), ("10.0.0.2", "10.0.0.2")]
)
def test_the_page_is_asked_where_it_listens(host: str, where: str) -> None:
    assert probe_host(host) == where


def test_the_units_thread_limit_lies_above_the_servers_threads() -> None:
    from companion.config import Web
    from companion.web.serve import SPARE_THREADS

    unit = (Path(__file__).parents[2] / "systemd" / "backgammon-companion.service").read_text()
    limit = int(unit.split("TasksMax=")[1].split()[0])
    assert limit >= Web().max_streams + SPARE_THREADS + 32
