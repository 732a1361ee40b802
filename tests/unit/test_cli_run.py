"""`companion run` and `companion pin` from outside: address, PIN, a clean end, one clear line for each mistake."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.app_sources import SourcePlan
from companion.cli_run import terminal_qr
from companion.errors import CompanionError


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """A folder with three pictures of nothing."""
    folder = tmp_path / "film"
    folder.mkdir()
    for i in range(3):
        cv2.imwrite(str(folder / f"{i}.jpg"), np.full((240, 320, 3), 80, np.uint8))
    return folder


def companion(*args: str, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "companion.cli", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **more)


def test_the_service_starts_tells_its_address_and_ends_on_sigterm(film: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = ["run", "--source", f"frames:{film}", "--data", str(data), "--host", "127.0.0.1", "--port", "0"]
    service = subprocess.Popen([sys.executable, "-m", "companion.cli", *command], stdout=subprocess.PIPE, text=True)
    try:
        said = ""
        while "Stop with" not in said:
            line = service.stdout.readline()
            assert line, "the service ended before it was ready"
            said += line
        address = re.search(r"http://127\.0\.0\.1:\d+/", said).group()
        with urllib.request.urlopen(address + "api/view", timeout=10) as answer:
            assert json.load(answer)["status"] in ("no_match", "calibrate", "camera_lost")
        assert companion("pin", "--data", str(data)).stdout.strip() in said
        stream = urllib.request.urlopen(address + "api/stream", timeout=10)
        stream.readline()
        service.send_signal(signal.SIGTERM)
        assert service.wait(15) == 0
        stream.close()
    finally:
        service.kill()
        service.wait()
        service.stdout.close()


def test_a_renewed_pin_is_another(tmp_path: Path) -> None:
    first = companion("pin", "--data", str(tmp_path)).stdout
    assert companion("pin", "--data", str(tmp_path)).stdout == first
    assert companion("pin", "--data", str(tmp_path), "--renew").stdout != first


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--source", "frames:/nowhere"], "/nowhere"),
        (["--source", "dmeo"], "did you mean demo"),
        (["--profile", "clasic"], "classic"),
        (["--on-roll", "white"], "--from-id"),
        (["--from-id", "nonsense"], "nonsense"),
        (["--config", "/nowhere.toml"], "/nowhere.toml"),
        (["--board", "/nowhere.json", "--source", "demo"], "/nowhere.json"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path: Path, args: list[str], said: str) -> None:
    done = companion("run", "--data", str(tmp_path), *args)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_busy_port_is_named(film: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        source = f"frames:{film}"
        done = companion(
            "run", "--data", str(tmp_path / "d"), "--source", source, "--host", "127.0.0.1", "--port", port
        )
    assert done.returncode == 2
    assert f"--port {port}: busy" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_that_cannot_be_used_is_named() -> None:
    assert "/proc/companion" in companion("run", "--data", "/proc/companion", "--source", "demo").stderr


def test_cameras_may_come_later_but_a_misspelt_source_never_will() -> None:
    assert SourcePlan("http://127.0.0.1:9/stream").kind == "http"
    assert SourcePlan("v4l2:/dev/video77").kind == "v4l2"
    with pytest.raises(CompanionError):
        SourcePlan("frames:/nowhere")


def test_the_address_is_shown_as_a_code_of_blocks() -> None:
    code = terminal_qr("http://192.0.2.1:8000/")
    assert len(code.splitlines()) > 10
    assert set(code) & set("█▀▄")
