"""A picamera2 that fails in the ways the real one was seen to fail (docs/raspberry-pi.md), without a camera."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

HANG_S = 20.0  # far longer than any test lets the driver take


@dataclass
class World:
    """What the fake hardware does, and what was done to it."""

    cameras: int = 1
    format: str = "RGB888"
    size: tuple[int, int] = (128, 96)
    stride: int = 448
    buffer: np.ndarray | None = None
    controls: dict[str, tuple[Any, Any, Any]] = field(
        default_factory=lambda: {
            "AeEnable": (False, True, True),
            "AwbEnable": (False, True, True),
            "ExposureTime": (100, 200_000, 10_000),
            "AnalogueGain": (1.0, 16.0, 1.0),
            "ColourGains": (0.0, 32.0, None),
            "FrameDurationLimits": (8_000, 1_000_000, 33_333),
        }
    )
    metadata: dict[str, Any] = field(
        default_factory=lambda: {"ExposureTime": 23_000, "AnalogueGain": 2.0, "ColourGains": (1.8, 1.5)}
    )
    obeys: bool = True
    silent_after: dict[int, int] = field(default_factory=dict)  # opening -> pictures before it falls silent
    always_silent: bool = False
    taken: bool = False
    release: threading.Event = field(default_factory=threading.Event)
    hanging_stop: bool = False
    opened: int = 0
    calls: list[str] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)
    waits: list[float | None] = field(default_factory=list)
    held: int = 0
    most_held: int = 0
    config: dict[str, Any] = field(default_factory=dict)
    set_controls: list[dict[str, Any]] = field(default_factory=list)


class Request:
    def __init__(self, world: World, number: int) -> None:
        self._world, self._number = world, number

    def make_buffer(self, name: str) -> np.ndarray:
        assert name == "main"
        if self._world.buffer is not None:
            return self._world.buffer
        return np.full(self._world.stride * self._world.size[1], 7, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return {**self._world.metadata, "SensorTimestamp": 10_000_000_000 + self._number * 100_000_000}


def make(world: World) -> type:
    """The class Picamera2 of this world."""

    class Picamera2:
        _number = 0

        @staticmethod
        def global_camera_info() -> list[dict[str, Any]]:
            return [{"Num": n} for n in range(world.cameras)]

        def __init__(self, number: int) -> None:
            self._note("open")
            if world.taken:
                raise RuntimeError("Camera __init__ sequence did not complete.")
            world.opened += 1
            self._given = 0
            self._stale = False
            self.camera_controls = world.controls
            self.sensor_modes = [
                {"size": (640, 480), "crop_limits": (1000, 700, 1280, 960), "bit_depth": 10},
                {"size": (2304, 1296), "crop_limits": (0, 0, 4608, 2592), "bit_depth": 10},
                {"size": (4608, 2592), "crop_limits": (0, 0, 4608, 2592), "bit_depth": 10},
            ]

        def _note(self, call: str) -> None:
            world.calls.append(call)
            world.threads.add(threading.get_ident())

        def create_video_configuration(self, **options: Any) -> dict[str, Any]:
            return options

        def configure(self, config: dict[str, Any]) -> None:
            self._note("configure")
            world.config = config

        def camera_configuration(self) -> dict[str, Any]:
            return {"main": {"size": world.size, "stride": world.stride, "format": world.format}}

        def set_controls(self, controls: dict[str, Any]) -> None:
            self._note("set_controls")
            for name in controls:
                if name not in world.controls:
                    raise RuntimeError(f"Control {name} is not advertised by libcamera")
            world.set_controls.append(controls)
            if world.obeys:
                shown = {k: v for k, v in controls.items() if k in ("ExposureTime", "AnalogueGain")}
                world.metadata = {**world.metadata, **shown}

        def start(self) -> None:
            self._note("start")

        @contextmanager
        def captured_request(self, wait: float | None = None) -> Iterator[Request]:
            self._note("capture")
            world.waits.append(wait)
            left = world.silent_after.get(world.opened)
            if self._stale or world.always_silent or (left is not None and self._given >= left):
                self._stale = True
                if wait is None:
                    world.release.wait(HANG_S)
                raise TimeoutError
            Picamera2._number += 1
            self._given += 1
            world.held += 1
            world.most_held = max(world.most_held, world.held)
            try:
                yield Request(world, Picamera2._number)
            finally:
                world.held -= 1

        def cancel_all_and_flush(self) -> None:
            self._note("flush")

        def stop(self) -> None:
            self._note("stop")
            if world.hanging_stop:
                world.release.wait(HANG_S)

        def close(self) -> None:
            self._note("close")

    return Picamera2


def install(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    """Put picamera2 and libcamera of this world where imports find them."""
    picamera2 = types.ModuleType("picamera2")
    picamera2.Picamera2 = make(world)  # type: ignore[attr-defined]
    libcamera = types.ModuleType("libcamera")
    libcamera.ColorSpace = types.SimpleNamespace(Smpte170m=lambda: "Smpte170m")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", picamera2)
    monkeypatch.setitem(sys.modules, "libcamera", libcamera)
