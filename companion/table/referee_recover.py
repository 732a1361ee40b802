"""Lost the thread: whole turns fell between the looks. What explains the table now, over two turns or anew?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.rules.ids import gnu_position_id
from companion.rules.packed import pack, unpack
from companion.rules.position import Position, Side
from companion.rules.roll import right_half
from companion.table import events as ev
from companion.table.evidence_model import REGIONS, Dice, Look, Rows, any_roll, encode, fit
from companion.table.hypotheses import ROLL_REACH, Guess, Kind, decode_turn, results, seen_position
from companion.table.referee_state import Step
from companion.table.state import Phase
from companion.table.throws import Throw

OWN_KEEP = 14
GOOD_FIT = 6.0
"""Nats the explanation may miss the look's own best reading by."""
ROBUST = -3.0
LEAD = 1.0
TWO_LEAD = 7.0
"""Nats by which two turns must fit better than one."""


@dataclass(frozen=True, slots=True)
class TwoTurns:
    """A result of the side on roll, and a reply of the other side that leads to what is seen."""

    first: Guess
    reply: Guess
    score: float


def robust_fit(look: Look, rows: Rows) -> NDArray[np.float64]:
    """Fit in which no region counts for much: the other side's play may have changed it."""
    index = rows.astype(np.intp) + 15
    table = look.table - look.table.max(axis=1, keepdims=True)
    total: NDArray[np.float64] = np.maximum(table[np.arange(REGIONS), index], ROBUST).sum(axis=1).astype(float)
    return total


def _firsts(before: Position, side: Side, rolls: Mapping[Dice, float], look: Look) -> list[Guess]:
    key = pack(before, side)
    top = max(rolls.values())
    found = []
    for roll, chance in rolls.items():
        if chance < top - ROLL_REACH / 2:
            continue
        keys, rows = results(key, side, roll)
        scores = robust_fit(look, rows) + chance
        order = np.argsort(-scores)[:OWN_KEEP]
        found += [Guess(Kind.LEGAL, roll, unpack(keys[i], side), float(scores[i])) for i in order]
    found.sort(key=lambda guess: -guess.score)
    return found[:OWN_KEEP]


def explain_two(
    before: Position, side: Side, rolls: Mapping[Dice, float], replies: Mapping[Dice, float], look: Look
) -> TwoTurns | None:
    """The best pair of turns that leads to what is seen; None when none fits or two fit alike."""
    found: list[TwoTurns] = []
    looks = ((look, 1.0),)
    best_possible = float(look.table.max(axis=1).sum())
    for first in _firsts(before, side, rolls, look):
        key = pack(first.after, side.other)
        for roll, chance in replies.items():
            keys, rows = results(key, side.other, roll)
            scores = fit(looks, rows)
            at = int(scores.argmax())
            if best_possible - scores[at] > GOOD_FIT:
                continue
            reply = Guess(Kind.LEGAL, roll, unpack(keys[at], side.other), float(scores[at]))
            found.append(TwoTurns(first, reply, float(scores[at]) + chance + rolls[first.dice]))
    found.sort(key=lambda pair: -pair.score)
    if not found:
        return None
    rival = next((p for p in found if p.first.after != found[0].first.after), None)
    return found[0] if rival is None or found[0].score - rival.score >= LEAD else None


def catch_up(work: Step, look: Look, rolls: Mapping[Dice, float], throw: Throw | None) -> TwoTurns | None:
    """Is the table explained by this turn and the other side's reply, thrown with the dice in view if there are any?"""
    side = work.match.on_roll
    if side is None or work.match.phase is Phase.OPENING:
        return None
    replies = throw.rolls() if throw is not None and throw.pair is not None else any_roll()
    pair = explain_two(work.match.position, side, rolls, replies, look)
    if pair is None:
        return None
    one = decode_turn(work.match.position, side, any_roll(), ((look, 1.0),)).best_of(
        Kind.LEGAL, Kind.PARTIAL, Kind.UNMOVED
    )
    simple = -np.inf if one is None else float(fit(((look, 1.0),), encode(one.after)[None])[0])
    return pair if pair.reply.score - simple >= TWO_LEAD else None


def opening_missed(work: Step, look: Look) -> bool:
    """The first play is there though the opening throw was not read: its side and its roll are inferred from it."""
    fresh = work.seen.fresh
    rolls = fresh.rolls() if fresh is not None and fresh.pair is not None else any_roll()
    rolls = {roll: chance for roll, chance in rolls.items() if roll[0] != roll[1]}
    found = [(side, decode_turn(work.match.position, side, rolls, ((look, 1.0),))) for side in Side]
    (side, now), (_, rival) = sorted(found, key=lambda pair: -pair[1].best.score)
    clear = now.best.kind is Kind.LEGAL and now.lead >= LEAD and now.best.score - rival.best.score >= 2 * LEAD
    if not clear or now.best.after == work.match.position:
        return False
    t, frame = (fresh.t, fresh.frame) if fresh else (work.seen.before_t, work.seen.before_frame)
    work.emit(ev.Rolled(t=t, frame=frame, side=side, dice=now.best.dice))
    work.look_back(throw=replace(fresh, called=True) if fresh and fresh.pair else None, fresh=None)
    return True


def start_anew(work: Step, look: Look, throw: Throw) -> bool:
    """Nothing explains the table: take it as it lies, with the side whose half the dice lie in; and say so."""
    seen = seen_position(((look, 1.0),), work.match.position)
    halves = {die.half for die in throw.dice}
    if seen is None or throw.reason not in (None, "wrong_half") or len(halves) != 1 or _doubtful(look, seen):
        return False
    side = next(s for s in Side if right_half(s) in halves)
    work.doubt("position", (), "turns were missed: the record goes on from what lies on the board")
    work.emit(
        ev.PositionSet(
            t=work.seen.before_t,
            frame=work.seen.before_frame,
            position=gnu_position_id(seen, Side.WHITE),
            on_roll=side.value,
        )
    )
    work.look_back(
        throw=replace(throw, reason=None, called=True), fresh=None, early=None, old=(), gone=0, looks=(),
        last=None, noticed=b"", strange=b"", strange_looks=0, fixed=None, anew=True,
    )  # fmt: skip
    work.emit(ev.Rolled(t=throw.t, frame=throw.frame, side=side, dice=throw.values()))
    return True


def _doubtful(look: Look, seen: Position) -> bool:
    """Some region is not read surely, or is read as another count than the position has."""
    row = encode(seen)
    return bool((look.best[:26] != row[:26]).any() or (look.sure[:26] < 0.55).any())


def turn_lost(work: Step, look: Look) -> bool:
    """A turn taken up from the table whose play was made before: no verdict, the other side is on roll."""
    side = work.match.on_roll
    if not work.seen.anew or side is None:
        return False
    seen = seen_position(((look, 1.0),), work.match.position) or work.match.position
    work.emit(
        ev.PositionSet(
            t=work.seen.before_t,
            frame=work.seen.before_frame,
            position=gnu_position_id(seen, Side.WHITE),
            on_roll=side.other.value,
        )
    )
    work.look_back(throw=None, old=(), gone=0, looks=(), last=None, noticed=b"", fixed=None, anew=False)
    return True


def others_moved(before: Position, guess: Guess, side: Side) -> bool:
    """The guess moves the other side's checkers otherwise than by hitting them."""
    was, now = before.of(side.other), guess.after.of(side.other)
    grown = any(b > a for a, b in zip(was[:25], now[:25], strict=True))
    return grown or sum(now) != sum(was)
