"""The Raspberry Pi's camera: `picamera2[:N]`. The only file that imports picamera2 and libcamera, and only when used.

Everything picamera2 does happens in one thread, each waiting call with a time limit, no user code in its callbacks,
one request held at a time: the ways in which the library hangs were reproduced (see docs/raspberry-pi.md).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.errors import SourceError
from companion.sources import picamera_lock as locking
from companion.sources.base import Image
from companion.sources.live import LiveSource, Picture
from companion.sources.patience import CAMERA
from companion.sources.pixels import to_bgr

log = logging.getLogger(__name__)

SIZE = (1280, 960)
FPS = 10.0
WAIT_S = 2.0
"""Longest wait for one picture."""
CLOSE_S = 5.0
"""Stop and close take 0.3 s; beyond this they never return."""
OPEN_S = 10.0
SETTLE_FRAMES = 60
CHECK_FRAMES = 12  # a control takes 7 to 8 pictures to show
RECOVERIES = 3
"""How often in a row the camera is opened anew without a picture before the fault is reported."""
STALL_S = 30.0

_owners: dict[int, threading.Lock] = {}
_owners_lock = threading.Lock()


def _owner(number: int) -> threading.Lock:
    """The right to a camera: held by the thread that opened it, until it has closed it."""
    with _owners_lock:
        return _owners.setdefault(number, threading.Lock())


@dataclass(frozen=True, slots=True)
class Layout:
    """The main stream as the camera really gives it."""

    size: tuple[int, int]
    stride: int
    format: str

    @classmethod
    def read_back(cls, camera: Any) -> Layout:
        """A format that is not to be had is replaced in silence: what counts is the configuration after configure()."""
        main = camera.camera_configuration()["main"]
        width, height = main["size"]
        return cls((int(width), int(height)), int(main["stride"]), str(main["format"]))


def libraries() -> tuple[Any, Any]:
    """picamera2's class and libcamera. SourceError (never temporary) that names the mend when they cannot be loaded."""
    try:
        import libcamera
        from picamera2 import Picamera2
    except ImportError as error:
        raise SourceError(
            f"picamera2: cannot be loaded ({error}); on a Raspberry Pi: sudo apt install python3-picamera2, and a "
            "virtual environment with --system-site-packages (docs/raspberry-pi.md)"
        ) from None
    except ValueError as error:  # numpy's answer to a library built for another numpy
        raise SourceError(
            f"picamera2: built for another numpy ({error}); on Bookworm install with the constraints of "
            "docs/raspberry-pi.md, on Trixie keep the system's numpy"
        ) from None
    return Picamera2, libcamera


def sensor_modes(camera: Any) -> list[dict[str, Any]]:
    """The sensor's modes; none for a camera without a raw stream (USB), where picamera2 fails with AttributeError."""
    try:
        return list(camera.sensor_modes)
    except AttributeError:
        return []


def full_field(modes: list[dict[str, Any]], size: tuple[int, int]) -> dict[str, Any] | None:
    """The smallest sensor mode that sees the whole field and is no smaller than `size`; None when none is told."""
    areas = [(_area(mode), mode) for mode in modes if "size" in mode]
    if not areas:
        return None
    widest = max(area for area, _ in areas)
    whole = [mode for area, mode in areas if area >= 0.98 * widest]
    enough = [m for m in whole if m["size"][0] >= size[0] and m["size"][1] >= size[1]] or whole
    best = min(enough, key=lambda mode: mode["size"][0] * mode["size"][1])
    depth = best.get("bit_depth")
    return {"output_size": tuple(best["size"])} | ({"bit_depth": depth} if depth else {})


def _area(mode: Mapping[str, Any]) -> float:
    crop = mode.get("crop_limits")
    width, height = crop[2:] if crop else mode["size"]
    return float(width) * float(height)


