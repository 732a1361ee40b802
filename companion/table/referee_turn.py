"""A roll lies on the board: trying out, illegal plays noticed, the turn ended and decoded (RULES.md C, F)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from companion.rules.check import Verdict, check_play
from companion.rules.packed import pack, unpack
from companion.rules.position import Position, Side
from companion.rules.roll import RULES
from companion.table import events as ev
from companion.table.evidence_model import Dice, Look, any_roll, encode, fit
from companion.table.fold import position_in_view
from companion.table.hypotheses import Decoded, Guess, Kind, decode_turn, play_text, results
from companion.table.referee_game import end_if_won
from companion.table.referee_recover import catch_up, others_moved, turn_lost
from companion.table.referee_state import MAX_LOOKS, LastTurn, Step
from companion.table.state import Phase
from companion.table.throws import Throw

LEGAL_LEAD = 1.5
"""Nats by which a legal play must lead to be taken at the first look after the dice are lifted."""
NOTICE_LEAD = 3.0
"""Nats by which an illegal position must lead, its low prior included, to be noticed while the dice lie."""
FINAL_LEAD = 3.0
ROLL_LEAD = 1.5
BACKTRACK_LEAD = 4.0
GLIMPSE = 4.0
"""Nats against rolls without the one die that was seen."""
TIME_LAPSE_S = 0.9
"""Frames nearer to each other than this would have shown dice at rest twice."""
OPENING_REACH = 6.0
"""Nats by which the roll that explains the other side's first play may be less likely than the dice's own reading."""
POOR_FIT = 8.0
"""Nats a look may miss its own best reading by before an earlier turn is suspected."""


def rolls_of(work: Step) -> Mapping[Dice, float]:
    """How likely each roll is, given all looks at the dice (or what the operator said)."""
    if work.seen.fixed is not None:
        return {work.seen.fixed: 0.0}
    if work.seen.throw is not None:
        return work.seen.throw.rolls()
    if work.match.dice is not None:
        high, low = max(work.match.dice), min(work.match.dice)
        return {(high, low): 0.0}
    return any_roll()


def decoded(work: Step, look: Look) -> Decoded | None:
    """The turn so far, weighed against this look and those like it."""
    side = work.match.on_roll
    return None if side is None else decode_turn(work.match.position, side, rolls_of(work), work.view(look))


def lying(work: Step, look: Look) -> None:
    """The roll lies, hands are away: notice a position that is on the way to nothing legal, and its being put right."""
    work.look_back(looks=(look, *work.seen.looks)[:MAX_LOOKS], gone=0)
    side, dice = work.match.on_roll, work.match.dice
    if side is None or dice is None or work.seen.anew:
        return
    now = decode_turn(work.match.position, side, rolls_of(work), ((look, 1.0),))
    if now.best.kind is Kind.ILLEGAL and now.lead >= NOTICE_LEAD and _clear(look, now) and _own_doing(work, now.best):
        if encode(now.best.after)[:26].tobytes() != work.seen.noticed:
            notice(work, now.best, final=False)
    elif work.match.illegal is not None and now.best.kind is not Kind.ILLEGAL and now.lead >= 1.0:
        put_right(work, side)


def _own_doing(work: Step, guess: Guess) -> bool:
    """The mover's own checkers explain it, or it was seen before: a missed turn is likelier than meddling."""
    if not others_moved(work.match.position, guess, now_side(work)):
        return True
    return any((other.best[:26] == encode(guess.after)[:26]).all() for other in work.seen.looks[1:])


def _own_final(work: Step, guess: Guess) -> bool:
    """An ended play that meddles with the other side's checkers must have been noticed while the dice lay."""
    return work.match.illegal is not None or not others_moved(work.match.position, guess, now_side(work))


def _clear(look: Look, now: Decoded) -> bool:
    """Every region in which the illegal position differs from the best legal or half-finished one is read surely."""
    other = now.best_of(Kind.LEGAL, Kind.PARTIAL, Kind.UNMOVED)
    if other is None:
        return False
    differing = encode(now.best.after)[:26] != encode(other.after)[:26]
    return bool((look.sure[:26][differing] > 0.75).all())


def put_right(work: Step, side: Side) -> None:
    """An illegal position that was noticed is gone again."""
    work.look_back(noticed=b"")
    work.emit(ev.Corrected(t=work.seen.t, frame=work.seen.frame, side=side, why="put right"))


