"""The referee: what was seen becomes what counts. Pure: (state, table event) -> (state, match events).

Time is the frames' own. The phases live beside this file: `referee_throw` (waiting for a roll), `referee_turn` (a roll
lies), `referee_cube`, `referee_game`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from companion.rules.packed import pack, unpack
from companion.rules.roll import right_half
from companion.table import events as ev
from companion.table.evidence_model import Look, any_roll, encode, fit, look_of
from companion.table.fold import won
from companion.table.ghosts import without_ghosts
from companion.table.hypotheses import Guess, Kind, decode_turn, results
from companion.table.referee_cube import Sight, follow_cube, told_apart, watch_cube
from companion.table.referee_game import set_up_again, shows_start, watch_between, watch_restart
from companion.table.referee_next import next_throw
from companion.table.referee_recover import opening_missed
from companion.table.referee_state import RefereeState, Step
from companion.table.referee_throw import watch_early, watch_wait
from companion.table.referee_turn import (
    correct_last,
    decoded,
    fault_called,
    finish,
    last_score,
    lifted,
    lying,
    missed_turn,
    now_side,
    other_results,
    position_changed,
    rolls_of,
    turns_missed,
    unseen_rolls,
    went_on,
)
from companion.table.state import MatchState, Phase
from companion.table.throws import Die, Throw, dice_of, die_of, judged, matched
from companion.vision.types import BoardObservation

UNUSABLE = {"no_board", "moved", "blocked", "dark", "blurred"}
STRANGE_LOOKS = 2
STRANGE_DOUBT = 5
CORRECT_LEAD = 4.0


def referee(state: RefereeState, event: ev.TableEvent) -> tuple[RefereeState, tuple[ev.MatchEvent, ...]]:
    """One event seen on the table, and what follows from it."""
    work = Step(state)
    _clock(work, event)
    match event:
        case ev.HandsIn() | ev.DiceMoving():
            _disturbed(work, event)
        case ev.ViewChanged(problems=problems):
            _view(work, problems)
        case ev.CameraLost():
            _view(work, ("camera_lost",))
        case ev.CameraBack():
            _view(work, ())
        case ev.PositionSettled(observation=seen, still=still):
            _settled(work, seen, still=still)
    return work.done()


def _clock(work: Step, event: ev.TableEvent) -> None:
    """The frame's own time; frames that come late (reordered, repeated) do not turn it back."""
    seen = work.seen
    if event.t <= seen.t and seen.t > 0:
        return
    work.look_back(before_t=seen.t or event.t, before_frame=seen.frame, t=event.t, frame=event.frame)


def _disturbed(work: Step, event: ev.TableEvent) -> None:
    if isinstance(event, ev.HandsIn):
        work.look_back(hands=True)


def _view(work: Step, problems: tuple[str, ...]) -> None:
    if problems != work.match.problems and work.match.phase is not Phase.NO_MATCH:
        work.emit(ev.ViewProblem(t=work.seen.t, frame=work.seen.frame, problems=problems))


def _settled(work: Step, seen: BoardObservation, *, still: bool) -> None:
    match = work.match
    look = look_of(seen)
    idle = match.paused or match.phase in (Phase.NO_MATCH, Phase.MATCH_OVER)
    if idle or look is None or seen.obstructed or UNUSABLE & set(seen.problems):
        return
    work.look_back(latest=look.key)
    if work.seen.hold is not None:
        if work.seen.hold == look.key:
            return
        work.look_back(hold=None)
    _judge(work, look, seen, still=still)
    work.look_back(hands=False)


def _judge(work: Step, look: Look, seen: BoardObservation, *, still: bool) -> None:
    """One clear look at everything: the turn, the next throw, the cube, the set-up of a new game."""
    dice, cube = _in_play(work, seen)
    follow_cube(work, cube, seen.size[0])
    _keep_step(work, look, dice)
    if work.match.phase is Phase.BETWEEN:
        watch_between(work, look)
    if work.match.phase is Phase.ROLLED:
        watch_cube(work, cube)
    if _turn_runs(work) and _new_game_lies(work, look):
        _win_unseen_lift(work)
    elif _turn_runs(work):
        _watch_turn(work, look, dice, still=still)
    watch_cube(work, cube, dice_lie=bool(dice), play_unseen=lambda: _play_unseen(work, look))
    if work.match.started and not _turn_runs(work):
        watch_wait(work, look, dice, still=still)
        if work.match.phase is Phase.OPENING and position_changed(work, look) and not shows_start(look):
            opening_missed(work, look)
        if _turn_runs(work):
            _watch_turn(work, look, dice, still=still)
        elif work.match.phase is Phase.TO_ROLL:
            _watch_record(work, look)
    if work.match.started:
        watch_restart(work, look)


def _keep_step(work: Step, look: Look, dice: Sequence[Die]) -> None:
    """Do the record and the table agree before the roll? Dice that lie may have been played already."""
    changed = position_changed(work, look)
    waiting = work.match.phase in (Phase.TO_ROLL, Phase.OPENING) and work.seen.throw is None
    if not changed or (waiting and not dice):
        work.look_back(in_step=not changed)


