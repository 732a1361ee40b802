"""A table in a process of its own that is killed with SIGKILL at random points, and the check of what it left behind.

As a program: `python killedtable.py DATA` plays the demo match from where the log of DATA stands, read by its truth,
and prints `match_id seq` for whatever is acknowledged (seen in the view, hence on disk).
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
FPS = 4
PACE_S = 0.004
"""Pause after a frame: the match takes some seconds, so that kills fall everywhere."""


def play(data: Path) -> None:
    """The child: the table with a log and evidence, paced, until the match is over."""
    import time

    from test_runner import CALIBRATION, MATCH
    from truthreader import TruthFilm, TruthReader

    from companion.record.evidence import EvidenceStore
    from companion.record.log import MatchLog
    from companion.sim.table import demo_table
    from companion.table.runner import TableRunner

    class Paced(TruthFilm):
        def frames(self):  # type: ignore[no-untyped-def]
            for frame in super().frames():
                yield frame
                time.sleep(PACE_S)

    demo = demo_table()
    log = MatchLog(data / "matches.db")
    runner = TableRunner(
        lambda match: Paced(demo, FPS, start=match.t if match.started else 0.0),
        log,
        lambda _: TruthReader(),
        calibration=CALIBRATION,
        evidence=EvidenceStore(log, data / "evidence", cap_bytes=3_000_000),
        begin=MATCH,
    )
    print("up", runner.match_id, runner.view().seq, flush=True)
    runner.start()
    said = -1
    while runner.view().status != "match_over":
        view = runner.wait(runner.view().revision, 0.05)
        if view.seq != said:
            said = view.seq
            print("ack", view.match_id, view.seq, flush=True)
    print("over", runner.match_id, runner.view().seq, flush=True)
    runner.stop()
    log.close()


@dataclass
class Killed:
    """What one life of the process acknowledged before it was killed, or that its match was over."""

    match_id: str = ""
    taken_up: int = -1  # the last event at its start
    acknowledged: int = -1
    over: bool = False
    lines: list[str] = field(default_factory=list)


def live_and_die(data: Path, after_s: float) -> Killed:
    """Start the table, kill it `after_s` seconds after it is up (or when its match is over), read what it said."""
    process = subprocess.Popen([sys.executable, __file__, str(data)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = Killed()
    timer = threading.Timer(after_s, process.kill)
    try:
        for line in process.stdout:
            found.lines.append(line.strip())
            word, match_id, seq = line.split()
            if word == "up":
                found.match_id, found.taken_up = match_id, int(seq)
                timer.start()
            else:
                found.acknowledged = int(seq)
                found.over = word == "over"
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
    return found


def check(data: Path, life: Killed, before: tuple[str, ...]) -> tuple[str, ...]:
    """Every event acknowledged is there, without a gap, the chain whole, nothing of before changed. The hashes now."""
    from companion.record.log import MatchLog

    log = MatchLog(data / "matches.db")
    try:
        entries = log.entries(life.match_id)
        verdict = log.verify(life.match_id)
    finally:
        log.close()
    hashes = tuple(entry.hash for entry in entries)
    assert [entry.seq for entry in entries] == list(range(len(entries))), "the log has a gap"
    assert len(entries) > life.acknowledged, f"event {life.acknowledged} was acknowledged and is lost"
    assert life.taken_up == len(before) - 1 or not before, "the match was not taken up where it stood"
    assert hashes[: len(before)] == before, "an older event is not as it was"
    assert verdict.ok, verdict.fault
    return hashes


def kill_many(folder: Path, kills: int, seed: int, longest_s: float = 2.5) -> list[tuple[str, Path]]:
    """Kill running tables `kills` times in all, match after match. The matches and the folders they lie in."""
    rng = random.Random(seed)
    matches: list[tuple[str, Path]] = []
    done, data, hashes = 0, folder / "0", ()
    while done < kills:
        data.mkdir(parents=True, exist_ok=True)
        life = live_and_die(data, rng.uniform(0.0, longest_s))
        hashes = check(data, life, hashes)
        done += not life.over
        if life.over:
            matches.append((life.match_id, data))
            data, hashes = folder / str(len(matches)), ()
    life = live_and_die(data, 120.0)
    check(data, life, hashes)
    assert life.over, "after the last kill the match does not go on to its end"
    return [*matches, (life.match_id, data)]


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    play(Path(sys.argv[1]))
