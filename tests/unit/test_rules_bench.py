"""`companion bench rules` reports what it measured, and measures the same thing on both sides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.bench.positions import constructed_rolls, random_rolls, real_rolls
from companion.bench.rules_bench import bgsage_board, same_as_bgsage
from companion.cli import main
from companion.rules.position import START, Side


def test_the_report_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["bench", "rules", "--count", "200", "--rounds", "1", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert not stopped.value.code
    assert report["positions"] == 200
    assert 0 < report["packed_us"]["median"] <= report["packed_us"]["p95"]
    if report["ratio"]:
        assert report["same_positions"] == 200
        assert report["pass"] == (max(report["ratio"].values()) <= report["limit"])


def test_the_board_for_bgsage() -> None:
    bgsage = pytest.importorskip("bgsage")
    assert bgsage_board(START, Side.BLACK) == bgsage.STARTING_BOARD


def test_both_generators_list_the_same_positions() -> None:
    pytest.importorskip("bgsage")
    for roll in [*random_rolls(200, 3), *constructed_rolls(200, 3)]:
        assert same_as_bgsage(roll), roll


def test_rolls_of_match_files(tmp_path: Path) -> None:
    game = """ 5 point match

 Game 1
 A : 0                           B : 0
  1) 31: 8/5 6/5                 41: 24/23 13/9
  2)  Doubles => 2                Takes
  3) 66: 24/18(2) 13/7(2)        21: 13/10
"""
    (tmp_path / "a.mat").write_text(game)
    rolls = real_rolls(tmp_path, 10, seed=1)
    assert sorted((roll.side, roll.dice) for roll in rolls) == [
        (Side.BLACK, (2, 1)),
        (Side.BLACK, (4, 1)),
        (Side.WHITE, (3, 1)),
        (Side.WHITE, (6, 6)),
    ]
    assert {roll.position.white[5] for roll in rolls if roll.position != START} == {2}
    assert len(real_rolls(tmp_path, 2, seed=1)) == 2
