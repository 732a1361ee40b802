"""From script to film: how players throw, move, double, end their turns and set up again, with all truth told."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.position import Position, Side
from companion.sim import trouble
from companion.sim.acts import carry_anyhow, carry_out, fair_dice
from companion.sim.incidents import FAULTY_THROWS, Incident
from companion.sim.places import cube_at, right_sign
from companion.sim.script import GameScript, MatchScript, Turn
from companion.sim.stage import Stage


def play_match(stage: Stage, script: MatchScript) -> None:
    """Play the whole match on the stage: segments and events are appended to it."""
    for number, game in enumerate(script.games):
        stage.note(game=number, turn=-1, on_roll=None, roll=None, scenario="")
        _begin(stage, game, first=number == 0)
        for n, turn in enumerate(game.turns):
            stage.note(turn=n, on_roll=turn.side, roll=None, scenario="")
            play_turn(stage, turn, script.at(number, n), last=n == len(game.turns) - 1)
        stage.note(on_roll=None, roll=None, scenario="")
        stage.wait(stage.pace.settle, "game_end")
        stage.tell("game_end", winner=game.winner, points=game.points, kind=game.kind)
    if _over(script):
        stage.tell("match_end")
    stage.wait(3 * stage.pace.settle, "match_end")


def _over(script: MatchScript) -> bool:
    """Did somebody reach the length of the match? A money session just stops."""
    last = script.games[-1]
    score = dict(zip((Side.WHITE, Side.BLACK), last.score, strict=True))
    return last.winner is not None and 0 < script.length <= score[last.winner] + last.points


def _begin(stage: Stage, game: GameScript, *, first: bool) -> None:
    if first:
        stage.lay_out(game.start)
    elif stage.position != game.start or stage.astray:
        set_up(stage, game.start)
    place = {None: "centre", Side.WHITE: "light", Side.BLACK: "dark"}[game.owner]
    centre = cube_at(stage.layout, stage.habits, place, game.cube, stage.looks.cube)
    if not first and stage.cube is not None and stage.cube.place != "centre":
        stage.move_cube(Side.WHITE, centre)
    stage.cube = centre
    stage.wait((4.0 if first else 1.6) * stage.pace.settle, "start")
    stage.tell("game_start", score=list(game.score), start=game.start)


def set_up(stage: Stage, goal: Position) -> None:
    """Both players put the checkers back, a few at a time."""
    stage.note(phase="setup", turn=-1)
    if stage.dice:
        stage.lift_dice(Side.WHITE)
    moves = [(side, start, end) for side in Side for start, end in _set_up_moves(stage, side, goal)]
    stage.rng.shuffle(moves)
    stage.set_up_moves(sorted(moves, key=lambda m: -m[1]), stage.pace.set_up)


def _set_up_moves(stage: Stage, side: Side, goal: Position) -> list[tuple[int, int]]:
    here = stage.position.of(side)
    starts = [p for p in range(26) for _ in range(max(0, here[p] - goal.of(side)[p]))]
    ends = [p for p in range(26) for _ in range(max(0, goal.of(side)[p] - here[p]))]
    return list(zip(starts, ends, strict=True))


def play_turn(stage: Stage, turn: Turn, incidents: Sequence[Incident], *, last: bool) -> None:
    """One turn, from the double or the throw to the lifted dice."""
    for incident in incidents:
        trouble.before_turn(stage, incident)
    if not turn.opening:
        stage.wait(0.5 * stage.pace.settle, "before_roll")
    if turn.doubled_to is not None:
        double(stage, turn)
    if turn.dice is not None:
        _throw(stage, turn, incidents)
    if turn.dice is not None and not turn.resigned:
        _move(stage, turn, incidents)
        _end_turn(stage, turn, incidents, last=last)
    for incident in incidents:
        trouble.after_turn(stage, incident)


def double(stage: Stage, turn: Turn) -> None:
    """The cube is offered on the playing surface; taken it moves to the taker's end, passed it stays."""
    assert stage.cube is not None
    assert turn.doubled_to is not None
    layout, habits, other = stage.layout, stage.habits, turn.side.other
    stage.note(phase="cube_hand")
    offered = cube_at(layout, habits, "offered", turn.doubled_to, stage.looks.cube, holder=turn.side)
    stage.move_cube(turn.side, offered)
    stage.tell("double", side=turn.side, value=turn.doubled_to)
    stage.wait(1.4 * stage.pace.settle, "cube_offered")
    if not turn.taken:
        stage.tell("pass", side=other)
        return
    stage.note(phase="cube_hand")
    place = "light" if other is Side.WHITE else "dark"
    value = turn.beavered_to or turn.doubled_to
    stage.move_cube(other, cube_at(layout, habits, place, value, stage.looks.cube))
    stage.tell("beaver" if turn.beavered_to else "take", side=other, value=value)
    stage.wait(stage.pace.settle, "before_roll")


