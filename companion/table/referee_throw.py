"""A throw comes to rest: valid, to be repeated, or premature (RULES.md B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.rules.position import Side
from companion.rules.roll import right_half
from companion.table import events as ev
from companion.table.evidence_model import Look
from companion.table.hypotheses import Kind, decode_turn
from companion.table.referee_cube import take
from companion.table.referee_recover import others_moved, start_anew
from companion.table.referee_state import Step
from companion.table.referee_turn import (
    TIME_LAPSE_S,
    danced_unseen,
    fault_called,
    missed_turn,
    position_changed,
    went_on,
)
from companion.table.state import Phase
from companion.table.throws import CLEAR_FAULT, OPENING, Die, Throw, judged, matched

LONE_DIE = 0.9
TUMBLING_S = 2.5
"""Dice seen once and elsewhere within this time were still rolling."""


def watch_wait(work: Step, look: Look, dice: Sequence[Die], *, still: bool) -> None:
    """Waiting for a throw."""
    dice = _not_old(work, dice)
    if work.seen.fresh is not None and work.seen.hands and not _open_question(work):
        confirm(work, work.seen.fresh, look, dice)
        if work.seen.throw is not None or work.match.phase is Phase.ROLLED:
            return
        dice = _not_old(work, dice)
    ready = note_fresh(work, dice, work.asked, still=still)
    fresh = work.seen.fresh
    if ready is not None:
        confirm(work, ready, look, dice)
    elif fresh is None:
        _mark_idle(work, dice)
        if _others_die(work, dice) and position_changed(work, look):
            missed_turn(work, look)
    elif _elsewhere(work, fresh) and position_changed(work, look) and missed_turn(work, look):
        _judge_again(work, fresh)


def _open_question(work: Step) -> bool:
    """The opening throw could not be read: it is not known who starts."""
    fresh = work.seen.fresh
    return work.match.phase is Phase.OPENING and fresh is not None and fresh.reason == "unread"


def _not_old(work: Step, dice: Sequence[Die]) -> list[Die]:
    """Dice of an ended turn or a faulty throw are no throw until they are lifted; touching one is not lifting it."""
    pairs, rest = matched(work.seen.old, dice)
    if not pairs:
        work.look_back(old=())
        return rest
    if len(rest) < 2:
        work.look_back(old=tuple(dice))
        return []
    work.look_back(old=tuple(seen for _, seen in pairs))
    return rest


def _mark_idle(work: Step, dice: Sequence[Die]) -> None:
    """Dice lying beside the board or on its bar while nobody has thrown are not part of a throw."""
    idle = tuple(die for die in dice if die.state in ("off_board", "on_bar"))
    if idle and len(idle) == len(dice):
        work.look_back(idle=(*work.seen.idle, *idle)[-8:])


def note_fresh(work: Step, dice: Sequence[Die], asked: Side | str, *, still: bool) -> Throw | None:
    """Follow dice that may be a throw; the throw, once it is sure that it has come to rest.

    It has when it is seen twice in the same place, when dense frames show no motion, or when it is lifted at once.
    """
    seen, known = work.seen, work.seen.fresh
    now = judged(dice, asked, work.law)
    if now is None:
        if known is None and isinstance(asked, Side):
            _glimpse(work, dice, asked)
        return _vanished(work, dice)
    now = replace(now, t=seen.t, frame=seen.frame, last_t=seen.t)
    if known is not None:
        pairs, rest = matched(known.dice, now.dice)
        if len(pairs) == 2 and not rest:
            now = _merged(known, now, pairs)
        elif seen.t - known.last_t > TUMBLING_S and not known.called:
            work.look_back(fresh=now)
            return known
    work.look_back(fresh=now)
    if now.reason == "unread" and not isinstance(asked, Side):
        return None  # whose throw is it? The values or the first play will tell
    return now if now.looks >= 2 or (still and not now.faulty) else None


def _glimpse(work: Step, dice: Sequence[Die], side: Side) -> None:
    """One die of a throw seen, the other overlooked: remembered in case nothing more is seen of it."""
    if len(dice) == 1 and dice[0].state == "flat" and dice[0].read and dice[0].half == right_half(side):
        seen, known = work.seen, work.seen.lone
        lone = Throw((dice[0],), seen.t, seen.frame, seen.t)
        if known is not None and known.dice[0].near(dice[0]):
            lone = replace(known, last_t=seen.t, looks=known.looks + 1)
        work.look_back(glimpse=dice[0], lone=lone)


def _lone_die_lifted(work: Step, throw: Throw) -> None:
    """One die lay alone where it should, was picked up without a play, and the same side throws again: the other die
    was where nobody could see it."""
    lone = work.seen.lone
    if lone is None or work.seen.offer is not None or not isinstance(work.asked, Side):
        return  # it may have been the cube
    if any(die.near(lone.dice[0]) for die in throw.dice):
        return
    at_rest = lone.looks >= 2 or throw.t - lone.last_t > TUMBLING_S
    if at_rest and lone.dice[0].sure > LONE_DIE:
        fault_called(work, replace(lone, looks=2, reason="off_board"))


def _merged(known: Throw, now: Throw, pairs: list[tuple[Die, Die]]) -> Throw:
    """The same throw once more: a fault stands only if both looks show one, a value read once is read."""
    dice = tuple(old.seen_again(new) for old, new in pairs)
    reason = now.reason if known.faulty or not now.faulty else known.reason
    if reason == "unread" and all(die.read for die in dice):
        reason = None
    return replace(now, dice=dice, t=known.t, frame=known.frame, looks=known.looks + 1, reason=reason)


def _vanished(work: Step, dice: Sequence[Die]) -> Throw | None:
    """No throw in view any more: lifted at once (then it counted), still rolling, or a die overlooked."""
    known = work.seen.fresh
    if known is None or _open_question(work):
        return None
    moving = any(die.state == "moving" for die in dice)
    since = work.seen.t - known.last_t
    untouched = known.looks == 1 and not work.seen.hands and since < TIME_LAPSE_S
    if (moving and since < TUMBLING_S) or untouched:
        work.look_back(fresh=None)
        return None
    return known if moving or not dice else None


def confirm(work: Step, throw: Throw, look: Look, dice: Sequence[Die] = ()) -> None:
    """A throw at rest: call it."""
    if throw.reason == "wrong_half" and work.seen.glimpse is not None and danced_unseen(work):
        _again(work, throw, look, dice)
        return
    if (throw.reason == "split" or _elsewhere(work, throw)) and position_changed(work, look):
        if missed_turn(work, look):
            _again(work, throw, look, dice)
            return
        if throw.reason == "wrong_half":
            if not went_on(work, look, throw) and not start_anew(work, look, throw):
                work.look_back(fresh=None)
            return
    if throw.reason is None and _out_of_step(work, throw, look) and start_anew(work, look, throw):
        return
    if work.match.phase is Phase.OFFERED and work.match.offered_by is not None and throw.reason != "unread":
        take(work, work.match.offered_by.other)
    if throw.faulty and not isinstance(work.asked, Side):
        _opening_fault(work, throw)
    elif throw.clear and not work.patient:
        fault_called(work, throw)
    elif throw.reason is not None:
        work.look_back(throw=throw, fresh=None, gone=0, looks=())
    else:
        _valid(work, throw, dice)


def _opening_fault(work: Step, throw: Throw) -> None:
    """Nobody is on roll yet: what follows does not tell whether it was one, so it has to be plain."""
    if all(die.sure >= CLEAR_FAULT for die in throw.dice if die.fault):
        fault_called(work, throw)
    else:
        work.look_back(fresh=None)


def _elsewhere(work: Step, throw: Throw) -> bool:
    """No die lies in the half of the side on roll: perhaps the other side has thrown."""
    side = work.match.on_roll
    known = side is not None and work.law.half == "right" and work.match.phase is not Phase.OPENING
    return known and side is not None and not any(die.half == right_half(side) for die in throw.dice)


def _others_die(work: Step, dice: Sequence[Die]) -> bool:
    """One die of the other side's throw is seen, its fellow overlooked: the turn before is over."""
    side = work.match.on_roll
    known = side is not None and work.law.half == "right" and work.match.phase is Phase.TO_ROLL
    flat = len(dice) == 1 and dice[0].state == "flat" and dice[0].read
    return known and flat and side is not None and dice[0].half == right_half(side.other)


