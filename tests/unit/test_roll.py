"""Validity of a roll (RULES.md B1-B8) with the precedence of CONTRACT.md."""

from __future__ import annotations

import pytest

from companion.rules.position import Side
from companion.rules.profile import load_profile
from companion.rules.roll import FAULTS, NO_FAULTS, Die, judge_roll

CLASSIC = load_profile("classic")
USBGF = load_profile("usbgf_2017")
BAFFLE = load_profile("classic", {"half": "any"})
W, B = Side.WHITE, Side.BLACK


def flat(value, half="right"):
    return Die("flat", half, value)


def die(state, value=3, half="right"):
    return Die(state, None if state == "off_board" else half, value)


def reason(*dice, side=W, profile=CLASSIC, opening=False):
    return judge_roll(dice, side, profile, opening=opening).reason


def test_two_flat_dice_in_the_right_half():
    verdict = judge_roll([flat(1), flat(3)], W, CLASSIC)
    assert verdict.valid
    assert verdict.dice == (3, 1)
    assert verdict.reason is None
    assert not verdict.reroll


def test_blacks_right_half_is_the_left_one_as_white_sees_it():
    assert reason(flat(1, "left"), flat(3, "left"), side=B) is None
    assert reason(flat(1, "right"), flat(3, "right"), side=B) == "wrong_half"


@pytest.mark.parametrize("state", ["off_board", "on_bar", "on_checker", "stacked", "cocked"])
def test_a_die_that_does_not_lie_flat_on_the_surface_calls_a_re_roll(state):
    verdict = judge_roll([flat(1), die(state)], W, CLASSIC)
    assert verdict.reason == state
    assert verdict.reroll
    assert "B4" in verdict.rules
    assert verdict.dice == (3, 1), "its value may be read all the same"


def test_cocked_names_its_own_rule():
    assert "B5" in judge_roll([flat(1), die("cocked")], W, CLASSIC).rules


def test_faults_in_their_order_of_precedence():
    states = ["off_board", "on_bar", "on_checker", "stacked", "cocked"]
    for i, graver in enumerate(states):
        for lighter in states[i + 1 :]:
            assert reason(die(lighter), die(graver)) == graver
    assert reason(die("cocked"), flat(2, "left")) == "cocked", "before the halves"
    assert FAULTS == ("off_board", "on_bar", "on_checker", "stacked", "cocked", "split", "wrong_half")


def test_halves():
    assert reason(flat(1), flat(2, "left")) == "split"
    assert reason(flat(1), flat(2, "left"), side=None) == "split"
    assert reason(flat(1, "left"), flat(2, "left")) == "wrong_half"
    assert reason(flat(1, "left"), flat(2, "left"), side=None) is None, "nobody known to be on roll: one half will do"


def test_with_a_baffle_box_any_half_will_do():
    assert reason(flat(1, "left"), flat(2, "left"), profile=BAFFLE) is None
    assert reason(flat(1), flat(2, "left"), profile=BAFFLE) is None
    assert reason(flat(1), die("cocked", half="left"), profile=BAFFLE) == "cocked"


def test_a_die_flat_on_a_checker_is_valid_where_the_profile_says_so():
    assert reason(flat(1), die("on_checker"), profile=USBGF) is None
    assert reason(flat(1), die("on_checker"), profile=CLASSIC) == "on_checker"
    assert reason(flat(1), die("cocked"), profile=USBGF) == "cocked"
    assert reason(flat(1), die("on_checker", half="left"), profile=USBGF) == "split"


def test_what_is_no_fault_calls_no_re_roll():
    cases = {
        "no_dice": [],
        "one_die": [flat(3)],
        "too_many": [flat(1), flat(2), flat(3)],
        "moving": [flat(1), die("moving")],
        "unread": [flat(1), flat(None)],
    }
    assert tuple(cases) == NO_FAULTS
    for expected, dice in cases.items():
        verdict = judge_roll(dice, W, CLASSIC)
        assert verdict.reason == expected
        assert not verdict.valid
        assert not verdict.reroll
        assert verdict.dice is None


def test_a_die_whose_state_is_unsure_is_refused_not_thrown_again():
    assert reason(flat(1), die("unsure")) == "unread"
    assert reason(die("off_board"), die("unsure")) == "off_board", "a certain fault is one all the same"


def test_an_unread_value_does_not_hide_a_fault():
    verdict = judge_roll([flat(None), die("cocked")], W, CLASSIC)
    assert verdict.reason == "cocked"
    assert verdict.dice is None


def test_a_moving_die_is_waited_for_even_beside_a_fault():
    assert reason(die("off_board"), die("moving")) == "moving"


@pytest.mark.parametrize(
    "others",
    [
        [die("off_board"), die("off_board")],
        [flat(5, "left"), flat(6, "left")],
        [die("cocked", half="left"), flat(6, "left")],
        [die("off_board")],
    ],
)
def test_a_second_pair_aside_is_no_part_of_the_roll(others):
    dice = [*others, flat(4), flat(2)]
    verdict = judge_roll(dice, W, CLASSIC)
    assert verdict.valid
    assert verdict.dice == (4, 2)
    assert [dice[i].value for i in verdict.used] == [4, 2]


def test_without_a_side_two_pairs_cannot_be_told_apart():
    assert reason(flat(1), flat(2), flat(3, "left"), flat(4, "left"), side=None) == "too_many"
    assert reason(flat(1), flat(2), die("off_board"), die("off_board"), side=None) is None


def test_a_third_die_among_the_two_is_too_many():
    assert reason(flat(1), flat(2), die("cocked")) == "too_many"


def test_a_faulty_throw_is_seen_beside_the_other_pair():
    pair = [flat(5, "left"), flat(6, "left")]
    assert reason(*pair, flat(1), die("cocked")) == "cocked"
    assert reason(*pair, flat(1), die("off_board")) == "off_board"
    assert reason(*pair, flat(1)) == "one_die"
    assert reason(die("off_board"), die("off_board"), flat(1)) == "one_die"
    assert reason(die("off_board"), die("off_board"), die("off_board"), flat(1)) == "off_board"
    assert reason(die("off_board"), die("off_board"), *pair) == "wrong_half"


def test_the_opening_has_one_die_in_each_half():
    verdict = judge_roll([flat(2, "left"), flat(5, "right")], None, CLASSIC, opening=True)
    assert verdict.valid
    assert verdict.dice == (5, 2), "White's die, then Black's"
    assert judge_roll([flat(5, "left"), flat(2, "right")], None, CLASSIC, opening=True).dice == (2, 5)
    assert reason(flat(2), flat(5), opening=True) == "wrong_half"
    assert reason(flat(2), die("cocked", half="left"), opening=True) == "cocked"
    assert reason(flat(2), opening=True) == "one_die"
    assert reason(flat(2), flat(5, "left"), die("off_board"), die("off_board"), opening=True) is None
