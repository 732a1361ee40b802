"""A folder of pictures as a film: `frames:DIR`."""

from __future__ import annotations

import csv
import itertools
import logging
import math
import re
from collections.abc import Iterator
from pathlib import Path

from companion.errors import InputError, SourceError
from companion.sources.base import Frame
from companion.sources.decode import PICTURE_SUFFIXES, read_picture

log = logging.getLogger(__name__)

DEFAULT_FPS = 4.0
TIMES_FILE = "frames.csv"


def _name_order(path: Path) -> tuple[tuple[int, int | str], ...]:
    """Name order with numbers compared as numbers, so 9.jpg comes before 10.jpg."""
    parts = re.split(r"(\d+)", path.name.lower())
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in parts)


def _times_from_csv(path: Path) -> dict[str, float]:
    times: dict[str, float] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            if not {"file", "seconds"} <= set(reader.fieldnames or ()):
                raise SourceError(f"{path}: the first line must name the columns file,seconds")
            for row in reader:
                times[row["file"].strip()] = _seconds(row["seconds"], path, reader.line_num)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"{path}: cannot be read as a table of file,seconds ({error})") from None
    return times


def _seconds(text: str | None, path: Path, line: int) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise SourceError(f"{path} line {line}: {text!r} is not a number of seconds")
    return value


class FramesSource:
    """Pictures of a folder in name order; times from frames.csv, else one every 1/fps seconds. Lossless."""

    live = False

    def __init__(self, folder: Path, *, fps: float | None = None) -> None:
        """Raises SourceError if the folder is missing or holds no pictures, or frames.csv is bad."""
        self.name = f"frames:{folder}"
        self._folder = folder
        self._closed = False
        self._entries = self._list(fps or DEFAULT_FPS)

    def _list(self, fps: float) -> tuple[tuple[Path, float], ...]:
        if not self._folder.is_dir():
            raise SourceError(f"{self._folder}: no such folder of pictures")
        files = sorted((p for p in self._folder.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES), key=_name_order)
        if not files:
            raise SourceError(f"{self._folder}: holds no pictures (.jpg, .png …)")
        times_file = self._folder / TIMES_FILE
        if not times_file.exists():
            return tuple((path, i / fps) for i, path in enumerate(files))
        return self._timed(files, times_file)

    def _timed(self, files: list[Path], times_file: Path) -> tuple[tuple[Path, float], ...]:
        times = _times_from_csv(times_file)
        for path in files:
            if path.name not in times:
                log.warning("%s: not in %s, left out", path, TIMES_FILE)
        for name in sorted(set(times) - {path.name for path in files}):
            log.warning("%s: named in %s but not there, left out", self._folder / name, TIMES_FILE)
        entries = [(path, times[path.name]) for path in files if path.name in times]
        if not entries:
            raise SourceError(f"{times_file}: names none of the pictures beside it")
        for (_, t0), (path, t1) in itertools.pairwise(entries):
            if t1 < t0:
                raise SourceError(f"{times_file}: {path.name} is earlier than the picture before it in name order")
        return tuple(entries)

    @property
    def total(self) -> int:
        """How many pictures the folder holds (for a progress bar)."""
        return len(self._entries)

    def frames(self) -> Iterator[Frame]:
        """Every readable picture; a broken one is skipped with a warning and leaves a gap in `seq`."""
        given = 0
        for seq, (path, t) in enumerate(self._entries):
            if self._closed:
                return
            try:
                image = read_picture(path)
            except InputError as error:
                if not self._folder.is_dir():
                    raise SourceError(f"{self._folder}: the folder has gone away") from None
                log.warning("%s, skipped", error)
                continue
            given += 1
            yield Frame(seq, t, image, {"file": path.name})
        if not given:
            raise SourceError(f"{self._folder}: none of its {self.total} pictures can be read")

    def close(self) -> None:
        self._closed = True
