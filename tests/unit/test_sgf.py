"""GNU Backgammon's .sgf both ways (FORMATS.md ".sgf"), and how bad text is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_records import random_match

from companion.errors import RuleError
from companion.rules.ids import parse_id
from companion.rules.notation.mat import read_mat
from companion.rules.notation.sgf import read_sgf, write_sgf
from companion.rules.notation.sgf_tree import escaped, parse_trees, unescaped
from companion.rules.notation.sgf_write import point_letter
from companion.rules.position import START, Side, side_counts
from companion.rules.record import Beaver, Double, Drop, GameRecord, MatchRecord, Play, Resign, Result, Roll, Take

MATCHES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "matches"
W, B = Side.WHITE, Side.BLACK
HEAD = "(;FF[4]GM[6]MI[length:5][game:0][ws:1][bs:2]PW[Ann]PB[Bob]RU[Crawford]"


def game(nodes, head=HEAD):
    return read_sgf(head + nodes + ")").games[0]


def test_letters_are_whites_points_whoever_moves():
    assert [point_letter(p, W) for p in (1, 24, 25, 0)] == ["a", "x", "y", "z"]
    assert [point_letter(p, B) for p in (1, 24, 25, 0)] == ["x", "a", "y", "z"]


def test_what_is_written():
    match = read_mat(
        " 5 point match\n\n Game 1\n Ann : 0   Bob : 0\n"
        "  1) 31: 8/5 6/5                 61: 13/7 8/7\n"
        "  2)  Doubles => 2                Drops\n      Wins 1 point\n"
    )
    head, *nodes = write_sgf(match).splitlines()
    assert head.startswith("(;FF[4]GM[6]CA[UTF-8]AP[")
    assert "MI[length:5][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[Crawford]RE[W+1]" in head
    assert nodes == [";W[31hefe]", ";B[61lrqr]", ";W[double]", ";B[drop])"]


def test_an_illegal_play_that_stood_is_a_roll_and_a_set_up_position():
    wrong = Play(side=B, dice=(6, 4), after=START.replace(B, side_counts({6: 15})), legal=False)
    nodes = write_sgf(MatchRecord(games=(GameRecord(number=1, actions=(wrong,)),))).splitlines()[1:]
    assert nodes[0] == ";PL[B]DI[64]"
    assert nodes[1].startswith(";PL[W]AE[a:y]AW[f][f][f][f][f]")
    assert nodes[1].endswith("AB" + "[s]" * 15 + ")")


def test_actions():
    made = game(";W[31hefe]\n;B[double]\n;W[double]\n;B[take]\n;W[64])".rstrip(")")).actions
    assert made[1:3] == (Double(side=B, value=2), Beaver(side=W, value=4))
    assert made[3].dice == (6, 4)
    assert game(";W[double];B[take];B[31qtst]").actions[:2] == (Double(side=W, value=2), Take(side=B))
    assert game(";W[double];B[drop]").actions == (Double(side=W, value=2), Drop(side=B))
    assert game(";PL[B]DI[64]").actions == (Roll(side=B, dice=(6, 4)),)


def test_results():
    assert game(";W[31hefe]", HEAD + "RE[W+2R]").result == Result(winner=W, points=2, kind="resign")
    assert game(";W[31hefe]", HEAD + "RE[W+2R]").actions[-1] == Resign(side=B, points=2)
    assert game(";W[double];B[drop]", HEAD + "RE[W+1]").result == Result(winner=W, points=1, kind="pass")
    assert game(";W[31hefe]").result is None


def test_score_number_and_crawford():
    text = "(;FF[4]GM[6]MI[length:3][game:4][ws:2][bs:0]PW[a]PB[b]RU[Crawford:CrawfordGame])"
    assert read_sgf(text).games[0] == GameRecord(number=5, score_white=2, crawford=True)


def test_a_joined_game_is_set_up():
    nodes = ";CV[4]\n;CP[w]\n;PL[W]AE[a:y]AW" + "[f]" * 15 + "AB" + "[s]" * 14 + "[y]"
    joined = game(nodes + "\n;W[21fdfe]")
    assert (joined.cube, joined.owner, joined.on_roll) == (4, W, W)
    assert joined.start.black == side_counts({6: 14}, bar=1)
    assert joined.start.white == side_counts({6: 15})


def test_analysis_variations_and_comments_are_passed_over():
    plain = game(";W[31hefe];B[61lrqr]")
    rich = game(";W[31hefe]C[good \\] one]A[0][hefe E ver 3 0.5] ;B[61lrqr](;W[21mkfe];B[65aggl])(;W[21mkml])")
    assert rich.actions[:2] == plain.actions
    assert len(rich.actions) == 4, "the first variation is the match"


@settings(deadline=None, derandomize=True)
@given(st.text(st.characters(min_codepoint=32, exclude_characters="\x7f", exclude_categories=["Cs"])))
def test_any_name_survives_as_a_property(text):
    assert unescaped(escaped(text)) == text
    assert parse_trees(f"(;PW[{escaped(text)}])")[0][0][0].values == (text,)


@pytest.mark.parametrize("seed", range(60))
def test_random_matches_come_back_as_they_were(seed):
    match = random_match(seed)
    assert read_sgf(write_sgf(match)) == match


def test_a_joined_match_comes_back():
    start = parse_id("Fp+DBwDgc/ABUA").position
    joined = GameRecord(number=1, start=start, on_roll=B, cube=4, owner=W)
    assert read_sgf(write_sgf(MatchRecord(length=7, games=(joined,)))).games == (joined,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1"),
        ("hello", "line 1, column 1: 'hello'"),
        (HEAD, "cut off"),
        (HEAD + ";W[31he", "W has no value"),
        (HEAD + "\n;W[37hefe])", "line 2, column 2"),
        (HEAD + "\n;W[31hefe]\n;B[61ax])", "line 3, column 2"),
        (HEAD + ";CP[q];W[31hefe])", "centred"),
        (HEAD + ";PL[Z]DI[31])", "expected W or B"),
        (HEAD + ";PL[W]DI[3])", "two dice"),
        ("(;MI[length:x])", "expected a number"),
        (HEAD + ";AW" + "[f]" * 31 + ")", "there are 15"),
        (HEAD + ";AW[ff])", "expected a place"),
        ("(" * 400, "deep"),
        ("(;W)", "no value"),
    ],
)
def test_bad_text_is_told_with_its_place(text, said):
    with pytest.raises(RuleError) as error:
        read_sgf(text)
    assert str(error.value).startswith("line ")
    assert said in str(error.value)


def fault_of(text):
    try:
        read_sgf(text)
    except RuleError as error:
        return str(error)
    return None


MARKS = ["(", ")", ";", "]", "[", "\\", "\n", "x", "W", "B", "PL", "DI", "AW", "AB"]
VALUES = [
    "[31hefe]",
    "[double]",
    "[take]",
    "[drop]",
    "[W]",
    "[64]",
    "AE[a:y]",
    "[f]",
    "[y]",
    "RE[W+2R]",
    "CV[4]",
    "CP[w]",
]
PIECES = st.sampled_from(MARKS + VALUES)


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=120) | st.lists(PIECES, max_size=25).map(lambda pieces: HEAD + "".join(pieces)))
def test_any_text_gives_a_match_or_a_rule_error(text):
    assert fault_of(text) is None or fault_of(text).startswith("line ")


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 5), st.integers(0, 10**9), st.characters(max_codepoint=0x2FF))
def test_a_file_with_one_character_changed_never_crashes(seed, where, character):
    text = write_sgf(random_match(seed))
    at = where % len(text)
    changed = text[:at] + character + text[at + 1 :]
    assert fault_of(changed) is None or fault_of(changed).startswith("line ")


@pytest.mark.skipif(not MATCHES.is_dir(), reason="../shared/data/matches is not here")
def test_a_few_real_matches_come_back():
    for path in sorted(MATCHES.glob("*.mat"))[::50]:
        match = read_mat(path.read_text())
        assert read_sgf(write_sgf(match)).games == match.games
