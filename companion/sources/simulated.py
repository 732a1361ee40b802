"""The simulated table as a source: `demo` and `match:FILE.mat`. The simulator is loaded only when asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from companion.errors import SourceError
from companion.sources.base import Frame, Source
from companion.sources.live import LiveSource, Picture

Place = tuple[int, int]
"""A game (from 0) and how many of its turns are over: where a film is taken up again."""

_MOST_SKIPPED = 3
"""Frames a slow machine leaves out at a time; beyond that the film waits, so that no roll is missed."""


class Film(Protocol):
    """What can be shown frame by frame in any order: the simulated table. `first`: the frame it starts with."""

    name: str
    fps: float
    first: int

    @property
    def total(self) -> int: ...

    def frame(self, seq: int) -> Frame: ...


class RealTimeFilm:
    """Shows a film by the clock on the wall: frames whose time has passed are left out, as a camera would."""

    def __init__(self, film: Film) -> None:
        self._film = film
        self._wake = threading.Event()

    def pictures(self, stop: threading.Event) -> Iterator[Picture]:
        film = self._film
        frame = film.frame(film.first)  # drawn before the clock starts: the first picture takes its time
        start = time.monotonic() - frame.t
        while not stop.is_set():
            yield Picture(frame.seq, frame.t, frame.image, frame.meta)
            due = int((time.monotonic() - start) * film.fps)
            seq = max(frame.seq + 1, min(due, frame.seq + _MOST_SKIPPED))
            if seq >= film.total:
                return
            start += max(0, due - seq) / film.fps
            self._wake.wait(max(0.0, seq / film.fps - (time.monotonic() - start)))
            frame = film.frame(seq)

    def interrupt(self) -> None:
        self._wake.set()


def shown_live(film: Film) -> LiveSource:
    """The film as a live source. It counts as hung only after a minute: the first picture takes its time to draw."""
    return LiveSource(film.name, RealTimeFilm(film), stall_s=60.0)


def demo_source(
    *, live: bool, seed: int | None = None, fps: float | None = None, resume: Place | None = None
) -> Source:
    """The bundled demo match: at real time when `live`, else lossless and as fast as the reader."""
    from companion.sim.table import DEMO_SEED, demo_table

    table = demo_table(seed=DEMO_SEED if seed is None else seed, fps=fps)
    table.start_after(resume)
    return shown_live(table) if live else table


def match_source(
    path: Path, *, live: bool, seed: int | None = None, fps: float | None = None, resume: Place | None = None
) -> Source:
    """A .mat file played on a simulated table. Raises SourceError if it is missing or cannot be played."""
    if not path.is_file():
        raise SourceError(f"{path}: no such match file")
    from companion.sim.table import match_table

    table = match_table(path, seed=seed or 0, fps=fps)
    table.start_after(resume)
    return shown_live(table) if live else table
