"""Legal plays (RULES.md C, D, E): hand-made cases of every rule, and equality with a naive implementation."""

from __future__ import annotations

from itertools import pairwise

import pytest
from boards import START_TEXT, board
from hypothesis import given
from hypothesis import strategies as st
from naive_plays import naive_results

from companion.bench.positions import constructed_rolls, random_rolls
from companion.errors import RuleError
from companion.rules.fast import keys_from, resulting_keys
from companion.rules.movetext import apply_moves, parse_play
from companion.rules.packed import pack, unpack
from companion.rules.plays import legal_plays
from companion.rules.position import START, Position, Side

WHITE, BLACK = Side.WHITE, Side.BLACK


def texts(white: str, black: str, dice: tuple[int, int]) -> set[str]:
    """White's plays as text."""
    return {play.text for play in legal_plays(board(white, black), WHITE, dice)}


def test_the_opening_31_has_sixteen_plays_whoever_is_on_roll() -> None:
    for side in Side:
        plays = {play.text for play in legal_plays(START, side, (3, 1))}
        assert len(plays) == 16
        assert {"8/5 6/5", "24/20", "24/23 13/10", "13/9"} < plays


RULES = [
    ("C1 one checker may make both", "24:1", "8:2", (5, 1), {"24/18"}),
    ("C1 touching down on a closed point: not with one checker", "24:1 2:1", "2:2 7:2", (6, 1), {"2/1"}),
    ("C2 a point held by two is closed", "24:1 2:1", "4:2 8:2", (4, 3), {"24/20"}),
    ("C3 touching down on a blot hits it: two ways, two positions", "24:1", "2:1 13:2", (6, 1), {"24/23*/17", "24/17"}),
    ("C3 landing on a blot hits it", "24:1", "8:1 2:2 7:2", (5, 2), {"24/17*"}),
    ("C4 both numbers, though only one order goes", "20:1", "9:2 3:2", (4, 3), {"20/13"}),
    ("C4 of a double as many as possible", "20:1 8:1", "15:2", (5, 5), {"20/15 8/3"}),
    ("C5 either but not both: the higher", "20:1 2:2", "16:2", (6, 5), {"20/14"}),
    ("C5 only the lower can be played", "20:1 2:2", "16:2 11:2", (6, 5), {"20/15"}),
    ("C6 nothing can be played", "20:1", "11:2 10:2", (6, 5), {""}),
    ("D1 the bar first", "bar:1 13:1", "6:2", (6, 3), {"bar/16", "bar/22 13/7"}),
    ("D3 both enter", "bar:2 13:2", "6:2", (4, 3), {"bar/21 bar/22"}),
    ("D3 one of two enters, the rest is forfeited", "bar:2 13:2", "6:2", (6, 3), {"bar/22"}),
    ("D3 four of five enter with a double", "bar:5", "6:2", (3, 3), {"bar/22(4)"}),
    ("D3 after the last has entered the rest is played", "bar:1 3:1", "4:2 2:2", (1, 1), {"bar/24 3/1"}),
    ("D4 closed out", "bar:1 13:2", "6:2 5:2 4:2 3:2 2:2 1:2", (6, 6), {""}),
    ("E1 not while one stands outside", "7:1 6:1", "24:1", (6, 5), {"7/1* 6/1", "7/2 6/off"}),
    ("E1 the last one comes home, then one goes off", "7:1 6:1", "20:2", (6, 1), {"7/off"}),
    ("E2 exactly from the point", "6:1 3:2", "24:2", (6, 3), {"6/off 3/off", "6/off"}),
    ("E2 larger than the highest: the highest goes", "4:2 2:1", "24:2", (6, 5), {"4/off(2)"}),
    ("E2 a move from a higher point comes first", "6:1 2:2", "24:2", (5, 4), {"6/off"}),
    ("E2 not past a higher checker that is blocked", "6:1 2:2", "24:2 21:2", (5, 3), {"6/off"}),
    ("E3 bearing off is never obligatory", "6:2 4:2", "24:2", (4, 2), {"6/2 6/4", "4/off 4/2", "6/2 4/2", "6/off"}),
    ("E4 from the bar nobody bears off", "bar:1 6:2", "24:2", (6, 2), {"bar/17", "bar/19 6/4"}),
    ("C3 only the first of two men hits", "8:2", "20:1", (3, 3), {"8/5*/2 8/2"}),
]


@pytest.mark.parametrize(
    ("white", "black", "dice", "expected"), [rule[1:] for rule in RULES], ids=[r[0] for r in RULES]
)
def test_rule(white: str, black: str, dice: tuple[int, int], expected: set[str]) -> None:
    assert texts(white, black, dice) == expected