def notice(work: Step, guess: Guess, *, final: bool) -> bool:
    """Say that a position is illegal, with the rules; never for one the rules call legal or half-finished, and never
    while the record and the table do not agree on where the turn began."""
    side = work.match.on_roll
    assert side is not None
    if not work.seen.in_step or not _hand_made(work.match.position, guess, side):
        return False
    verdict = check_play(work.match.position, side, guess.dice, guess.after)
    if verdict.legal or (verdict.partial and not final) or opening_misread(work, guess, final=final):
        return False
    seen = work.seen
    t, frame = (seen.end_t, seen.end_frame) if final else (seen.t, seen.frame)
    work.look_back(noticed=encode(guess.after)[:26].tobytes())
    work.emit(
        ev.IllegalSeen(
            t=t,
            frame=frame,
            side=side,
            dice=guess.dice,
            before=work.id_of(work.match.position, side),
            after=work.id_of(guess.after, side),
            what=verdict.why,
            rules=verdict.rules,
            final=final,
            code=verdict.why_code,
            args=dict(verdict.why_args),
        )
    )
    return True


def opening_misread(work: Step, guess: Guess, *, final: bool) -> bool:
    """The game's first play is the other side's: not a fault of the one on roll, but an opening roll misread (B1).

    The record is put right as soon as a roll that fits the dice explains the play; before, nobody is accused.
    """
    game, side, chances = work.match.game, now_side(work), rolls_of(work)
    if game is None or game.turns or work.match.opening is None:
        return False
    rolls = [roll for roll in any_roll() if roll[0] != roll[1]]
    made = {roll: check_play(work.match.position, side.other, roll, guess.after) for roll in rolls}
    likely = max(chances.values()) - OPENING_REACH
    legal = [roll for roll in rolls if made[roll].legal and (final or chances.get(roll, -np.inf) >= likely)]
    if legal:
        high, low = max(legal, key=lambda roll: chances.get(roll, -np.inf))
        white, black = (high, low) if side is Side.BLACK else (low, high)
        work.emit(ev.OpeningRolled(t=work.seen.t, frame=work.seen.frame, white=white, black=black))
        work.look_back(fixed=(high, low) if final else None)
    return any(verdict.legal or verdict.partial for verdict in made.values())


def _hand_made(before: Position, guess: Guess, side: Side) -> bool:
    """A slip moves as many checkers as a play would; more is a table that was changed or misread."""
    moved = sum(max(0, a - b) for a, b in zip(before.of(side), guess.after.of(side), strict=True))
    hits = guess.after.of(side.other)[25] - before.of(side.other)[25]
    pushed = sum(max(0, a - b) for a, b in zip(before.of(side.other), guess.after.of(side.other), strict=True))
    return moved <= (4 if guess.dice[0] == guess.dice[1] else 3) and pushed <= max(hits, 1) + 1


def mark_end(work: Step) -> None:
    """The dice are seen gone for the first time: the turn ended after the frame before."""
    if work.seen.gone == 0:
        work.look_back(end_t=work.seen.before_t, end_frame=work.seen.before_frame)
    work.look_back(gone=work.seen.gone + 1)


def lifted(work: Step, look: Look) -> None:
    """No dice in a clear look: the turn is over if what lies there is a play."""
    mark_end(work)
    now = decoded(work, look)
    if now is None:
        return
    if work.match.phase is Phase.ILLEGAL:
        _objection(work, now)
    elif not _fault_obeyed(work, look, now):
        conclude(work, look, now, sure=work.seen.gone >= 2)


def _fault_obeyed(work: Step, look: Look, now: Decoded) -> bool:
    """The dice of a throw that looked faulty, or of one not read, are gone: what was it? True: no more to be done now.

    Where nothing was moved but perhaps nothing could be, the next throw tells whose turn it is.
    """
    throw = work.seen.throw
    if throw is None or throw.reason is None or work.match.dice is not None:
        return False
    moved = now.best.after != work.match.position
    if now.best.kind is Kind.LEGAL:
        return not moved
    if not throw.faulty:
        return not moved
    others = moved and throw.reason == "wrong_half" and work.seen.gone >= 2 and turns_missed(work, look, throw)
    clear = work.seen.gone >= 2 or (not moved and now.lead >= LEGAL_LEAD)
    if clear and not others:
        fault_called(work, throw)
    return True


