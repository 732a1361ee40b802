"""`companion bench soak`: the whole service on the simulated table for hours, match after match, ten frames a second.

Memory's slope after a warm-up, file descriptors, threads, the log's and the pictures' size, frames' CPU time, and how
many turns of the matches played are missing from the record.
"""

from __future__ import annotations

import difflib
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np

from companion.app import RunOptions, Service, build
from companion.app_sources import HeldFilm, SourcePlan
from companion.bench.rates import rate
from companion.config import Config
from companion.sim.table import SimulatedTable, demo_table
from companion.sources.base import Frame
from companion.table import commands as cmd
from companion.table import events as ev
from companion.table.state import MatchState, Phase

FPS = 10.0
SAMPLE_S = 5.0
WARM_UP = 0.25
"""Share of the run before memory counts: caches fill, nets load."""
SLOPE_LIMIT_MB_H = 1.0
LINGER_S = 6.0
"""Seconds of the last picture after a match: the end is settled and scored."""
PAGE = os.sysconf("SC_PAGE_SIZE")


class EndlessTable:
    """The demo match again and again, in real time; a new match is begun before each."""

    live = True
    name = "soak"

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._stop = threading.Event()
        self.service: Service | None = None
        self.played: list[str] = []

    def frames(self) -> Iterator[Frame]:
        offset = 0.0
        while not self._stop.is_set():
            last = offset
            for frame in self._one_match():
                last = offset + frame.t
                yield Frame(frame.seq, last, frame.image, frame.meta)
            offset = last + 1.0
            self._begin_anew()

    def _one_match(self) -> Iterator[Frame]:
        """One showing of the film and of its last picture."""
        film = HeldFilm(self._table, 0.0, self._calibrated)
        end = self._table.total / self._table.fps + LINGER_S
        for frame in film.frames():
            if frame.t > end or self._stop.is_set():
                return
            yield frame

    def _calibrated(self) -> bool:
        return self.service is not None and self.service.runner.calibration() is not None

    def _begin_anew(self) -> None:
        """Note the match shown, and lay out the next one."""
        if self.service is None or self._stop.is_set():
            return
        runner = self.service.runner
        self.played.append(runner.match_id)
        if runner.view().status != Phase.MATCH_OVER:
            runner.submit(cmd.Abandon())
        script = self._table.script
        runner.submit(cmd.NewMatch(length=script.length, white=script.white, black=script.black))

    def close(self) -> None:
        self._stop.set()


class SoakPlan(SourcePlan):
    """The endless table as the service's source."""

    def __init__(self) -> None:
        self.table = demo_table(fps=FPS)
        super().__init__("demo")
        self.endless = EndlessTable(self.table)

    def open(self, match: MatchState) -> EndlessTable:
        return self.endless


@dataclass(frozen=True, slots=True)
class Sample:
    """The process at one moment: seconds since the start, resident MB, open files, threads, bytes kept."""

    t: float
    rss_mb: float
    files: int
    threads: int
    log_bytes: int
    evidence_bytes: int


def sample(began: float, data: Path) -> Sample:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    log_bytes = sum(path.stat().st_size for path in data.glob("matches.db*"))
    pictures = data / "evidence"
    kept = sum(path.stat().st_size for path in pictures.iterdir()) if pictures.is_dir() else 0
    files = len(os.listdir("/proc/self/fd"))
    return Sample(time.monotonic() - began, pages * PAGE / 1e6, files, threading.active_count(), log_bytes, kept)


@dataclass(slots=True)
class Turns:
    """Turns of the matches shown to their end, and how many are in the record as played."""

    shown: int = 0
    recorded: int = 0
    matches: int = 0
    faults: list[str] = field(default_factory=list)


