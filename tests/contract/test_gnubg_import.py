"""GNU Backgammon reads what we write: the same match, action by action, and without a complaint (FORMATS.md)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from gnubg_import import GNUBG, differences, gnubg_imports

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit"))

from random_records import random_match

from companion.rules.ids import ParsedId, parse_id
from companion.rules.notation.mat import read_mat, write_mat
from companion.rules.notation.sgf import read_sgf, write_sgf
from companion.rules.position import START, Side, side_counts
from companion.rules.record import (
    Beaver,
    Double,
    Drop,
    GameRecord,
    MatchRecord,
    Play,
    Result,
    Roll,
    Take,
    final_position,
    made_play,
    written_play,
)
from companion.rules.replay import replay

MATCHES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "matches"
W, B = Side.WHITE, Side.BLACK

pytestmark = [
    pytest.mark.gnubg,
    pytest.mark.skipif(GNUBG is None, reason="gnubg is not installed (apt install gnubg)"),
]
needs_matches = pytest.mark.skipif(not MATCHES.is_dir(), reason="../shared/data/matches is not here")


def assert_read_back(records: dict[str, MatchRecord], folder: Path) -> None:
    """gnubg imports every record as .mat and as .sgf, silently and unchanged."""
    texts = {f"{name}.mat": write_mat(record) for name, record in records.items()}
    texts |= {f"{name}.sgf": write_sgf(record) for name, record in records.items()}
    wrong = {}
    for file, imported in gnubg_imports(texts, folder).items():
        found = differences(records[file.rpartition(".")[0]], imported) + imported.complaints
        if found:
            wrong[file] = found
    assert not wrong, f"{len(wrong)} of {len(texts)} files: {wrong}"


def real_matches(paths: list[Path]) -> dict[str, MatchRecord]:
    """Parsed, replayed with every play judged, and our own readers agree with our writers."""
    records = {}
    for path in paths:
        record = read_mat(path.read_text())
        illegal = [str(turn) for turn in replay(record) if not turn.legal]
        assert not illegal, f"{path.name}: {illegal}"
        assert read_mat(write_mat(record)) == record
        assert read_sgf(write_sgf(record)).games == record.games
        records[path.stem] = record
    return records


@needs_matches
def test_some_real_matches_are_the_same_in_gnubg(tmp_path):
    assert_read_back(real_matches(sorted(MATCHES.glob("*.mat"))[3::40]), tmp_path)


@needs_matches
@pytest.mark.acceptance
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("part", range(8))
def test_all_real_matches_are_the_same_in_gnubg(part, tmp_path):
    assert_read_back(real_matches(sorted(MATCHES.glob("*.mat"))[part::8]), tmp_path)


def test_random_matches_with_illegal_plays_are_the_same_in_gnubg(tmp_path):
    """Illegal plays that stood, games joined late and broken off, beavers, passes, resignations."""
    assert_read_back({f"r{seed}": random_match(seed, beaver_drops=False) for seed in range(40)}, tmp_path)


def of_actions(*actions, result=None, **facts):
    return MatchRecord(games=(GameRecord(number=1, actions=actions, result=result),), **facts)


FIRST = written_play(START, W, (3, 1), "8/5 6/5")


@pytest.mark.parametrize(
    "record",
    [
        of_actions(
            Double(side=W, value=2),
            Beaver(side=B, value=4),
            Drop(side=W),
            result=Result(winner=B, points=2, kind="pass"),
        ),
        of_actions(FIRST, Double(side=B, value=2), length=3),
        of_actions(FIRST, Double(side=B, value=2), Take(side=W), length=3),
        of_actions(FIRST, Roll(side=B, dice=(6, 1)), length=3),
        of_actions(Roll(side=W, dice=(6, 1)), length=3),
        of_actions(length=3),
        of_actions(Play(side=W, dice=(6, 1), after=START, legal=False), length=3),
        of_actions(FIRST, white="a:b", black="", length=3),
        of_actions(FIRST, white="\n\t", black="x" * 60, length=3),
        of_actions(FIRST, white="12) 31: 8/5", black="Takes  Drops", length=3),
        of_actions(FIRST, white='"]) ; [', black="\\", length=3),
        MatchRecord(length=3),
    ],
    ids=lambda record: None,
)
def test_corners_are_the_same_in_gnubg(record, tmp_path):
    """Each in a process of its own: gnubg 1.07 carries a passed beaver over into the next import."""
    filled = record if record.games else MatchRecord(length=3, games=(GameRecord(number=1),))
    assert_read_back({"corner": filled}, tmp_path)


@pytest.mark.parametrize("cube", [1, 2, 4, 8])
@pytest.mark.parametrize("on_roll", list(Side))
@pytest.mark.parametrize("owner", list(Side))
def test_a_joined_game_is_the_same_in_gnubg(cube, on_roll, owner, tmp_path):
    start = parse_id("Fp+DBwDgc/ABUA").position
    owned = owner if cube > 1 else None
    joined = GameRecord(number=1, score_white=3, score_black=2, start=start, on_roll=on_roll, cube=cube, owner=owned)
    record = MatchRecord(length=7, games=(joined,))
    assert_read_back({"joined": record}, tmp_path)


def test_a_record_with_gaps_is_read_to_its_end(tmp_path):
    """A lost turn, and checkers put by hand between two turns: gnubg still gets the plays that follow."""
    second = written_play(FIRST.after, W, (6, 1), "13/7 8/7")  # Black's turn before it is not known
    elsewhere = second.after.replace(B, side_counts({6: 14, 23: 1}))
    third = made_play(elsewhere, B, (6, 2), written_play(elsewhere, B, (6, 2), "23/15").after)
    last = written_play(third.after, W, (2, 1), "13/11 6/5")
    record = of_actions(FIRST, second, third, last, length=3)
    for imported in gnubg_imports({"gap.mat": write_mat(record), "gap.sgf": write_sgf(record)}, tmp_path).values():
        assert not imported.complaints
        assert final_position(read_sgf(imported.saved).games[0]) == last.after


@pytest.mark.parametrize("men", [14, 16, 0])
def test_an_illegal_play_that_lost_or_added_checkers_does_not_stop_gnubg(men, tmp_path):
    after = FIRST.after.replace(B, side_counts({6: men}))
    wrong = Play(side=B, dice=(6, 1), after=after, legal=False)
    last = written_play(after, W, (2, 1), "13/11 6/5")
    record = of_actions(FIRST, wrong, last, length=3)
    for imported in gnubg_imports({"men.mat": write_mat(record), "men.sgf": write_sgf(record)}, tmp_path).values():
        assert not imported.complaints
        assert len(read_sgf(imported.saved).games[0].actions) == 3


def test_gnubg_shows_the_same_ids(tmp_path):
    """The ids of positions gnubg is given as XGID, as it shows them."""
    position = parse_id("Fp+DBwDgc/ABUA").position
    facts = [ParsedId(position, side, (5, 2), 4, owner, 3, 2, 7) for side in Side for owner in (None, W, B)]
    script = "".join(f"set xgid {fact.xgid()}\nshow board\n" for fact in facts)
    (tmp_path / "ids.txt").write_text(script)
    done = subprocess.run(
        [GNUBG, "-t", "-q", "-r", "-c", "ids.txt"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    for fact in facts:
        position_id, match_id = fact.gnu_id().split(":")
        assert f"Position ID: {position_id}" in done.stdout
        assert f"Match ID   : {match_id}" in done.stdout


def test_the_comparison_notices_a_change(tmp_path):
    """What this file trusts in: another play, a lost take and a complaint are all found."""
    record = of_actions(FIRST, Double(side=B, value=2), Take(side=W), length=3)
    text = write_mat(record)
    broken = {
        "other.mat": text.replace("8/5 6/5", "8/4"),
        "lost.mat": text.replace("  Takes", " "),
        "odd.mat": text + " Losses 1 point\n",
    }
    imported = gnubg_imports(broken, tmp_path)
    assert differences(record, imported["other.mat"])
    assert differences(record, imported["lost.mat"])
    assert imported["odd.mat"].complaints
