"""The Pi's camera against a fake picamera2 that fails as the real one does."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from fakepicamera import World, install

from companion.errors import SourceError
from companion.sources import patience, picamera, picamera_lock
from companion.sources.live import Picture
from companion.sources.pixels import to_bgr


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World()
    install(monkeypatch, made)
    monkeypatch.setattr(picamera, "SIZE", made.size)
    monkeypatch.setattr(picamera, "CLOSE_S", 0.05)
    monkeypatch.setattr(picamera, "CAMERA", patience.Patience())
    monkeypatch.setattr(picamera, "_owners", {})
    yield made
    made.release.set()


def capture(number: int = 0) -> picamera.PicameraCapture:
    return picamera.PicameraCapture(number, size=(128, 96), fps=10.0, mains_hz=50)


def some(camera: picamera.PicameraCapture, count: int) -> list[Picture]:
    """The first pictures, then a proper end."""
    stop = threading.Event()
    pictures = camera.pictures(stop)
    got = list(itertools.islice(pictures, count))
    pictures.close()
    return got


# --- the way it is set up --------------------------------------------------------------------------------------------


def test_it_asks_for_a_fixed_view_in_the_colour_space_opencv_expects(world: World) -> None:
    some(capture(), 1)
    assert world.config["colour_space"] == "Smpte170m"
    assert world.config["main"] == {"size": (128, 96), "format": "RGB888"}
    assert (world.config["buffer_count"], world.config["queue"]) == (4, False)
    assert world.config["display"] is None
    assert world.config["encode"] is None


def test_the_sensor_mode_is_the_smallest_that_sees_the_whole_field(world: World) -> None:
    some(capture(), 1)
    assert world.config["sensor"] == {"output_size": (2304, 1296), "bit_depth": 10}


def test_the_format_read_back_counts_not_the_one_asked_for(world: World) -> None:
    colour = np.full((96, 128, 3), (30, 30, 200), np.uint8)
    i420 = cv2.cvtColor(colour, cv2.COLOR_BGR2YUV_I420)
    nv12 = np.zeros((144, 160), np.uint8)
    nv12[:96, :128] = i420[:96]
    nv12[96:, 0:128:2] = i420[96:120].reshape(48, 64)
    nv12[96:, 1:128:2] = i420[120:].reshape(48, 64)
    world.format, world.stride, world.buffer = "NV12", 160, nv12.reshape(-1)
    (picture,) = some(capture(), 1)
    assert picture.image.shape == (96, 128, 3)
    assert np.abs(picture.image.astype(int) - colour).max() <= 4


def test_a_camera_without_controls_is_not_asked_for_any(world: World) -> None:
    world.controls, world.metadata = {}, {}
    (picture,) = some(capture(), 1)
    assert all(not controls for controls in world.set_controls)
    assert picture.meta["exposure"] == {}


def test_every_wait_has_a_limit_one_request_is_held_and_one_thread_does_it_all(world: World) -> None:
    source = picamera.picamera_source(0, size=world.size)
    frames = source.frames()
    for _ in range(3):
        next(frames)
    frames.close()
    assert None not in world.waits
    assert world.most_held == 1
    assert len(world.threads) == 1
    assert threading.get_ident() not in world.threads
    assert world.calls[-2:] == ["stop", "close"]


def test_times_are_the_sensors_own_from_the_first_picture_on(world: World) -> None:
    first, second = some(capture(), 2)
    assert (first.seq, first.t) == (0, 0.0)
    assert (second.seq, round(second.t, 3)) == (1, 0.1)


# --- light -----------------------------------------------------------------------------------------------------------


def test_exposure_and_gains_are_held_and_told_with_every_picture(world: World) -> None:
    (picture,) = some(capture(), 1)
    assert picture.meta == {
        "exposure": {"ExposureTime": 20_000, "AnalogueGain": 2.3, "ColourGainRed": 1.8, "ColourGainBlue": 1.5},
        "problem": "",
    }
    held = world.set_controls[-1]
    assert held["AeEnable"] is False
    assert held["AwbEnable"] is False
    assert held["ExposureTime"] == 20_000


def test_a_calibrations_exposure_is_used_without_measuring(world: World) -> None:
    camera = capture()
    camera.keep = {"ExposureTime": 10_000.0, "AnalogueGain": 4.0}
    some(camera, 1)
    assert not any(controls.get("AeEnable") for controls in world.set_controls)
    assert world.set_controls[-1] == {"AeEnable": False, "ExposureTime": 10_000, "AnalogueGain": 4.0}


def test_a_camera_that_does_not_hold_the_exposure_is_told_of(world: World) -> None:
    world.obeys = False
    (picture,) = some(capture(), 1)
    assert picture.meta["problem"] == "exposure"


def test_the_light_is_measured_anew_when_asked(world: World) -> None:
    camera = capture()
    pictures = camera.pictures(threading.Event())
    next(pictures)
    world.metadata = {**world.metadata, "ExposureTime": 41_000, "AnalogueGain": 1.0}
    camera.relock()
    assert next(pictures).meta["exposure"]["ExposureTime"] == 40_000
    pictures.close()


@pytest.mark.parametrize(
    ("measured", "hz", "held"),
    [
        ((23_000, 2.0), 50, (20_000, 2.3)),
        ((23_000, 2.0), 60, (24_999, 1.84)),
        ((16_000, 1.0), 50, (10_000, 1.6)),  # 20 ms would need a gain below 1
        ((1_200, 1.0), 50, (1_200, 1.0)),  # daylight: no multiple fits, none is needed
        ((8_000, 1.0), 50, (8_000, 1.0)),
    ],
)
def test_exposure_is_a_multiple_of_the_mains_half_period(
    measured: tuple[float, float], hz: int, held: tuple[float, float]
) -> None:
    limits = {"AnalogueGain": (1.0, 16.0, 1.0)}
    assert picamera_lock.flicker_free(*measured, limits, hz) == pytest.approx(held, rel=2e-3)


def test_autofocus_runs_once_and_then_the_lens_stays(world: World) -> None:
    world.controls |= {"AfMode": (0, 2, 0), "AfTrigger": (0, 1, 0), "LensPosition": (0.0, 32.0, 1.0)}
    world.metadata |= {"AfState": 2, "LensPosition": 1.7}
    some(capture(), 1)
    asked = [controls for controls in world.set_controls if "AfMode" in controls]
    assert [controls["AfMode"] for controls in asked] == [picamera_lock.AF_AUTO, picamera_lock.AF_MANUAL]
    assert asked[-1]["LensPosition"] == 1.7


# --- faults ----------------------------------------------------------------------------------------------------------


def test_after_a_timeout_the_camera_is_flushed_closed_and_opened_anew(world: World) -> None:
    world.silent_after = {1: 14}
    pictures = some(capture(), 30)
    assert [p.seq for p in pictures] == list(range(30))
    at = world.calls.index("flush")
    assert world.calls[at : at + 5] == ["flush", "stop", "close", "open", "configure"]
    assert world.opened == 2


def test_a_new_opening_holds_the_same_light(world: World) -> None:
    world.silent_after = {1: 14}
    pictures = some(capture(), 30)
    assert len({tuple(p.meta["exposure"].items()) for p in pictures}) == 1
    assert sum(controls.get("AeEnable", False) for controls in world.set_controls) == 1


def test_recovery_is_bounded_and_ends_in_a_temporary_fault(world: World) -> None:
    world.always_silent = True
    with pytest.raises(SourceError, match="no picture after opening it 4 times") as fault:
        some(capture(), 1)
    assert fault.value.temporary
    assert world.opened == picamera.RECOVERIES + 1
    assert world.calls.count("flush") == world.calls.count("close") == world.opened


@pytest.mark.parametrize(
    ("number", "setting", "words"),
    [
        (0, {"cameras": 0}, "0 found"),
        (1, {}, "no such camera, 1 found"),
        (0, {"taken": True}, "another program has it"),
    ],
)
def test_a_camera_missing_or_taken_may_come_back(
    world: World, number: int, setting: dict[str, object], words: str
) -> None:
    for name, value in setting.items():
        setattr(world, name, value)
    with pytest.raises(SourceError, match=words) as fault:
        some(capture(number), 1)
    assert fault.value.temporary


def test_two_cameras_do_not_wait_for_each_other(world: World) -> None:
    world.cameras = 2
    stop = threading.Event()
    left, right = capture(0).pictures(stop), capture(1).pictures(stop)
    assert next(left).seq == next(right).seq == 0
    left.close()
    right.close()


def test_a_driver_that_never_returns_is_left_to_the_watchdog(world: World) -> None:
    world.hanging_stop = True
    stop = threading.Event()
    pictures = capture().pictures(stop)
    holder = threading.Thread(target=lambda: (next(pictures), pictures.close()), daemon=True)
    holder.start()
    while "stop" not in world.calls:
        holder.join(0.01)
    with pytest.raises(SourceError, match="must be started again"):
        some(capture(), 1)
    assert "does not come back" in picamera.CAMERA.stuck
    assert picamera.CAMERA.doing() is None
    world.release.set()
    holder.join()


def test_an_unreadable_format_is_said_by_name(world: World) -> None:
    world.format = "SBGGR10"
    with pytest.raises(SourceError, match="SBGGR10, which cannot be read") as fault:
        some(capture(), 1)
    assert not fault.value.temporary


def test_without_picamera2_the_mend_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libcamera", None)
    with pytest.raises(SourceError, match="apt install python3-picamera2") as fault:
        picamera.picamera_source(0)
    assert not fault.value.temporary


# --- pixels ----------------------------------------------------------------------------------------------------------


def padded(rows: np.ndarray, stride: int) -> np.ndarray:
    """Lines with rubbish behind them."""
    wide = np.full((rows.shape[0], stride), 251, np.uint8)
    wide[:, : rows.shape[1]] = rows
    return wide.reshape(-1)


PATCHES = np.zeros((32, 48, 3), np.uint8)
PATCHES[:16, :24] = (30, 30, 200)
PATCHES[:16, 24:] = (200, 60, 30)
PATCHES[16:, :24] = (60, 180, 60)
PATCHES[16:, 24:] = (128, 128, 128)
I420 = cv2.cvtColor(PATCHES, cv2.COLOR_BGR2YUV_I420)


def planar(order: tuple[int, int], stride: int) -> np.ndarray:
    planes = [I420[32 + 8 * i : 40 + 8 * i].reshape(16, 24) for i in order]
    return np.concatenate([padded(I420[:32], stride), *(padded(plane, stride // 2) for plane in planes)])


def semi_planar(order: tuple[int, int], stride: int) -> np.ndarray:
    chroma = np.stack([I420[32 + 8 * i : 40 + 8 * i].reshape(16, 24) for i in order], axis=-1).reshape(16, 48)
    return np.concatenate([padded(I420[:32], stride), padded(chroma, stride)])


def packed(channels: tuple[int, ...], stride: int) -> np.ndarray:
    full = np.dstack([PATCHES, np.full((32, 48), 255, np.uint8)])
    return padded(full[:, :, list(channels)].reshape(32, -1), stride)


@pytest.mark.parametrize(
    ("name", "buffer", "stride"),
    [
        ("YUV420", planar((0, 1), 64), 64),
        ("YVU420", planar((1, 0), 64), 64),
        ("YUV420", planar((0, 1), 48), 48),
        ("NV12", semi_planar((0, 1), 64), 64),
        ("NV21", semi_planar((1, 0), 80), 80),
        ("RGB888", packed((0, 1, 2), 192), 192),
        ("BGR888", packed((2, 1, 0), 160), 160),
        ("XRGB8888", packed((0, 1, 2, 3), 256), 256),
        ("XBGR8888", packed((2, 1, 0, 3), 192), 192),
    ],
)
def test_padding_never_reaches_the_picture(name: str, buffer: np.ndarray, stride: int) -> None:
    image = to_bgr(buffer, (48, 32), stride, name)
    assert image.shape == PATCHES.shape
    assert image.flags.c_contiguous
    assert np.abs(image.astype(int) - PATCHES).max() <= 4


def test_a_buffer_too_short_is_refused() -> None:
    with pytest.raises(SourceError, match="needs 6144 bytes, the camera gave 100"):
        to_bgr(np.zeros(100, np.uint8), (48, 32), 192, "RGB888")


def test_a_camera_without_a_raw_stream_has_no_modes_to_choose_from() -> None:
    class Usb:
        @property
        def sensor_modes(self) -> list[dict[str, object]]:
            raise AttributeError("'NoneType' object has no attribute 'at'")

    assert picamera.sensor_modes(Usb()) == []


def test_a_fault_nobody_foresaw_is_temporary_not_the_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(picamera.PicameraCapture, "_configure", broken)
    monkeypatch.setattr("threading.excepthook", lambda args: None)
    with pytest.raises(SourceError, match="the capture failed") as failure:
        list(picamera.picamera_source(0).frames())
    assert failure.value.temporary