def _new_game_lies(work: Step, look: Look) -> bool:
    """The checkers are set up again though the last roll was not seen to be played."""
    game = work.match.game
    return game is not None and game.turns > 1 and set_up_again(work, look)


def _win_unseen_lift(work: Step) -> None:
    """The roll on the table wins the game if it is played out: it was, before the checkers were set up again."""
    side = work.match.on_roll
    if side is None:
        return
    rolls = rolls_of(work)
    dice = max(rolls, key=lambda roll: rolls[roll])
    key = pack(work.match.position, side)
    after = next((p for p in (unpack(k, side) for k in results(key, side, dice)[0]) if won(p) is side), None)
    if after is not None:
        finish(work, Guess(Kind.LEGAL, dice, after, 0.0))
    else:
        work.look_back(throw=None)


def _turn_runs(work: Step) -> bool:
    return work.match.started and (work.match.phase in (Phase.ROLLED, Phase.ILLEGAL) or work.seen.throw is not None)


def _in_play(work: Step, seen: BoardObservation) -> tuple[list[Die], Sight | None]:
    """The dice in view but for those known to lie about, things that are hardly dice, and the cube; and the cube."""
    dice, cube = told_apart(work, seen, [die_of(die) for die in dice_of(without_ghosts(work, seen.dice))])
    _, rest = matched(work.seen.idle, dice)
    return rest, cube


def _play_unseen(work: Step, look: Look) -> bool:
    """Before a double: a play whose roll was not seen ends its turn. True when the table cannot be explained."""
    return position_changed(work, look) and not missed_turn(work, look)


def _watch_turn(work: Step, look: Look, dice: Sequence[Die], *, still: bool) -> None:
    """A roll lies, or lay: is it still there, shifted, lifted, or is the next one there?"""
    throw = work.seen.throw or _adopted(work, dice)
    pairs, rest = matched(throw.dice, dice) if throw else ([], list(dice))
    if throw and pairs and _other_pair(work, throw, pairs, rest, look):
        pairs, rest = [], list(dice)
    if throw and pairs:
        _same_throw(work, throw, pairs, rest)
        if len(rest) >= 2:
            watch_early(work, rest, still=still)
        if work.match.phase is not Phase.ILLEGAL and not went_on(work, look, work.seen.early):
            lying(work, look)
    elif throw and _shifted(work, throw, rest, look):
        work.look_back(throw=replace(throw, dice=tuple(rest)))
        lying(work, look)
    elif rest:
        next_throw(work, look, rest, still=still)
    else:
        lifted(work, look)


def _other_pair(work: Step, throw: Throw, pairs: list[tuple[Die, Die]], rest: Sequence[Die], look: Look) -> bool:
    """One die lies where one of the roll lay, the other elsewhere with another value: a new pair if a play is done."""
    if len(pairs) != 1 or len(rest) != 1 or not work.seen.hands or throw.pair is None:
        return False
    missing = next(die for die in throw.dice if die is not pairs[0][0])
    if not rest[0].read or rest[0].best == missing.best or work.match.phase is Phase.ILLEGAL:
        return False
    now = decoded(work, look)
    return now is not None and now.best.kind is Kind.LEGAL and now.best.after != work.match.position


def _adopted(work: Step, dice: Sequence[Die]) -> Throw | None:
    """After a restart: dice that show the roll of the record are that roll."""
    if work.match.dice is None or len(dice) < 2:
        return None
    side = now_side(work)
    for half in (right_half(side), *{die.half for die in dice}):
        pair = [die for die in dice if die.half == half]
        found = Throw(tuple(pair), work.seen.t, work.seen.frame, work.seen.t, looks=2, called=True)
        if len(pair) == 2 and sorted(found.values()) == sorted(work.match.dice):
            work.look_back(throw=found)
            return found
    return None


def _same_throw(work: Step, throw: Throw, pairs: list[tuple[Die, Die]], rest: Sequence[Die]) -> None:
    """The throw seen again; a die whose fellow stayed may have been shifted by hand (B7)."""
    now_counted = throw.last_t == work.seen.t
    again = {id(old): old if now_counted else old.seen_again(new) for old, new in pairs}
    dice = [again.get(id(die), die) for die in throw.dice]
    if len(pairs) == 1 and len(rest) == 1 and rest[0].half == pairs[0][1].half:
        dice = [
            die if id(old) in again else replace(rest[0], log=old.log)
            for old, die in zip(throw.dice, dice, strict=True)
        ]
    now = replace(throw, dice=tuple(dice), last_t=work.seen.t, looks=throw.looks + 1)
    work.look_back(throw=replace(now, reason=_reason_now(work, now)))
    _told_now(work, throw)


def _reason_now(work: Step, throw: Throw) -> str | None:
    """What spoils the throw after one more look: one that shows it good is enough, a fault has to last."""
    if throw.reason == "unread":
        return None if all(die.read for die in throw.dice) else "unread"
    if not throw.faulty:
        return throw.reason
    now = judged(throw.dice, work.asked, work.law)
    reason = now.reason if now is not None else throw.reason
    return None if reason == "unread" and all(die.read for die in throw.dice) else reason


