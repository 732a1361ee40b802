"""A disk that is really full, and one that turns read-only in mid-play: a small tmpfs under the data folder."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from test_runner import after_turn, running, turns_of, until
from truthreader import TruthFilm

from companion.app import lock_data
from companion.errors import InputError
from companion.record.log import LOG_FILE, LogError, MatchLog
from companion.sim.table import demo_table
from companion.table import commands as cmd

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root (mounts a tmpfs)")


def mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True).returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)):
        pytest.skip("a tmpfs cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(path: Path) -> None:
    """To the last byte."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 512)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise


@pytest.fixture(scope="module")
def demo():  # type: ignore[no-untyped-def]
    return demo_table()


def test_a_full_disk_is_told_and_play_goes_on_when_there_is_room(disk: Path, demo) -> None:  # type: ignore[no-untyped-def]
    stuffing = disk / "stuffing"
    runner = running(disk, lambda _: TruthFilm(demo, 4, until=after_turn(demo, 3)))
    until(runner, lambda: runner.view().status == "camera_lost")
    fill(stuffing)
    answers = [runner.submit(cmd.SetScore(white=n % 3, black=0)) for n in range(200)]
    refused = [answer for answer in answers if not answer.ok]
    assert refused
    assert "free some disk space" in refused[-1].message
    seq = runner.view().seq
    stuffing.unlink()
    assert runner.submit(cmd.SetScore(white=2, black=1)).ok
    runner.stop()
    log = MatchLog(disk / LOG_FILE)
    assert [entry.seq for entry in log.entries(runner.match_id)] == list(range(seq + 2))
    assert log.verify(runner.match_id).ok
    log.close()


def test_pictures_alone_fill_the_disk_and_the_turns_are_all_there(disk: Path, demo) -> None:  # type: ignore[no-untyped-def]
    (disk / "stuffing").write_bytes(b"x" * 560_000)
    runner = running(disk, lambda _: TruthFilm(demo, 4, until=after_turn(demo, 7)))
    until(runner, lambda: runner.view().status == "camera_lost")
    runner.stop()
    log = MatchLog(disk / LOG_FILE)
    assert log.verify(runner.match_id).ok
    recorded = turns_of(log, runner.match_id)
    truth = [event["play"] for event in demo.events if event["type"] == "turn_end"]
    assert recorded == truth[: len(recorded)]
    log.close()


def test_a_disk_that_turns_read_only_is_told(disk: Path, demo) -> None:  # type: ignore[no-untyped-def]
    runner = running(disk, lambda _: TruthFilm(demo, 4, until=after_turn(demo, 2)))
    until(runner, lambda: runner.view().status == "camera_lost")
    turns, match_id = len(runner.view().turns), runner.match_id
    runner.stop()
    runner._log.close()
    assert mount("-o", "remount,ro", str(disk))
    with pytest.raises(InputError, match="Read-only file system"):
        lock_data(disk)
    with pytest.raises(LogError, match=r"read-only|check the file's rights"):
        MatchLog(disk / LOG_FILE)
    assert mount("-o", "remount,rw", str(disk))
    log = MatchLog(disk / LOG_FILE)
    assert len(turns_of(log, match_id)) <= turns
    assert log.verify(match_id).ok
    log.close()
