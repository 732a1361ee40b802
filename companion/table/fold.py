"""Log entries to match state: a pure function per kind of event, and the history that undo and redo walk in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from companion.rules.ids import parse_id
from companion.rules.position import OFF, START, Position, Side
from companion.table import events as ev
from companion.table.state import Action, Game, MatchState, Phase

Entry = tuple[int, ev.MatchEvent]
"""Sequence number in the log and the event."""

E = TypeVar("E", bound=ev.MatchEvent)
Handler = Callable[[MatchState, Any], MatchState]
_HANDLERS: dict[type[ev.MatchEvent], Handler] = {}
UNDOABLE = (
    ev.TurnEnded,
    ev.Rolled,
    ev.OpeningRolled,
    ev.RerollCalled,
    ev.Doubled,
    ev.Taken,
    ev.Passed,
    ev.Resigned,
    ev.Corrected,
    ev.ScoreSet,
    ev.CubeSet,
    ev.PositionSet,
    ev.SidesSwapped,
    ev.DoubtSolved,
    ev.GameStarted,
)
"""What one press of undo takes back (with everything that followed it)."""


def position_in_view(text: str, side: Side) -> Position:
    """A GNU position id written in `side`'s view."""
    position = parse_id(text).position
    return position if side is Side.WHITE else Position(position.black, position.white)


def fold(entries: Iterable[Entry]) -> MatchState:
    """The state after all entries, oldest first."""
    history = History()
    for seq, event in entries:
        history = history.add(seq, event)
    return history.state


def step(state: MatchState, seq: int, event: ev.MatchEvent) -> MatchState:
    """The state after one more event (any but Undone, which needs the history)."""
    handler = _HANDLERS.get(type(event))
    after = handler(state, event) if handler else state
    return replace(after, seq=seq, t=max(after.t, event.t))


@dataclass(frozen=True, slots=True)
class _Moment:
    seq: int
    event: ev.MatchEvent
    state: MatchState


@dataclass(slots=True)
class History:
    """All states of a match, so that `Undone` can go back to any. Grows by one small value an event."""

    moments: list[_Moment] = field(default_factory=list)

    @property
    def state(self) -> MatchState:
        return self.moments[-1].state if self.moments else MatchState()

    def add(self, seq: int, event: ev.MatchEvent) -> History:
        if isinstance(event, ev.Undone):
            state = replace(self.at(event.to_seq), seq=seq)
        else:
            state = step(self.state, seq, event)
        self.moments.append(_Moment(seq, event, state))
        return self

    def at(self, seq: int) -> MatchState:
        """The state as it was after log entry `seq`."""
        return next((m.state for m in reversed(self.moments) if m.seq <= seq), MatchState())

    def undo_target(self) -> int | None:
        """The log sequence to go back to, None when there is nothing to undo."""
        at = len(self.moments) - 1
        while at >= 0:
            event = self.moments[at].event
            if isinstance(event, ev.Undone):
                at = self._index(event.to_seq)
                continue
            if isinstance(event, UNDOABLE) and at > 0:
                return self.moments[at - 1].seq
            at -= 1
        return None

    def redo_target(self) -> int | None:
        """The sequence to go to so that the last undo no longer counts; None once something new was recorded."""
        undone = 0
        for moment in reversed(self.moments):
            if not isinstance(moment.event, ev.Undone):
                return None
            redo = moment.event.to_seq >= moment.seq - 1 or self._is_redo(moment)
            undone += -1 if redo else 1
            if undone > 0:
                return moment.seq - 1
        return None

    def _is_redo(self, moment: _Moment) -> bool:
        """A redo goes to the entry just before an earlier Undone."""
        following = next((m for m in self.moments if m.seq == moment.event.to_seq + 1), None)  # type: ignore[attr-defined]
        return following is not None and isinstance(following.event, ev.Undone) and following.seq < moment.seq

    def _index(self, seq: int) -> int:
        return next((i for i in range(len(self.moments) - 1, -1, -1) if self.moments[i].seq <= seq), -1)


def _on(kind: type[E]) -> Callable[[Callable[[MatchState, E], MatchState]], Callable[[MatchState, E], MatchState]]:
    def register(handler: Callable[[MatchState, E], MatchState]) -> Callable[[MatchState, E], MatchState]:
        _HANDLERS[kind] = handler
        return handler

    return register


def _side(name: str | None) -> Side | None:
    return None if name is None else Side(name)


def _record(state: MatchState, event: ev.MatchEvent, kind: str, **fields: Any) -> MatchState:
    """One more line in the record of the game on the table."""
    if state.game is None:
        return state
    action = Action(
        seq=state.seq + 1,
        game=state.game.number,
        turn=state.game.turns,
        kind=kind,
        t=event.t,
        frame=event.frame,
        evidence=event.evidence,
        **fields,
    )
    return replace(state, game=replace(state.game, actions=(*state.game.actions, action)))