def turns_missed(work: Step, look: Look, throw: Throw | None = None) -> bool:
    """The side on roll danced or played unseen, and what was taken for its faulty throw was the other side's roll."""
    old, side = work.seen.old, work.match.on_roll
    lying = Throw(old, work.seen.t, work.seen.frame, work.seen.t) if len(old) == 2 else None
    pair = catch_up(work, look, unseen_rolls(work), lying or throw)
    if side is None or pair is None:
        return False
    work.look_back(throw=None)
    finish(work, pair.first)
    if not work.match.started:
        return True
    if lying is not None:
        work.look_back(throw=replace(lying, called=True), fresh=None, old=())
        work.emit(ev.Rolled(t=work.seen.before_t, frame=work.seen.before_frame, side=side.other, dice=pair.reply.dice))
    else:
        finish(work, pair.reply)
    work.doubt("roll", (), "a whole turn was missed: its roll is inferred from the play")
    return True


def fault_called(work: Step, throw: Throw) -> None:
    """The throw had to be repeated: said now that the players have taken it so, or as soon as it is clear.

    Dice seen once and faintly were only rolling: nothing is said of them.
    """
    rolling = throw.looks < 2 and (not throw.rested or work.seen.t - throw.last_t < TIME_LAPSE_S)
    if rolling and work.match.dice is None:
        work.look_back(fresh=None, throw=None, gone=0, looks=())
        return
    reason = throw.fault
    work.emit(
        ev.RerollCalled(
            t=throw.t,
            frame=throw.frame,
            side=work.match.on_roll,
            reason=reason,
            dice_states=throw.states,
            rules=RULES.get(reason, ()),
        )
    )
    lies = throw.last_t == work.seen.t
    work.look_back(old=throw.dice if lies else (), refused=throw, fresh=None, throw=None, gone=0, looks=())


def _objection(work: Step, now: Decoded) -> None:
    """An illegal play was ended: is it put right before the next roll (F2, F5)?"""
    if now.best.kind is Kind.LEGAL and now.lead >= FINAL_LEAD:
        put_right(work, now_side(work))
        finish(work, now.best, now)


def now_side(work: Step) -> Side:
    assert work.match.on_roll is not None
    return work.match.on_roll


def conclude(work: Step, look: Look, now: Decoded, *, sure: bool) -> bool:
    """End the turn with the best hypothesis, if it is good enough; True when it ended or was called illegal."""
    if now.best.kind is Kind.LEGAL and now.lead >= LEGAL_LEAD and not _misfit(work, look, now.best):
        finish(work, now.best, now)
        return True
    if not sure:
        return False
    misread = now.best.kind is Kind.ILLEGAL and opening_misread(work, now.best, final=True)
    if misread or overturn_last(work, look):
        now = decoded(work, look) or now
    if now.best.kind is not Kind.LEGAL and turn_lost(work, look):
        return True
    return _decide(work, now)


def _decide(work: Step, now: Decoded) -> bool:
    """No further look will come: what was it most likely?"""
    legal = now.best_of(Kind.LEGAL)
    if now.best.kind is Kind.LEGAL:
        finish(work, now.best, now)
        if now.lead < LEGAL_LEAD:
            _ask_play(work, now)
        return True
    if now.best.kind is Kind.UNMOVED:
        return False
    if legal is not None and _bar_apart(now.best, legal):
        finish(work, legal, now)
        return True
    if now.lead >= FINAL_LEAD and _own_final(work, now.best) and notice(work, now.best, final=True):
        return True
    if legal is not None and now.best.score - legal.score < FINAL_LEAD:
        finish(work, legal, now)
        _ask_play(work, now)
        return True
    return False


def _bar_apart(guess: Guess, legal: Guess) -> bool:
    """A legal play but for the bar: with the dice lifted the hit checker stands there, seen or not."""
    differing = encode(guess.after) != encode(legal.after)
    return guess.dice == legal.dice and bool(differing.any()) and not differing[:24].any()


