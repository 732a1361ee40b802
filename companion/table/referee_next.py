"""Other dice lie there than the roll: the turn was ended unseen, or the mover has thrown again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.rules.roll import right_half
from companion.table import events as ev
from companion.table.evidence_model import Look, encode
from companion.table.hypotheses import Decoded, Guess, Kind, decode_turn, play_text
from companion.table.referee_recover import others_moved, start_anew, turn_lost
from companion.table.referee_state import Step
from companion.table.referee_throw import confirm, note_fresh
from companion.table.referee_turn import (
    LEGAL_LEAD,
    conclude,
    decoded,
    fault_called,
    finish,
    mark_end,
    notice,
    now_side,
    stands,
    went_on,
)
from companion.table.state import Phase
from companion.table.throws import Die, Throw


def next_throw(work: Step, look: Look, dice: Sequence[Die], *, still: bool) -> None:
    """Other dice lie there: the lifting was not seen, or the mover throws again."""
    side = work.match.on_roll
    if side is None:
        return
    mark_end(work)
    now = decoded(work, look)
    assert now is not None
    if work.match.phase is not Phase.ILLEGAL:
        if _thrown_again(work, look, dice, now, still=still):
            return
        if now.best.kind is Kind.LEGAL and conclude(work, look, now, sure=False):
            return
    known = work.seen.fresh
    ready = known if known is not None and work.seen.hands else note_fresh(work, dice, side.other, still=still)
    if ready is None:
        return
    if work.match.phase is Phase.ILLEGAL:
        if ready.reason in (None, "unread"):
            stands(work)
        return
    if now.best.kind is Kind.UNMOVED or (now.best.kind is Kind.LEGAL and now.best.after == work.match.position):
        _unmoved(work, ready, look, now, dice)
        return
    if went_on(work, look, ready):
        return
    if now.best.kind is Kind.ILLEGAL and others_moved(work.match.position, now.best, side):
        start_anew(work, look, ready)
        return
    if not conclude(work, look, now, sure=True) and not work.seen.in_step:
        start_anew(work, look, ready)
    if work.match.illegal is not None and work.match.illegal.final:
        stands(work)


def _thrown_again(work: Step, look: Look, dice: Sequence[Die], now: Decoded, *, still: bool) -> bool:
    """Nothing was played with the roll and the mover has thrown again: the roll was not valid, whatever it looked like.

    True also while that throw waits for a second look.
    """
    side, first = now_side(work), work.seen.throw
    mine = work.law.half == "right" and all(die.half == right_half(side) for die in dice)
    if first is None or not mine or work.seen.anew:
        return False
    played = now.best.after != work.match.position and (not first.faulty or now.best.dice == first.values())
    if now.best.kind is Kind.LEGAL and (played or first.reason is None):
        return False  # played, or a dance: the other side has thrown, into the wrong half
    if first.faulty and work.seen.hands and (_unplayed(work, now) or now.best.dice != first.values()):
        fault_called(work, first)
        note_fresh(work, dice, side, still=still)
        return True
    ready = note_fresh(work, dice, side, still=still)
    if ready is None:
        return True
    if first.reason is None and ready.reason == "unread":
        return False
    if not (_unplayed(work, now) or _plays(work, ready, look)):
        return False
    fault_called(work, first)
    confirm(work, ready, look, dice)
    return True


def _unplayed(work: Step, now: Decoded) -> bool:
    return now.best.after == work.match.position and (now.best.kind is Kind.UNMOVED or now.best.kind is Kind.LEGAL)


def _plays(work: Step, throw: Throw, look: Look) -> bool:
    """The position is a play of this throw."""
    now = decode_turn(work.match.position, now_side(work), throw.rolls(), ((look, 1.0),))
    return now.best.kind is Kind.LEGAL and now.lead >= LEGAL_LEAD and not work.match.illegal


def _untouched(work: Step, look: Look, legal: Guess) -> bool:
    """Every region that the likeliest play changes reads as before: only then was surely no checker moved."""
    before = encode(work.match.position)[:26]
    touched = before != encode(legal.after)[:26]
    return bool((look.best[:26] == before)[touched].all())


def _half_seen(work: Step, now: Decoded, legal: Guess) -> None:
    """A checker was moved, but not seen where to (a tall stack hides its last man): the likeliest play, in doubt."""
    before, side = work.match.position, now_side(work)
    finish(work, legal, now)
    text = play_text(before, side, legal.dice, legal.after)
    work.doubt("play", (text[0],) if text else (), "a checker was moved, but not seen where to")


def _unmoved(work: Step, ready: Throw, look: Look, now: Decoded, dice: Sequence[Die]) -> None:
    """Nothing was moved and other dice lie there: thrown again by the mover, or the turn given up."""
    if turn_lost(work, look):
        return
    side = now_side(work)
    home = {right_half(side)}
    halves = {die.half for die in ready.dice}
    if halves == home or work.law.half == "any" or ready.faulty:
        if work.seen.throw is not None:
            fault_called(work, work.seen.throw)
        work.look_back(throw=None, fresh=None, old=(), gone=0)
        if ready.reason == "wrong_half":
            ready = replace(ready, reason=None)
        if ready.reason is None:
            work.emit(ev.Rolled(t=ready.t, frame=ready.frame, side=side, dice=ready.values()))
            work.look_back(throw=replace(ready, called=True))
        else:
            confirm(work, ready, look, dice)
    elif not _surely_read(work.seen.throw):
        start_anew(work, look, ready)
    elif (legal := now.best_of(Kind.LEGAL)) is not None and not _untouched(work, look, legal):
        _half_seen(work, now, legal)
    elif notice(work, replace(now.best, kind=Kind.ILLEGAL), final=True):
        stands(work)


def _surely_read(throw: Throw | None) -> bool:
    """Nobody is accused over a roll that was not plainly seen."""
    return throw is not None and throw.reason is None and throw.looks >= 2 and all(die.read for die in throw.dice)
