"""Power cuts, full and read-only disks, leaping clocks: nothing acknowledged is lost, nothing crashes, all is said."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest
from test_runner import CALIBRATION, MATCH, after_turn, running, turns_of, until
from truthreader import TruthFilm, TruthReader

import companion.record.log as log_module
from companion import app, app_heal
from companion.app_health import SettingsFile
from companion.app_sources import SourcePlan
from companion.config import Config
from companion.record.evidence import EvidenceStore
from companion.record.log import LOG_FILE, LogError, MatchLog
from companion.sim.table import demo_table
from companion.table import commands as cmd
from companion.table import events as ev
from companion.table.runner import TableRunner
from companion.vision.calibrate import save
from companion.web.ports import Settings

FRAME_BYTES = 4096 + 24  # of a WAL: a page and its header


def happenings(count: int) -> list[ev.MatchEvent]:
    return [ev.Rolled(t=float(i), frame=i, side="white", dice=(1 + i % 6, 1 + i % 5)) for i in range(count)]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int]]:
    """A log as it lies on the disk in the middle of play, and the size of its WAL after each acknowledged event."""
    folder = tmp_path_factory.mktemp("written")
    log = MatchLog(folder / LOG_FILE)
    log.append("m", [ev.MatchStarted(match_id="m", length=5, white="A", black="B", profile="classic")])
    sizes = []
    for event in happenings(30):
        log.append("m", [event])
        sizes.append((folder / f"{LOG_FILE}-wal").stat().st_size)
    (folder / "copy").mkdir()
    for name in (LOG_FILE, f"{LOG_FILE}-wal"):
        shutil.copy(folder / name, folder / "copy" / name)
    log.close()
    return folder / "copy", sizes


def after_the_cut(source: Path, target: Path, wal: bytes | None) -> MatchLog:
    target.mkdir()
    shutil.copy(source / LOG_FILE, target / LOG_FILE)
    if wal is not None:
        (target / f"{LOG_FILE}-wal").write_bytes(wal)
    return MatchLog(target / LOG_FILE)


def test_every_play_is_written_through_to_the_disk(tmp_path: Path) -> None:
    log = MatchLog(tmp_path / LOG_FILE)
    assert log.rows("PRAGMA journal_mode") == [("wal",)]
    assert log.rows("PRAGMA synchronous") == [(2,)], "FULL"
    log.close()


def test_a_log_torn_at_any_byte_holds_all_that_was_acknowledged_before(written, tmp_path: Path) -> None:
    folder, sizes = written
    wal = (folder / f"{LOG_FILE}-wal").read_bytes()
    rng = np.random.default_rng(3)
    cuts = sorted({*range(0, len(wal), 1511), *sizes, *(size - 1 for size in sizes), *rng.integers(0, len(wal), 40)})
    for number, cut in enumerate(cuts):
        log = after_the_cut(folder, tmp_path / str(number), wal[:cut])
        entries = log.entries("m")
        safe = sum(size <= cut for size in sizes)
        assert [entry.seq for entry in entries] == list(range(len(entries)))
        assert len(entries) >= 1 + safe or safe == 0
        assert not entries or log.verify("m").ok
        (more,) = log.append("m", happenings(1))
        assert more.seq == len(entries)
        assert log.verify("m").ok
        log.close()


def test_rubbish_behind_the_last_acknowledged_event_is_not_read(written, tmp_path: Path) -> None:
    folder, sizes = written
    wal = (folder / f"{LOG_FILE}-wal").read_bytes()
    rubbish = np.random.default_rng(1).bytes(3 * FRAME_BYTES)
    log = after_the_cut(folder, tmp_path / "x", wal[: sizes[19]] + rubbish)
    assert len(log.entries("m")) == 21
    assert log.verify("m").ok
    log.close()


def test_a_missing_wal_leaves_what_the_file_itself_holds(written, tmp_path: Path) -> None:
    folder, _ = written
    log = after_the_cut(folder, tmp_path / "x", None)
    assert not log.entries("m") or log.verify("m").ok
    log.append("new", [ev.MatchStarted(match_id="new", length=5, white="A", black="B", profile="classic")])
    assert log.verify("new").ok
    log.close()


# --- files of the data folder ------------------------------------------------------------------------------------


@pytest.fixture
def film(tmp_path: Path) -> Path:
    folder = tmp_path / "film"
    folder.mkdir()
    cv2.imwrite(str(folder / "0.jpg"), np.full((240, 320, 3), 80, np.uint8))
    return folder


def options(film: Path, data: Path) -> app.RunOptions:
    return app.RunOptions(config=Config(), data=data, source=f"frames:{film}", host="127.0.0.1", port=0)


def started(film: Path, data: Path) -> app.Service:
    service = app.build(options(film, data))
    service.start()
    return service


@pytest.fixture
def whole(film: Path, tmp_path: Path) -> Path:
    """The data folder of a service that ran."""
    data = tmp_path / "data"
    service = started(film, data)
    service.match_log.append("m", [ev.MatchStarted(match_id="m", length=5, white="A", black="B", profile="classic")])
    service.stop()
    SettingsFile(data / app.SETTINGS_FILE, Settings()).change(Settings(white="Ada"))
    save(CALIBRATION, data / "board.json")
    return data


@pytest.mark.parametrize("part", [0.02, 0.5, 0.8])
@pytest.mark.parametrize("name", [app.PIN_FILE, app.SETTINGS_FILE, "board.json", LOG_FILE])
def test_a_file_torn_by_the_cut_is_kept_aside_and_said(name: str, part: float, film: Path, whole: Path) -> None:
    bytes_before = (whole / name).read_bytes()
    torn = bytes_before[: int(len(bytes_before) * part)]
    (whole / name).write_bytes(torn)
    asked = options(film, whole)
    (said,) = app_heal.heal(app.own_files(asked, SourcePlan(asked.source or "")))
    assert (whole / f"{name}.broken-1").read_bytes() == torn
    assert not (whole / name).exists()
    assert f"{name}.broken-1" in said
    assert "\n" not in said


def test_a_service_whose_files_are_all_torn_starts_and_tells(
    film: Path, whole: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = [app.PIN_FILE, app.SETTINGS_FILE, "board.json", LOG_FILE]
    for name in names:
        (whole / name).write_bytes((whole / name).read_bytes()[:50])
    service = started(film, whole)
    told = service.errors.last()
    service.stop()
    assert len([line for line in told if "kept as" in line["text"]]) == len(names), "the page Health shows each"


def test_whole_files_are_left_alone(film: Path, whole: Path) -> None:
    asked = options(film, whole)
    before = {path.name: path.read_bytes() for path in whole.iterdir() if path.is_file()}
    assert list(app_heal.heal(app.own_files(asked, SourcePlan(asked.source or "")))) == []
    assert {path.name: path.read_bytes() for path in whole.iterdir() if path.is_file()} == before


def test_a_file_set_aside_never_overwrites_an_older_one(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "a.json").write_text(str(number))
        assert app_heal.set_aside(tmp_path / "a.json").name == f"a.json.broken-{number}"
    assert (tmp_path / "a.json.broken-1").read_text() == "1"


def test_a_picture_torn_by_the_cut_is_named_and_hinders_nothing(tmp_path: Path) -> None:
    log = MatchLog(tmp_path / LOG_FILE)
    store = EvidenceStore(log, tmp_path / "evidence")
    rng = np.random.default_rng(1)
    names = [store.keep("m", rng.integers(0, 255, (60, 80, 3), dtype=np.uint8)) for _ in range(3)]
    path = tmp_path / "evidence" / names[1]
    path.write_bytes(path.read_bytes()[:100])
    (tmp_path / "evidence" / "half.jpg.part").write_bytes(b"\xff\xd8")
    assert store.verify("m") == (names[1],)
    assert store.keep("m", rng.integers(0, 255, (60, 80, 3), dtype=np.uint8))
    log.close()


# --- a disk that takes nothing more ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo():  # type: ignore[no-untyped-def]
    return demo_table()


@pytest.fixture
def table(tmp_path: Path, demo) -> Iterator[TableRunner]:  # type: ignore[no-untyped-def]
    """Four turns of the demo match; then its film waits for more."""
    runner = running(tmp_path, lambda match: TruthFilm(demo, 4, until=after_turn(demo, 4)))
    until(runner, lambda: len(runner.view().turns) >= 4)
    until(runner, lambda: runner.view().status == "camera_lost")
    yield runner
    runner.stop()


REFUSALS = {
    "full": ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", "free some disk space"),
    "read-only": ("PRAGMA query_only = ON", "PRAGMA query_only = OFF", "read-only"),
}


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_disk_that_takes_nothing_is_told_and_play_goes_on_when_it_does_again(kind: str, table: TableRunner) -> None:
    refuse, allow, said = REFUSALS[kind]
    before = table.view()
    table._log.execute(refuse)
    fill = [table.submit(cmd.SetScore(white=n % 3, black=0)) for n in range(40)]
    refused = [answer for answer in fill if not answer.ok]
    assert refused, "the disk took everything: the test says nothing"
    assert said in refused[-1].message
    count = len(fill) - len(refused)
    assert table.view().seq == before.seq + count, "what was not logged does not count"
    table._log.execute(allow)
    assert table.submit(cmd.SetScore(white=1, black=1)).ok
    assert table.view().seq == before.seq + count + 1
    assert table._log.verify(table.match_id).ok


class Filling:
    """A film during which the disk is full between two moments, `full_s` to `free_s` of film time."""

    def __init__(self, film: TruthFilm, log: list[MatchLog], full_s: float, free_s: float) -> None:
        self.film, self.log, self.full_s, self.free_s = film, log, full_s, free_s
        self.name, self.live = film.name, False

    def frames(self):  # type: ignore[no-untyped-def]
        for frame in self.film.frames():
            full = self.full_s <= frame.t < self.free_s
            self.log[0].execute("PRAGMA query_only = ON" if full else "PRAGMA query_only = OFF")
            yield frame

    def close(self) -> None:
        self.film.close()


def test_a_disk_full_for_seconds_in_the_middle_of_a_turn_costs_no_turn(tmp_path: Path, demo) -> None:  # type: ignore[no-untyped-def]
    start = after_turn(demo, 2) + 1.0
    log: list[MatchLog] = []
    log.append(MatchLog(tmp_path / LOG_FILE))
    film = TruthFilm(demo, 4, until=after_turn(demo, 7))
    runner = TableRunner(
        lambda _: Filling(film, log, start, start + 4.0), log[0], lambda _: TruthReader(), calibration=CALIBRATION,
        evidence=None, begin=MATCH,
    )  # fmt: skip
    runner.start()
    until(runner, lambda: runner.view().status == "camera_lost")
    runner.stop()
    assert any("read-only" in text for text in runner.errors), "the disk was never full when it mattered"
    truth = [event["play"] for event in demo.events if event["type"] == "turn_end"][:8]
    assert turns_of(log[0], runner.match_id) == truth
    assert log[0].verify(runner.match_id).ok
    log[0].close()


def test_a_disk_full_for_pictures_costs_pictures_never_events(tmp_path: Path, demo, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    def full(self: EvidenceStore, name: str, data: bytes) -> None:
        raise LogError(f"{self.folder}: No space left on device; free disk space or make it writable")

    monkeypatch.setattr(EvidenceStore, "_write", full)
    runner = running(tmp_path, lambda _: TruthFilm(demo, 4, until=after_turn(demo, 5)))
    until(runner, lambda: runner.view().status == "camera_lost")
    runner.stop()
    log = MatchLog(tmp_path / LOG_FILE)
    assert len(turns_of(log, runner.match_id)) == 6
    assert log.verify(runner.match_id).ok
    log.close()


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(log_module, "migrate", refuse)
    with pytest.raises(LogError, match="read-only; make it writable"):
        MatchLog(tmp_path / LOG_FILE)


# --- clocks ------------------------------------------------------------------------------------------------------


class Leaping(datetime):
    """datetime whose now() is off."""

    off = timedelta(0)

    @classmethod
    def now(cls, tz=None):  # type: ignore[no-untyped-def]
        return datetime.now(tz) + cls.off


@pytest.mark.parametrize("leap", [timedelta(days=-4000), timedelta(days=4000)])
def test_a_clock_that_leaps_by_years_changes_neither_order_nor_record(
    leap: timedelta, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "datetime", Leaping)
    monkeypatch.setattr(Leaping, "off", timedelta(0))
    log = MatchLog(tmp_path / LOG_FILE)
    start = ev.MatchStarted(match_id="m", length=5, white="A", black="B", profile="classic")
    log.append("first", [start])
    log.append("first", happenings(3))
    monkeypatch.setattr(Leaping, "off", leap)
    log.append("first", happenings(3))
    log.append("second", [start])
    monkeypatch.setattr(Leaping, "off", timedelta(0))
    log.append("second", happenings(2))
    assert [entry.seq for entry in log.entries("first")] == list(range(7))
    assert log.verify("first").ok
    assert log.verify("second").ok
    assert log.last_match() == "second", "the match written last goes on, whatever its date says"
    assert [info.match_id for info in log.matches()] == ["second", "first"]
    assert log.find("last") == "second"
    log.close()