def _throw(stage: Stage, turn: Turn, incidents: Sequence[Incident]) -> None:
    assert turn.dice is not None
    if turn.opening:
        _opening(stage, turn)
    else:
        for incident in incidents:
            if incident.kind in FAULTY_THROWS:
                trouble.faulty_throw(stage, turn, incident.kind)
        dice = fair_dice(stage, turn.side, turn.dice, turn.after)
        stage.note(scenario="")
        stage.throw([(turn.side, dice)])
        stage.note(roll=turn.dice)
        stage.tell("roll", side=turn.side, dice=turn.dice, valid=True)
    stage.wait(stage.pace.settle, "rolled")
    stage.wait(stage.pace.think * stage.rng.uniform(0.0, 1.5), "rolled")


def _opening(stage: Stage, turn: Turn) -> None:
    """One die each, in the own right-hand half; equal dice are thrown again."""
    assert turn.dice is not None
    stage.note(on_roll=None)
    for value in _ties(stage, turn):
        _throw_one_each(stage, dict.fromkeys(Side, value), None)
        stage.tell("opening_roll", white=value, black=value)
        stage.wait(stage.pace.settle, "opening_tie")
        for side in Side:
            own = [d for d in stage.dice if d.x * right_sign(side) > 0]
            stage.lift_dice(side, own)
    high, low = max(turn.dice), min(turn.dice)
    values = {turn.side: high, turn.side.other: low}
    _throw_one_each(stage, values, turn.after)
    stage.tell("opening_roll", white=values[Side.WHITE], black=values[Side.BLACK])
    stage.note(on_roll=turn.side, roll=turn.dice)


def _ties(stage: Stage, turn: Turn) -> list[int]:
    """The equal dice of the record, or now and then some where the record (like .mat) does not tell."""
    if turn.openings:
        return [white for white, black in turn.openings if white == black]
    ties = []
    while stage.rng.random() < 1 / 6:
        ties.append(stage.rng.randint(1, 6))
    return ties


def _throw_one_each(stage: Stage, values: dict[Side, int], after: Position | None) -> None:
    stage.throw([(side, fair_dice(stage, side, (value,), after)) for side, value in values.items()])


def _move(stage: Stage, turn: Turn, incidents: Sequence[Incident]) -> None:
    """The checkers move, with try-outs and slips first; then the hand leaves."""
    for incident in incidents:
        trouble.before_move(stage, turn, incident)
    stage.note(phase="moving")
    wrong = next((i for i in incidents if i.kind in ("illegal_corrected", "illegal_replayed")), None)
    if not turn.legal:
        carry_anyhow(stage, turn.side, turn.after)
    elif wrong is None or not trouble.illegal_first(stage, turn, wrong):
        carry_out(stage, turn.side, turn.hops)
    stage.leave(turn.side)
    for incident in incidents:
        trouble.after_move(stage, turn, incident)


def _end_turn(stage: Stage, turn: Turn, incidents: Sequence[Incident], *, last: bool) -> None:
    """The dice are lifted: that ends the turn (F1)."""
    stage.wait(stage.pace.settle, "moved" if turn.legal else "moved_illegal")
    for incident in incidents:
        trouble.before_lift(stage, turn, incident, last=last)
    stage.lift_dice(turn.side)
    if not turn.legal:
        stage.tell("illegal", side=turn.side, dice=turn.dice, before=turn.before, after=turn.after, final=True)
    stage.tell(
        "turn_end",
        side=turn.side,
        dice=turn.dice,
        before=turn.before,
        after=stage.position,
        legal=turn.legal,
        play=turn.play,
        turn=stage.facts.turn,
    )
    stage.wait(0.4 * stage.pace.settle, "turn_over")