@_on(ev.MatchStarted)
def _match_started(state: MatchState, event: ev.MatchStarted) -> MatchState:
    return MatchState(
        match_id=event.match_id,
        length=event.length,
        white=event.white,
        black=event.black,
        profile=event.profile,
        overrides=dict(event.overrides),
        date=event.date,
        score=event.score,
        phase=Phase.BETWEEN,
        problems=state.problems,
    )


@_on(ev.GameStarted)
def _game_started(state: MatchState, event: ev.GameStarted) -> MatchState:
    on_roll = _side(event.on_roll)
    start = parse_id(event.start).position if event.start else START
    owner = _side(event.cube_owner)
    game = Game(
        number=event.game,
        start=start,
        on_roll=on_roll,
        cube=event.cube,
        cube_owner=owner,
        crawford=event.crawford,
        score=state.score,
    )
    ended = (*state.games, state.game) if state.game and state.game.winner else state.games
    return replace(
        _cleared(state),
        games=ended,
        game=game,
        position=start,
        on_roll=on_roll,
        phase=Phase.TO_ROLL if on_roll else Phase.OPENING,
        cube=event.cube,
        cube_owner=owner,
        offered_by=None,
        opening=None,
        crawford_done=state.crawford_done or event.crawford,
    )


def _cleared(state: MatchState) -> MatchState:
    """Nothing thrown, nothing in question."""
    return replace(state, dice=None, reroll=None, illegal=None, premature=None)


def _opening_anew(state: MatchState) -> MatchState:
    """Without the opening roll told before, if it was no tie: it was misread."""
    game = state.game
    if game is None or not game.actions or game.actions[-1].kind != "opening":
        return state
    dice = game.actions[-1].dice
    if dice is None or dice[0] == dice[1]:
        return state
    return replace(state, game=replace(game, actions=game.actions[:-1]))


@_on(ev.OpeningRolled)
def _opening(state: MatchState, event: ev.OpeningRolled) -> MatchState:
    state = replace(_opening_anew(state), opening=(event.white, event.black), reroll=None)
    state = _record(state, event, "opening", dice=(event.white, event.black))
    if event.white == event.black:
        return state
    starter = Side.WHITE if event.white > event.black else Side.BLACK
    dice = (max(event.white, event.black), min(event.white, event.black))
    return replace(state, phase=Phase.ROLLED, on_roll=starter, dice=dice)


@_on(ev.Rolled)
def _rolled(state: MatchState, event: ev.Rolled) -> MatchState:
    return replace(_cleared(state), phase=Phase.ROLLED, on_roll=Side(event.side), dice=event.dice)


@_on(ev.RerollCalled)
def _reroll(state: MatchState, event: ev.RerollCalled) -> MatchState:
    state = _record(state, event, "reroll", side=_side(event.side), rules=event.rules, result=event.reason)
    phase = Phase.OPENING if state.phase is Phase.OPENING else Phase.TO_ROLL
    return replace(state, reroll=event, dice=None, phase=phase)


@_on(ev.PrematureRoll)
def _premature(state: MatchState, event: ev.PrematureRoll) -> MatchState:
    state = _record(state, event, "premature", side=Side(event.side), dice=event.dice, result=event.ruling)
    return replace(state, premature=event)


@_on(ev.TurnEnded)
def _turn_ended(state: MatchState, event: ev.TurnEnded) -> MatchState:
    side = Side(event.side)
    after = position_in_view(event.after, side)
    state = _record(
        state,
        event,
        "play" if event.play or not event.legal else "dance",
        side=side,
        dice=event.dice,
        before=position_in_view(event.before, side),
        after=after,
        play=event.play,
        legal=event.legal,
        rules=event.rules,
        why=event.why,
    )
    return replace(_cleared(state), position=after, on_roll=side.other, phase=Phase.TO_ROLL, offered_by=None)


@_on(ev.IllegalSeen)
def _illegal(state: MatchState, event: ev.IllegalSeen) -> MatchState:
    side = Side(event.side)
    state = _record(
        state,
        event,
        "illegal",
        side=side,
        dice=event.dice,
        after=position_in_view(event.after, side),
        play=event.play,
        legal=False,
        rules=event.rules,
        why=event.what,
    )
    return replace(state, illegal=event, phase=Phase.ILLEGAL if event.final else state.phase)


@_on(ev.Corrected)
def _corrected(state: MatchState, event: ev.Corrected) -> MatchState:
    """A notice taken back (`turn` None), or a recorded turn that was otherwise."""
    if event.turn is None:
        phase = Phase.ROLLED if state.phase is Phase.ILLEGAL else state.phase
        return replace(state, illegal=None, phase=phase, dice=event.dice or state.dice)
    if state.game is None:
        return state
    actions = list(state.game.actions)
    at = next((i for i, a in enumerate(actions) if a.turn == event.turn and a.kind in ("play", "dance")), None)
    if at is None:
        return state
    actions[at] = changed = _changed(actions[at], event)
    last = event.turn == state.game.turns - 1
    state = replace(state, game=replace(state.game, actions=tuple(actions)))
    return replace(state, position=changed.after) if last and changed.after else state