def _ask_play(work: Step, now: Decoded) -> None:
    """Name the plays that fit nearly as well."""
    last = work.seen.last
    if last is None:
        return
    near = [g for g in (now.best, *now.rivals) if g.kind is Kind.LEGAL and now.best.score - g.score < 4.0]
    texts = dict.fromkeys(_text(last.before, last.side, g) for g in near)
    work.doubt("play", tuple(texts), "which play was made?")


def _text(before: Position, side: Side, guess: Guess) -> str:
    found = play_text(before, side, guess.dice, guess.after)
    return found[0] if found else ""


def _misfit(work: Step, look: Look, guess: Guess) -> bool:
    """The look fits its own best reading much better than this play: an earlier turn may be wrong."""
    if work.seen.last is None:
        return False
    here = float(fit([(look, 1.0)], encode(guess.after)[None])[0])
    return float(look.table.max(axis=1).sum()) - here > POOR_FIT


def finish(work: Step, guess: Guess, now: Decoded | None = None, verdict: Verdict | None = None) -> None:
    """The turn ended with this position."""
    side = now_side(work)
    before, rolls, looks = work.match.position, rolls_of(work), work.seen.looks
    _settle_roll(work, guess, side)
    t, frame = _end_time(work)
    work.emit(
        ev.TurnEnded(
            t=t,
            frame=frame,
            side=side,
            dice=guess.dice,
            before=work.id_of(before, side),
            after=work.id_of(guess.after, side),
            legal=verdict is None,
            play=_text(before, side, guess),
            rules=verdict.rules if verdict else (),
            why=verdict.why if verdict else "",
        )
    )
    if now is not None and now.best == guess and now.roll_lead < ROLL_LEAD and verdict is None:
        same = dict.fromkeys(g.dice for g in (guess, *now.rivals) if g.after == guess.after)
        work.doubt("roll", tuple(f"{a}{b}" for a, b in same), "these rolls explain the play")
    _forget_turn(
        work,
        LastTurn(
            before=before,
            after=guess.after,
            side=side,
            rolls=rolls,
            looks=tuple((look, 0.5) for look in looks[:2]),
            turn=work.match.game.turns - 1 if work.match.game else 0,
        ),
    )
    end_if_won(work)


def _settle_roll(work: Step, guess: Guess, side: Side) -> None:
    """The roll as decoded: named late if it could not be read, put right if the play shows another."""
    match = work.match
    if match.phase is Phase.ILLEGAL:
        return
    t, frame = _end_time(work)
    if match.dice is None:
        throw = work.seen.throw
        when = (throw.t, throw.frame) if throw else (t, frame)
        work.emit(ev.Rolled(t=when[0], frame=when[1], side=side, dice=guess.dice))
    elif sorted(match.dice) != sorted(guess.dice):
        work.emit(ev.Corrected(t=t, frame=frame, side=side, dice=guess.dice, why="the play shows this roll"))


def _end_time(work: Step) -> tuple[float, int]:
    seen = work.seen
    return (seen.end_t, seen.end_frame) if seen.gone else (seen.before_t, seen.before_frame)


def _forget_turn(work: Step, last: LastTurn) -> None:
    dice = work.seen.throw.dice if work.seen.throw else ()
    work.look_back(
        throw=None,
        glimpse=None,
        lone=None,
        refused=None,
        old=dice,
        looks=(),
        gone=0,
        noticed=b"",
        strange=b"",
        strange_looks=0,
        last=last,
        fixed=None,
        anew=False,
        early=None,
        offer=None,
    )


def stands(work: Step) -> None:
    """The opponent rolled or doubled: the illegal play stands as made (F3)."""
    seen = work.match.illegal
    side = now_side(work)
    assert seen is not None
    after = position_in_view(seen.after, side)
    verdict = check_play(work.match.position, side, seen.dice, after)
    finish(work, Guess(Kind.ILLEGAL, seen.dice, after, 0.0), None, verdict)


def position_changed(work: Step, look: Look) -> bool:
    """The look clearly shows another position than the record."""
    here = encode(work.match.position)
    differing = look.best[:26] != here[:26]
    return bool(differing.sum() >= 2 and (look.sure[:26][differing] > 0.6).sum() >= 2)


def unseen_rolls(work: Step) -> dict[Dice, float]:
    """How likely each roll is when no throw was seen whole: one die may have been."""
    rolls = any_roll()
    die = work.seen.glimpse
    return {r: c - (0.0 if die is None or die.best in r else GLIMPSE) for r, c in rolls.items()}


