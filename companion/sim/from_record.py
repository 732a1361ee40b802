"""From a match on paper to what the simulated table plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.rules.movetext import parse_play
from companion.rules.record import (
    Beaver,
    Double,
    Drop,
    GameRecord,
    MatchRecord,
    Moment,
    Opening,
    Play,
    Resign,
    Roll,
    Take,
    moments,
)
from companion.sim.incidents import Incident
from companion.sim.script import GameScript, Hop, MatchScript, Turn


def script_of(record: MatchRecord, incidents: tuple[Incident, ...] = ()) -> MatchScript:
    """The match as the simulated table plays it, with these incidents planted."""
    games = tuple(_game(game) for game in record.games)
    return MatchScript(record.white, record.black, record.length, games, incidents)


def _game(game: GameRecord) -> GameScript:
    turns = list(_turns(game))
    if turns and not game.joined and turns[0].dice is not None and turns[0].dice[0] != turns[0].dice[1]:
        turns[0] = replace(turns[0], opening=True)
    result = game.result
    return GameScript(
        turns=tuple(turns),
        winner=result.winner if result else None,
        points=result.points if result else 0,
        kind=result.kind if result else "",
        start=game.start,
        cube=game.cube,
        owner=game.owner,
        score=(game.score_white, game.score_black),
    )


def _turns(game: GameRecord) -> Iterator[Turn]:
    """Actions gathered to turns: a double and its answer belong to the turn of the side that doubled."""
    cube: Turn | None = None
    openings: tuple[tuple[int, int], ...] = ()
    for moment in moments(game):
        action, before = moment.action, moment.before
        match action:
            case Opening(white=white, black=black):
                openings = (*openings, (white, black))
            case Double(side=side, value=value):
                cube = Turn(side, before, before, doubled_to=value)
            case Take():
                cube = replace(cube, taken=True) if cube else None
            case Beaver(value=value):
                cube = replace(cube, taken=True, beavered_to=value) if cube else None
            case Drop():
                if cube:
                    yield cube
                cube = None
            case Play() | Roll():
                yield replace(_rolled(moment, action, cube), openings=openings)
                cube, openings = None, ()
            case Resign():
                pass


def _rolled(moment: Moment, action: Play | Roll, cube: Turn | None) -> Turn:
    turn = cube if cube is not None and cube.side is action.side else Turn(action.side, moment.before, moment.before)
    if isinstance(action, Roll):
        return replace(turn, dice=action.dice, resigned=True)
    hops = written_hops(action.text) if action.legal else ()
    return replace(
        turn,
        dice=action.dice,
        after=action.after,
        hops=hops,
        legal=action.legal,
        play=action.text,
        before=moment.before,
    )


def written_hops(text: str) -> tuple[Hop, ...]:
    """Which checkers are carried for a written play: one hop between any two named points."""
    hops = []
    for move in parse_play(text):
        for _ in range(move.times):
            hops += [Hop(a, b) for a, b in zip(move.points, move.points[1:], strict=False)]
    return tuple(hops)
