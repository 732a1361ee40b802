"""Check of a physical result (RULES.md F4): what is broken is named, and no position makes the check fail."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from boards import START_TEXT, board

from companion.bench.positions import constructed_rolls, random_rolls
from companion.errors import RuleError
from companion.rules.check import check_play, is_on_the_way, rolls_explaining
from companion.rules.fast import resulting_keys
from companion.rules.faults import SENTENCES
from companion.rules.plays import legal_plays
from companion.rules.position import START, Position, Side, side_counts
from companion.rules.validity import Status, position_faults, position_status, require_possible

WHITE, BLACK = Side.WHITE, Side.BLACK
SHORT = {
    "S": START_TEXT,
    "M": "24:2 13:5 8:2 6:4 5:2",  # White after 8/5 6/5
    "B": "24:1 20:1 13:4 9:1 8:3 6:5",  # Black with a blot on White's 5-point
    "R": "bar:1 24:1 13:5 8:3 6:5",  # White with a checker on the bar
    "X": "6:2 5:2 4:2 3:2 2:2 1:2",  # a closed board
}
TABLE = """
C1 wrong distance         | S | S | 31 | 24:2 13:5 8:2 6:4 5:1 4:1 | S | C1 | 6/4, 3-1
C1 more than the roll     | S | S | 31 | 24:2 13:4 10:1 8:2 7:1 6:3 5:2 | S | C1 | 3-1
C2 closed                 | S | S | 51 | 24:1 19:1 13:5 8:3 6:4 5:1 | S | C2 | 24/19, Black, 5 checkers
C2 and a number left      | S | S | 51 | 24:1 19:1 13:5 8:3 6:5 | S | C2 C4 | 24/19, the 1 could
C3 not lifted             | S | B | 31 | M | B | C3 | 5-point, bar
C3 lifted, not on the bar | S | B | 31 | M | 24:1 13:4 9:1 8:3 6:5 | C3 | 5-point, bar
C3 on the bar unhit       | S | S | 31 | M | bar:1 24:2 13:5 8:3 6:4 | C3 F4 | not hit
C3 both on a point        | S | S | 31 | M | 24:2 20:1 13:4 8:3 6:5 | F4 C3 | White's 5-point
C3 put on the own bar     | S | S | 31 | bar:1 24:2 13:5 8:2 6:4 5:1 | S | C3 F4 | own checker on the bar
C4 half                   | S | S | 31 | 24:2 13:5 8:2 6:5 5:1 | S | C4 | The 1 could have been played
C4 nothing moved          | S | S | 31 | S | S | C4 | No checker was moved
C4 three of a double      | S | S | 11 | 24:2 13:5 8:3 6:2 5:3 | S | C4 | The 1
C4 both can be played     | 20:1 3:1 | 9:2 10:2 | 42 | 20:1 1:1 | 9:2 10:2 | C4 | 20/14
C5 lower                  | 20:1 2:2 | 16:2 | 65 | 15:1 2:2 | 16:2 | C5 | the 6, 20/14
C6 moved on a dance       | bar:1 13:2 | X | 65 | bar:1 13:1 8:1 | X | D1 | on the bar
D1 bar ignored            | R | S | 31 | bar:1 24:1 13:5 8:2 6:4 5:2 | S | D1 | White has a checker on the bar
D3 nothing entered        | R | S | 31 | R | S | D3 C4 | on the bar, bar/22
D3 one of two entered     | bar:2 13:5 8:3 6:5 | S | 31 | bar:1 22:1 13:5 8:3 6:5 | S | C4 | bar/24
E1 too early              | 8:1 6:3 5:3 4:3 | 2:2 1:2 | 65 | 8:1 6:2 5:2 4:3 | 2:2 1:2 | E1 | 8-point
E2 higher first           | 5:2 4:1 2:2 | 2:2 | 43 | 5:2 2:1 | 2:2 | E2 | 2-point, 5-point
E4 came back              | 6:3 5:2 | 24:2 | 43 | 6:3 5:2 2:1 | 24:2 | E4 | borne off
A3 backwards              | S | S | 31 | 24:2 13:5 11:1 8:2 7:1 6:4 | S | A3 | backwards
A1 own checker lost       | S | S | 31 | 24:2 13:4 8:2 6:4 5:2 | S | A1 F4 | white, missing, 13-point
A1 own checker added      | S | S | 31 | 24:2 13:5 8:3 6:4 5:2 | S | A1 F4 | white, too many
A1 other's checker lost   | S | S | 31 | M | 24:2 13:5 8:3 6:4 | A1 F4 | black, missing, 19-point
A1 other's checker added  | S | S | 31 | M | 24:2 13:6 8:3 6:5 | A1 F4 | black, too many
F4 other's checker moved  | S | S | 31 | M | 24:2 13:5 8:3 6:4 5:1 | F4 | 19-point, 20-point, only White
several at once           | R | B | 42 | bar:1 24:1 13:5 8:2 6:4 4:2 | 24:1 20:1 13:4 9:1 8:3 6:4 5:1 | D1 F4 | ;
"""
"""Name, White and Black before, dice, White and Black after, rules, words of the sentence."""


@dataclass(frozen=True)
class Case:
    name: str
    before: Position
    dice: tuple[int, int]
    after: Position
    rules: set[str]
    words: list[str]


def case_of(line: str) -> Case:
    name, white, black, dice, white_after, black_after, rules, words = (cell.strip() for cell in line.split("|"))
    before = board(SHORT.get(white, white), SHORT.get(black, black))
    after = board(SHORT.get(white_after, white_after), SHORT.get(black_after, black_after))
    return Case(name, before, (int(dice[0]), int(dice[1])), after, set(rules.split()), words.split(", "))


CASES = [case_of(line) for line in TABLE.strip().splitlines()]
IDS = [case.name for case in CASES]
MADE, BLOT, ON_BAR = SHORT["M"], SHORT["B"], SHORT["R"]
HIT = "bar:1 24:1 13:4 9:1 8:3 6:5"


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_fault(case: Case) -> None:
    verdict = check_play(case.before, WHITE, case.dice, case.after)
    assert not verdict.legal
    assert verdict.play is None
    assert set(verdict.rules) == case.rules, verdict.why
    assert all(word in verdict.why for word in case.words), verdict.why
    assert verdict.why.endswith(".")
    assert verdict.why_code == verdict.faults[0].code in SENTENCES


def mirrored(position: Position) -> Position:
    return Position(white=position.black, black=position.white)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_same_fault_by_black(case: Case) -> None:
    verdict = check_play(mirrored(case.before), BLACK, case.dice, mirrored(case.after))
    assert set(verdict.rules) == case.rules


@pytest.mark.parametrize("seed", range(3))
def test_every_legal_play_is_legal_and_named(seed: int) -> None:
    for position, side, dice in [*constructed_rolls(15, seed), *random_rolls(15, seed)]:
        for play in legal_plays(position, side, dice):
            verdict = check_play(position, side, dice, play.after)
            assert (verdict.legal, verdict.rules, verdict.play, verdict.partial) == (True, (), play, False)


def test_a_dance_is_legal() -> None:
    position = board("bar:1 13:2", "6:2 5:2 4:2 3:2 2:2 1:2")
    verdict = check_play(position, WHITE, (6, 5), position)
    assert verdict.legal
    assert verdict.why == "No number can be played (C6)."


def test_the_likeliest_play_shares_most_with_what_was_done() -> None:
    verdict = check_play(START, WHITE, (3, 1), board("24:2 13:5 8:2 6:4 5:1 4:1"))
    assert verdict.likely is not None
    assert verdict.likely.text == "8/5 6/5"


@pytest.mark.parametrize("seed", range(6))
def test_no_position_after_makes_the_check_fail(seed: int) -> None:
    """Any 26 integers a side, far from possible ones included: not legal, and something to say."""
    rng = random.Random(seed)
    for position, side, dice in [*constructed_rolls(20, seed), *random_rolls(20, seed)]:
        after = spoiled(position, rng)
        verdict = check_play(position, side, dice, after)
        if not verdict.legal:
            assert verdict.rules
            assert verdict.why
            assert verdict.likely in verdict.legal_plays
        is_on_the_way(position, side, dice, after)
        rolls_explaining(position, side, after)


def spoiled(position: Position, rng: random.Random) -> Position:
    """Some counts changed at random."""
    sides = [list(position.white), list(position.black)]
    for _ in range(rng.randint(1, 6)):
        rng.choice(sides)[rng.randrange(26)] += rng.choice((-1, 1, 1, -1, 2, 20, -30))
    return Position(tuple(sides[0]), tuple(sides[1]))


def test_a_checker_gone_without_being_borne_off_is_missing_not_off() -> None:
    """Where the men borne off are counted they tell the two apart."""
    gone = side_counts({24: 2, 13: 5, 8: 2, 6: 4, 5: 1})
    assert check_play(START, WHITE, (3, 1), Position(gone, START.black)).rules == ("A1", "F4")
    assert check_play(START, WHITE, (3, 1), Position((1, *gone[1:]), START.black)).rules == ("E1",)


HALVES = [
    ("the start of a turn", START_TEXT, START_TEXT, True),
    ("one of two", "24:2 13:5 8:2 6:5 5:1", START_TEXT, True),
    ("the other of two", "24:2 13:5 8:3 6:4 5:1", START_TEXT, True),
    ("the whole", MADE, START_TEXT, True),
    ("no such step", "24:2 13:5 8:3 6:4 4:1", START_TEXT, False),
    ("three steps", "24:2 13:4 12:1 8:2 6:4 5:2", START_TEXT, False),
    ("a checker of the other side moved as well", "24:2 13:5 8:2 6:5 5:1", "24:2 13:5 8:3 6:4 5:1", False),
]


@pytest.mark.parametrize(("white", "black", "expected"), [half[1:] for half in HALVES], ids=[h[0] for h in HALVES])
def test_on_the_way(white: str, black: str, expected: bool) -> None:
    assert is_on_the_way(START, WHITE, (3, 1), board(white, black)) is expected


def test_parts_of_a_play_are_on_the_way_in_any_order() -> None:
    """Trying out is free (C7): another checker moved before the bar is entered may still become a legal play."""
    before = board(ON_BAR)
    assert is_on_the_way(before, WHITE, (3, 1), board("bar:1 24:1 13:5 8:3 6:4 5:1"))
    assert is_on_the_way(START, WHITE, (1, 1), board("24:2 13:5 8:3 6:3 5:2"))
    verdict = check_play(START, WHITE, (3, 1), board("24:2 13:5 8:2 6:5 5:1"))
    assert (verdict.partial, verdict.rules) == (True, ("C4",))


def test_a_hit_checker_left_standing_is_not_on_the_way() -> None:
    before = board(START_TEXT, BLOT)
    assert not is_on_the_way(before, WHITE, (3, 1), board("24:2 13:5 8:2 6:5 5:1", BLOT))
    assert is_on_the_way(before, WHITE, (3, 1), board("24:2 13:5 8:2 6:5 5:1", HIT))


def test_the_rolls_that_explain_a_move() -> None:
    assert rolls_explaining(START, WHITE, board(MADE)) == ((1, 1), (3, 1))
    assert set(rolls_explaining(START, WHITE, board("24:2 13:4 8:3 6:5 5:1"))) == {(2, 2), (5, 3), (6, 2)}
    assert rolls_explaining(START, WHITE, board("24:2 13:5 8:3 6:5 5:1")) == ()


@pytest.mark.parametrize("seed", range(2))
def test_rolls_explaining_are_those_that_list_the_position(seed: int) -> None:
    for position, side, dice in random_rolls(20, seed):
        after = legal_plays(position, side, dice)[0].after
        assert tuple(sorted(dice, reverse=True)) in rolls_explaining(position, side, after)
        assert len(resulting_keys(position, side, dice)) >= 1


FAULTY = [
    ("too many", board("24:2 13:5 8:3 6:6"), Status.TOO_MANY, ["white has 16"]),
    ("shared", board("24:2 13:5 8:3 6:4 1:1"), Status.SHARED_POINT, ["White's 1-point", "24-point"]),
    ("both closed out", board("bar:1 " + SHORT["X"], "bar:1 " + SHORT["X"]), Status.BOTH_CLOSED_OUT, ["bar"]),
    ("both finished", board("", ""), Status.BOTH_FINISHED, ["both sides have borne off"]),
    ("negative", Position((0,) * 25 + (-1,), START.black), Status.MALFORMED, ["-1 checkers"]),
    ("25 counts", Position((0,) * 25, START.black), Status.MALFORMED, ["25 counts"]),
    ("several", board("24:2 13:5 8:3 6:6 1:1"), Status.TOO_MANY | Status.SHARED_POINT, ["17", "1-point"]),
]


@pytest.mark.parametrize(("position", "status", "words"), [case[1:] for case in FAULTY], ids=[c[0] for c in FAULTY])
def test_impossible_positions_are_refused(position: Position, status: Status, words: list[str]) -> None:
    assert position_status(position) == status
    with pytest.raises(RuleError, match="impossible position") as refused:
        require_possible(position)
    assert all(word in str(refused.value) for word in words)


def test_possible_positions_have_no_faults() -> None:
    assert position_faults(START) == ()
    assert position_status(board("6:1", "1:1")) is Status.OK