def danced_unseen(work: Step) -> bool:
    """One die of the throw was seen, nothing has moved, and with such a roll nothing could: a dance."""
    side, die = work.match.on_roll, work.seen.glimpse
    if side is None or die is None or work.match.phase is not Phase.TO_ROLL:
        return False
    before = work.match.position
    key = pack(before, side)
    dances = [r for r in any_roll() if die.best in r and results(key, side, r)[0] == (key,)]
    if not dances:
        return False
    finish(work, Guess(Kind.LEGAL, dances[0], before, 0.0))
    if len(dances) > 1:
        work.doubt("roll", tuple(f"{a}{b}" for a, b in dances), "one die was seen, nothing could be moved")
    return True


def missed_turn(work: Step, look: Look) -> bool:
    """A whole turn passed unseen and the next roll lies there: which roll and play explain what stands now?"""
    side = work.match.on_roll
    if side is None:
        return False
    now = decode_turn(work.match.position, side, unseen_rolls(work), work.view(look))
    if now.best.kind is not Kind.LEGAL or now.lead < LEGAL_LEAD or now.best.after == work.match.position:
        return False
    finish(work, now.best, now)
    return True


def overturn_last(work: Step, look: Look) -> bool:
    """Would another result of the last turn explain this one far better? Then correct it (backtracking)."""
    last, side = work.seen.last, work.match.on_roll
    if last is None or side is None or work.match.position != last.after or last.side is side:
        return False
    rolls, looks = rolls_of(work), work.view(look)
    now = decode_turn(work.match.position, side, rolls, looks)
    best_score = now.best.score + last_score(last, last.after)
    found: tuple[float, Position] | None = None
    for other in other_results(last):
        then = decode_turn(other, side, rolls, looks).best_of(Kind.LEGAL)
        score = then.score + last_score(last, other) if then else -np.inf
        if score > best_score + BACKTRACK_LEAD and (found is None or score > found[0]):
            found = (score, other)
    if found is None:
        return False
    correct_last(work, found[1])
    return True


def last_score(last: LastTurn, after: Position) -> float:
    return float(fit(last.looks, encode(after)[None])[0]) if last.looks else 0.0


def other_results(last: LastTurn, keep: int = 12) -> list[Position]:
    dice = max(last.rolls, key=lambda roll: last.rolls[roll])
    keys, rows = results(pack(last.before, last.side), last.side, dice)
    scores = fit(last.looks, rows) if last.looks else np.zeros(len(rows))
    order = np.argsort(-scores)[:keep]
    return [p for p in (unpack(keys[i], last.side) for i in order) if p != last.after]


def correct_last(work: Step, after: Position) -> None:
    """The last turn's result was another one."""
    last = work.seen.last
    assert last is not None
    dice = max(last.rolls, key=lambda roll: last.rolls[roll])
    text = play_text(last.before, last.side, dice, after)
    work.emit(
        ev.Corrected(
            t=work.seen.before_t,
            frame=work.seen.before_frame,
            side=last.side,
            turn=last.turn,
            after=work.id_of(after, last.side),
            play=text[0] if text else "",
            why="later looks show another play",
        )
    )
    work.look_back(last=None)


def went_on(work: Step, look: Look, throw: Throw | None) -> bool:
    """The other side has played already: end this turn, take up the next (a turn fell between the looks)."""
    side = work.match.on_roll
    if side is None or work.match.phase is Phase.ILLEGAL:
        return False
    now = decoded(work, look)
    if now is None or now.best.kind is not Kind.ILLEGAL or not others_moved(work.match.position, now.best, side):
        return False
    rolls = rolls_of(work) if work.match.phase is Phase.ROLLED else unseen_rolls(work)
    pair = catch_up(work, look, rolls, throw)
    if pair is None:
        return False
    finish(work, pair.first)
    if not work.match.started:
        return True
    if throw is not None and throw.reason in (None, "wrong_half"):
        work.emit(ev.Rolled(t=throw.t, frame=throw.frame, side=side.other, dice=pair.reply.dice))
        work.look_back(throw=replace(throw, reason=None, called=True), fresh=None)
    else:
        finish(work, pair.reply)
        work.doubt("roll", (), "a whole turn was missed: its roll is inferred from the play")
    return True
