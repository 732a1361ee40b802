"""What counts, from what is seen: rolls, re-rolls, plays, illegal plays, cube, games; never a false accusation."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest
from tablebench import Refereed, Table, kinds

from companion.rules.packed import pack
from companion.rules.plays import legal_plays
from companion.rules.position import START, Position, Side, side_counts
from companion.rules.profile import load_profile
from companion.table import events as ev
from companion.table.referee import referee
from companion.table.state import Phase
from companion.vision.types import CubeObservation

WHITE, BLACK = Side.WHITE, Side.BLACK


def after(position: Position, side: Side, dice: tuple[int, int], text: str) -> Position:
    return next(play.after for play in legal_plays(position, side, dice) if play.text == text)


class Play:
    """A table and a referee looking at it."""

    def __init__(self, length: int = 0, profile: str = "classic", **overrides: str | bool) -> None:
        self.table = Table(random.Random(1))
        self.ref = Refereed.of(length, load_profile(profile, overrides))
        self.look(2)

    @property
    def match(self):  # type: ignore[no-untyped-def]
        return self.ref.state.match

    def see(self, stream: Iterator[ev.TableEvent]) -> list[str]:
        return kinds(self.ref.see(stream))

    def look(self, times: int = 1) -> list[str]:
        return self.see(self.table.look(times, sure=True))

    def hand(self) -> list[str]:
        return self.see(self.table.hand())

    def throw(self, side: Side, dice: tuple[int, int], looks: int = 2, **how: object) -> list[str]:
        self.hand()
        self.table.throw(side, dice, **how)  # type: ignore[arg-type]
        return self.look(looks)

    def move(self, position: Position, looks: int = 1) -> list[str]:
        said = self.hand()
        self.table.position = position
        return said + self.look(looks)

    def lift(self, looks: int = 1) -> list[str]:
        said = self.hand()
        self.table.lift()
        return said + self.look(looks)

    def turn(self, side: Side, dice: tuple[int, int], text: str) -> list[str]:
        said = self.throw(side, dice)
        if text:
            said += self.move(after(self.table.position, side, dice, text))
        return said + self.lift()


def opened() -> Play:
    """White has played 31 in the first turn; Black is to roll."""
    play = Play()
    play.turn(WHITE, (3, 1), "8/5 6/5")
    return play


def last(play: Play, kind: type[ev.MatchEvent]) -> ev.MatchEvent:
    return next(e for e in reversed(play.ref.events) if isinstance(e, kind))


# --- rolls ----------------------------------------------------------------------------------------------------------


def test_the_set_up_checkers_start_the_game() -> None:
    assert kinds(Play().ref.events) == ["game_start"]


def test_two_dice_in_one_half_in_the_first_turn_are_the_starters_roll() -> None:
    play = Play()
    assert play.throw(BLACK, (4, 2)) == ["roll"]
    assert (play.match.on_roll, play.match.dice) == (BLACK, (4, 2))


def test_one_die_in_each_half_is_the_opening_roll() -> None:
    play = Play()
    table = play.table
    table.dice = (table.die(700, 400, 2, "right"), table.die(200, 400, 5, "left"))
    assert play.look(2) == ["opening_roll"]
    rolled = last(play, ev.OpeningRolled)
    assert (rolled.white, rolled.black) == (2, 5)  # type: ignore[attr-defined]
    assert (play.match.on_roll, sorted(play.match.dice)) == (BLACK, [2, 5])


def test_equal_opening_dice_are_rolled_again() -> None:
    play = Play()
    table = play.table
    table.dice = (table.die(700, 400, 3, "right"), table.die(200, 400, 3, "left"))
    assert play.look(3) == ["opening_roll"]
    play.lift()
    assert play.throw(WHITE, (6, 2)) == ["roll"]


def test_a_roll_seen_once_counts_when_a_hand_follows() -> None:
    play = opened()
    assert play.throw(BLACK, (6, 4), looks=1) == []
    assert play.move(after(play.table.position, BLACK, (6, 4), "24/14")) == ["roll"]
    assert play.lift() == ["turn_end"]


def test_dense_still_frames_call_a_roll_at_the_first_look() -> None:
    play = opened()
    play.table.still = True
    assert play.throw(BLACK, (6, 4), looks=1) == ["roll"]


@pytest.mark.parametrize("fault", ["cocked", "on_checker", "on_bar", "off_board", "stacked"])
@pytest.mark.parametrize("looks", [1, 2, 7])
def test_a_faulty_throw_is_called_once_however_often_it_is_seen(fault: str, looks: int) -> None:
    play = opened()
    said = play.throw(BLACK, (6, 4), looks=looks, states=("flat", fault))
    said += play.throw(BLACK, (5, 2))
    assert said == ["reroll", "roll"]
    assert last(play, ev.RerollCalled).reason == fault  # type: ignore[attr-defined]


def test_dice_in_the_wrong_half_are_thrown_again() -> None:
    play = opened()
    assert play.throw(BLACK, (6, 4), half="right") == ["reroll"]
    assert last(play, ev.RerollCalled).reason == "wrong_half"  # type: ignore[attr-defined]


def test_with_a_baffle_box_either_half_is_good() -> None:
    play = Play(half="any")
    play.turn(WHITE, (3, 1), "8/5 6/5")
    assert play.throw(BLACK, (6, 4), half="right") == ["roll"]


def test_dice_that_move_are_no_throw() -> None:
    play = opened()
    assert play.throw(BLACK, (6, 4), looks=2, states=("moving", "cocked")) == []


def test_a_tumbling_die_seen_leaning_for_one_look_is_no_fault() -> None:
    play = opened()
    play.table.throw(BLACK, (6, 4), states=("flat", "cocked"))
    play.look()
    play.table.throw(BLACK, (6, 4))
    assert play.look(2) == ["roll"]


def test_touching_a_die_after_a_cocked_roll_does_not_make_it_valid() -> None:
    play = opened()
    play.throw(BLACK, (6, 4), states=("flat", "cocked"))
    first, second = play.table.dice
    play.hand()
    play.table.dice = (first, msgspec.structs.replace(second, state="flat", board_xy=(0.4, 0.4), x=400.0))
    assert play.look(3) == []
    assert play.match.reroll is not None


def test_dice_shifted_by_hand_keep_their_value_and_are_no_new_roll() -> None:
    play = opened()
    play.throw(BLACK, (6, 4))
    play.throw(BLACK, (6, 4))
    assert kinds(play.ref.events).count("roll") == 2
    assert play.match.phase is Phase.ROLLED


def test_a_roll_made_before_the_turn_is_over_is_premature() -> None:
    play = opened()
    play.throw(BLACK, (6, 4))
    mine = play.table.dice
    play.table.throw(WHITE, (2, 2))
    play.table.dice = (*mine, *play.table.dice)
    assert play.look(2) == ["premature_roll"]
    assert play.look(3) == []


def test_a_second_pair_of_dice_in_the_tray_is_not_thrown() -> None:
    play = opened()
    table = play.table
    idle = (table.die(1100, 300, 1, None, "off_board"), table.die(1100, 400, 2, None, "off_board"))
    table.dice = idle
    assert play.look(2) == []
    table.throw(BLACK, (6, 4))
    table.dice = (*idle, *table.dice)
    assert play.look(2) == ["roll"]


def test_an_unread_roll_is_told_by_the_play_made() -> None:
    play = opened()
    play.throw(BLACK, (6, 5), looks=0)
    play.table.dice = tuple(msgspec.structs.replace(d, value=None, state="unsure") for d in play.table.dice)
    assert play.look(2) == []
    play.move(after(play.table.position, BLACK, (6, 5), "24/13"))
    said = play.lift(2)
    assert said[:2] == ["roll", "turn_end"]
    assert last(play, ev.TurnEnded).dice == (6, 5)  # type: ignore[attr-defined]


# --- plays ----------------------------------------------------------------------------------------------------------


def test_trying_out_is_free_only_the_final_position_counts() -> None:
    play = opened()
    play.throw(BLACK, (6, 4))
    start = play.table.position
    for text in ("24/14", "24/18 13/9", "13/7 13/9"):
        assert play.move(after(start, BLACK, (6, 4), text)) == []
        assert play.move(start) == []
    play.move(after(start, BLACK, (6, 4), "8/2 6/2"))
    assert play.lift() == ["turn_end"]
    assert last(play, ev.TurnEnded).play == "8/2 6/2"  # type: ignore[attr-defined]


def test_a_half_finished_play_is_no_illegal_one() -> None:
    play = opened()
    play.throw(BLACK, (6, 4))
    own = list(play.table.position.black)
    own[24], own[20] = own[24] - 1, own[20] + 1
    assert play.move(play.table.position.replace(BLACK, tuple(own)), looks=4) == []


def test_a_hit_checker_still_in_the_hand_is_no_illegal_play() -> None:
    start = Position(side_counts({6: 5, 8: 3, 13: 5, 24: 1, 20: 1}), START.black)
    play = Play()
    play.ref.state = play.ref.state.__class__(
        match=play.match.__class__(
            **{**_fields(play.match), "position": start, "on_roll": BLACK, "phase": Phase.TO_ROLL}
        ),
        seen=play.ref.state.seen,
        law=play.ref.state.law,
    )
    play.table.position = start
    play.throw(BLACK, (3, 1))
    hit = after(start, BLACK, (3, 1), "8/5* 6/5")
    lifted = list(hit.white)
    lifted[25] = 0
    assert play.move(hit.replace(WHITE, tuple(lifted)), looks=3) == []
    play.move(hit)
    assert play.lift() == ["turn_end"]


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}  # type: ignore[attr-defined]


def illegal_six_four() -> tuple[Play, Position]:
    """Black to play 64 has moved 24/13 (eleven points)."""
    play = opened()
    play.throw(BLACK, (6, 4))
    own = list(play.table.position.black)
    own[24], own[13] = own[24] - 1, own[13] + 1
    return play, play.table.position.replace(BLACK, tuple(own))


def test_an_illegal_play_is_noticed_once_while_the_dice_lie() -> None:
    play, wrong = illegal_six_four()
    assert play.move(wrong, looks=5) == ["illegal"]
    seen = last(play, ev.IllegalSeen)
    assert (seen.final, seen.side, seen.dice) == (False, BLACK, (6, 4))  # type: ignore[attr-defined]
    assert "C1" in seen.rules  # type: ignore[attr-defined]


def test_an_illegal_play_put_right_ends_in_a_legal_turn() -> None:
    play, wrong = illegal_six_four()
    before = play.table.position
    play.move(wrong)
    assert play.move(after(before, BLACK, (6, 4), "24/14")) == ["corrected"]
    assert play.lift() == ["turn_end"]
    assert last(play, ev.TurnEnded).legal  # type: ignore[attr-defined]


def test_an_illegal_play_stands_when_the_opponent_rolls() -> None:
    play, wrong = illegal_six_four()
    play.move(wrong)
    assert play.lift(2) == ["illegal"]
    assert last(play, ev.IllegalSeen).final  # type: ignore[attr-defined]
    assert play.throw(WHITE, (5, 2)) == ["turn_end", "roll"]
    ended = last(play, ev.TurnEnded)
    assert (ended.legal, ended.side, ended.dice) == (False, BLACK, (6, 4))  # type: ignore[attr-defined]
    assert play.match.position == wrong


def test_an_illegal_play_ended_but_put_right_before_the_next_roll_does_not_stand() -> None:
    play, wrong = illegal_six_four()
    before = play.table.position
    play.move(wrong)
    play.lift(2)
    assert play.move(after(before, BLACK, (6, 4), "24/14")) == ["corrected", "turn_end"]
    assert last(play, ev.TurnEnded).legal  # type: ignore[attr-defined]


def test_a_missing_checker_is_asked_about_not_accused() -> None:
    play = opened()
    own = list(play.table.position.white)
    own[13] -= 1
    play.table.position = play.table.position.replace(WHITE, tuple(own))
    assert play.look(8) == ["doubt"]


def test_a_dance_is_a_turn_without_a_play() -> None:
    closed = Position(side_counts({1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 8: 3}), side_counts({6: 5, 8: 3, 13: 6}, bar=1))
    play = joined(closed, BLACK)
    play.throw(BLACK, (6, 4))
    assert play.lift() == ["turn_end"]
    ended = last(play, ev.TurnEnded)
    assert (ended.play, ended.legal, ended.after) == ("", True, ended.before)  # type: ignore[attr-defined]


def joined(position: Position, on_roll: Side, length: int = 0) -> Play:
    """A game taken up in the middle."""
    from companion.rules.ids import gnu_position_id
    from companion.table.fold import step
    from companion.table.referee_state import RefereeState

    play = Play(length)
    match = step(play.match, 2, ev.GameStarted(game=1, start=gnu_position_id(position, WHITE), on_roll=on_roll.value))
    play.ref.state = RefereeState(match=match, law=play.ref.state.law)
    play.table.position = position
    play.look(2)
    return play


def test_lifting_seen_only_by_the_next_roll_ends_the_turn() -> None:
    play = opened()
    play.throw(BLACK, (6, 4))
    play.hand()
    play.table.position = after(play.table.position, BLACK, (6, 4), "24/14")
    play.table.throw(WHITE, (5, 2))
    assert play.look(2) == ["turn_end", "roll"]


def test_a_whole_turn_unseen_is_inferred_and_asked_about() -> None:
    play = opened()
    play.hand()
    play.table.position = after(play.table.position, BLACK, (6, 5), "24/13")
    play.table.throw(WHITE, (5, 2))
    said = play.look(3)
    assert said[:2] == ["roll", "turn_end"]
    assert said[-1] == "roll"
    assert (play.match.on_roll, play.match.dice) == (WHITE, (5, 2))


def test_later_looks_correct_the_last_turn() -> None:
    play = opened()
    play.throw(BLACK, (6, 4))
    before = play.table.position
    play.move(after(before, BLACK, (6, 4), "24/14"))
    play.lift()
    play.hand()
    play.table.position = after(before, BLACK, (6, 4), "24/18 13/9")
    assert play.look(3) == ["corrected"]
    assert play.match.last_turn().play == "24/18 13/9"
    assert play.match.position == play.table.position


# --- cube, games ----------------------------------------------------------------------------------------------------


def cube(value: int, place: str, by: str | None = None) -> CubeObservation:
    return CubeObservation(value=value, place=place, x=500, y=400, confidence=0.9, offered_by=by)


def test_a_double_offered_and_taken() -> None:
    play = opened()
    play.table.cube = cube(2, "offered", "black")
    assert play.look(2) == ["double"]
    play.table.cube = cube(2, "white")
    assert play.look() == ["take"]
    assert (play.match.cube, play.match.cube_owner) == (2, WHITE)
    assert play.throw(BLACK, (6, 4)) == ["roll"]


def test_a_roll_after_an_offer_means_it_was_taken() -> None:
    play = opened()
    play.table.cube = cube(2, "offered", "black")
    play.look()
    play.table.cube = None
    assert play.throw(BLACK, (6, 4)) == ["take", "roll"]


def test_a_double_passed_ends_the_game_when_the_checkers_are_set_up_again() -> None:
    play = opened()
    play.table.cube = cube(2, "offered", "black")
    play.look()
    play.table.cube = cube(1, "centre")
    assert play.move(START, looks=2) == ["pass", "game_end", "game_start"]
    assert play.match.score == (0, 1)


def test_nobody_doubles_without_access_or_after_a_reroll() -> None:
    play = opened()
    play.throw(BLACK, (6, 4), states=("flat", "cocked"))
    play.lift()
    play.table.cube = cube(2, "offered", "black")
    assert play.look(3) == []


def near_the_end(length: int = 0) -> Play:
    """White has one checker left, Black none borne off."""
    return joined(Position(side_counts({1: 1}, off=14), side_counts({6: 5, 5: 5, 4: 5})), WHITE, length)


def test_the_last_checker_ends_the_game_with_its_value() -> None:
    play = near_the_end()
    said = play.turn(WHITE, (6, 5), "1/off")
    assert said == ["roll", "turn_end", "game_end"]
    assert last(play, ev.GameEnded).points == 2  # type: ignore[attr-defined]


def test_the_match_ends_at_its_length() -> None:
    play = near_the_end(2)
    assert play.turn(WHITE, (6, 5), "1/off")[-2:] == ["game_end", "match_end"]
    assert play.look(3) == []


def test_the_next_game_begins_when_the_checkers_are_set_up_and_may_be_the_crawford_game() -> None:
    play = near_the_end(3)
    play.turn(WHITE, (6, 5), "1/off")
    play.table.position = START
    assert play.look(2) == ["game_start"]
    assert play.match.crawford


# --- robust ---------------------------------------------------------------------------------------------------------


def test_frames_that_come_late_or_twice_change_nothing() -> None:
    play = opened()
    play.hand()
    play.table.throw(BLACK, (6, 4))
    stream = list(play.table.look(2, sure=True))
    said = play.see(iter([*stream, *stream, *reversed(stream)]))
    assert said == ["roll"]


def test_a_covered_board_is_not_judged() -> None:
    play = opened()
    before = play.ref.state.match
    for event in play.table.look(5, sure=True):
        assert isinstance(event, ev.PositionSettled)
        covered = msgspec.structs.replace(event.observation, obstructed=True, points=())
        play.ref.see(iter([msgspec.structs.replace(event, observation=covered)]))
    assert play.ref.state.match == before


def test_a_poor_view_is_told_once_and_again_when_it_is_fine() -> None:
    play = opened()
    t = play.table.t
    said = play.see(
        iter([ev.ViewChanged(t=t + 1, frame=900, problems=("dark",)), ev.ViewChanged(t=t + 2, frame=901, problems=())])
    )
    assert said == ["view", "view"]


def test_the_referee_is_a_pure_function() -> None:
    play = opened()
    state = play.ref.state
    event = next(play.table.look(sure=True))
    assert referee(state, event) == referee(state, event)
    assert pack(state.match.position, WHITE) == pack(play.match.position, WHITE)
