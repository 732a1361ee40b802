"""Commands of people: each becomes events, or is refused with one clear line (RuleError)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import msgspec

from companion.errors import RuleError
from companion.rules.cube import Cube, refusal
from companion.rules.ids import gnu_position_id, parse_id
from companion.rules.match import Score, resignation
from companion.rules.movetext import apply_moves, parse_play
from companion.rules.plays import legal_plays
from companion.rules.position import Position, Side
from companion.rules.profile import load_profile
from companion.rules.validity import require_possible
from companion.table import commands as cmd
from companion.table import events as ev
from companion.table.fold import History
from companion.table.hypotheses import Guess, Kind
from companion.table.referee_cube import take
from companion.table.referee_game import end_game, pass_double, start_game
from companion.table.referee_state import RefereeState, Seen, Step
from companion.table.referee_turn import finish, stands
from companion.table.state import Action, MatchState, Phase

C = TypeVar("C", bound=cmd.Command)
Order = Callable[["Desk", Any], None]
_ORDERS: dict[type[cmd.Command], Order] = {}


@dataclass(slots=True)
class Desk:
    """Where a command is worked out: the step of the referee, the history, and who asked."""

    work: Step
    history: History
    who: str

    @property
    def match(self) -> MatchState:
        return self.work.match

    def emit(self, event: ev.MatchEvent) -> None:
        self.work.emit(event)

    @property
    def stamp(self) -> dict[str, Any]:
        """Time, frame and author of what is emitted."""
        return {"t": self.work.seen.t, "frame": self.work.seen.frame, "who": self.who}


def obey(state: RefereeState, history: History, command: cmd.Command) -> tuple[RefereeState, tuple[ev.MatchEvent, ...]]:
    """The state after a command and the events to log. Raises RuleError with one line when it is refused."""
    order = _ORDERS.get(type(command))
    if order is None:
        raise RuleError(f"{type(command).__name__}: this table does not know that command")
    if command.expected_seq is not None and command.expected_seq != max(0, state.match.seq):
        raise RuleError("the table has changed meanwhile: look again and repeat", code="changed_meanwhile")
    desk = Desk(Step(state), history, command.who)
    order(desk, command)
    after, events = desk.work.done()
    return after, tuple(_signed(event, command.who) for event in events)


def _signed(event: ev.MatchEvent, who: str) -> ev.MatchEvent:
    return msgspec.structs.replace(event, who=who)


def _on(kind: type[C]) -> Callable[[Callable[[Desk, C], None]], Callable[[Desk, C], None]]:
    def register(order: Callable[[Desk, C], None]) -> Callable[[Desk, C], None]:
        _ORDERS[kind] = order
        return order

    return register


def _side(name: str) -> Side:
    try:
        return Side(name)
    except ValueError:
        raise RuleError(f"side {name!r}: white or black") from None


def _playing(desk: Desk) -> None:
    if not desk.match.started:
        raise RuleError("no game is being played: start one first", code="no_game")


def _position(text: str) -> tuple[Position, Side | None]:
    parsed = parse_id(text)
    return require_possible(parsed.position), parsed.on_roll if ":" in text else None


@_on(cmd.Pause)
def _pause(desk: Desk, order: cmd.Pause) -> None:
    if desk.match.paused or desk.match.phase is Phase.NO_MATCH:
        raise RuleError("there is nothing to pause", code="nothing_to_pause")
    desk.emit(ev.Paused(**desk.stamp))


@_on(cmd.Resume)
def _resume(desk: Desk, order: cmd.Resume) -> None:
    if not desk.match.paused:
        raise RuleError("the match is not paused", code="not_paused")
    desk.emit(ev.Resumed(**desk.stamp))


@_on(cmd.Abandon)
def _abandon(desk: Desk, order: cmd.Abandon) -> None:
    if desk.match.phase in (Phase.NO_MATCH, Phase.MATCH_OVER):
        raise RuleError("no match is running", code="no_match")
    desk.emit(ev.MatchEnded(winner=None, score=desk.match.score, **desk.stamp))


@_on(cmd.SetDice)
def _set_dice(desk: Desk, order: cmd.SetDice) -> None:
    _playing(desk)
    side = _side(order.side)
    dice = (max(order.dice), min(order.dice))
    if not all(1 <= value <= 6 for value in dice):
        raise RuleError(f"dice {order.dice}: two numbers from 1 to 6", code="bad_dice")
    seen = desk.work.seen
    lying = seen.throw or seen.fresh
    desk.work.look_back(throw=lying and replace(lying, called=True), fresh=None, fixed=dice)
    desk.emit(ev.Rolled(side=side, dice=dice, **desk.stamp))


@_on(cmd.SetPosition)
def _set_position(desk: Desk, order: cmd.SetPosition) -> None:
    _playing(desk)
    position, id_side = _position(order.position)
    on_roll = _side(order.on_roll) if order.on_roll else id_side
    text = gnu_position_id(position, Side.WHITE)
    desk.work.look_back(looks=(), last=None, strange=b"", strange_looks=0, noticed=b"", gone=0)
    desk.emit(ev.PositionSet(position=text, on_roll=on_roll.value if on_roll else None, **desk.stamp))


def _after(before: Position, side: Side, text: str) -> Position:
    return apply_moves(before, side, parse_play(text)) if text.strip() else before


@_on(cmd.ChoosePlay)
def _choose_play(desk: Desk, order: cmd.ChoosePlay) -> None:
    _playing(desk)
    if order.turn is None and desk.match.phase in (Phase.ROLLED, Phase.ILLEGAL):
        _choose_now(desk, order)
        return
    action = _recorded(desk, order.turn)
    assert action.side is not None
    assert action.before is not None
    _correct(desk, action, order.play, order.dice)


def _choose_now(desk: Desk, order: cmd.ChoosePlay) -> None:
    """The roll on the table was played so."""
    match = desk.match
    side, dice = match.on_roll, order.dice or match.dice or (match.illegal and match.illegal.dice)
    if side is None or not dice:
        raise RuleError("no roll is known for this turn: set the dice first", code="no_roll")
    if match.phase is Phase.ILLEGAL:
        desk.emit(ev.Corrected(side=side, why="operator", **desk.stamp))
    after = _after(match.position, side, order.play)
    _require_legal(match.position, side, dice, after, order.play)
    finish(desk.work, Guess(Kind.LEGAL, dice, after, 0.0))


def _require_legal(before: Position, side: Side, dice: tuple[int, int], after: Position, text: str) -> None:
    if not any(play.after == after for play in legal_plays(before, side, dice)):
        raise RuleError(
            f"{text or 'no move'}: not a legal play of {dice[0]}{dice[1]} here; to record it, let it stand",
            code="not_legal",
            play=text or "–",
            roll=f"{dice[0]}-{dice[1]}",
        )


def _recorded(desk: Desk, turn: int | None) -> Action:
    """The turn meant; the last one when none is named."""
    actions = desk.match.game.actions if desk.match.game else ()
    turns = [a for a in actions if a.kind in ("play", "dance")]
    found = turns[-1] if turn is None and turns else next((a for a in turns if a.turn == turn), None)
    if found is None:
        raise RuleError("there is no such turn in this game", code="no_such_turn")
    return found


def _correct(desk: Desk, action: Action, play: str, dice: tuple[int, int] | None) -> None:
    side, before = action.side, action.before
    assert side is not None
    assert before is not None
    after = _after(before, side, play)
    roll = dice or action.dice or (1, 1)
    _require_legal(before, side, roll, after, play)
    desk.work.look_back(last=None)
    desk.emit(
        ev.Corrected(
            side=side,
            turn=action.turn,
            dice=dice,
            after=gnu_position_id(after, side),
            play=play,
            why="operator",
            **desk.stamp,
        )
    )


@_on(cmd.AddTurn)
def _add_turn(desk: Desk, order: cmd.AddTurn) -> None:
    _playing(desk)
    side, before = _side(order.side), desk.match.position
    after = _after(before, side, order.play)
    _require_legal(before, side, order.dice, after, order.play)
    desk.work.look_back(throw=None, fixed=None, gone=0)
    desk.emit(ev.Rolled(side=side, dice=order.dice, **desk.stamp))
    finish(desk.work, Guess(Kind.LEGAL, order.dice, after, 0.0))


@_on(cmd.Rule)
def _rule(desk: Desk, order: cmd.Rule) -> None:
    _playing(desk)
    choices: dict[str, Callable[[Desk], None]] = {
        "stand": _let_stand,
        "put_right": _put_right,
        "reroll": _roll_again,
        "valid": _counts,
        "stands_premature": _early_counts,
    }
    if order.choice not in choices:
        raise RuleError(f"choice {order.choice!r}: one of {', '.join(choices)}", code="bad_choice")
    choices[order.choice](desk)


def _let_stand(desk: Desk) -> None:
    match = desk.match
    if match.phase is not Phase.ILLEGAL:
        raise RuleError("no illegal play is in question", code="no_illegal_play")
    if desk.work.law.illegal_play == "legal":
        raise RuleError("under this profile an illegal play must be put right (F2)", code="must_correct")
    stands(desk.work)


def _put_right(desk: Desk) -> None:
    """Back as before the roll, the roll stays, any legal play may be made (F5)."""
    match = desk.match
    if match.illegal is None or match.on_roll is None:
        raise RuleError("no illegal play is in question", code="no_illegal_play")
    look = desk.work.seen.looks[0].key if desk.work.seen.looks else None
    desk.work.look_back(hold=look, gone=0, noticed=b"")
    desk.emit(ev.Corrected(side=match.on_roll, why="to be put right", **desk.stamp))


def _roll_again(desk: Desk) -> None:
    match, seen = desk.match, desk.work.seen
    if match.phase not in (Phase.ROLLED, Phase.TO_ROLL, Phase.OPENING) or (match.dice is None and seen.fresh is None):
        raise RuleError("no roll lies on the board", code="no_dice")
    throw = seen.throw or seen.fresh
    side = match.on_roll.value if match.on_roll else None
    states = throw.states if throw else ()
    desk.work.look_back(throw=None, fresh=None, old=throw.dice if throw else (), fixed=None)
    desk.emit(ev.RerollCalled(side=side, reason="cocked", dice_states=states, rules=("B4",), **desk.stamp))


def _counts(desk: Desk) -> None:
    """The throw that was called faulty is good."""
    match, seen = desk.match, desk.work.seen
    if match.reroll is None:
        raise RuleError("no re-roll is in question", code="no_reroll")
    if len(seen.old) != 2 or not all(die.read for die in seen.old) or match.on_roll is None:
        raise RuleError("the dice could not be read: set their values instead", code="unread")
    dice = (max(d.best for d in seen.old), min(d.best for d in seen.old))
    desk.emit(ev.Rolled(side=match.on_roll, dice=dice, **desk.stamp))
    desk.work.look_back(fixed=dice, old=())


def _early_counts(desk: Desk) -> None:
    premature = desk.match.premature
    if premature is None or premature.dice is None:
        raise RuleError("no readable premature roll is in question", code="no_premature")
    if desk.match.phase is Phase.ROLLED:
        raise RuleError("the turn before is not over yet: lift the dice first", code="turn_not_over")
    desk.emit(ev.Rolled(side=premature.side, dice=premature.dice, **desk.stamp))


@_on(cmd.SolveDoubt)
def _solve(desk: Desk, order: cmd.SolveDoubt) -> None:
    doubt = next((d for d in desk.match.doubts if d.doubt_id == order.doubt_id), None)
    if doubt is None:
        raise RuleError("this question is answered already", code="answered")
    if order.choice and doubt.alternatives and order.choice not in doubt.alternatives:
        raise RuleError(f"{order.choice!r}: one of {', '.join(doubt.alternatives)}", code="bad_choice")
    if order.choice and doubt.turn is not None and desk.match.started:
        _apply_choice(desk, doubt, order.choice)
    desk.emit(ev.DoubtSolved(doubt_id=order.doubt_id, choice=order.choice, **desk.stamp))


def _apply_choice(desk: Desk, doubt: ev.Doubt, choice: str) -> None:
    action = _recorded(desk, doubt.turn)
    if doubt.about == "roll":
        dice = (int(choice[0]), int(choice[1]))
        if action.dice is None or sorted(dice) != sorted(action.dice):
            _correct(desk, action, action.play, dice)
    elif doubt.about == "play" and choice != action.play:
        _correct(desk, action, choice, None)


@_on(cmd.Undo)
def _undo(desk: Desk, order: cmd.Undo) -> None:
    _travel(desk, desk.history.undo_target(), "nothing to undo", "no_undo")


@_on(cmd.Redo)
def _redo(desk: Desk, order: cmd.Redo) -> None:
    _travel(desk, desk.history.redo_target(), "nothing to redo", "no_redo")


def _travel(desk: Desk, target: int | None, refusal_text: str, code: str) -> None:
    """To another point of the history. What lies on the table now is not judged until it changes."""
    if target is None:
        raise RuleError(refusal_text, code=code)
    seen = desk.work.seen
    hold = seen.looks[0].key if seen.looks else seen.latest
    desk.work.look_back(**_forgotten(seen), hold=hold)
    desk.work.out.append(ev.Undone(to_seq=target, **desk.stamp))
    desk.work.match = replace(desk.history.at(target), seq=desk.match.seq + 1)


def _forgotten(seen: Seen) -> dict[str, Any]:
    old = seen.throw.dice if seen.throw else seen.old
    return {
        "throw": None,
        "fresh": None,
        "old": old,
        "looks": (),
        "gone": 0,
        "last": None,
        "fixed": None,
        "early": None,
    }


@_on(cmd.SetScore)
def _set_score(desk: Desk, order: cmd.SetScore) -> None:
    match = desk.match
    if match.phase is Phase.NO_MATCH:
        raise RuleError("no match is running", code="no_match")
    score = (order.white, order.black)
    if min(score) < 0 or (match.length and max(score) >= match.length):
        most = match.length - 1 if match.length else "any"
        raise RuleError(f"score {order.white} : {order.black}: 0 to {most} each", code="bad_score")
    desk.emit(ev.ScoreSet(score=score, crawford=order.crawford, **desk.stamp))


@_on(cmd.SetCube)
def _set_cube(desk: Desk, order: cmd.SetCube) -> None:
    _playing(desk)
    if order.value < 1 or order.value & (order.value - 1):
        raise RuleError(f"cube {order.value}: a cube shows 1, 2, 4, 8 …", code="bad_cube")
    owner = _side(order.owner).value if order.owner else None
    desk.emit(ev.CubeSet(value=order.value, owner=owner, **desk.stamp))


@_on(cmd.Double)
def _double(desk: Desk, order: cmd.Double) -> None:
    _playing(desk)
    match, side = desk.match, _side(order.side)
    if match.phase is Phase.ILLEGAL and match.on_roll is side.other:
        stands(desk.work)
        match = desk.match
    cube = Cube(match.cube, match.cube_owner, match.offered_by)
    before_roll = match.phase is Phase.TO_ROLL and match.on_roll is side
    refused = refusal(cube, side, on_roll=match.on_roll, rolled=not before_roll, crawford=match.crawford)
    if match.reroll is not None or refused is not None:
        if refused is None:
            raise RuleError("the roll has begun: no double after a re-roll (G1)", code="cube_after_reroll")
        raise RuleError(refused.why, code=refused.code, side=side.value, other=side.other.value)
    desk.emit(ev.Doubled(side=side, value=2 * match.cube, **desk.stamp))


def _offered_to(desk: Desk, name: str) -> Side:
    side = _side(name)
    if desk.match.offered_by is not side.other:
        raise RuleError(f"no double is offered to {side.value} (G2)", code="no_offer", side=side.value)
    return side


@_on(cmd.Take)
def _take(desk: Desk, order: cmd.Take) -> None:
    take(desk.work, _offered_to(desk, order.side))


@_on(cmd.Pass)
def _pass(desk: Desk, order: cmd.Pass) -> None:
    _offered_to(desk, order.side)
    pass_double(desk.work)


@_on(cmd.Resign)
def _resign(desk: Desk, order: cmd.Resign) -> None:
    _playing(desk)
    side = _side(order.side)
    result = resignation(side, order.points, desk.match.cube)
    desk.emit(ev.Resigned(side=side, points=order.points, accepted=order.accepted, **desk.stamp))
    if order.accepted:
        end_game(desk.work, result.winner, result.points, "resign")


@_on(cmd.NextGame)
def _next_game(desk: Desk, order: cmd.NextGame) -> None:
    if desk.match.phase is not Phase.BETWEEN:
        raise RuleError("the game is not over: resign it, or undo", code="game_not_over")
    start_game(desk.work)


@_on(cmd.SwapSides)
def _swap(desk: Desk, order: cmd.SwapSides) -> None:
    if desk.match.phase is Phase.NO_MATCH:
        raise RuleError("no match is running", code="no_match")
    desk.emit(ev.SidesSwapped(**desk.stamp))


def begin_match(order: cmd.NewMatch, match_id: str, date: str) -> tuple[ev.MatchEvent, ...]:
    """The events that begin a match. Raises RuleError or InputError when the profile or position cannot be."""
    load_profile(order.profile, order.overrides)
    if order.length < 0 or order.length > 99:
        raise RuleError(f"match length {order.length}: 0 (money) to 99 points", code="bad_length")
    started = ev.MatchStarted(
        match_id=match_id,
        length=order.length,
        white=order.white.strip() or "White",
        black=order.black.strip() or "Black",
        profile=order.profile,
        overrides=order.overrides,
        date=date,
        who=order.who,
    )
    if order.from_id is None:
        return (started,)
    parsed = parse_id(order.from_id)
    position = require_possible(parsed.position)
    side = _side(order.on_roll) if order.on_roll else parsed.on_roll if ":" in order.from_id else None
    score = (parsed.score_white, parsed.score_black)
    owner = parsed.owner.value if parsed.owner else None
    crawford = Score(order.length, *score).is_crawford(load_profile(order.profile, order.overrides))
    game = ev.GameStarted(
        game=1,
        start=gnu_position_id(position, Side.WHITE),
        on_roll=side.value if side else None,
        cube=parsed.cube,
        cube_owner=owner,
        crawford=parsed.crawford or crawford,
        who=order.who,
    )
    return (started, game)