def _told_now(work: Step, before: Throw) -> None:
    """A roll read at last is told; a fault seen long enough is called, where somebody waits for it."""
    throw, side = work.seen.throw, work.match.on_roll
    if throw is None or before.reason is None or side is None or work.match.dice is not None:
        return
    if throw.reason is None:
        work.emit(ev.Rolled(t=throw.t, frame=throw.frame, side=side, dice=throw.values()))
    elif throw.clear and not work.patient:
        fault_called(work, throw)


def _shifted(work: Step, throw: Throw, rest: Sequence[Die], look: Look) -> bool:
    """Both dice elsewhere with the same values in the same half: moved by hand, not thrown again (B7)."""
    if len(rest) != 2 or throw.pair is None or throw.faulty or work.match.phase is Phase.ILLEGAL:
        return False
    now = Throw(tuple(rest), 0.0, 0, 0.0)
    same_half = {die.half for die in rest} == {die.half for die in throw.dice}
    flat = all(die.state == "flat" for die in rest)
    return same_half and flat and now.values() == throw.values()


def _watch_record(work: Step, look: Look) -> None:
    """Between the rolls: does the table still show what the record says?"""
    here = encode(work.match.position)
    looks = ((look, 1.0),)
    gap = float(look.table.max(axis=1).sum() - fit(looks, here[None])[0])
    if gap < CORRECT_LEAD or (look.best[:26] == here[:26]).all():
        work.look_back(strange=b"", strange_looks=0)
        return
    count = work.seen.strange_looks + 1 if work.seen.strange == look.key else 1
    work.look_back(strange=look.key, strange_looks=count)
    if _refused_played(work, look) or (count >= STRANGE_LOOKS and _won_unseen(work, look)):
        return
    if count >= STRANGE_LOOKS and work.seen.fresh is None and (_correct_from(work, look) or turns_missed(work, look)):
        return
    if count == STRANGE_DOUBT and not _roll_missed(work, look):
        work.doubt("position", (), "the checkers do not lie as the record says")


def _refused_played(work: Step, look: Look) -> bool:
    """The throw that was called faulty was played all the same, by both players' consent or because it was good."""
    throw, side = work.seen.refused, work.match.on_roll
    if throw is None or throw.pair is None or side is None or work.seen.old or work.seen.fresh is not None:
        return False
    now = decode_turn(work.match.position, side, throw.rolls(), ((look, 1.0),))
    played = now.best.kind is Kind.LEGAL and now.best.after != work.match.position
    if not played or now.lead < CORRECT_LEAD / 2:
        return False
    finish(work, now.best, now)
    return True


def _won_unseen(work: Step, look: Look) -> bool:
    """The last checkers are off though the roll was not seen: nothing can follow, so the game is over."""
    side = work.match.on_roll
    if side is None:
        return False
    now = decode_turn(work.match.position, side, unseen_rolls(work), ((look, 1.0),))
    if now.best.kind is not Kind.LEGAL or won(now.best.after) is None or now.lead < 1.0:
        return False
    finish(work, now.best, now)
    return True


def _correct_from(work: Step, look: Look) -> bool:
    """Another legal result of the last roll fits what lies there now: the record is put right."""
    last = work.seen.last
    if last is None or last.after != work.match.position:
        return False
    twice = ((look, 2.0),)
    others = other_results(last)
    if not others:
        return False
    rows = np.stack([encode(p) for p in others])
    scores = fit(twice, rows) + np.array([last_score(last, p) for p in others])
    here = float(fit(twice, encode(last.after)[None])[0]) + last_score(last, last.after)
    best = int(scores.argmax())
    gap = float(look.table.max(axis=1).sum() - fit(((look, 1.0),), rows[best : best + 1])[0])
    if scores[best] - here < CORRECT_LEAD or gap > CORRECT_LEAD:
        return False
    correct_last(work, others[best])
    return True


def _roll_missed(work: Step, look: Look) -> bool:
    """The side on roll seems to have played already: its roll is still to be seen or inferred."""
    side = work.match.on_roll
    if side is None:
        return False
    now = decode_turn(work.match.position, side, any_roll(), ((look, 1.0),))
    return now.best.kind is Kind.LEGAL and now.lead >= 1.0


def stop(state: RefereeState) -> tuple[RefereeState, tuple[ev.MatchEvent, ...]]:
    """The film ends: a throw seen once counts, a game decided on the board is ended."""
    work = Step(state)
    seen = work.seen
    if seen.throw is not None and seen.throw.clear and work.match.dice is None:
        fault_called(work, seen.throw)
    if work.match.phase is Phase.ROLLED and seen.looks:
        now = decoded(work, seen.looks[0])
        if now is not None and now.best.kind is Kind.LEGAL and won(now.best.after) is not None:
            finish(work, now.best, now)
    return work.done()


def start(match: MatchState, state: RefereeState | None = None) -> RefereeState:
    """A referee for a match as the log tells it (after a restart, an undo)."""
    base = state or RefereeState()
    return replace(base, match=match)
