"""The match state is the fold of its log: what each event changes, undo and redo, corrections."""

from __future__ import annotations

from companion.rules.ids import gnu_position_id
from companion.rules.plays import legal_plays
from companion.rules.position import START, Position, Side
from companion.table import events as ev
from companion.table.fold import History, fold
from companion.table.state import MatchState, Phase

BEGIN = ev.MatchStarted(match_id="m", length=3, white="Ada", black="Bob", profile="classic")
GAME = ev.GameStarted(game=1)


def played(position: Position, side: Side, dice: tuple[int, int], text: str) -> ev.TurnEnded:
    after = next(p.after for p in legal_plays(position, side, dice) if p.text == text)
    before_id, after_id = gnu_position_id(position, side), gnu_position_id(after, side)
    return ev.TurnEnded(side=side, dice=dice, before=before_id, after=after_id, legal=True, play=text)


OPENING = ev.OpeningRolled(white=3, black=1)
FIRST = played(START, Side.WHITE, (3, 1), "8/5 6/5")


def state_of(*events: ev.MatchEvent) -> MatchState:
    return fold(enumerate([BEGIN, GAME, *events]))


def test_the_higher_die_of_the_opening_starts_with_both_numbers() -> None:
    state = state_of(OPENING)
    assert (state.phase, state.on_roll, state.dice) == (Phase.ROLLED, Side.WHITE, (3, 1))


def test_equal_opening_dice_change_nothing_but_the_record() -> None:
    state = state_of(ev.OpeningRolled(white=4, black=4))
    assert (state.phase, state.on_roll, state.dice) == (Phase.OPENING, None, None)


def test_a_turn_passes_the_roll_to_the_other_side() -> None:
    state = state_of(OPENING, FIRST)
    assert (state.phase, state.on_roll, state.dice) == (Phase.TO_ROLL, Side.BLACK, None)
    assert state.position.white[5] == 2
    turn = state.last_turn()
    assert turn is not None
    assert (turn.kind, turn.play, turn.turn) == ("play", "8/5 6/5", 0)


def test_a_reroll_stays_up_until_the_next_valid_roll() -> None:
    called = state_of(OPENING, FIRST, ev.RerollCalled(side="black", reason="cocked"))
    assert called.reroll is not None
    assert state_of(OPENING, FIRST, called.reroll, ev.Rolled(side="black", dice=(6, 4))).reroll is None


def test_a_double_taken_moves_the_cube_and_passed_ends_the_game() -> None:
    offered = (OPENING, FIRST, ev.Doubled(side="black", value=2))
    assert state_of(*offered).phase is Phase.OFFERED
    taken = state_of(*offered, ev.Taken(side="white"))
    assert (taken.cube, taken.cube_owner, taken.phase) == (2, Side.WHITE, Phase.TO_ROLL)
    passed = state_of(*offered, ev.Passed(side="white"), ev.GameEnded(winner="black", points=1, kind="pass"))
    assert (passed.score, passed.phase) == ((0, 1), Phase.BETWEEN)


def test_ended_games_are_kept_and_the_next_one_starts_afresh() -> None:
    state = state_of(
        OPENING, FIRST, ev.GameEnded(winner="white", points=2, kind="gammon"), ev.GameStarted(game=2, crawford=True)
    )
    assert [game.winner for game in state.games] == [Side.WHITE]
    assert (state.position, state.crawford, state.score) == (START, True, (2, 0))


def test_a_correction_changes_the_recorded_turn_and_the_position() -> None:
    other = played(START, Side.WHITE, (3, 1), "24/20")
    state = state_of(OPENING, FIRST, ev.Corrected(turn=0, after=other.after, play="24/20"))
    turn = state.last_turn()
    assert turn is not None
    assert (turn.play, turn.corrected) == ("24/20", True)
    assert state.position.white[20] == 1


def test_a_final_illegal_play_opens_the_objection_window_and_a_correction_closes_it() -> None:
    seen = ev.IllegalSeen(
        side="white", dice=(3, 1), before=FIRST.before, after=FIRST.after, what="closed", rules=("C2",), final=True
    )
    assert state_of(OPENING, seen).phase is Phase.ILLEGAL
    assert state_of(OPENING, seen, ev.Corrected(side="white")).phase is Phase.ROLLED


def test_undo_goes_back_and_redo_comes_forward_again() -> None:
    history = History()
    for seq, event in enumerate([BEGIN, GAME, OPENING, FIRST]):
        history.add(seq, event)
    ended = history.state
    target = history.undo_target()
    assert target == 2
    history.add(4, ev.Undone(to_seq=target))
    assert history.state.phase is Phase.ROLLED
    assert history.state.seq == 4
    redo = history.redo_target()
    assert redo == 3
    history.add(5, ev.Undone(to_seq=redo))
    assert (history.state.position, history.state.phase) == (ended.position, Phase.TO_ROLL)
    assert history.redo_target() is None


def test_two_undos_go_back_two_steps_and_something_new_ends_redo() -> None:
    history = History()
    for seq, event in enumerate([BEGIN, GAME, OPENING, FIRST, ev.Rolled(side="black", dice=(6, 4))]):
        history.add(seq, event)
    for seq in (5, 6):
        target = history.undo_target()
        assert target is not None
        history.add(seq, ev.Undone(to_seq=target))
    assert (history.state.phase, history.state.on_roll) == (Phase.ROLLED, Side.WHITE)
    history.add(7, ev.ScoreSet(score=(1, 0)))
    assert history.redo_target() is None
    assert history.state.score == (1, 0)


def test_swapping_sides_swaps_names_and_score() -> None:
    state = state_of(ev.ScoreSet(score=(2, 0)), ev.SidesSwapped())
    assert (state.white, state.black, state.score) == ("Bob", "Ada", (0, 2))


def test_the_fold_of_a_log_does_not_depend_on_how_it_is_cut() -> None:
    events = [BEGIN, GAME, OPENING, FIRST, ev.Doubled(side="black", value=2), ev.Taken(side="white")]
    history = History()
    for seq, event in enumerate(events):
        history.add(seq, event)
    assert history.state == fold(enumerate(events))