def _changed(action: Action, event: ev.Corrected) -> Action:
    side = _side(event.side) or action.side
    assert side is not None
    return replace(
        action,
        side=side,
        dice=event.dice or action.dice,
        after=action.after if event.after is None else position_in_view(event.after, side),
        play=action.play if event.play is None else event.play,
        legal=event.legal,
        rules=() if event.legal else action.rules,
        kind="dance" if event.play == "" and event.legal else "play",
        corrected=True,
    )


@_on(ev.Doubled)
def _doubled(state: MatchState, event: ev.Doubled) -> MatchState:
    state = _record(state, event, "double", side=Side(event.side), value=event.value)
    phase = state.phase if state.phase is Phase.ROLLED else Phase.OFFERED
    return replace(state, phase=phase, offered_by=Side(event.side))


@_on(ev.Taken)
def _taken(state: MatchState, event: ev.Taken) -> MatchState:
    side = Side(event.side)
    state = _record(state, event, "take", side=side, value=state.cube * 2)
    phase = Phase.TO_ROLL if state.phase is Phase.OFFERED else state.phase
    return replace(state, phase=phase, cube=state.cube * 2, cube_owner=side, offered_by=None)


@_on(ev.Passed)
def _passed(state: MatchState, event: ev.Passed) -> MatchState:
    return _record(state, event, "pass", side=Side(event.side))


@_on(ev.Resigned)
def _resigned(state: MatchState, event: ev.Resigned) -> MatchState:
    result = {True: "accepted", False: "refused", None: "offered"}[event.accepted]
    return _record(state, event, "resign", side=Side(event.side), value=event.points, result=result)


@_on(ev.GameEnded)
def _game_ended(state: MatchState, event: ev.GameEnded) -> MatchState:
    winner = Side(event.winner)
    state = _record(state, event, "game_end", side=winner, value=event.points, result=event.kind)
    white, black = state.score
    score = (white + event.points, black) if winner is Side.WHITE else (white, black + event.points)
    game = state.game and replace(state.game, winner=winner, points=event.points, kind=event.kind, final=state.position)
    return replace(_cleared(state), game=game, score=score, phase=Phase.BETWEEN, on_roll=None, offered_by=None)


@_on(ev.MatchEnded)
def _match_ended(state: MatchState, event: ev.MatchEnded) -> MatchState:
    games = (*state.games, state.game) if state.game else state.games
    return replace(_cleared(state), phase=Phase.MATCH_OVER, winner=_side(event.winner), games=games, game=None)


@_on(ev.ScoreSet)
def _score_set(state: MatchState, event: ev.ScoreSet) -> MatchState:
    state = replace(state, score=event.score)
    if event.crawford is None:
        return state
    game = state.game and replace(state.game, crawford=event.crawford)
    return replace(state, game=game, crawford_done=event.crawford or state.crawford_done)


@_on(ev.CubeSet)
def _cube_set(state: MatchState, event: ev.CubeSet) -> MatchState:
    return replace(state, cube=event.value, cube_owner=_side(event.owner))


@_on(ev.PositionSet)
def _position_set(state: MatchState, event: ev.PositionSet) -> MatchState:
    position = parse_id(event.position).position
    on_roll = _side(event.on_roll) or state.on_roll
    phase = state.phase if event.on_roll is None and state.started else (Phase.TO_ROLL if on_roll else Phase.OPENING)
    if state.game is None or state.game.winner:
        return state
    if not state.game.actions:
        state = replace(state, game=replace(state.game, start=position, on_roll=on_roll))
    state = _cleared(state) if event.on_roll else replace(state, illegal=None)
    return replace(state, position=position, on_roll=on_roll, phase=phase)


@_on(ev.SidesSwapped)
def _swapped(state: MatchState, event: ev.SidesSwapped) -> MatchState:
    """The names change places; the checkers stay what they are."""
    return replace(state, white=state.black, black=state.white, score=state.score[::-1])


@_on(ev.Doubt)
def _doubt(state: MatchState, event: ev.Doubt) -> MatchState:
    others = tuple(d for d in state.doubts if d.doubt_id != event.doubt_id)
    return replace(state, doubts=(*others, event))


@_on(ev.DoubtSolved)
def _solved(state: MatchState, event: ev.DoubtSolved) -> MatchState:
    return replace(state, doubts=tuple(d for d in state.doubts if d.doubt_id != event.doubt_id))


@_on(ev.ViewProblem)
def _view(state: MatchState, event: ev.ViewProblem) -> MatchState:
    return replace(state, problems=event.problems)


@_on(ev.Paused)
def _paused(state: MatchState, event: ev.Paused) -> MatchState:
    return replace(state, paused=True)


@_on(ev.Resumed)
def _resumed(state: MatchState, event: ev.Resumed) -> MatchState:
    return replace(state, paused=False)


@_on(ev.ClockPressed)
def _clock(state: MatchState, event: ev.ClockPressed) -> MatchState:
    return replace(state, clock=event)


def won(position: Position) -> Side | None:
    """The side that has borne off all its checkers (H1)."""
    return next((side for side in Side if position.of(side)[OFF] == 15), None)
