"""A video file: `video:FILE` or its bare path."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from companion.errors import SourceError
from companion.sources.base import Frame

log = logging.getLogger(__name__)

VIDEO_SUFFIXES = frozenset({".mp4", ".avi", ".mkv", ".mov", ".webm", ".m4v", ".mjpeg", ".mjpg", ".mpg", ".mpeg", ".ts"})
_GUESSED_FPS = 25.0  # only for files that tell no rate


class VideoSource:
    """Every frame of a video file (or at most `fps` of them a second), in order. Lossless: the reader sets the pace."""

    live = False

    def __init__(self, path: Path, *, fps: float | None = None) -> None:
        """Raises SourceError if the file is missing, empty or not a video."""
        self.name = f"video:{path}"
        self._path = path
        self._closed = False
        self._step = 1.0 / fps if fps else 0.0
        capture = self._open()
        self.total = max(0, int(capture.get(cv2.CAP_PROP_FRAME_COUNT)))
        rate = float(capture.get(cv2.CAP_PROP_FPS))
        self._rate = rate if 0.1 < rate < 1000 else _GUESSED_FPS
        capture.release()

    def _open(self) -> cv2.VideoCapture:
        if not self._path.exists():
            raise SourceError(f"{self._path}: no such video")
        if not self._path.is_file():
            raise SourceError(f"{self._path}: not a file; for a folder of pictures write frames:{self._path}")
        if self._path.stat().st_size == 0:
            raise SourceError(f"{self._path}: the video is empty")
        capture = cv2.VideoCapture(str(self._path))
        if not capture.isOpened():
            capture.release()
            raise SourceError(f"{self._path}: not a video that can be read (cut off while recording?)")
        return capture

    def frames(self) -> Iterator[Frame]:
        """Frames with the file's own times; raises SourceError if not even one can be decoded."""
        capture = self._open()
        try:
            yield from self._decode(capture)
        finally:
            capture.release()

    def _decode(self, capture: cv2.VideoCapture) -> Iterator[Frame]:
        seq, due, last = 0, -1.0, -1.0
        while not self._closed and capture.grab():
            t = self._time(capture, seq, last)
            if t + 1e-6 >= due:
                ok, image = capture.retrieve()
                if not ok:
                    break
                due = max(due, t) + self._step if due >= 0 else t + self._step
                yield Frame(seq, t, np.asarray(image, dtype=np.uint8))
            seq, last = seq + 1, t
        if seq == 0 and not self._closed:
            raise SourceError(f"{self._path}: no picture in it can be decoded (cut off or broken video)")
        if not self._closed and seq < 0.98 * self.total:
            log.warning("%s: ends after %d of %d frames (cut off?)", self._path, seq, self.total)

    def _time(self, capture: cv2.VideoCapture, seq: int, last: float) -> float:
        """The file's time stamp, seconds; where it tells none (0 again and again), counted by the rate."""
        t = float(capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000.0
        return t if t > last else max(seq / self._rate, last + 0.5 / self._rate)

    def close(self) -> None:
        self._closed = True