def results(position: Position, side: Side, dice: tuple[int, int]) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Both sides' counts after every play, the mover's first."""
    return {(play.after.of(side), play.after.of(side.other)) for play in legal_plays(position, side, dice)}


@pytest.mark.parametrize("seed", range(20))
def test_any_position_gives_what_the_naive_implementation_gives(seed: int) -> None:
    for position, side, dice in constructed_rolls(25, seed):
        expected = naive_results(position.of(side), position.of(side.other), dice)
        assert results(position, side, dice) == expected, (position, side, dice)


@pytest.mark.parametrize("seed", range(4))
def test_played_positions_give_what_the_naive_implementation_gives(seed: int) -> None:
    for position, side, dice in random_rolls(100, seed):
        expected = naive_results(position.of(side), position.of(side.other), dice)
        assert results(position, side, dice) == expected, (position, side, dice)


@pytest.mark.parametrize("seed", range(8))
def test_the_fast_path_lists_the_same_positions_each_once(seed: int) -> None:
    for position, side, dice in [*constructed_rolls(250, 100 + seed), *random_rolls(50, seed)]:
        plays = legal_plays(position, side, dice)
        keys = resulting_keys(position, side, dice)
        assert len(plays) == len(keys) == len(set(keys)), (position, side, dice)
        assert {unpack(key, side) for key in keys} == {play.after for play in plays}, (position, side, dice)
        assert set(keys_from(pack(position, side), dice)) == set(keys)


def test_packing_keeps_everything() -> None:
    for position, side, _ in constructed_rolls(200, 7):
        assert unpack(pack(position, side), side) == position


@pytest.mark.parametrize("seed", range(4))
def test_text_and_steps_of_a_play_lead_to_its_position_with_either_order_of_the_dice(seed: int) -> None:
    for position, side, (first, second) in constructed_rolls(50, 200 + seed):
        plays = legal_plays(position, side, (first, second))
        assert plays == legal_plays(position, side, (second, first))
        for play in plays:
            assert apply_moves(position, side, parse_play(play.text)) == play.after
            assert sum(step.start - step.end for step in play.steps) <= position.pips(side) - play.after.pips(side)


def test_of_several_ways_the_one_with_the_fewest_checkers_is_written() -> None:
    assert "13/5" in texts(START_TEXT, START_TEXT, (6, 2))
    assert "13/7 8/6" in texts(START_TEXT, START_TEXT, (6, 2))
    assert "13/7 13/5" not in texts(START_TEXT, START_TEXT, (6, 2))


def test_no_play_leaves_the_position_as_it_is() -> None:
    position = board("bar:1 13:2", "6:2 5:2 4:2 3:2 2:2 1:2")
    (play,) = legal_plays(position, WHITE, (6, 5))
    assert (play.text, play.steps, play.after) == ("", (), position)
    assert list(resulting_keys(position, WHITE, (6, 5))) == [pack(position, WHITE)]


@pytest.mark.parametrize("dice", [(0, 1), (3, 7), (-1, 2)])
def test_impossible_dice_are_refused(dice: tuple[int, int]) -> None:
    with pytest.raises(RuleError, match="two numbers from 1 to 6"):
        legal_plays(START, WHITE, dice)
    with pytest.raises(RuleError, match="two numbers from 1 to 6"):
        resulting_keys(START, BLACK, dice)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("8/5*", (8, 5)),
        ("bar/22", (25, 22)),
        ("Bar/22*", (25, 22)),
        ("25/20", (25, 20)),
        ("3/off", (3, 0)),
        ("3/OFF", (3, 0)),
        ("6/0", (6, 0)),
        ("24/23*/18", (24, 23, 18)),
    ],
)
def test_written_moves_are_read_tolerantly(text: str, points: tuple[int, ...]) -> None:
    (move,) = parse_play(text)
    assert move.points == points


@pytest.mark.parametrize("text", ["8", "8/", "/5", "5/8", "26/20", "8/5(9)", "8-5", "x/3", "8/5**", "bar/bar", "off/3"])
def test_what_is_no_move_is_named(text: str) -> None:
    with pytest.raises(RuleError, match="'"):
        parse_play("13/7 " + text)


def test_moves_that_cannot_be_carried_out_are_refused() -> None:
    with pytest.raises(RuleError, match="no checker on 7"):
        apply_moves(START, WHITE, parse_play("7/4"))
    with pytest.raises(RuleError, match="holds the 12-point"):
        apply_moves(START, WHITE, parse_play("13/12"))


@given(st.text(alphabet="0123456789/*()barofBAROF -\t,", max_size=40) | st.text(max_size=20))
def test_any_text_is_a_play_or_a_named_fault(text: str) -> None:
    try:
        moves = parse_play(text)
    except RuleError:
        return
    assert all(start > end for move in moves for start, end in pairwise(move.points))
