"""A webcam through Video4Linux: `v4l2:/dev/video0`."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from companion.errors import SourceError
from companion.sources.live import LiveSource, Picture

_FAILURES = 10  # reads in a row without a picture before the camera counts as gone


class WebcamCapture:
    """Reads a Video4Linux device with OpenCV; the thread that opened it is the only one to touch it."""

    def __init__(self, device: Path, *, size: tuple[int, int], fps: float) -> None:
        self._device = device
        self._size = size
        self._fps = fps

    def _open(self) -> cv2.VideoCapture:
        if not self._device.exists():
            raise SourceError(
                f"{self._device}: no such camera; plug it in (see: v4l2-ctl --list-devices)", temporary=True
            )
        capture = cv2.VideoCapture(str(self._device), cv2.CAP_V4L2)
        if not capture.isOpened():
            capture.release()
            raise SourceError(f"{self._device}: the camera does not open (in use, or no right to it)", temporary=True)
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        capture.set(cv2.CAP_PROP_FPS, self._fps)
        return capture

    def pictures(self, stop: threading.Event) -> Iterator[Picture]:
        capture = self._open()
        start, seq, failures = time.monotonic(), 0, 0
        try:
            while not stop.is_set() and failures < _FAILURES:
                ok, image = capture.read()
                if not ok or image is None:
                    failures += 1
                    continue
                failures = 0
                yield Picture(seq, time.monotonic() - start, np.asarray(image, dtype=np.uint8))
                seq += 1
        finally:
            capture.release()
        if failures:
            raise SourceError(f"{self._device}: the camera gives no more pictures (unplugged?)", temporary=True)

    def interrupt(self) -> None:
        """OpenCV's own read gives up after ten seconds; nothing may touch the device from another thread."""


def webcam_source(device: Path, *, size: tuple[int, int] = (1280, 960), fps: float | None = None) -> LiveSource:
    """A live source over a Video4Linux device. Faults are temporary: a camera may be plugged in again."""
    return LiveSource(f"v4l2:{device}", WebcamCapture(device, size=size, fps=fps or 10.0))
