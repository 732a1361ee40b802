"""Games begin, end and follow each other; the match ends (RULES.md H, G5)."""

from __future__ import annotations

import numpy as np

from companion.rules.match import Score, game_result, jacoby
from companion.rules.position import OFF, START, Position, Side
from companion.table import events as ev
from companion.table.evidence_model import Look, encode, fit
from companion.table.fold import won
from companion.table.referee_state import CubeMark, Step
from companion.table.state import Phase

START_ROW = encode(START)
START_LEAD = 8.0
START_LOSS = 14.0
FAINT_OFFER = 0.5
"""Below this confidence in an offered cube the end of the game is asked about."""
"""How much worse than the best reading the starting position may fit and still be taken for set up."""


def shows_start(look: Look) -> bool:
    """The checkers are set up for a game."""
    best = float(look.table.max(axis=1)[:26].sum())
    here = float(fit([(look, 1.0)], START_ROW[None])[0]) - float(look.table[26:, :].max(axis=1).sum())
    differing = int((look.best[:26] != START_ROW[:26]).sum())
    return differing <= 2 and best - here < START_LOSS


def start_game(work: Step) -> None:
    """The next game begins with nobody on roll."""
    match = work.match
    crawford = Score(match.length, *match.score, match.crawford_done).is_crawford(work.law)
    work.look_back(
        throw=None, fresh=None, looks=(), gone=0, noticed=b"", strange=b"", strange_looks=0, last=None, start_looks=0,
        offer=None, refused=None, lone=None, glimpse=None,
    )  # fmt: skip
    work.emit(ev.GameStarted(t=work.seen.t, frame=work.seen.frame, game=match.next_game, crawford=crawford))


def end_if_won(work: Step) -> None:
    """All checkers off: the game ends, its value by what the loser has left (H1, G6)."""
    winner = won(work.match.position)
    if winner is None or not work.match.started:
        return
    turned = any(action.kind == "take" for action in work.match.game.actions) if work.match.game else False
    money = jacoby(work.law, work.match.length)
    result = game_result(work.match.position, work.match.cube, cube_turned=turned, jacoby=money)
    if result is not None:
        end_game(work, winner, result.points, result.kind)


def end_game(work: Step, winner: Side, points: int, kind: str, *, guessed: bool = False) -> None:
    """Score the game; end the match when its length is reached (H3), unless the result is a guess."""
    seen = work.seen
    work.emit(ev.GameEnded(t=seen.t, frame=seen.frame, winner=winner, points=points, kind=kind))
    work.look_back(throw=None, fresh=None, looks=(), gone=0, start_looks=0, last=None)
    length, score = work.match.length, work.match.score
    if length and max(score) >= length and not guessed:
        champion = Side.WHITE if score[0] > score[1] else Side.BLACK
        work.emit(ev.MatchEnded(t=seen.t, frame=seen.frame, winner=champion, score=score))


def pass_double(work: Step) -> None:
    """The offered double was refused: its value before is lost (G2)."""
    doubler = work.match.offered_by
    assert doubler is not None
    work.emit(ev.Passed(t=work.seen.t, frame=work.seen.frame, side=doubler.other))
    end_game(work, doubler, work.match.cube, "pass")


def watch_between(work: Step, look: Look) -> None:
    """Between games: the set-up checkers begin the next one."""
    if shows_start(look):
        start_game(work)


def watch_restart(work: Step, look: Look) -> None:
    """The checkers are set up again in mid-game: it was ended without a word."""
    match = work.match
    if not match.game or not match.game.turns or not set_up_again(work, look):
        work.look_back(start_looks=0)
        return
    work.look_back(start_looks=work.seen.start_looks + 1)
    if match.phase is Phase.TO_ROLL and work.seen.offer is not None and work.seen.start_looks >= 2:
        _offered_after_all(work, work.seen.offer)
        pass_double(work)
    elif match.phase is Phase.OFFERED and (_far_from_start(work) or work.seen.start_looks >= 2):
        pass_double(work)
    elif work.seen.start_looks >= 2 and work.seen.throw is None:
        give_up(work)
    else:
        return
    if work.match.phase is Phase.BETWEEN:
        start_game(work)


def _offered_after_all(work: Step, offer: CubeMark) -> None:
    """What was perhaps an offered cube was one: the game was given up after it."""
    side = work.match.on_roll
    assert side is not None
    work.emit(ev.Doubled(t=offer.t, frame=offer.frame, side=side, value=2 * work.match.cube))
    work.look_back(offer=None)
    if offer.sure < FAINT_OFFER:
        work.doubt("cube", (), "the game was given up: a double was passed, or it was resigned")


def set_up_again(work: Step, look: Look) -> bool:
    """The starting position fits far better than the record."""
    rows = np.stack([START_ROW, encode(work.match.position)])
    start, here = fit([(look, 1.0)], rows)
    return shows_start(look) and bool(start - here > START_LEAD)


def give_up(work: Step) -> None:
    """Nobody said who gave the game up: the side behind is written down, and asked about."""
    match = work.match
    loser = (
        match.on_roll.other if match.on_roll and _nearly_off(match.position, match.on_roll) else _behind(match.position)
    )
    work.doubt("result", tuple(f"{s} wins {n}" for s in Side for n in (1, 2, 3)), "the game was ended in the middle")
    work.emit(ev.Resigned(t=work.seen.t, frame=work.seen.frame, side=loser, points=1, accepted=True))
    end_game(work, loser.other, match.cube, "resign", guessed=True)


def _behind(position: Position) -> Side:
    return max(Side, key=position.pips)


def _nearly_off(position: Position, side: Side) -> bool:
    """One more roll may have borne off the last checkers, unseen."""
    return position.of(side)[OFF] >= 11 and sum(position.of(side)[1:7]) + position.of(side)[OFF] == 15


def _far_from_start(work: Step) -> bool:
    here = encode(work.match.position)
    return int((here[:26] != START_ROW[:26]).sum()) > 6
