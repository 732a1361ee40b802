"""`companion bench rules` reports what it measured, and measures the same thing on both sides."""

from __future__ import annotations

import json

import pytest

from companion.bench.positions import constructed_rolls, random_rolls, real_rolls, sample
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


def test_rolls_of_a_match_file(tmp_path) -> None:
    game = """ 5 point match

 Game 1
 A : 0                           B : 0
  1) 31: 8/5 6/5                 41: 24/23 13/9
  2)  Doubles => 2                Takes
  3) 66: bar/19                  21:
"""
    (tmp_path / "a.mat").write_text(game)
    rolls = real_rolls(tmp_path)
    assert [(roll.side, roll.dice) for roll in rolls] == [
        (Side.WHITE, (3, 1)),
        (Side.BLACK, (4, 1)),
        (Side.WHITE, (6, 6)),
    ], "the third cannot be carried out: the game is left there"
    assert rolls[1].position.white[5] == 2
    assert sample(rolls, 2, 1) == sample(rolls, 2, 1)
