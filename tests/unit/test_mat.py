"""The .mat text (FORMATS.md): what is written, what is read tolerantly, and how bad text is refused."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_records import random_match

from companion.errors import RuleError
from companion.rules.ids import parse_id, xgid
from companion.rules.notation.mat import mat_name, read_mat, write_mat
from companion.rules.notation.snowie import SnowieFacts, parse_snowie, snowie_text
from companion.rules.position import START, Position, Side, side_counts
from companion.rules.record import (
    Beaver,
    Double,
    Drop,
    GameRecord,
    MatchRecord,
    Play,
    Resign,
    Result,
    Roll,
    Take,
    final_position,
    made_play,
    record_from_json,
    record_to_json,
    written_play,
)
from companion.rules.replay import replay

MATCHES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "matches"
W, B = Side.WHITE, Side.BLACK
HEAD = " 5 point match\n\n Game 1\n Ann : 0                         Bob : 0\n"


def game(rows, head=HEAD):
    return read_mat(head + rows).games[0]


def record(*actions, result=None, **facts):
    """A match of one game."""
    facts = {"length": 5, "white": "Ann", "black": "Bob"} | facts
    return MatchRecord(games=(GameRecord(number=1, actions=actions, result=result),), **facts)


def plays(*turns):
    """Plays one after the other from the start: (side, dice, text)."""
    position, made = START, []
    for side, dice, text in turns:
        made.append(written_play(position, side, dice, text))
        position = made[-1].after
    return made


def rows_of(text):
    return [line for line in text.splitlines() if re.match(r" *\d+\)", line)]


# --- writing -----------------------------------------------------------------------------------------------------


def test_what_is_written():
    moves = plays((W, (3, 1), "8/5 6/5"), (B, (4, 1), "24/23 13/9"))
    after_take = written_play(moves[-1].after, W, (2, 1), "13/11 6/5")
    record_ = record(*moves, Double(side=W, value=2), Take(side=B), after_take)
    assert write_mat(record_) == (
        '; [Player 1 "Ann"]\n; [Player 2 "Bob"]\n; [Crawford "On"]\n\n'
        " 5 point match\n\n"
        " Game 1\n"
        " Ann : 0                         Bob : 0\n"
        "  1) 31: 8/5 6/5                 41: 24/23 13/9\n"
        "  2)  Doubles => 2                Takes\n"
        "  3) 21: 13/11 6/5               \n"
    )


def test_the_right_cell_starts_in_column_34_and_a_cube_word_one_further():
    text = write_mat(
        record(*plays((W, (3, 1), "8/5 6/5"), (B, (4, 1), "24/23 13/9")), Double(side=W, value=2), Drop(side=B))
    )
    first, second = rows_of(text)
    assert first.index("41:") == 33
    assert second.index("Drops") == 34
    assert second.startswith("  2)  Doubles => 2 ")


def test_a_long_left_cell_still_leaves_two_blanks_before_a_cube_word():
    illegal = Play(side=W, dice=(6, 6), after=START, legal=False)
    text = write_mat(record(illegal, Double(side=B, value=2), Take(side=W)))
    assert re.search(r"\)  Doubles => 2$", rows_of(text)[0])


def test_an_empty_left_cell_stands_only_in_the_first_row():
    text = write_mat(record(*plays((B, (3, 1), "8/5 6/5"), (W, (4, 1), "24/23 13/9"), (B, (2, 1), "13/11 6/5"))))
    assert rows_of(text) == [
        "  1)                             31: 8/5 6/5",
        "  2) 41: 24/23 13/9              21: 13/11 6/5",
    ]


def test_the_last_left_cell_is_padded():
    """gnubg reads the end of the line before behind a short one: a double that nobody made."""
    text = write_mat(record(*plays((W, (3, 1), "8/5 6/5")), Double(side=B, value=2), Take(side=W)))
    assert rows_of(text)[-1] == "  2)  Takes".ljust(33)


def test_a_turn_the_record_does_not_know_leaves_no_hole():
    first = written_play(START, W, (3, 1), "8/5 6/5")
    second = written_play(first.after, W, (6, 1), "13/7 8/7")
    rows = rows_of(write_mat(record(first, second)))
    assert rows[0].startswith("  1) 31: 8/5 6/5                 21: Illegal play (")
    assert rows[1] == "  2) 61: 13/7 8/7                "
    assert parse_snowie(rows[0].partition("(")[2].rstrip(")")) == (first.after, W), "the table is left as it is"


def test_checkers_put_by_hand_between_two_turns_are_told_as_a_position():
    """gnubg drops the rest of the match where a written play finds no checker."""
    first = written_play(START, W, (3, 1), "8/5 6/5")
    elsewhere = first.after.replace(B, side_counts({6: 14, 23: 1}))
    second = made_play(elsewhere, B, (6, 1), written_play(elsewhere, B, (6, 1), "23/16").after)
    third = written_play(second.after, W, (2, 1), "13/11 6/5")
    assert second.legal
    rows = rows_of(write_mat(record(first, second, third)))
    assert "61: Illegal play (" in rows[0]
    assert rows[1].startswith("  2) 21: 13/11 6/5")


@pytest.mark.parametrize(
    ("winner", "points", "line"),
    [
        (W, 1, "      Wins 1 point"),
        (W, 2, "      Wins 2 points"),
        (W, 5, "      Wins 5 points and the match"),
        (B, 2, f"{'':34}Wins 2 points"),
    ],
)
def test_the_winner_stands_in_the_own_column(winner, points, line):
    moves = plays((W, (3, 1), "8/5 6/5"), (B, (4, 1), "24/23 13/9"))
    result = Result(winner=winner, points=points, kind="resign")
    lines = write_mat(record(*moves, result=result)).splitlines()
    assert lines[-1] == line


def test_a_match_broken_off_has_no_wins_line():
    assert "Wins" not in write_mat(record(*plays((W, (3, 1), "8/5 6/5"))))


def test_a_roll_before_a_resignation_has_its_own_cell():
    result = Result(winner=B, points=1, kind="resign")
    text = write_mat(record(Roll(side=W, dice=(6, 1)), Resign(side=W, points=1), result=result))
    assert rows_of(text) == ["  1) 61: ????                     Wins 1 point"]


def test_a_match_without_games_is_still_one_gnubg_can_import():
    assert " Game 1\n" in write_mat(MatchRecord(length=3))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("", "White"),
        (" \t", "White"),
        ("a:b", "a b"),
        ("A;B(C)", "A B C"),
        ('say "hi"\n', "say hi"),
        ("x" * 40, "x" * 31),
        ("é" * 16, "é" * 15),
        ("Łódź", "Łódź"),
        ("12) 31: 8/5", "12 31 8 5"),
    ],
)
def test_names_never_make_gnubg_abort(name, written):
    assert mat_name(name, W) == written
    assert len(written.encode()) <= 31


def test_an_illegal_play_that_stood_is_the_position_after_it():
    moved = START.replace(B, side_counts({6: 5, 8: 3, 13: 6, 24: 1}))
    first = written_play(START, W, (3, 1), "8/5 6/5")
    after = Position(first.after.white, moved.black)
    wrong = made_play(first.after, B, (6, 4), after, "24/13")
    assert not wrong.legal
    text = write_mat(record(first, wrong))
    found = re.search(r"64: Illegal play \(([^)]*)\)", text)
    assert found
    fields = found[1].split(";")
    assert len(fields) == 41, "forty fields, each ended by a semicolon"
    assert fields[0] == "5"
    assert fields[4] == "1", "1 = the left player is on roll, as gnubg reads it"
    assert fields[5:7] == ["White", "Black"], "never the players' names: gnubg would take 'Game 2' for a new game"
    assert parse_snowie(found[1]) == (after, W)


@pytest.mark.parametrize("men", [14, 16])
def test_an_illegal_play_that_lost_or_added_checkers_comes_back(men):
    after = START.replace(B, side_counts({6: men}, off=max(0, 15 - men)))
    actions = (Play(side=B, dice=(6, 1), after=after, legal=False), written_play(after, W, (2, 1), "13/11 6/5"))
    assert game(write_mat(record(*actions)), "").actions == actions


def test_a_snowie_position_holds_both_bars():
    position = Position(side_counts({6: 5, 8: 3, 13: 5, 24: 1}, bar=1), side_counts({6: 5, 8: 3, 13: 5}, bar=2))
    facts = SnowieFacts(0, "a", "b", 0, 0, False, 1, None)
    for side in Side:
        text = snowie_text(position, side, facts)
        assert parse_snowie(text) == (position, side)
        assert text.split(";")[12] == f"-{position.of(side.other)[25]}"
        assert text.split(";")[37] == str(position.of(side)[25])


# --- both ways ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_random_matches_come_back_as_they_were(seed):
    match = random_match(seed)
    assert read_mat(write_mat(match)) == match


@pytest.mark.parametrize("seed", range(0, 60, 10))
def test_json_keeps_everything(seed):
    match = random_match(seed)
    assert record_from_json(record_to_json(match)) == match


def test_json_names_what_is_wrong():
    with pytest.raises(RuleError, match="length"):
        record_from_json('{"length": "x"}')
    with pytest.raises(RuleError, match="not a match record"):
        record_from_json(b"\xff{")


def test_a_joined_game_starts_where_it_was_joined():
    start = parse_id("Fp+DBwDgc/ABUA").position
    for owner, cube in ((None, 1), (W, 2), (B, 2), (W, 4), (B, 8)):
        for on_roll in Side:
            joined = GameRecord(
                number=1, score_white=3, score_black=2, start=start, on_roll=on_roll, cube=cube, owner=owner
            )
            match = MatchRecord(length=7, games=(joined,))
            text = write_mat(match)
            assert xgid(start, on_roll, cube=cube, owner=owner, score_white=3, score_black=2, length=7) in text
            assert read_mat(text) == match


# --- reading tolerantly ------------------------------------------------------------------------------------------


def after(rows, head=HEAD):
    return final_position(game(rows, head))


PLAIN = "  1) 31: 8/5 6/5                 64: 24/14\n  2) 51: 13/8 6/5\n"


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + HEAD + PLAIN,
        (HEAD + PLAIN).replace("\n", "\r\n"),
        (HEAD + PLAIN).replace("\n", "\r"),
        (HEAD + PLAIN).replace(" 5 point match", "5 points match"),
        (HEAD + PLAIN).replace("  2) 51", "\n\n  2)  51"),
        HEAD + "  1)\t31: 8/5 6/5\t\t64: 24/14\n  2)\t51: 13/8 6/5\n",
        HEAD + "  1) 31: 8/5 6/5 64: 24/14\n  2) 51: 13/8 6/5\n".replace("6/5 64", "6/5                  64"),
        (HEAD + PLAIN).replace("24/14", "24/18 18/14"),
        (HEAD + PLAIN).replace("24/14", "24/18/14"),
        '; [Site "x"]\n; junk\n' + HEAD + PLAIN,
    ],
)
def test_layouts(text):
    assert final_position(read_mat(text).games[0]) == after(PLAIN)


@pytest.mark.parametrize(
    "play", ["bar/22 24/21 6/3(2)", "Bar/22 24/21 6/3 6/3", "25/22 24/21 6/3(2)", "BAR/22* 24/21* 6/3(1) 6/3*"]
)
def test_bar_and_repetition_in_every_spelling(play):
    hit = "  1) 31: 8/5 6/5                 64: 24/14\n  2) 62: 24/18 13/11*            33: "
    moved = game(hit + play + "\n").actions[-1]
    assert isinstance(moved, Play)
    assert moved.legal
    assert moved.text == "bar/22 24/21 6/3(2)"


@pytest.mark.parametrize("hit", ["24/18 13/11*", "24/18 13/11", "24/18* 13/11*", "24/18* 13/11"])
def test_stars_may_be_missing_or_too_many(hit):
    moved = game(f"  1) 31: 8/5 6/5                 64: 24/14\n  2) 62: {hit}\n").actions[-1]
    assert isinstance(moved, Play)
    assert moved.text == "24/18 13/11*"
    assert moved.after.black[25] == 1


def test_a_hit_on_the_way_is_found_without_its_star():
    """6-3 from 24 to 15 over a lone man on 18 alone: with 18 named or not, one legal play moves the men so and hits."""
    blocked = side_counts({7: 1, 4: 2, 6: 12})
    before = Position(side_counts({24: 1, 1: 14}), blocked)
    moved = written_play(before, W, (6, 3), "24/15")
    assert moved.legal
    assert moved.text == "24/18*/15"
    assert moved.after.black[25] == 1


@pytest.mark.parametrize("end", ["3/off 2/off", "3/0 2/0", "3/Off 2/OFF"])
def test_off_in_every_spelling(end):
    before = Position(side_counts({3: 1, 2: 1}, off=13), side_counts({6: 15}))
    assert written_play(before, W, (3, 2), end).text == "3/off 2/off"


@pytest.mark.parametrize("cell", ["44:", "44: Cannot Move", "44: cannot move"])
def test_a_dance(cell):
    before = Position(side_counts({13: 14}, bar=1), side_counts(dict.fromkeys(range(1, 7), 2) | {7: 3}))
    joined = f'; [JoinedAt "{xgid(before, W)}"]\n' + HEAD.replace("5 point", "0 point")
    setup = rows_of(write_mat(MatchRecord(games=(GameRecord(number=1, start=before, on_roll=W),))))
    dance = game("\n".join(setup) + f"\n  2) {cell}\n", joined).actions[-1]
    assert dance == Play(side=W, dice=(4, 4), after=before)


def test_cube_actions():
    actions = game(
        "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Takes                       Beavers => 4\n", HEAD
    ).actions
    assert actions[1:3] == (Double(side=B, value=2), Take(side=W))
    assert game("  1)  Doubles                     Drops\n").actions == (Double(side=W, value=2), Drop(side=B))
    beaver = game("  1)  Doubles => 2                Beavers => 4\n  2)  Takes\n")
    assert beaver.actions == (Double(side=W, value=2), Beaver(side=B, value=4))
    redouble = game("  1)  Doubles => 2                Takes\n  2) 31: 8/5 6/5                  Redoubles => 4\n")
    assert redouble.actions[-1] == Double(side=B, value=4)


def test_a_first_double_to_4_tells_of_an_automatic_double():
    assert game("  1)  Doubles => 4                Takes\n").cube == 2


@pytest.mark.parametrize(
    ("rows", "winner", "points"),
    [
        ("  1) 31: 8/5 6/5\n      Wins 2 points\n", W, 2),
        ("  1) 31: 8/5 6/5\n                                  Wins 1 point\n", B, 1),
        ("  1) 31: 8/5 6/5                 Losses 2 point\n", W, 2),
        ("  1)  Losses 1 point                                               Wins 1 point and the match\n", B, 1),
        ("  1) 31: 8/5 6/5                 44:\nLosses 3 point\n\n      Wins 3 point and the match\n", W, 3),
        ("  1) 31: 8/5 6/5                  Concedes\n", W, 1),
        ("  1)  Doubles => 2                Drops\n", W, 1),
        ("  1)  Doubles => 2                Beavers => 4\n  2)  Drops\n", B, 2),
        ("  1)  Doubles => 2                Drops\n      Wins 1 point\n", W, 1),
    ],
)
def test_results_in_every_spelling(rows, winner, points):
    result = game(rows).result
    assert result is not None
    assert (result.winner, result.points) == (winner, points)


def test_no_wins_line_no_winner():
    assert game("  1) 31: 8/5 6/5\n").result is None


@pytest.mark.parametrize("junk", ["7/3 9/4", "24/20 24/20 24/20", "1/off", "?", "zzz"])
def test_the_last_play_of_a_resigner_may_be_junk(junk):
    played = game(f"  1) 31: 8/5 6/5                 64: {junk}\n      Wins 1 point\n")
    assert played.actions == (
        written_play(START, W, (3, 1), "8/5 6/5"),
        Roll(side=B, dice=(6, 4)),
        Resign(side=B, points=1),
    )


def test_a_resignation_is_for_whole_cubes_and_three_at_most():
    """Programs cap it at what the winner needed, or name the whole match."""
    cube = "  1)  Doubles => 2                Takes\n  2) 31: 8/5 6/5\n"
    assert game(cube + "      Wins 3 points\n").result.points == 4
    assert game("  1) 31: 8/5 6/5\n      Wins 5 points and the match\n").result.points == 3


def test_an_illegal_play_is_kept_and_named():
    text = HEAD + "  1) 31: 8/5 6/5                 64: 24/15\n  2) 51: 13/8 6/5\n"
    judged = list(replay(read_mat(text)))
    assert [turn.legal for turn in judged] == [True, False, True]
    assert judged[1].rules
    assert "ILLEGAL" in str(judged[1])
    assert read_mat(write_mat(read_mat(text))).games[0].actions[1].after == read_mat(text).games[0].actions[1].after


def test_the_crawford_game_is_the_first_with_one_side_a_point_away():
    head = " 3 point match\n"
    scores = [(2, 0), (2, 1), (2, 2)]
    games = "".join(f"\n Game {i}\n A : {w}  B : {b}\n" for i, (w, b) in enumerate(scores, 1))
    assert [g.crawford for g in read_mat(head + games).games] == [True, False, False]
    assert [g.crawford for g in read_mat('; [Crawford "Off"]\n' + head + games).games] == [False] * 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1"),
        ("hello", "line 1, column 1"),
        (HEAD + "  1) 31: 8/5 9/8                 64: 24/14\n", "line 5, column 6: '31: 8/5 9/8'"),
        (HEAD + "  1) 31: 8/5 zz                 64: 24/14\n", "'zz' is not a move"),
        (HEAD + "  1) nonsense\n", "line 5, column 6: 'nonsense'"),
        (HEAD + "  1)  Takes it\n", "line 5, column 13: 'it'"),
        (HEAD + "31: 8/5\n", "line 5, column 1"),
        (HEAD + "  1) 31: Illegal play (5;0;0;1;1;A;B;2;0;0;0)   61: 13/7 8/7\n", "a Snowie position has 40 fields"),
        (" 5 point match\n  1) 31: 8/5 6/5\n", "line 2, column 1"),
        ('; [JoinedAt "XGID=oops"]\n' + HEAD, "line 1, column 14"),
    ],
)
def test_bad_text_is_told_with_its_place(text, said):
    with pytest.raises(RuleError) as error:
        read_mat(text)
    assert said in str(error.value)


def fault_of(text):
    try:
        read_mat(text)
    except RuleError as error:
        return str(error)
    return None


HEADS = [" 5 point match\n", " Game 1\n", " A : 0   B : 0\n", "\n", "; [", "  1) ", "  ", "\t"]
ROLLS = ["31: ", "8/5 6/5 ", "64: ", "bar/20 ", "off", "????", "Illegal play (", ";0" * 20, ")"]
WORDS = [" Doubles => 2", " Takes", " Drops", " Wins 1 point", "Losses 2 point", " Beavers"]
PIECES = st.sampled_from(HEADS + ROLLS + WORDS)


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=120) | st.lists(PIECES, max_size=25).map("".join))
def test_any_text_gives_a_match_or_a_rule_error(text):
    assert fault_of(text) is None or fault_of(text).startswith("line ")


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 59), st.integers(0, 10**9), st.characters(max_codepoint=0x2FF))
def test_a_file_with_one_character_changed_never_crashes(seed, where, character):
    text = write_mat(msgspec.structs.replace(random_match(seed % 6)))
    at = where % len(text)
    changed = text[:at] + character + text[at + 1 :]
    assert fault_of(changed) is None or fault_of(changed).startswith("line ")


@pytest.mark.skipif(not MATCHES.is_dir(), reason="../shared/data/matches is not here")
def test_a_few_real_matches_come_back_and_every_play_is_judged():
    for path in sorted(MATCHES.glob("*.mat"))[::50]:
        match = read_mat(path.read_text())
        assert read_mat(write_mat(match)) == match
        judged = list(replay(match))
        assert len(judged) > 10
        assert all(turn.legal for turn in judged), "published transcripts hold practically no illegal plays"


def test_the_random_matches_hold_everything():
    matches = [random_match(seed) for seed in range(60)]
    games = [g for match in matches for g in match.games]
    actions = [action for g in games for action in g.actions]
    assert {type(action) for action in actions} >= {Play, Roll, Double, Beaver, Take, Drop, Resign}
    assert any(isinstance(action, Play) and not action.legal for action in actions)
    assert any(g.joined for g in games)
    assert any(g.crawford for g in games)
    assert any(g.result is None for g in games)
    assert {g.result.kind for g in games if g.result} >= {"single", "gammon", "backgammon", "pass", "resign"}
