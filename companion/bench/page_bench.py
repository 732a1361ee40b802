"""`companion bench page`: how fast the page is while the whole service runs on the simulated table.

Measured with viewers in another process: push (from the new view to the viewer), GET during a rush for streams, the
stop with open streams, and what twenty starts and stops leave behind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from companion.app import RunOptions, Service, build
from companion.config import Config
from companion.web.stream import StreamHub

VIEWERS = 50
RUSH = 200
CYCLES = 20
LIMIT_MS = 50.0


class PushTimes:
    """Notes when each revision of the view was there to be pushed."""

    def __init__(self, service: Service) -> None:
        self.published: dict[int, float] = {}
        self._runner = service.runner
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        revision = -1
        while not self._stop.is_set():
            view = self._runner.wait(revision, 0.5)
            if view.revision != revision:
                revision = view.revision
                self.published[revision] = time.monotonic()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


@contextmanager
def running(source: str) -> Iterator[Service]:
    """The whole service on a free port, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        service = build(RunOptions(config=Config(), data=Path(folder), source=source, host="127.0.0.1", port=0))
        service.start()
        try:
            yield service
        finally:
            service.stop()


def others(what: str, service: Service, count: int, seconds: float) -> dict[str, Any]:
    """What another process sees of the page."""
    command = [sys.executable, "-m", "companion.bench.page_viewers", what, str(service.server.port), str(count)]
    done = subprocess.run([*command, str(seconds)], check=True, capture_output=True, timeout=seconds + 120)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def quantiles_ms(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {"n": 0}
    p50, p95, worst = np.quantile(np.array(seconds) * 1000, [0.5, 0.95, 1.0])
    return {"n": len(seconds), "p50": round(float(p50), 2), "p95": round(float(p95), 2), "max": round(float(worst), 2)}


def push(service: Service, seconds: float) -> dict[str, Any]:
    """Milliseconds from a new view to each of fifty viewers."""
    noted = PushTimes(service)
    found = others("watch", service, VIEWERS, seconds)
    noted.stop()
    late = [at - noted.published[revision] for revision, at in found["seen"] if revision in noted.published]
    return {**quantiles_ms([max(0.0, value) for value in late]), "viewers": found["viewers_left"]}


def rush(service: Service, seconds: float) -> dict[str, Any]:
    """GET while two hundred want a stream."""
    found = others("read", service, RUSH, seconds)
    return {**quantiles_ms(found["took"]), "let_in": found["let_in"], "sent_away": found["sent_away"]}


def gone(service: Service) -> float:
    """Seconds until every viewer that closed its connection is forgotten."""
    hub: StreamHub = service.app.extensions["companion"].hub
    began = time.monotonic()
    while hub.viewers and time.monotonic() - began < 60:
        time.sleep(0.05)
    return round(time.monotonic() - began, 2)


def stop_with_streams(source: str) -> float:
    """Seconds `stop` takes with open streams."""
    with running(source) as service:
        watcher = threading.Thread(target=others, args=("watch", service, VIEWERS, 8.0))
        watcher.start()
        hub: StreamHub = service.app.extensions["companion"].hub
        while hub.viewers < VIEWERS and watcher.is_alive():
            time.sleep(0.05)
        began = time.monotonic()
        service.stop()
        took = time.monotonic() - began
        watcher.join()
    return round(took, 2)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def cycles(source: str, count: int = CYCLES) -> dict[str, int]:
    """Threads and open files more than after the first start and stop."""
    with running(source):
        pass
    threads, files = threading.active_count(), open_files()
    for _ in range(count):
        with running(source):
            pass
    settle = time.monotonic() + 10
    while threading.active_count() > threads and time.monotonic() < settle:
        time.sleep(0.1)
    return {"cycles": count, "threads": threading.active_count() - threads, "files": open_files() - files}


def times(found: dict[str, Any]) -> str:
    return f"p95 {found.get('p95')} ms, p50 {found.get('p50')} ms, n = {found['n']} (limit {LIMIT_MS:g})"


def report(result: dict[str, Any]) -> str:
    pushed, got, left = result["push_ms"], result["get_ms"], result["cycles"]
    return "\n".join(
        (
            f"push to {pushed['viewers']} viewers: {times(pushed)}",
            f"GET while {RUSH} want a stream ({got['let_in']} let in, {got['sent_away']} sent away): {times(got)}",
            f"viewers that closed are gone after {result['gone_s']} s (limit 30)",
            f"stop with {VIEWERS} open streams: {result['stop_s']} s (limit 3)",
            f"{left['cycles']} starts and stops leave {left['threads']} threads and {left['files']} open files more",
        )
    )


@click.command()
@click.option("--seconds", default=20.0, show_default=True, help="Time of each measurement.")
@click.option("--source", default="demo", show_default=True, help="What the pipeline works on meanwhile.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")
def command(seconds: float, source: str, as_json: bool) -> None:
    """Latency of the page under viewers while the pipeline runs; limits are those of the issue."""
    with running(source) as service:
        result: dict[str, Any] = {"push_ms": push(service, seconds), "gone_s": gone(service)}
        result["get_ms"] = rush(service, seconds / 2)
    result["stop_s"] = stop_with_streams(source)
    result["cycles"] = cycles(source)
    click.echo(json.dumps(result) if as_json else report(result))