def _out_of_step(work: Step, throw: Throw, look: Look) -> bool:
    """The board has shown something else for a while, and this roll does not explain it either."""
    side = work.match.on_roll
    if side is None or work.seen.strange_looks < 2 or not position_changed(work, look):
        return False
    now = decode_turn(work.match.position, side, throw.rolls(), ((look, 1.0),))
    return now.best.kind is Kind.ILLEGAL and others_moved(work.match.position, now.best, side)


def _again(work: Step, throw: Throw, look: Look, dice: Sequence[Die]) -> None:
    """Judge the throw anew: it is the other side's turn now."""
    if not work.match.started:
        return
    now = judged(throw.dice, work.asked, work.law)
    if now is not None:
        confirm(work, replace(now, t=throw.t, frame=throw.frame, last_t=throw.last_t, looks=throw.looks), look, dice)


def _judge_again(work: Step, fresh: Throw) -> None:
    """The dice just seen are the other side's throw now; a second look will call it."""
    now = judged(fresh.dice, work.asked, work.law) if work.match.started else None
    if now is not None:
        now = replace(now, t=fresh.t, frame=fresh.frame, last_t=fresh.last_t, looks=fresh.looks)
    work.look_back(fresh=now, old=())


def _valid(work: Step, throw: Throw, dice: Sequence[Die]) -> None:
    pair = throw.pair
    assert pair is not None
    _lone_die_lifted(work, throw)
    lies = throw.last_t == work.seen.t  # else the other dice in view came later
    idle = tuple(die for die in dice if lies and not any(die.near(d) for d in throw.dice))
    work.look_back(
        throw=replace(throw, called=True),
        fresh=None,
        glimpse=None,
        lone=None,
        refused=None,
        old=(),
        gone=0,
        looks=(),
        noticed=b"",
        idle=(*idle, *work.seen.idle)[:8],
    )
    asked = work.asked
    if asked == OPENING and {die.half for die in pair} == {"right", "left"}:
        _opening(work, throw)
        return
    side = Side(asked) if asked != OPENING else _starter(pair[0])
    work.emit(ev.Rolled(t=throw.t, frame=throw.frame, side=side, dice=throw.values()))


