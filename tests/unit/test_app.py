"""The wiring: stored matches for the page, how long pictures are kept, films, the data folder's lock, addresses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from companion import app
from companion.app_health import ErrorMemory, SettingsFile, temperature_c
from companion.app_keep import FilmSwitch, Housekeeper, too_old
from companion.app_records import Records
from companion.app_rules import Law
from companion.app_vision import corners_of, decode, meters
from companion.errors import InputError, RuleError
from companion.record.evidence import EvidenceStore
from companion.record.film import FilmWriter
from companion.record.log import LOG_FILE, MatchLog
from companion.rules.ids import gnu_position_id
from companion.rules.plays import legal_plays
from companion.rules.position import START, Position, Side
from companion.sources.base import Frame
from companion.sources.frames import FramesSource
from companion.table import events as ev
from companion.web.ports import NotBuiltError, Settings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def picture(shade: int = 0) -> np.ndarray:
    return np.full((60, 80, 3), shade, np.uint8)


@pytest.fixture
def store(tmp_path: Path):
    log = MatchLog(tmp_path / LOG_FILE)
    yield log, EvidenceStore(log, tmp_path / "evidence")
    log.close()


def turn(
    before: Position, side: Side, dice: tuple[int, int], after: Position, *, legal: bool = True, play: str = ""
) -> ev.TurnEnded:
    return ev.TurnEnded(
        side=side,
        dice=dice,
        before=gnu_position_id(before, side),
        after=gnu_position_id(after, side),
        legal=legal,
        play=play,
    )


def play_a_little(log: MatchLog) -> Position:
    """An opening, a legal play, and an illegal one that stood; the last position."""
    first = next(p for p in legal_plays(START, Side.WHITE, (3, 1)) if p.text == "8/5 6/5")
    black = list(first.after.black)
    black[13], black[12] = 4, 1
    wrong = Position(first.after.white, tuple(black))
    log.append(
        "m1",
        [
            ev.MatchStarted(match_id="m1", length=3, white="Ada", black="Grace", profile="classic"),
            ev.GameStarted(game=1),
            ev.OpeningRolled(white=3, black=1),
            turn(START, Side.WHITE, (3, 1), first.after, play=first.text),
            ev.Rolled(side="black", dice=(6, 4)),
            turn(first.after, Side.BLACK, (6, 4), wrong, legal=False, play="13/12"),
        ],
    )
    return wrong


def test_a_stored_match_is_replayed_as_positions_with_the_fault_named(store, tmp_path: Path) -> None:
    log, evidence = store
    last = play_a_little(log)
    replay = Records(log, evidence, tmp_path / "film").replay("m1")
    steps = replay["steps"]
    assert (replay["white"], replay["turns"]) == ("Ada", 2)
    assert steps[0]["white"] == list(START.white)
    assert steps[-1]["black"] == list(last.black)
    assert steps[-1]["legal"] is False
    assert steps[-1]["why"]["code"].startswith("fault.")


def test_summaries_and_downloads_of_a_stored_match(store, tmp_path: Path) -> None:
    log, evidence = store
    play_a_little(log)
    records = Records(log, evidence, tmp_path / "film")
    assert [match["id"] for match in records.matches()] == ["m1"]
    data, name = records.export("m1", "mat")
    assert b"8/5 6/5" in data
    assert name == "Ada-Grace-m1.mat"
    assert records.export("m2", "mat") is None
    assert records.replay("m2") is None


def test_a_deleted_match_takes_its_pictures_and_film_along(store, tmp_path: Path) -> None:
    log, evidence = store
    play_a_little(log)
    name = evidence.keep("m1", picture(), pinned=True)
    film = tmp_path / "film" / "m1"
    film.mkdir(parents=True)
    records = Records(log, evidence, tmp_path / "film")
    assert records.evidence("m1", name)
    assert records.evidence("m1", "other.jpg") is None
    assert records.delete("m1")
    assert not records.delete("m1")
    assert not film.exists()
    assert evidence.path(name) is None


def test_pictures_go_when_their_days_are_over_but_not_those_of_the_running_match(store, tmp_path: Path) -> None:
    log, evidence = store
    play_a_little(log)
    name = evidence.keep("m1", picture())
    playing = ["m1"]
    keeper = Housekeeper(log, evidence, tmp_path / "film", lambda: 7, lambda: playing[0])
    later = datetime.now(UTC) + timedelta(days=8)
    assert keeper.tidy(later) == []
    playing[0] = ""
    assert keeper.tidy(datetime.now(UTC) + timedelta(days=6)) == []
    assert keeper.tidy(later) == ["m1"]
    assert evidence.path(name) is None


@pytest.mark.parametrize("leap", [timedelta(days=2000), timedelta(days=-2000)])
def test_a_clock_that_leapt_removes_nothing(leap: timedelta) -> None:
    assert too_old({"m": NOW}, NOW + leap, 7) == []


def test_a_film_is_read_back_with_its_times_and_ends_at_its_cap(tmp_path: Path) -> None:
    writer = FilmWriter(tmp_path / "film", 10_000)
    for seq in range(200):
        writer.write(Frame(seq, seq / 10, picture(seq)))
    writer.close()
    frames = list(FramesSource(tmp_path / "film").frames())
    assert writer.full
    assert [round(frame.t, 1) for frame in frames[:3]] == [0.0, 0.2, 0.4]
    assert sum(path.stat().st_size for path in (tmp_path / "film").glob("*.jpg")) <= 10_000


def test_a_film_is_kept_only_while_the_setting_says_so(tmp_path: Path) -> None:
    wanted = [False]
    switch = FilmSwitch(tmp_path, None, 10**6, lambda: wanted[0])
    switch.match = "m1"
    switch.write(Frame(0, 0.0, picture()))
    assert not (tmp_path / "m1").exists()
    wanted[0] = True
    switch.write(Frame(1, 1.0, picture()))
    switch.close()
    assert len(list((tmp_path / "m1").glob("*.jpg"))) == 1


def test_a_film_that_cannot_be_written_is_no_fault_of_the_match(tmp_path: Path) -> None:
    (tmp_path / "m1").write_text("a file, not a folder")
    switch = FilmSwitch(tmp_path, None, 10**6, lambda: True)
    switch.match = "m1"
    switch.write(Frame(0, 0.0, picture()))
    switch.close()


def test_one_service_a_data_folder(tmp_path: Path) -> None:
    lock = app.lock_data(tmp_path)
    with pytest.raises(InputError, match="another companion"):
        app.lock_data(tmp_path)
    lock.close()
    app.lock_data(tmp_path).close()


def test_addresses_are_those_people_can_use() -> None:
    assert app.addresses("127.0.0.1", 8000) == ("http://127.0.0.1:8000/",)
    assert app.addresses("::1", 80) == ("http://[::1]:80/",)
    assert app.addresses("0.0.0.0", 8000)[1].endswith(".local:8000/")


def test_settings_outlive_the_service(tmp_path: Path) -> None:
    first = SettingsFile(tmp_path / "s.json", Settings(white="Ada"))
    first.change(Settings(white="Zoë"))
    assert SettingsFile(tmp_path / "s.json", Settings()).current().white == "Zoë"
    (tmp_path / "s.json").write_text("{")
    with pytest.raises(InputError, match="not a settings file"):
        SettingsFile(tmp_path / "s.json", Settings())


def test_the_last_warnings_are_remembered() -> None:
    import logging

    memory = ErrorMemory()
    memory.handle(logging.LogRecord("x", logging.ERROR, "", 0, "it %s", ("broke",), None))
    assert memory.last()[0]["text"] == "x: it broke"


def test_no_thermometer_is_no_fault(tmp_path: Path) -> None:
    assert temperature_c(tmp_path / "none") is None


def test_the_law_answers_the_page() -> None:
    law = Law()
    answer = law.legal("4HPwATDgc/ABMA", (3, 1))
    assert any(result["play"] == "8/5 6/5" for result in answer["results"])
    assert law.describe(list(START.white), list(START.black), None)["gnuid"].startswith("4HPwATDgc/ABMA:")
    assert law.describe([16] + [0] * 25, list(START.black), None)["problems"]
    assert law.parse("4HPwATDgc/ABMA")["white"] == list(START.white)
    assert {profile["name"] for profile in law.profiles()} >= {"classic", "beginner", "money"}
    with pytest.raises(RuleError):
        law.parse("nonsense")


def test_hit_odds_come_from_the_solver_or_say_that_there_is_none() -> None:
    question = {"bearing": {"6": 1}, "against": {"24": 1}, "spare_moves": False, "dice": None, "on_roll": None}
    try:
        answer = Law().hit_odds(question)
    except NotBuiltError:
        pytest.skip("hit odds are not built in this version")
    assert 0.0 <= answer["bearing_on_roll"] <= 1.0


def test_a_quick_question_is_estimated_and_says_that_it_can_be_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("companion.app_rules.QUICK_S", 0.0)
    asked = {"bearing": {"6": 1}, "against": {"bar": 1, "24": 1, "23": 1}, "spare_moves": False, "dice": None}
    quick = Law().hit_odds({**asked, "on_roll": None, "quick": True})
    assert (quick["method"], quick["solvable"]) == ("estimate", True)
    exact = Law().hit_odds({**asked, "on_roll": None})
    assert (exact["method"], exact.get("solvable")) == ("exact", None)


def test_corners_of_a_request_are_four_pairs() -> None:
    assert corners_of(None) is None
    assert corners_of("0,0 1,0 1,1 0,1") == [(0, 0), (1, 0), (1, 1), (0, 1)]
    for bad in ("0,0", "a,b 1,0 1,1 0,1", "0,0 1,0 1,1 inf,1"):
        with pytest.raises(InputError):
            corners_of(bad)


def test_a_broken_picture_is_refused() -> None:
    with pytest.raises(InputError, match="broken"):
        decode(b"\xff\xd8\xff nothing")


def test_meters_lie_between_nothing_and_all() -> None:
    found = meters(picture(255), [(0.0, 0.0), (70.0, 0.0), (70.0, 50.0), (0.0, 50.0)])
    assert set(found) == {"light", "sharpness", "size"}
    assert all(0.0 <= value <= 1.0 for value in found.values())
