"""The doubling cube (RULES.md G1-G6)."""

from __future__ import annotations

import pytest

from companion.rules.cube import Cube, beaver_refusal, is_dead, refusal
from companion.rules.position import Side

W, B = Side.WHITE, Side.BLACK


def rule(cube, side, **changed):
    facts = {"on_roll": side, "rolled": False, "crawford": False} | changed
    refused = refusal(cube, side, **facts)
    return refused and refused.rule


@pytest.mark.parametrize("owner", [None, W])
def test_the_side_on_roll_with_access_may_double(owner):
    assert rule(Cube(1 if owner is None else 2, owner), W) is None


@pytest.mark.parametrize(
    ("cube", "changed", "expected"),
    [
        (Cube(), {"on_roll": B}, "G1"),
        (Cube(), {"rolled": True}, "G1"),
        (Cube(), {"opening": True}, "G1"),
        (Cube(2, B), {}, "G3"),
        (Cube(), {"crawford": True}, "G5"),
        (Cube(2, None, B), {}, "G2"),
    ],
)
def test_who_may_not_double_and_why(cube, changed, expected):
    assert rule(cube, W, **changed) == expected


def test_the_taker_owns_the_cube_at_twice_the_value():
    assert Cube().doubled(W).taken() == Cube(2, B)
    assert Cube(2, B).doubled(B).taken() == Cube(4, W)
    assert Cube().doubled(W).offered_value == 2


def test_no_limit_in_principle():
    assert Cube(64, W).doubled(W).taken() == Cube(128, B)
    assert rule(Cube(64, W), W) is None


def test_beavers_only_where_they_are_played_and_by_the_side_that_was_doubled():
    offered = Cube().doubled(W)
    assert offered.beavered() == Cube(4, B)
    assert beaver_refusal(offered, B, beavers=True) is None
    assert beaver_refusal(offered, B, beavers=False).rule == "G6"
    assert beaver_refusal(offered, W, beavers=True).rule == "G6"
    assert beaver_refusal(Cube(), B, beavers=True).rule == "G6"


@pytest.mark.parametrize(
    ("value", "score", "length", "dead"), [(4, 3, 7, True), (2, 3, 7, False), (2, 5, 7, True), (64, 0, 0, False)]
)
def test_a_cube_that_cannot_change_the_match_is_dead(value, score, length, dead):
    assert is_dead(Cube(value, W), W, length=length, score=score) is dead