def _starter(die: Die) -> Side:
    """Both dice in one half and no opening roll filmed: the starter's roll, told by the half it lies in."""
    return Side.WHITE if die.half == "right" else Side.BLACK


def _opening(work: Step, throw: Throw) -> None:
    """One die each (B1)."""
    white = next(die for die in throw.dice if die.half == "right")
    black = next(die for die in throw.dice if die.half != "right")
    work.emit(ev.OpeningRolled(t=throw.t, frame=throw.frame, white=white.best, black=black.best))
    if white.best == black.best:
        work.look_back(throw=None, old=throw.dice)


def watch_early(work: Step, extra: Sequence[Die], *, still: bool) -> None:
    """Dice of the other side beside a roll that still lies: thrown before the turn was ended (B6)."""
    side = work.match.on_roll
    if side is None or work.match.premature is not None:
        return
    now = judged(extra, side.other, work.law)
    if now is None or now.reason not in (None, "unread"):
        work.look_back(early=None)
        return
    known = work.seen.early
    again = known is not None and len(matched(known.dice, now.dice)[0]) == 2
    work.look_back(early=replace(now, t=work.seen.t, frame=work.seen.frame, last_t=work.seen.t))
    if not (again or still):
        return
    dice = now.values() if now.reason is None else None
    seen = work.seen
    work.emit(ev.PrematureRoll(t=seen.t, frame=seen.frame, side=side.other, dice=dice, ruling=work.law.premature))
