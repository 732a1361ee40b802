"""Weak nets: what is seen faintly, wrongly or too often must not become a double, a re-roll or an accusation."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from test_referee import BLACK, WHITE, Play, after, last, opened

from companion.rules.position import START
from companion.table import events as ev
from companion.vision.types import BoardObservation, CountReading, CubeObservation, DieObservation


def cube(place: str, sure: float, x: float = 500, by: str | None = None) -> CubeObservation:
    """A cube whose face says anything: its value never counts."""
    return CubeObservation(value=32, place=place, x=x, y=400, confidence=sure, offered_by=by)


def patient() -> Play:
    play = opened()
    play.ref.state = dataclasses.replace(play.ref.state, patient=True)
    return play


def test_a_faint_offer_alone_is_no_double() -> None:
    play = opened()
    play.table.cube = cube("offered", 0.2, 700, "black")
    assert play.look(4) == []


def test_a_faint_offer_is_believed_when_the_cube_then_lies_with_the_other_side() -> None:
    play = opened()
    play.table.cube = cube("offered", 0.2, 300, "black")
    play.look()
    play.table.cube = cube("white", 0.2, 480)
    assert play.look(3) == ["double", "take"]
    assert (play.match.cube, play.match.cube_owner) == (2, WHITE)


def test_a_cube_faintly_seen_on_the_other_side_without_an_offer_is_not_believed() -> None:
    play = opened()
    play.table.cube = cube("white", 0.2, 480)
    assert play.look(8) == []


def test_a_die_taken_for_the_cube_doubles_nothing() -> None:
    play = opened()
    play.throw(BLACK, (6, 4), looks=0)
    die = play.table.dice[0]
    play.table.cube = CubeObservation(value=32, place="offered", x=die.x, y=die.y, confidence=0.4, offered_by="black")
    assert play.look(3) == ["roll"]


def test_a_faint_offer_before_the_game_is_given_up_was_passed() -> None:
    play = opened()
    play.table.cube = cube("offered", 0.2, 300, "black")
    play.look()
    play.table.cube = cube("centre", 0.2)
    said = play.move(START, looks=2)
    assert [kind for kind in said if kind != "doubt"] == ["double", "pass", "game_end", "game_start"]


def test_a_film_calls_a_faulty_throw_when_the_players_pick_it_up() -> None:
    play = patient()
    assert play.throw(BLACK, (6, 4), states=("flat", "cocked")) == []
    assert play.lift() == ["reroll"]
    assert last(play, ev.RerollCalled).reason == "cocked"  # type: ignore[attr-defined]


def test_a_throw_that_only_looked_faulty_and_is_played_was_good() -> None:
    play = patient()
    before = play.table.position
    play.throw(BLACK, (6, 4), states=("flat", "cocked"))
    play.move(after(before, BLACK, (6, 4), "24/14"))
    assert play.lift(2) == ["roll", "turn_end"]


def test_a_roll_thrown_again_without_a_play_was_faulty() -> None:
    play = opened()
    assert play.throw(BLACK, (6, 4)) == ["roll"]
    play.lift()
    assert play.throw(BLACK, (5, 2)) == ["reroll", "roll"]


def test_the_same_dice_pushed_aside_are_no_new_roll() -> None:
    play = opened()
    play.throw(BLACK, (6, 4))
    assert play.throw(BLACK, (6, 4)) == []


def test_a_spot_seen_as_a_die_turn_after_turn_is_none() -> None:
    play = opened()
    spot = DieObservation(
        x=900, y=700, value=None, state="off_board", half=None, tilt_deg=1.0, confidence=0.9, edge_px=28
    )
    look = play.table.observation

    def haunted():  # type: ignore[no-untyped-def]
        seen = look()
        return msgspec.structs.replace(seen, dice=(*seen.dice, spot))

    play.table.observation = haunted  # type: ignore[method-assign]
    play.turn(BLACK, (6, 4), "24/14")
    play.turn(WHITE, (3, 1), "8/5 6/5")
    play.turn(BLACK, (4, 2), "8/4 6/4")
    assert "reroll" not in [type(e).__struct_config__.tag for e in play.ref.events]  # type: ignore[misc]


def test_one_die_alone_picked_up_without_a_play_had_its_fellow_out_of_sight() -> None:
    play = opened()
    play.table.throw(BLACK, (6, 4))
    play.table.dice = play.table.dice[:1]
    assert play.look(2) == []
    play.lift()
    assert play.throw(BLACK, (5, 2)) == ["reroll", "roll"]


def test_a_sixth_man_hidden_by_the_fifth_is_no_unplayed_roll(monkeypatch: pytest.MonkeyPatch) -> None:
    """24/13 onto five men: the stack still reads five, the 24-point one less. Nobody is told that nothing was moved."""
    play = opened()
    before = play.table.position
    play.throw(BLACK, (6, 5), looks=3)
    as_seen = play.table.observation

    def stack_reads_five() -> BoardObservation:
        seen = as_seen()
        points = list(seen.points)
        points[25 - 13 - 1] = CountReading(-5, 0.999)
        points[25 - 24 - 1] = CountReading(-1, 0.9, ((-2, 0.09),))
        return msgspec.structs.replace(seen, points=tuple(points))

    monkeypatch.setattr(play.table, "observation", stack_reads_five)
    said = play.move(after(before, BLACK, (6, 5), "24/13")) + play.lift() + play.throw(WHITE, (4, 2), looks=3)
    assert "illegal" not in said
    assert last(play, ev.TurnEnded).play == "24/13"  # type: ignore[attr-defined]
    assert last(play, ev.Doubt).alternatives == ("24/13",)  # type: ignore[attr-defined]


def test_a_roll_left_unplayed_is_said_so_though_a_stack_elsewhere_is_misread(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no likely play touches says nothing about whether a checker was moved."""
    play = opened()
    as_seen = play.table.observation

    def six_point_reads_four() -> BoardObservation:
        seen = as_seen()
        points = list(seen.points)
        points[25 - 6 - 1] = CountReading(-4, 0.9, ((-5, 0.09),))
        return msgspec.structs.replace(seen, points=tuple(points))

    play.throw(BLACK, (6, 5), looks=3)
    monkeypatch.setattr(play.table, "observation", six_point_reads_four)
    assert "illegal" in play.lift() + play.throw(WHITE, (4, 2), looks=3)


@pytest.mark.parametrize("looks_right", [4, 0])
def test_an_opening_roll_misread_accuses_nobody(looks_right: int) -> None:
    """5 and 4, White begins; the 4 is read as a 6 at first, or always: Black has done nothing wrong."""
    play = Play()
    table, white = play.table, play.table.die(700, 400, 5, "right")
    table.dice = (white, table.die(200, 400, 6, "left"))
    assert play.look(2) == ["opening_roll"]
    table.dice = (white, table.die(200, 400, 4 if looks_right else 6, "left"))
    said = play.look(looks_right) + play.move(after(START, WHITE, (5, 4), "13/8 13/9"), looks=2) + play.lift(3)
    assert "illegal" not in said
    rolled, ended = last(play, ev.OpeningRolled), last(play, ev.TurnEnded)
    assert (rolled.white, rolled.black) == (5, 4)  # type: ignore[attr-defined]
    assert (ended.side, ended.play) == ("white", "13/8 13/9")  # type: ignore[attr-defined]
    assert [a.kind for a in play.match.game.actions].count("opening") == 1
    assert play.match.on_roll is BLACK
