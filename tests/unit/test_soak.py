"""The soak's arithmetic: memory's slope after the warm-up, what is summed up, turns missing from a record."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.bench.soak_bench import Sample, sample, slope_mb_h, summary, turns
from companion.record.log import LOG_FILE, MatchLog
from companion.table import events as ev


def run(grow_mb_h: float, threads: int = 20) -> list[Sample]:
    """An hour: memory leaps while it warms up, then grows steadily."""
    return [
        Sample(t, 500 + grow_mb_h * t / 3600 - (200 if t < 600 else 0), 14, threads, 10_000, 0)
        for t in range(0, 3601, 60)
    ]


@pytest.mark.parametrize("grow", [0.0, 0.5, 12.0])
def test_the_slope_is_that_after_the_warm_up(grow: float) -> None:
    assert slope_mb_h(run(grow)) == pytest.approx(grow, abs=1e-6)


def test_a_sample_is_of_this_process(tmp_path: Path) -> None:
    (tmp_path / "matches.db").write_bytes(b"x" * 100)
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "a.jpg").write_bytes(b"x" * 40)
    found = sample(0.0, tmp_path)
    assert found.rss_mb > 10
    assert found.threads >= 1
    assert (found.log_bytes, found.evidence_bytes) == (100, 40)


def test_turns_missing_from_a_record_are_counted(tmp_path: Path) -> None:
    log = MatchLog(tmp_path / LOG_FILE)
    end = {"side": "white", "dice": (3, 1), "before": "", "after": "", "legal": True}
    log.append("m", [ev.TurnEnded(play=play, **end) for play in ("8/5 6/5", "13/10")])
    found = turns(SimpleNamespace(match_log=log), ["m"], ["8/5 6/5", "24/18", "13/10"])
    assert (found.shown, found.recorded, found.faults) == (3, 2, [])
    told = summary(run(0.0), found, cpu_s=36.0, dropped=3, frames=3600)
    assert told["cpu_ms_per_frame"] == 10.0
    assert told["turns"] == {"shown": 3, "recorded": 2}
    assert told["threads"] == {"first": 20, "last": 20, "most": 20}
    log.close()
