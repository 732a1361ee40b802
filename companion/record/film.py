"""The film of a match for a later `transcribe`: JPEGs and their times in a folder, `frames:DIR` reads it again."""

from __future__ import annotations

import logging
from pathlib import Path

import cv2

from companion.errors import InputError
from companion.sources.base import Frame

log = logging.getLogger(__name__)
EVERY_S = 0.2
"""At most five pictures a second of film time."""
QUALITY = 88
TIMES = "frames.csv"


class FilmWriter:
    """Writes until `cap_bytes` are reached, then stops and says so. A folder in use is gone on with."""

    def __init__(self, folder: Path, cap_bytes: int) -> None:
        self.folder = folder
        self.cap_bytes = cap_bytes
        try:
            folder.mkdir(parents=True, exist_ok=True)
            pictures = list(folder.glob("*.jpg"))
            self._bytes = sum(path.stat().st_size for path in pictures)
            self._next = max((int(path.stem) for path in pictures if path.stem.isdigit()), default=-1) + 1
            new = not (folder / TIMES).exists()
            self._times = (folder / TIMES).open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(f"--record {folder}: cannot be written ({error.strerror}); name another folder") from error
        if new:
            self._times.write("file,seconds\n")
        self._last_t = -1e9
        self.full = False

    def write(self, frame: Frame) -> None:
        """Keep this frame unless it comes too soon or the cap is reached. A full disk ends the film, not the match."""
        if self.full or frame.t - self._last_t < EVERY_S:
            return
        ok, jpeg = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if not ok:
            return
        data = jpeg.tobytes()
        if self._bytes + len(data) > self.cap_bytes:
            self._end(f"the film has reached its cap of {self.cap_bytes / 1e9:g} GB")
            return
        try:
            self._keep(frame.t, data)
        except OSError as error:
            self._end(f"{self.folder}: {error.strerror}; the film ends here")

    def _keep(self, t: float, data: bytes) -> None:
        name = f"{self._next:08d}.jpg"
        (self.folder / name).write_bytes(data)
        self._times.write(f"{name},{t:.3f}\n")
        self._times.flush()
        self._last_t = t
        self._next += 1
        self._bytes += len(data)

    def _end(self, why: str) -> None:
        self.full = True
        log.warning("%s", why)

    def close(self) -> None:
        self._times.close()
