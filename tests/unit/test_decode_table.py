"""Joint decoding: legal plays are favoured, illegal ones believed only when the pixels clearly show them."""

from __future__ import annotations

import random

import msgspec
from tablebench import Table

from companion.rules.packed import pack, unpack
from companion.rules.plays import legal_plays
from companion.rules.position import START, Position, Side
from companion.table.evidence_model import (
    ALL_ROLLS,
    Look,
    any_roll,
    decode,
    die_chances,
    encode,
    encode_keys,
    look_of,
    roll_chances,
)
from companion.table.hypotheses import Kind, decode_turn, on_the_way, results, seen_position
from companion.vision.types import CountReading, DieObservation

WHITE, BLACK = Side.WHITE, Side.BLACK
SURE_31 = {(3, 1): 0.0}


def look(position: Position, **regions: CountReading) -> Look:
    """A sure reading of a position, single points read otherwise: p5=CountReading(…)."""
    seen = Table(random.Random(1), position=position).observation()
    points = list(seen.points)
    for name, reading in regions.items():
        points[int(name[1:]) - 1] = reading
    found = look_of(msgspec.structs.replace(seen, points=tuple(points)))
    assert found is not None
    return found


def after(text: str, side: Side = WHITE, dice: tuple[int, int] = (3, 1)) -> Position:
    return next(p.after for p in legal_plays(START, side, dice) if p.text == text)


def test_a_row_is_a_position_and_back() -> None:
    for play in legal_plays(START, BLACK, (6, 4)):
        assert decode(encode(play.after)) == play.after


def test_packed_positions_encode_like_positions_for_both_sides() -> None:
    for side in Side:
        keys, rows = results(pack(START, side), side, (6, 4))
        assert (rows == encode_keys(keys, side)).all()
        for key, row in zip(keys, rows, strict=True):
            assert (row == encode(unpack(key, side))).all()


def test_a_clear_look_names_the_play() -> None:
    found = decode_turn(START, WHITE, SURE_31, [(look(after("8/5 6/5")), 1.0)])
    assert (found.best.kind, found.best.after) == (Kind.LEGAL, after("8/5 6/5"))
    assert found.lead > 8


def test_one_misread_point_does_not_make_an_illegal_play() -> None:
    for wrong in (1, 3):
        seen = look(after("8/5 6/5"), p5=CountReading(wrong, 0.95))
        assert decode_turn(START, WHITE, SURE_31, [(seen, 1.0)]).best.after == after("8/5 6/5")


def test_the_alternative_reading_decides_between_two_plays() -> None:
    seen = look(after("8/5 6/5"), p5=CountReading(1, 0.5, ((2, 0.45),)), p6=CountReading(5, 0.5, ((4, 0.45),)))
    assert decode_turn(START, WHITE, SURE_31, [(seen, 1.0)]).best.after == after("8/5 6/5")


def moved(start: int, end: int, side: Side = WHITE) -> Position:
    own = list(START.of(side))
    own[start] -= 1
    own[end] += 1
    return START.replace(side, tuple(own))


def test_a_clear_illegal_position_is_believed() -> None:
    found = decode_turn(START, WHITE, SURE_31, [(look(moved(13, 5)), 1.0)])
    assert (found.best.kind, found.best.after) == (Kind.ILLEGAL, moved(13, 5))


def test_an_unclear_illegal_position_is_not() -> None:
    seen = look(moved(8, 3), p3=CountReading(1, 0.5, ((0, 0.4),)), p4=CountReading(0, 0.5, ((1, 0.4),)))
    assert decode_turn(START, WHITE, SURE_31, [(seen, 1.0)]).best.kind is not Kind.ILLEGAL


def test_half_a_play_is_partial_and_nothing_moved_is_unmoved() -> None:
    assert decode_turn(START, WHITE, SURE_31, [(look(moved(8, 5)), 1.0)]).best.kind is Kind.PARTIAL
    assert decode_turn(START, WHITE, SURE_31, [(look(START), 1.0)]).best.kind is Kind.UNMOVED


def test_an_unread_roll_is_told_by_the_play() -> None:
    found = decode_turn(START, WHITE, any_roll(), [(look(after("24/13", dice=(6, 5))), 1.0)])
    assert found.best.dice == (6, 5)
    assert found.roll_lead > 1.5


def test_a_doubtful_die_is_decided_by_the_play() -> None:
    rolls = roll_chances([-0.7, -0.7, -9, -9, -9, -9], [-9, -9, -0.05, -9, -9, -9])
    assert rolls[3, 1] == rolls[3, 2]
    found = decode_turn(START, WHITE, rolls, [(look(after("8/5 6/5")), 1.0)])
    assert found.best.dice == (3, 1)


def test_the_unmoved_position_is_on_the_way_first() -> None:
    rows = on_the_way(pack(START, WHITE), WHITE, (3, 1))
    assert (rows[0] == encode(START)).all()
    for play in legal_plays(START, WHITE, (3, 1)):
        assert (rows == encode(play.after)).all(axis=1).any()


def test_what_the_pixels_show_has_fifteen_checkers_a_side() -> None:
    seen = look(START, p13=CountReading(4, 0.6, ((5, 0.35),)))
    assert seen_position([(seen, 1.0)], START) == START
    lost = look(START, p13=CountReading(1, 0.99), p24=CountReading(0, 0.99))
    assert seen_position([(lost, 1.0)], START) is None


def test_chances_of_dice_are_never_nought_and_never_sure() -> None:
    die = DieObservation(x=0, y=0, value=3, state="flat", half="right", tilt_deg=0, confidence=1.0)
    chances = die_chances(die)
    assert abs(sum(chances) - 1) < 1e-9
    assert 0 < min(chances) < max(chances) < 1
    assert len(ALL_ROLLS) == 21