def turns(service: Service, played: list[str], truth: list[str]) -> Turns:
    found = Turns()
    for match_id in played:
        entries = service.match_log.entries(match_id)
        have = [entry.event.play for entry in entries if isinstance(entry.event, ev.TurnEnded)]
        blocks = difflib.SequenceMatcher(None, truth, have, autojunk=False).get_matching_blocks()
        found.matches += 1
        found.shown += len(truth)
        found.recorded += sum(block.size for block in blocks)
        if not service.match_log.verify(match_id).ok:
            found.faults.append(f"{match_id}: the record does not verify")
    return found


def slope_mb_h(samples: list[Sample]) -> float:
    """Least-squares slope of the resident memory after the warm-up."""
    late = [one for one in samples if one.t >= WARM_UP * samples[-1].t]
    if len(late) < 3:
        return 0.0
    return float(np.polyfit([one.t / 3600 for one in late], [one.rss_mb for one in late], 1)[0])


def summary(samples: list[Sample], found: Turns, cpu_s: float, dropped: int, frames: int) -> dict[str, Any]:
    late = [one for one in samples if one.t >= WARM_UP * samples[-1].t]
    first, last = late[0], samples[-1]
    return {
        "minutes": round(last.t / 60, 1),
        "memory_mb": {"first": round(first.rss_mb, 1), "last": round(last.rss_mb, 1)},
        "memory_slope_mb_h": round(slope_mb_h(samples), 2),
        "files": {"first": first.files, "last": last.files, "most": max(one.files for one in late)},
        "threads": {"first": first.threads, "last": last.threads, "most": max(one.threads for one in late)},
        "log_kb_per_match": round(last.log_bytes / 1e3 / max(1, found.matches), 1),
        "evidence_mb": round(last.evidence_bytes / 1e6, 1),
        "frames": {"looked_at": frames, "dropped": dropped},
        "cpu_ms_per_frame": round(1000 * cpu_s / max(1, frames), 1),
        "matches": found.matches,
        "turns": {"shown": found.shown, "recorded": found.recorded},
        "faults": found.faults,
    }


def soak(minutes: float, data: Path) -> dict[str, Any]:
    """Run the service so long and measure it."""
    plan = SoakPlan()
    service = build(RunOptions(config=Config(), data=data, source="demo", host="127.0.0.1", port=0), plan)
    plan.endless.service = service
    service.start()
    began, cpu = time.monotonic(), time.process_time()
    samples = [sample(began, data)]
    while samples[-1].t < minutes * 60:
        time.sleep(min(SAMPLE_S, max(0.1, minutes * 60 - samples[-1].t)))
        samples.append(sample(began, data))
    cpu = time.process_time() - cpu
    state = service.runner.capture_state()
    truth = [str(event["play"]) for event in plan.table.events if event["type"] == "turn_end"]
    found = turns(service, plan.endless.played, truth)
    found.faults += [line["text"] for line in service.errors.last()]
    service.stop()
    return summary(samples, found, cpu, state.dropped, state.frames)


@click.command("soak")
@click.option("--hours", type=click.FloatRange(0.0, 240.0), default=0.0, help="How long, hours.")
@click.option(
    "--minutes", type=click.FloatRange(0.0), default=0.0, help="… and minutes; together 10 minutes by default."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(hours: float, minutes: float, as_json: bool) -> None:
    """Hours of play: memory, files, threads, log, pictures, missed turns. CPU time includes the simulator's own."""
    with tempfile.TemporaryDirectory() as folder:
        found = soak(hours * 60 + minutes or 10.0, Path(folder))
    if as_json:
        click.echo(json.dumps(found))
        return
    for name, value in found.items():
        click.echo(f"{name:<20} {value}")
    shown, recorded = found["turns"]["shown"], found["turns"]["recorded"]
    click.echo(rate("turns in the record", recorded, shown))
    within = "within" if found["memory_slope_mb_h"] <= SLOPE_LIMIT_MB_H else "ABOVE"
    click.echo(f"memory slope {found['memory_slope_mb_h']} MB/h: {within} the limit of {SLOPE_LIMIT_MB_H:g}")
