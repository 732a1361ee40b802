"""The running table: a match from frames to view and log, commands, restarts, a broken camera."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from truthreader import TruthFilm, TruthReader

from companion.errors import SourceError
from companion.record.evidence import EvidenceStore
from companion.record.log import MatchLog
from companion.sim.table import demo_table
from companion.sources.base import Frame, Source
from companion.table import commands as cmd
from companion.table import events as ev
from companion.table.runner import TableRunner, stored_match
from companion.table.state import MatchState
from companion.vision.types import Calibration, ColourModel

GREY = ColourModel(mean=(128, 128, 128), std=(9, 9, 9))
CALIBRATION = Calibration(
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
MATCH = cmd.NewMatch(length=3, white="Ada", black="Bob")


@pytest.fixture(scope="module")
def demo():  # type: ignore[no-untyped-def]
    return demo_table()


def running(tmp_path: Path, factory: Callable[[MatchState], Source], begin: cmd.NewMatch | None = MATCH) -> TableRunner:
    log = MatchLog(tmp_path / "matches.db")
    store = EvidenceStore(log, tmp_path / "evidence", cap_bytes=10_000_000)
    runner = TableRunner(factory, log, lambda _: TruthReader(), calibration=CALIBRATION, evidence=store, begin=begin)
    runner.start()
    return runner


def until(runner: TableRunner, true: Callable[[], bool], seconds: float = 240.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited in vain: {runner.view().status}"
        runner.wait(runner.view().revision, 0.2)


def turns_of(log: MatchLog, match_id: str) -> list[str]:
    return [e.event.play for e in log.entries(match_id) if isinstance(e.event, ev.TurnEnded)]


def test_the_demo_match_is_played_to_its_end_and_logged(tmp_path: Path, demo) -> None:  # type: ignore[no-untyped-def]
    runner = running(tmp_path, lambda _: TruthFilm(demo, 4))
    until(runner, lambda: runner.view().status == "match_over")
    runner.stop()
    log = MatchLog(tmp_path / "matches.db")
    match_id = log.find("last")
    assert turns_of(log, match_id) == [e["play"] for e in demo.events if e["type"] == "turn_end"]
    assert log.verify(match_id).ok
    state = stored_match(log, match_id)
    assert max(state.score) >= 3
    ends = [e.event for e in log.entries(match_id) if isinstance(e.event, ev.TurnEnded)]
    assert all(end.evidence for end in ends)


def test_a_stopped_table_goes_on_with_the_same_match(tmp_path: Path, demo) -> None:  # type: ignore[no-untyped-def]
    first = running(tmp_path, lambda _: TruthFilm(demo, 4, until=after_turn(demo, 5)))
    until(first, lambda: len(first.view().turns) >= 5)
    until(first, lambda: first.view().status == "camera_lost")
    first.stop()
    again = running(tmp_path, lambda _: TruthFilm(demo, 4, start=after_turn(demo, 5)))
    assert again.match_id == first.match_id
    until(again, lambda: again.view().status == "match_over")
    again.stop()
    log = MatchLog(tmp_path / "matches.db")
    assert turns_of(log, first.match_id) == [e["play"] for e in demo.events if e["type"] == "turn_end"]


def after_turn(demo, number: int) -> float:  # type: ignore[no-untyped-def]
    """Seconds of film at which that turn is over and nothing moves."""
    t = [e["t"] for e in demo.events if e["type"] == "turn_end"][number]
    while demo.truth(t)["hands"] or demo.truth(t)["dice"]:
        t += 0.25
    return t + 0.5


class Breaking:
    """A camera that breaks once, then works."""

    name = "breaking"
    live = False

    def __init__(self, film: TruthFilm, breaks: bool) -> None:
        self.film = film
        self.breaks = breaks

    def frames(self) -> Iterator[Frame]:
        if self.breaks:
            raise SourceError("camera unplugged", temporary=True)
        yield from self.film.frames()

    def close(self) -> None:
        self.film.close()


def test_a_camera_that_breaks_is_opened_again(tmp_path: Path, demo) -> None:  # type: ignore[no-untyped-def]
    opened: list[int] = []

    def factory(_: MatchState) -> Source:
        opened.append(1)
        return Breaking(TruthFilm(demo, 4, until=20.0), breaks=len(opened) == 1)

    runner = running(tmp_path, factory)
    until(runner, lambda: len(runner.view().turns) >= 2)
    runner.stop()
    assert len(opened) == 2


class Still:
    """The start of the demo, then the same frame for as long as wanted."""

    name = "still"
    live = False  # no frame is lost, however slow the machine

    def __init__(self, demo, until: float) -> None:  # type: ignore[no-untyped-def]
        self.film = TruthFilm(demo, 4, until=until)
        self.open = True

    def frames(self) -> Iterator[Frame]:
        last = None
        for frame in self.film.frames():
            last = frame
            yield frame
        while self.open and last is not None:
            last = Frame(last.seq + 1, last.t + 0.25, last.image, last.meta)
            yield last
            time.sleep(0.02)

    def close(self) -> None:
        self.open = False
        self.film.close()


@pytest.fixture
def table(tmp_path: Path, demo) -> Iterator[TableRunner]:  # type: ignore[no-untyped-def]
    """Two turns are played; then nothing moves."""
    runner = running(tmp_path, lambda _: Still(demo, after_turn(demo, 1)))
    until(runner, lambda: len([t for t in runner.view().turns if t.kind == "play"]) == 2)
    yield runner
    runner.stop()


def test_undo_takes_back_the_last_turn_and_redo_brings_it_again(table: TableRunner) -> None:
    before = table.view()
    assert table.submit(cmd.Undo()).ok
    assert table.view().white_position == before.white_position
    assert table.view().black_position != before.black_position
    assert table.view().status == "rolled"
    assert table.view().can_redo
    assert table.submit(cmd.Redo()).ok
    assert table.view().black_position == before.black_position
    assert not table.submit(cmd.Redo()).ok


def test_a_command_looked_at_too_early_is_refused(table: TableRunner) -> None:
    answer = table.submit(cmd.SetCube(value=2, expected_seq=0))
    assert (answer.ok, answer.message) == (False, "the table has changed meanwhile: look again and repeat")


def test_a_double_against_the_rules_is_refused_with_the_rule(table: TableRunner) -> None:
    answer = table.submit(cmd.Double(side="black"))
    assert not answer.ok
    assert answer.message


def test_double_take_and_resignation_by_command(table: TableRunner) -> None:
    assert table.submit(cmd.Double(side="white")).ok
    assert table.view().status == "double_offered"
    assert table.view().banner.kind == "double"
    assert table.submit(cmd.Take(side="black")).ok
    assert (table.view().cube.value, table.view().cube.owner) == (2, "black")
    assert table.submit(cmd.Resign(side="white", points=1)).ok
    assert table.view().score == (0, 2)


def test_a_play_is_corrected_by_command_and_judged(table: TableRunner) -> None:
    assert not table.submit(cmd.ChoosePlay(play="24/5")).ok
    assert table.submit(cmd.ChoosePlay(play="24/18", dice=(5, 1))).ok
    assert table.view().last_play.play == "24/18"


def test_a_match_is_abandoned_and_another_begun(table: TableRunner) -> None:
    first = table.match_id
    assert not table.submit(cmd.NewMatch(length=5)).ok
    assert table.submit(cmd.Abandon()).ok
    assert table.view().status == "match_over"
    assert table.submit(cmd.NewMatch(length=5, white="C", black="D")).ok
    assert table.match_id != first
    assert (table.view().white, table.view().length) == ("C", 5)


def test_commands_may_come_from_many_threads(table: TableRunner) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: table.submit(cmd.SetScore(white=n % 3, black=0)).ok, range(24)))
    assert all(answers)
