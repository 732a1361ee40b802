"""The match log: append-only, contiguous, chained, whole after a kill; a fault is one clear line."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from companion.record.log import LogError, MatchLog
from companion.table import events as ev

START = ev.MatchStarted(match_id="m1", length=5, white="Ada", black="Bob", profile="classic")
ROLL = ev.Rolled(side="white", dice=(3, 1), t=4.5, frame=12, evidence=("a.jpg",))


@pytest.fixture
def log(tmp_path: Path) -> MatchLog:
    return MatchLog(tmp_path / "matches.db")


def test_what_was_appended_comes_back_equal_and_numbered(log: MatchLog) -> None:
    log.append("m1", [START])
    log.append("m1", [ROLL, ev.Undone(to_seq=0)])
    assert [(e.seq, e.event) for e in log.entries("m1")] == [(0, START), (1, ROLL), (2, ev.Undone(to_seq=0))]
    assert [e.seq for e in log.entries("m1", after=0)] == [1, 2]


def test_matches_are_listed_newest_first_and_found_by_prefix(log: MatchLog) -> None:
    log.append("m1", [START])
    log.append("n2", [ev.MatchStarted(match_id="n2", length=0, white="C", black="D", profile="money")])
    assert [(m.match_id, m.white, m.length, m.events) for m in log.matches()] == [
        ("n2", "C", 0, 1),
        ("m1", "Ada", 5, 1),
    ]
    assert (log.find("n"), log.find("last"), log.last_match()) == ("n2", "n2", "n2")
    with pytest.raises(LogError, match="no such match"):
        log.find("x")


def test_each_kind_of_event_survives_the_round_trip(log: MatchLog) -> None:
    events = [
        START,
        ev.GameStarted(game=1, crawford=True, start="abc", on_roll="black", cube=2, cube_owner="white"),
        ev.OpeningRolled(white=3, black=1),
        ev.RerollCalled(side=None, reason="cocked", dice_states=("flat", "cocked"), rules=("B4",)),
        ev.TurnEnded(side="white", dice=(3, 1), before="a", after="b", legal=True, play="8/5 6/5"),
        ev.IllegalSeen(side="black", dice=(6, 5), before="a", after="b", what="w", rules=("C2",), final=True),
        ev.Corrected(turn=3, after="x"),
        ev.GameEnded(winner="white", points=2, kind="gammon"),
        ev.MatchEnded(winner=None, score=(1, 2)),
        ev.ClockPressed(side="white", left=(120.0, 3.5)),
        ev.Doubt(doubt_id="d1", about="play", alternatives=("8/5", "6/3")),
    ]
    log.append("m1", events)
    assert [e.event for e in log.entries("m1")] == events


def test_an_untouched_record_verifies_and_any_change_is_found(log: MatchLog) -> None:
    log.append("m1", [START, ROLL, ROLL])
    assert log.verify("m1").ok
    with sqlite3.connect(log.path) as db:
        db.execute("""UPDATE event SET body = replace(body, '[3,1]', '[6,6]') WHERE seq = 1""")
    assert "event 1 is not as it was written" in log.verify("m1").fault
    with sqlite3.connect(log.path) as db:
        db.execute("DELETE FROM event WHERE seq = 1")
    assert "event 1 is missing" in log.verify("m1").fault


def test_a_file_that_is_no_log_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "matches.db").write_bytes(b"this is not a database, not at all" * 40)
    with pytest.raises(LogError, match=r"matches\.db: file is not a database"):
        MatchLog(tmp_path / "matches.db")


def test_a_log_of_a_newer_version_is_refused(log: MatchLog) -> None:
    log.close()
    with sqlite3.connect(log.path) as db:
        db.execute("PRAGMA user_version=99")
    with pytest.raises(LogError, match="newer version"):
        MatchLog(log.path)


def test_an_acknowledged_event_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "matches.db"
    code = textwrap.dedent("""
        import sys
        from pathlib import Path
        from companion.record.log import MatchLog
        from companion.table import events as ev
        log = MatchLog(Path(sys.argv[1]))
        for n in range(100000):
            log.append("m1", [ev.Rolled(side="white", dice=(1, 2), frame=n)])
            print(n, flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(20)]
        os.kill(writer.pid, signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
    log = MatchLog(path)
    assert log.verify("m1").ok
    assert len(log.entries("m1")) >= len(acknowledged)


def test_deleting_a_match_leaves_the_others(log: MatchLog) -> None:
    log.append("m1", [START])
    log.append("m2", [START])
    log.delete("m1")
    assert [m.match_id for m in log.matches()] == ["m2"]
    assert log.entries("m1") == ()