class PicameraCapture:
    """A `Capture` over one camera module. Its thread alone touches the camera, from opening to closing."""

    def __init__(self, number: int, *, size: tuple[int, int], fps: float, mains_hz: int) -> None:
        self.number = number
        self._size = size
        self._fps = fps
        self._mains_hz = mains_hz
        self._relock = threading.Event()
        self.keep: dict[str, float] = {}
        self.problem = ""
        self._seq = 0
        self._start_ns: int | None = None

    @property
    def name(self) -> str:
        return f"picamera2:{self.number}"

    def interrupt(self) -> None:
        """Every wait is short: the thread sees by itself that it shall stop."""

    def relock(self) -> None:
        """Measure the light anew and hold what is found; only between turns, pictures pause meanwhile."""
        self._relock.set()

    # --- the owner's thread ---------------------------------------------------------------------------------------

    def pictures(self, stop: threading.Event) -> Iterator[Picture]:
        owner = _owner(self.number)
        if not owner.acquire(timeout=CLOSE_S):
            why = f"{self.name}: the camera's driver does not come back; the program must be started again"
            CAMERA.give_up(why)
            raise SourceError(why, temporary=True)
        try:
            yield from self._recovering(stop)
        finally:
            owner.release()

    def _recovering(self, stop: threading.Event) -> Iterator[Picture]:
        tries = 0
        while not stop.is_set():
            before = self._seq
            try:
                yield from self._opened(stop)
            except TimeoutError:
                tries = 1 if self._seq > before else tries + 1
                if tries > RECOVERIES:
                    raise SourceError(
                        f"{self.name}: no picture after opening it {RECOVERIES + 1} times; check the ribbon cable",
                        temporary=True,
                    ) from None
                log.warning("%s: no picture for %g s, opening it anew (%d)", self.name, WAIT_S, tries)

    def _opened(self, stop: threading.Event) -> Iterator[Picture]:
        """Pictures of one opening. TimeoutError when they stop; the camera is closed in any case."""
        CAMERA.announce(f"{self.name}: opening", OPEN_S)
        camera = self._open()
        try:
            layout = self._configure(camera)
            self._lock_light(camera, stop)
            while not stop.is_set():
                if self._relock.is_set():
                    self._relock.clear()
                    self.keep = {}
                    self._lock_light(camera, stop)
                yield self._picture(camera, layout)
        except RuntimeError as error:
            raise SourceError(f"{self.name}: {error}", temporary=True) from None
        finally:
            self._shut(camera)

    def _open(self) -> Any:
        factory, _ = libraries()
        known = len(factory.global_camera_info())
        if self.number >= known:
            raise SourceError(
                f"{self.name}: no such camera, {known} found; check the ribbon cable (rpicam-hello --list-cameras)",
                temporary=True,
            )
        try:
            return factory(self.number)
        except (RuntimeError, IndexError) as error:
            raise SourceError(
                f"{self.name}: does not open ({error}); another program has it, or its cable is loose", temporary=True
            ) from None

    def _configure(self, camera: Any) -> Layout:
        _, libcamera = libraries()
        options: dict[str, Any] = {
            "main": {"size": self._size, "format": "RGB888"},
            "buffer_count": 4,
            "queue": False,
            "display": None,
            "encode": None,
            "colour_space": libcamera.ColorSpace.Smpte170m(),
        }
        sensor = full_field(sensor_modes(camera), self._size)
        if sensor:
            options["sensor"] = sensor
        camera.configure(camera.create_video_configuration(**options))
        layout = Layout.read_back(camera)
        if (layout.size, layout.format) != (self._size, "RGB888"):
            log.info("%s: gives %s %dx%d, lines of %d bytes", self.name, layout.format, *layout.size, layout.stride)
        period = int(1e6 / self._fps)
        camera.set_controls(locking.supported({"FrameDurationLimits": (period, period)}, camera.camera_controls))
        camera.start()
        return layout

    def _lock_light(self, camera: Any, stop: threading.Event) -> None:
        """Hold the kept values, or what the automatics settle on; then see in the metadata whether it is held."""
        limits = camera.camera_controls
        CAMERA.announce(f"{self.name}: measuring the light", WAIT_S + (SETTLE_FRAMES + CHECK_FRAMES) / self._fps)
        if not self.keep:
            self.keep = locking.locked_values(self._settle(camera, stop), limits, self._mains_hz)
        camera.set_controls(locking.as_controls(self.keep, limits))
        self.problem = ""
        for _ in range(CHECK_FRAMES):
            if stop.is_set() or locking.taken(self.keep, self._metadata(camera)):
                return
        self.problem = "exposure"
        log.warning("%s: does not hold the exposure asked for", self.name)

    def _settle(self, camera: Any, stop: threading.Event) -> dict[str, Any]:
        limits = camera.camera_controls
        focus = {"AfMode": locking.AF_AUTO, "AfTrigger": locking.AF_TRIGGER_START}
        camera.set_controls(locking.supported({**locking.AUTO, **focus}, limits))
        settling = locking.Settling()
        metadata: dict[str, Any] = {}
        for _ in range(SETTLE_FRAMES):
            metadata = self._metadata(camera)
            if stop.is_set() or settling.settled(metadata):
                break
        return metadata

    def _metadata(self, camera: Any) -> dict[str, Any]:
        try:
            with camera.captured_request(wait=WAIT_S) as request:
                return dict(request.get_metadata())
        except TimeoutError:
            self._flush(camera)
            raise

    def _picture(self, camera: Any, layout: Layout) -> Picture:
        try:
            with camera.captured_request(wait=WAIT_S) as request:
                buffer = np.asarray(request.make_buffer("main"), np.uint8)
                metadata = dict(request.get_metadata())
        except TimeoutError:
            self._flush(camera)
            raise
        return self._as_picture(to_bgr(buffer, layout.size, layout.stride, layout.format), metadata)

    def _as_picture(self, image: Image, metadata: Mapping[str, Any]) -> Picture:
        """Times are the sensor's own (monotonic ns), from the first picture on; also over openings."""
        stamp = int(metadata.get("SensorTimestamp", 0))
        if self._start_ns is None:
            self._start_ns = stamp
        seq, self._seq = self._seq, self._seq + 1
        meta = {"exposure": dict(self.keep), "problem": self.problem}
        return Picture(seq, (stamp - self._start_ns) / 1e9, image, meta)

    def _flush(self, camera: Any) -> None:
        """The job that timed out would still take a request, which nobody gives back: the camera would starve."""
        CAMERA.announce(f"{self.name}: silent, opening it anew", CLOSE_S)
        camera.cancel_all_and_flush()

    def _shut(self, camera: Any) -> None:
        """Stop and close. Either may never return: then nothing more is announced, and the watchdog acts."""
        CAMERA.announce(f"{self.name}: closing", CLOSE_S)
        try:
            camera.stop()
        except RuntimeError as error:
            log.warning("%s: %s", self.name, error)
        try:
            camera.close()
        except RuntimeError as error:
            log.warning("%s: %s", self.name, error)


class PicameraSource(LiveSource):
    """The live source of a camera module, whose light can be held and measured anew."""

    def __init__(self, capture: PicameraCapture) -> None:
        super().__init__(capture.name, capture, stall_s=STALL_S)
        self.camera = capture

    def hold(self, exposure: Mapping[str, float]) -> None:
        """Before `frames()`: use these values (`Calibration.exposure`) instead of measuring the light."""
        self.camera.keep = dict(exposure)

    def relock(self) -> None:
        """Measure the light anew with the next picture. Only between turns: colours may change a little."""
        self.camera.relock()


def picamera_source(
    number: int, *, size: tuple[int, int] = SIZE, fps: float = FPS, mains_hz: int = 50
) -> PicameraSource:
    """Camera module `number` (0, 1). `mains_hz`: 50 or 60, against flicker. SourceError when picamera2 is not there."""
    libraries()
    return PicameraSource(PicameraCapture(number, size=size, fps=fps, mains_hz=mains_hz))
