"""Pictures as evidence (RULES.md I3): JPEGs named by their hash, in a ring of limited size.

The oldest go first; those of a disputed turn (re-roll, illegal play, doubt, correction) are pinned and never dropped.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.record.log import LogError, MatchLog

Image = NDArray[np.uint8]
QUALITY = 85
DEFAULT_CAP = 2 * 1024**3
"""Bytes of pictures kept unless set otherwise."""


class EvidenceStore:
    """The ring of pictures of one data directory; the log keeps its list."""

    def __init__(self, log: MatchLog, folder: Path, cap_bytes: int = DEFAULT_CAP) -> None:
        self.log = log
        self.folder = folder
        self.cap_bytes = cap_bytes

    def keep(self, match_id: str, image: Image, *, pinned: bool = False) -> str:
        """Store a picture and return its name; the same picture twice is stored once. Raises LogError."""
        ok, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if not ok:
            raise LogError("evidence: this picture cannot be written as JPEG")
        data = jpeg.tobytes()
        digest = hashlib.sha256(data).hexdigest()
        name = f"{digest[:32]}.jpg"
        if not self._known(name):
            self._write(name, data)
            number = self._next_number()
            query = "INSERT OR IGNORE INTO evidence VALUES (?, ?, ?, ?, ?, ?)"
            self.log.execute(query, (name, match_id, digest, len(data), int(pinned), number))
        if pinned:
            self.pin((name,))
        self.trim()
        return name

    def pin(self, names: Iterable[str]) -> None:
        """These belong to a disputed turn: never dropped."""
        for name in names:
            self.log.execute("UPDATE evidence SET pinned = 1 WHERE name = ?", (name,))

    def path(self, name: str) -> Path | None:
        """The file of a picture the list knows, None when it was dropped or never was."""
        if not self._known(name):
            return None
        path = self.folder / name
        return path if path.is_file() else None

    def names(self, match_id: str) -> tuple[str, ...]:
        """Pictures kept for a match, oldest first."""
        rows = self.log.rows("SELECT name FROM evidence WHERE match_id = ? ORDER BY number", (match_id,))
        return tuple(str(row[0]) for row in rows)

    def total_bytes(self) -> int:
        """Size of all pictures kept."""
        return int(str(self.log.rows("SELECT coalesce(sum(bytes), 0) FROM evidence")[0][0]))

    def trim(self) -> None:
        """Drop the oldest unpinned pictures until the ring fits its cap."""
        excess = self.total_bytes() - self.cap_bytes
        if excess <= 0:
            return
        for name, size in self.log.rows("SELECT name, bytes FROM evidence WHERE pinned = 0 ORDER BY number"):
            if excess <= 0:
                break
            self._drop(str(name))
            excess -= int(str(size))

    def delete_match(self, match_id: str) -> None:
        """Remove all pictures of a match, pinned or not."""
        for name in self.names(match_id):
            self._drop(name)

    def verify(self, match_id: str) -> tuple[str, ...]:
        """Names of pictures of the match that are not as they were kept (dropped ones are no fault)."""
        query = "SELECT name, sha256 FROM evidence WHERE match_id = ? ORDER BY number"
        return tuple(str(name) for name, digest in self.log.rows(query, (match_id,)) if self._spoilt(str(name), digest))

    def _spoilt(self, name: str, digest: object) -> bool:
        try:
            return hashlib.sha256((self.folder / name).read_bytes()).hexdigest() != digest
        except OSError:
            return True

    def _known(self, name: str) -> bool:
        return bool(self.log.rows("SELECT 1 FROM evidence WHERE name = ?", (name,)))

    def _next_number(self) -> int:
        return int(str(self.log.rows("SELECT coalesce(max(number), 0) + 1 FROM evidence")[0][0]))

    def _drop(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)
        self.log.execute("DELETE FROM evidence WHERE name = ?", (name,))

    def _write(self, name: str, data: bytes) -> None:
        part = self.folder / f"{name}.part"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.folder / name)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise LogError(f"{self.folder}: {error.strerror or error}; free disk space or make it writable") from error
