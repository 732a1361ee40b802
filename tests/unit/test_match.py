"""Game and match (RULES.md B1, B2, B6, F2, F3, G2, G5, G6, H1-H3)."""

from __future__ import annotations

import pytest

from companion.errors import RuleError
from companion.rules import match as m
from companion.rules.position import START, Position, Side, side_counts
from companion.rules.profile import load_profile
from companion.rules.record import Result

W, B = Side.WHITE, Side.BLACK
CLASSIC, MONEY = load_profile("classic"), load_profile("money")
AUTO = load_profile("money", {"automatic_doubles": True, "beavers": True})
OFF = side_counts({}, off=15)


def test_the_higher_die_starts_and_plays_both():
    assert m.opening_roll(3, 5, CLASSIC, length=5) == m.Opening(B, (5, 3), 1)
    assert m.opening_roll(6, 1, CLASSIC, length=5) == m.Opening(W, (6, 1), 1)


def test_equal_dice_are_rolled_again():
    assert m.opening_roll(4, 4, CLASSIC, length=5).starter is None
    assert m.opening_roll(4, 4, CLASSIC, length=5).cube == 1


def test_automatic_doubles_only_at_money_and_only_where_played():
    assert m.opening_roll(4, 4, AUTO, length=0).cube == 2
    assert m.opening_roll(2, 2, AUTO, length=0, cube=2).cube == 4
    assert m.opening_roll(4, 4, AUTO, length=5).cube == 1
    assert m.opening_roll(4, 4, MONEY, length=0).cube == 1


def test_money_options_are_off_in_matches():
    assert m.jacoby(MONEY, 0)
    assert not m.jacoby(MONEY, 7)
    assert m.beavers(AUTO, 0)
    assert not m.beavers(AUTO, 7)


def test_an_opening_roll_shows_1_to_6():
    with pytest.raises(RuleError):
        m.opening_roll(0, 7, CLASSIC, length=5)


@pytest.mark.parametrize(
    ("loser", "points", "kind"),
    [
        (side_counts({3: 14}, off=1), 2, "single"),
        (side_counts({3: 14, 7: 1}), 4, "gammon"),
        (side_counts({3: 14, 18: 1}), 4, "gammon"),
        (side_counts({3: 14, 19: 1}), 6, "backgammon"),
        (side_counts({3: 14}, bar=1), 6, "backgammon"),
        (side_counts({3: 13}, bar=1, off=1), 2, "single"),
    ],
)
def test_single_gammon_backgammon(loser, points, kind):
    assert m.game_result(Position(OFF, loser), 2) == Result(winner=W, points=points, kind=kind)
    assert m.game_result(Position(loser, OFF), 2) == Result(winner=B, points=points, kind=kind)


def test_no_result_before_all_are_off():
    assert m.game_result(START, 1) is None


def test_jacoby_counts_gammons_only_with_a_turned_cube():
    gammon = Position(OFF, side_counts({7: 15}))
    assert m.game_result(gammon, 1, cube_turned=False, jacoby=True).points == 1
    assert m.game_result(gammon, 1, cube_turned=False, jacoby=True).kind == "gammon"
    assert m.game_result(gammon, 2, cube_turned=True, jacoby=True).points == 4
    assert m.game_result(gammon, 1, cube_turned=False, jacoby=False).points == 2


def test_pass_and_resignation():
    assert m.pass_result(W, 2) == Result(winner=W, points=2, kind="pass")
    assert m.resignation(W, 3, 4) == Result(winner=B, points=12, kind="resign")
    with pytest.raises(RuleError, match="1, 2 or 3"):
        m.resignation(W, 4, 1)


def won(winner, points):
    return Result(winner=winner, points=points, kind="single")


def test_the_crawford_game_is_the_first_after_a_side_stands_one_away():
    score = m.Score(5)
    assert not score.is_crawford(CLASSIC)
    score = score.after(won(W, 4), CLASSIC)
    assert score.is_crawford(CLASSIC)
    score = score.after(won(B, 1), CLASSIC)
    assert not score.is_crawford(CLASSIC)
    assert score.is_post_crawford(CLASSIC)
    score = score.after(won(B, 3), CLASSIC)
    assert (score.white, score.black) == (4, 4)
    assert not score.is_crawford(CLASSIC), "it comes once"


def test_both_one_away_at_once_is_no_crawford_game():
    assert not m.Score(5, 4, 4).is_crawford(CLASSIC)
    assert m.Score(5, 4, 4).is_post_crawford(CLASSIC)


def test_a_one_point_match_and_money_have_no_crawford_game():
    assert not m.Score(1).is_crawford(CLASSIC)
    assert not m.Score(0, 4, 0).is_crawford(CLASSIC)
    assert not m.Score(5, 4, 0).is_crawford(load_profile("classic", {"crawford": False}))


def test_the_match_ends_at_n():
    score = m.Score(5, 4, 1, crawford_played=True)
    assert score.winner is None
    assert score.away(W) == 1
    assert score.after(won(W, 2), CLASSIC).winner is W
    assert m.Score(0, 100, 3).winner is None, "money has no end"


@pytest.mark.parametrize(
    ("until", "closing"),
    [("roll_or_double", {"roll", "double", "play"}), ("next_roll", {"roll", "play"}), ("next_play", {"play"})],
)
def test_what_ends_the_chance_to_object(until, closing):
    profile = load_profile("classic", {"objection_until": until})
    assert {what.value for what in m.Happening if m.closes_objection(profile, what)} == closing


def test_an_illegal_play_is_put_right_or_the_opponent_chooses():
    assert m.illegal_play_ruling(load_profile("ukbgf"), W) == m.IllegalPlayRuling(True, None)
    assert m.illegal_play_ruling(CLASSIC, W) == m.IllegalPlayRuling(False, B)


def test_premature_rolls():
    assert m.is_premature(B, on_turn=W, turn_ended=False)
    assert not m.is_premature(B, on_turn=W, turn_ended=True)
    assert not m.is_premature(W, on_turn=W, turn_ended=False)
    assert m.premature_ruling(CLASSIC) == "void"
    assert m.premature_ruling(load_profile("ukbgf")) == "stands"


def test_two_minutes_a_point_less_one_for_each_point_scored():
    assert m.starting_minutes(load_profile("ukbgf"), m.Score(7, 3, 0), W) == 11
    assert m.starting_minutes(load_profile("ukbgf"), m.Score(7, 3, 0), B) == 14
    assert m.starting_minutes(CLASSIC, m.Score(7), W) == 0
