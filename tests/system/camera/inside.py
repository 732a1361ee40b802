"""Runs inside the root of root.sh: `picamera2[:N]` of the companion on the real picamera2 and a virtual camera."""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import virtual

Picamera2 = virtual.install()

from companion.errors import SourceError  # noqa: E402  (the camera's stand-in comes first)
from companion.sources import picamera  # noqa: E402
from companion.sources.patience import CAMERA  # noqa: E402
from companion.sources.picamera import picamera_source  # noqa: E402
from companion.sources.pixels import to_bgr  # noqa: E402

FRAME = Path("/frames/0.jpg")
FACTOR = float(os.environ.get("SLOW", "1"))


def in_the_cameras_range(image: np.ndarray) -> np.ndarray:
    """BGR as it comes out when a JPEG's full-range colours are taken for a video's, as here."""
    height, width = image.shape[:2]
    grey, red, blue = cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb))
    half = [cv2.resize(plane, (width // 2, height // 2), interpolation=cv2.INTER_AREA) for plane in (blue, red)]
    buffer = np.concatenate([grey.reshape(-1), np.stack(half, axis=-1).reshape(-1)])
    return to_bgr(buffer, (width, height), width, "NV12")


def first(source: Any, count: int = 1) -> list[Any]:
    frames = list(itertools.islice(source.frames(), count))
    source.close()
    return frames


def test_the_picture_is_the_one_before_the_camera() -> None:
    (frame,) = first(picamera_source(0))
    truth = in_the_cameras_range(cv2.imread(str(FRAME)))
    assert frame.image.shape == truth.shape
    difference = np.abs(cv2.blur(frame.image, (9, 9)).astype(int) - cv2.blur(truth, (9, 9)).astype(int))
    assert difference.mean() < 4.0, "colours or lines are not those of the picture"


def test_the_format_read_back_counts_the_camera_has_no_rgb(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    first(picamera_source(0))
    assert "gives NV12 1280x960, lines of 1280 bytes" in caplog.text


def test_times_are_the_sensors_and_grow() -> None:
    frames = first(picamera_source(0), 8)
    times = [frame.t for frame in frames]
    assert times == sorted(times)
    assert len(set(times)) == len(times)
    assert times[0] < 30 * FACTOR


def test_a_camera_missing_at_the_start_may_come_later() -> None:
    with pytest.raises(SourceError, match="no such camera, 1 found") as failure:
        first(picamera_source(1))
    assert failure.value.temporary


def test_a_camera_taken_by_another_may_come_back() -> None:
    other = Picamera2(0)
    try:
        with pytest.raises(SourceError, match="another program has it") as failure:
            first(picamera_source(0))
    finally:
        other.close()
    assert failure.value.temporary
    assert first(picamera_source(0))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every Picamera2 that is opened, in order."""
    cameras: list[Any] = []
    init = Picamera2.__init__

    def noted(self: Any, *args: Any, **more: Any) -> None:
        init(self, *args, **more)
        cameras.append(self)

    monkeypatch.setattr(Picamera2, "__init__", noted)
    monkeypatch.setattr(picamera, "WAIT_S", 0.7 * FACTOR)
    return cameras


class Starved:
    """A camera to which no request gets through any more: it falls silent, as when a sensor or its cable fails."""

    def __init__(self, camera: Any) -> None:
        self._camera = camera
        self._lost: list[Any] = []  # kept alive: their buffers are still known to the camera

    def __getattr__(self, name: str) -> Any:
        return getattr(self._camera, name)

    def queue_request(self, request: Any) -> None:
        """Lost on the way."""
        self._lost.append(request)


def test_when_pictures_stop_the_camera_is_opened_anew_and_they_go_on(opened: list[Any]) -> None:
    source = picamera_source(0)
    seen: list[int] = []
    for frame in source.frames():
        seen.append(frame.seq)
        if len(seen) == 5:
            opened[0].camera = Starved(opened[0].camera)
        if len(opened) == 2 and len(seen) > 10:
            break
    source.close()
    assert len(opened) == 2
    assert seen == sorted(seen)
    assert not CAMERA.stuck


def test_two_openings_one_after_the_other_leave_nothing_behind() -> None:
    threads = threading.active_count()
    for _ in range(3):
        assert first(picamera_source(0), 3)
    end = time.monotonic() + 10
    while threading.active_count() > threads and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() <= threads + 1  # picamera2 keeps one event thread for all its cameras


# --- a game through the camera -------------------------------------------------------------------------------------


def as_nv12(image: np.ndarray) -> np.ndarray:
    """BGR to the camera's own bytes: grey lines, then pairs of U and V."""
    height, width = image.shape[:2]
    planar = cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420).reshape(-1)
    grey, quarter = planar[: height * width], height * width // 4
    colours = planar[height * width :]
    return np.concatenate([grey, np.stack([colours[:quarter], colours[quarter:]], axis=1).reshape(-1)])


class Shown:
    """The simulated table before the lens: its picture of now is written into every buffer before it is given out."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.began: float | None = None
        self._drawn = (-1, np.zeros(0, np.uint8))

    def begin(self) -> None:
        self.began = time.monotonic()

    def write(self, request: Any) -> None:
        from picamera2 import MappedArray

        t = 0.0 if self.began is None else time.monotonic() - self.began
        number = min(int(t * self.table.fps), self.table.total - 1)
        if number != self._drawn[0]:
            self._drawn = (number, as_nv12(self.table.frame(number).image))
        with MappedArray(request, "main", reshape=False) as buffer:
            buffer.array.reshape(-1)[: len(self._drawn[1])] = self._drawn[1]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    from companion.sim.table import demo_table

    table = Shown(demo_table(fps=10))
    start = Picamera2.start

    def start_with_table(self: Any, *args: Any, **more: Any) -> None:
        self.pre_callback = table.write
        start(self, *args, **more)

    monkeypatch.setattr(Picamera2, "start", start_with_table)
    return table


def until(true: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds * FACTOR
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.fixture
def service(tmp_path: Path, shown: Shown) -> Iterator[Any]:
    from companion.app import RunOptions, build
    from companion.config import Config

    made = build(RunOptions(config=Config(), data=tmp_path, source="picamera2", host="127.0.0.1", port=0))
    made.start()
    yield made
    made.stop()


@pytest.mark.skipif(FACTOR > 1, reason="emulated: one reading takes longer than a turn")
def test_a_game_before_the_camera_is_refereed_and_recorded(service: Any, shown: Shown) -> None:
    from companion.table import commands as cmd

    until(lambda: service.runner.calibration() is not None, 60)
    assert service.runner.submit(cmd.NewMatch(length=3, white="Ada", black="Bob")).ok
    shown.begin()
    wanted = [event["play"] for event in shown.table.events if event["type"] == "turn_end"][:2]
    until(lambda: len([turn for turn in service.runner.view().turns if turn.kind == "play"]) >= 2, 60)
    made = [turn.play for turn in service.runner.view().turns if turn.kind == "play"][:2]
    assert made == wanted, service.runner.view().turns[:4]
    assert service.match_log.verify(service.runner.match_id).ok
