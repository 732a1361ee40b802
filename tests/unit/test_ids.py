"""Position ids: XGID, GNU position id and match id, both ways (FORMATS.md "Ids")."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import RuleError
from companion.rules.ids import ParsedId, gnu_id, gnu_match_id, gnu_position_id, parse_id, xgid
from companion.rules.position import START, Position, Side, side_counts

MOVER = side_counts({6: 5, 8: 3, 13: 5, 24: 1}, bar=1)
OTHER = side_counts({2: 2, 3: 1, 6: 5, 8: 3, 13: 4})
UNSYMMETRICAL = "Fp+DBwDgc/ABUA"


def test_the_side_not_on_roll_comes_first():
    assert gnu_position_id(Position(MOVER, OTHER), Side.WHITE) == UNSYMMETRICAL
    assert gnu_position_id(Position(OTHER, MOVER), Side.BLACK) == UNSYMMETRICAL


def test_a_bare_position_id_has_white_on_roll():
    parsed = parse_id(UNSYMMETRICAL)
    assert parsed.position == Position(MOVER, OTHER)
    assert parsed.on_roll is Side.WHITE


@pytest.mark.parametrize(
    ("facts", "match_id"),
    [
        # What GNU Backgammon 1.07 shows for XGID=…:1:1:1:31:3:2:0:7:10 and …:1:-1:-1:31:3:2:0:7:10
        ({"on_roll": Side.WHITE, "owner": Side.WHITE}, "UYnlACAAGAAE"),
        ({"on_roll": Side.BLACK, "owner": Side.BLACK}, "AYHlACAAGAAE"),
    ],
)
def test_match_id_is_gnubgs_with_white_as_player_1(facts, match_id):
    common = {"cube": 2, "dice": (3, 1), "score_white": 3, "score_black": 2, "length": 7}
    assert gnu_match_id(START, **facts, **common) == match_id
    parsed = parse_id(f"4HPwATDgc/ABMA:{match_id}")
    assert parsed == ParsedId(START, **facts, **common)


def test_starting_position_in_every_notation():
    assert xgid(START) == "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
    assert gnu_id(START) == "4HPwATDgc/ABMA:cAkAAAAAAAAE"
    for text in (xgid(START), xgid(START).removeprefix("XGID="), gnu_id(START), "4HPwATDgc/ABMA", " 4HPwATDgc/ABMA\n"):
        assert parse_id(text).position == START


def test_an_xgid_is_absolute_whoever_is_on_roll():
    position = Position(MOVER, OTHER)
    assert xgid(position, Side.BLACK).split(":")[0] == xgid(position, Side.WHITE).split(":")[0]
    assert parse_id(xgid(position, Side.BLACK)).position == position
    assert xgid(position).split("=")[1][25] == "A", "White's bar is the last place, a capital letter"


@pytest.mark.parametrize("pending", ["double", "beaver", "raccoon"])
def test_xgid_knows_cube_decisions_that_wait(pending):
    parsed = ParsedId(START, pending=pending)
    assert parse_id(parsed.xgid()) == parsed


def test_men_that_are_not_there_are_borne_off():
    assert parse_id("-A--------------------a---:0:0:1:00:0:0:0:0:10").position.white == side_counts({1: 1}, off=14)


@st.composite
def positions(draw):
    def side(blocked):
        places = [p for p in range(1, 26) if p == 25 or p not in blocked]
        men = draw(st.lists(st.sampled_from(places), max_size=15))
        return side_counts({p: men.count(p) for p in set(men) - {25}}, bar=men.count(25), off=15 - len(men))

    white = side(set())
    return Position(white, side({25 - p for p in range(1, 25) if white[p]}))


@st.composite
def all_facts(draw):
    length = draw(st.integers(0, 25))
    dice = draw(st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)).map(lambda d: (max(d), min(d))))
    return ParsedId(
        draw(positions()),
        draw(st.sampled_from(Side)),
        dice=dice,
        cube=2 ** draw(st.integers(0, 10)),
        owner=draw(st.none() | st.sampled_from(Side)),
        score_white=draw(st.integers(0, 25)),
        score_black=draw(st.integers(0, 25)),
        length=length,
        crawford=bool(length) and draw(st.booleans()),
        jacoby=not length and draw(st.booleans()),
    )


@settings(deadline=None, derandomize=True)
@given(all_facts())
def test_every_fact_survives_both_notations(facts):
    assert parse_id(facts.xgid()) == facts
    assert parse_id(facts.gnu_id()) == facts


@settings(deadline=None, derandomize=True)
@given(positions(), st.booleans(), st.integers(0, 60))
def test_beavers_and_the_cube_limit_survive_an_xgid(position, beavers, limit):
    facts = ParsedId(position, beavers=beavers, max_cube=limit)
    assert parse_id(facts.xgid()) == facts


@pytest.mark.parametrize(
    ("text", "place", "piece"),
    [
        ("4HPwATDgc/ABM!", "line 1, column 14", "'!'"),
        ("4HPwATDgc", "line 1, column 1", "14 characters"),
        ("\n  4HPwATDgc", "line 2, column 3", "14 characters"),
        ("4HPwATDgc/ABMA:cAkAAAAA", "line 1, column 16", "12 characters"),
        ("4HPwATDgc/ABMB", "line 1, column 14", "'B'"),
        ("//////////////", "line 1, column 14", "cannot be"),
        ("/////////////w", "line 1, column 1", "more checkers"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:07:0:0:0:0:10", "line 1, column 39", "'07'"),
        ("XGID=-b----E-C---eE---c-e----B-:0:2:1:00:0:0:0:0:10", "line 1, column 35", "owner"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10", "line 1, column 37", "turn"),
        ("XGID=-b----E-C-?-eE---c-e----B-:0:0:1:00:0:0:0:0:10", "line 1, column 16", "'?'"),
        ("XGID=Ab----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "line 1, column 6", "bar"),
        ("XGID=-b----E-C---eE:0:0:1:00:0:0:0:0:10", "line 1, column 6", "26 characters"),
        ("XGID=-b:0:0", "line 1, column 6", "10 fields"),
        ("", "line 1, column 1", "14 characters"),
    ],
)
def test_bad_text_is_told_with_its_place(text, place, piece):
    with pytest.raises(RuleError) as error:
        parse_id(text)
    assert place in str(error.value)
    assert piece in str(error.value)


def test_more_men_than_a_board_has_do_not_fit():
    crowd = side_counts({6: 15, 5: 15})
    with pytest.raises(RuleError, match="more than 15"):
        gnu_position_id(Position(crowd, crowd))


def test_a_cube_shows_powers_of_two():
    with pytest.raises(RuleError, match="cube value 3"):
        xgid(START, cube=3)


def fault_of(text):
    """What the parser says against a text, None when nothing."""
    try:
        parse_id(text)
    except RuleError as error:
        return str(error)
    return None


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=60) | st.text(alphabet="abcdeABCDE-0123:=XGID/+", max_size=70))
def test_any_text_gives_an_id_or_a_rule_error(text):
    assert fault_of(text) is None or fault_of(text).startswith("line ")


def test_a_valid_id_with_one_letter_changed_never_crashes():
    random.seed(3)
    for text in (xgid(START), gnu_id(START)):
        for _ in range(2000):
            i = random.randrange(len(text))
            changed = text[:i] + chr(random.randrange(32, 127)) + text[i + 1 :]
            with suppress(RuleError):
                parsed = parse_id(changed)
                assert parse_id(parsed.xgid()).position.white[1:] == parsed.position.white[1:]
