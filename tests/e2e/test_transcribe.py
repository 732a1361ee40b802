"""`companion transcribe` from frames to record: events as CONTRACT.md has them, resumable, honest about doubts.

The turn logic sees the simulated table by its truth (fast, every rate); one short film goes through the real vision.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from tablebench import REAL
from truthreader import TruthFilm, TruthReader

from companion.cli_record import matches, transcribe
from companion.errors import CalibrationError, InputError
from companion.rules.ids import gnu_position_id
from companion.rules.notation.mat import read_mat
from companion.rules.position import START, Side
from companion.rules.record import Play
from companion.sim.table import SimulatedTable, demo_table
from companion.transcribe import Job, Resume, Transcriber, joined_position
from companion.vision.types import Calibration, ColourModel

GREY = ColourModel(mean=(128, 128, 128), std=(9, 9, 9))
BOARD = Calibration(
    image_size=(320, 240),
    corners=((10, 10), (310, 10), (310, 230), (10, 230)),
    white_side="bottom",
    home="right",
    aspect=0.8,
    bar=(0.48, 0.52),
    white=GREY,
    black=GREY,
    checker_diameter=0.08,
    checker_height=0.02,
)


@pytest.fixture(scope="module")
def demo() -> SimulatedTable:
    return demo_table()


def transcribed(demo: SimulatedTable, fps: float, reader: Any = None, **how: Any) -> tuple[list[dict[str, Any]], str]:
    sink = io.StringIO()
    job = Job(source="demo", length=demo.script.length, white="Ada", black="Bob")
    worker = Transcriber(job, lambda _: reader or TruthReader(), BOARD, sink=sink, **how)
    transcript = worker.run(TruthFilm(demo, fps))
    return [json.loads(line) for line in sink.getvalue().splitlines()], transcript.mat()


def true_turns(demo: SimulatedTable) -> list[tuple[str, list[int], str]]:
    ends = [event for event in demo.events if event["type"] == "turn_end"]
    return [(e["side"].value, sorted(e["dice"]), gnu_position_id(e["after"], e["side"])) for e in ends]


def told_turns(events: list[dict[str, Any]]) -> list[tuple[str, list[int], str]]:
    return [(e["side"], sorted(e["dice"]), e["after"]) for e in events if e["type"] == "turn_end"]


@pytest.mark.parametrize("fps", [1, 2, 5, 15])
def test_the_whole_demo_match_is_written_down_at_any_frame_rate(demo: SimulatedTable, fps: float) -> None:
    events, mat = transcribed(demo, fps)
    assert told_turns(events) == true_turns(demo)
    record = read_mat(mat)
    plays = [action for game in record.games for action in game.actions if isinstance(action, Play)]
    assert len(plays) == len(true_turns(demo))
    assert (record.white, record.black, record.length) == ("Ada", "Bob", demo.script.length)


def test_events_are_as_the_contract_says(demo: SimulatedTable) -> None:
    events, _ = transcribed(demo, 2)
    assert events[0]["type"] == "game_start"
    assert [e["t"] for e in events] == sorted(e["t"] for e in events)
    kinds = {e["type"] for e in events}
    assert {"opening_roll", "roll", "reroll", "turn_end", "double", "game_end", "match_end"} <= kinds
    end = next(e for e in events if e["type"] == "turn_end")
    assert {"side", "dice", "before", "after", "legal", "play", "rules", "t", "frame"} <= set(end)
    assert end["before"] == gnu_position_id(START, Side.WHITE)


def test_incidents_are_named_once_each(demo: SimulatedTable) -> None:
    events, _ = transcribed(demo, 5)
    told = [(e["type"], e.get("reason")) for e in events if e["type"] == "reroll"]
    true = [(e["type"], e["reason"]) for e in demo.events if e["type"] == "reroll"]
    assert told == true
    assert sum(e["type"] == "illegal" for e in events) == sum(e["type"] == "illegal" for e in demo.events)


def test_misreadings_accuse_nobody(demo: SimulatedTable) -> None:
    planted = sum(e["type"] == "illegal" for e in demo.events)
    for seed in range(3):
        events, _ = transcribed(demo, 2, TruthReader(REAL, seed))
        assert sum(e["type"] == "illegal" for e in events) <= planted
        assert all(e["legal"] for e in events if e["type"] == "turn_end")


class Cut(Exception):
    """The process dies here."""


def test_a_run_that_was_cut_off_goes_on_where_it_was(demo: SimulatedTable, tmp_path: Path) -> None:
    job = Job(source="demo", length=demo.script.length, white="Ada", black="Bob")
    resume = Resume(tmp_path / "m.mat.resume", job)

    def cut(frame: Any) -> None:
        if frame.t > 120:
            raise Cut

    with pytest.raises(Cut):
        transcribed(demo, 2, resume=resume, progress=cut)
    again = Resume(tmp_path / "m.mat.resume", job)
    again.load()
    assert again.t > 60
    seen: list[float] = []
    events, _ = transcribed(demo, 2, resume=again, progress=lambda frame: seen.append(frame.t))
    assert min(seen) > 60
    assert told_turns(events) == true_turns(demo)


def test_another_job_does_not_take_up_what_was_left(demo: SimulatedTable, tmp_path: Path) -> None:
    path = tmp_path / "m.mat.resume"
    Resume(path, Job(source="demo")).save(50.0, 100, [])
    other = Resume(path, Job(source="demo", length=7))
    other.load()
    assert other.t < 0


def test_a_film_without_a_starting_position_is_refused_with_the_mend(demo: SimulatedTable) -> None:
    job = Job(source="film")
    worker = Transcriber(job, lambda _: TruthReader(), None)
    with pytest.raises(CalibrationError, match="--board"):
        worker.run(TruthFilm(demo, 2, until=5.0))


def test_joining_needs_to_know_who_is_on_roll() -> None:
    text = gnu_position_id(START, Side.WHITE)
    assert joined_position(text, "black") == (START, Side.BLACK)
    with pytest.raises(InputError, match="--on-roll"):
        joined_position(text, None)
    with pytest.raises(InputError, match="--from-id"):
        joined_position(None, "white")


def test_bad_arguments_are_one_clear_line(tmp_path: Path) -> None:
    out = str(tmp_path / "no" / "m.mat")
    result = CliRunner().invoke(transcribe, ["demo", "--out", out])
    assert isinstance(result.exception, InputError)
    assert "does not exist" in str(result.exception)
    empty = CliRunner().invoke(matches, ["--data", str(tmp_path)])
    assert isinstance(empty.exception, InputError)
