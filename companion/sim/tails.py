"""Matches with illegal plays that stood: published records hold none, so they are made, and the game is played on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from companion.errors import InputError
from companion.rules.position import OFF, Position, Side
from companion.rules.record import MatchRecord, has_won, value_of_win
from companion.sim.bot import choose
from companion.sim.from_record import script_of, written_hops
from companion.sim.illegal import carried, illegal_hops
from companion.sim.incidents import Incident, random_incidents
from companion.sim.script import GameScript, Hop, MatchScript, Turn

_MOST = 400  # turns of a tail; bots need about 60


def plan_match(rng: random.Random, record: MatchRecord, *, share: float = 0.12, standing: float = 0.5) -> MatchScript:
    """The record with random incidents in about `share` of its turns, and with the chance `standing` an illegal play
    that stands in its last game, which the bots then play to the end."""
    script = script_of(record)
    if rng.random() < standing:
        script = with_illegal_play(rng, script)
    incidents = random_incidents(rng, script, share)
    wrong = {(g, n) for g, n, turn in script.turns() if not turn.legal}
    return replace(script, incidents=tuple(i for i in incidents if (i.game, i.turn) not in wrong))


def with_illegal_play(rng: random.Random, script: MatchScript) -> MatchScript:
    """Some turn of the last game becomes an illegal play that stands. Unchanged if no turn lends itself."""
    game = len(script.games) - 1
    places = [n for n, turn in enumerate(script.games[game].turns) if n > 2 and turn.dice and turn.hops]
    rng.shuffle(places)
    for n in places:
        hops = illegal_hops(rng, script.games[game].turns[n])
        if hops is not None:
            return _standing(rng, script, Incident("illegal_stands", game, n), hops)
    return script


def with_standing(rng: random.Random, script: MatchScript) -> MatchScript:
    """Carry out the planted incidents `illegal_stands`: their games go on from there, played by the bots.

    Raises InputError where the turn named has no play, or none that is clearly illegal.
    """
    for incident in script.incidents:
        if incident.kind != "illegal_stands":
            continue
        turn = turn_at(script, incident)
        hops = written_hops(incident.play) if incident.play else illegal_hops(rng, turn)
        if hops is None:
            raise InputError(f"no illegal play found for turn {incident.turn} of game {incident.game}; name one")
        script = _standing(rng, script, incident, hops)
    return script


def turn_at(script: MatchScript, incident: Incident) -> Turn:
    """The turn an incident is planted in. Raises InputError if there is none."""
    try:
        return script.games[incident.game].turns[incident.turn]
    except IndexError:
        raise InputError(
            f"incident {incident.kind}: there is no turn {incident.turn} of game {incident.game}"
        ) from None


def _standing(rng: random.Random, script: MatchScript, place: Incident, hops: tuple[Hop, ...]) -> MatchScript:
    game = script.games[place.game]
    turn = game.turns[place.turn]
    after = carried(turn.before, turn.side, hops)
    wrong = replace(turn, hops=hops, after=after, legal=False, play="")
    turns = (*game.turns[: place.turn], wrong, *_tail(rng, after, turn.side.other))
    played = _ended(game, turns, _cube_before(game, place.turn))
    return replace(script, games=(*script.games[: place.game], played, *script.games[place.game + 1 :]))


def _cube_before(game: GameScript, place: int) -> int:
    cube = game.cube
    for turn in game.turns[: place + 1]:
        if turn.taken:
            cube = turn.beavered_to or turn.doubled_to or cube
    return cube


def _tail(rng: random.Random, position: Position, side: Side) -> Iterator[Turn]:
    """The bots play the game to its end, without the cube."""
    for _ in range(_MOST):
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        play = choose(rng, position, side, dice)
        yield Turn(side, position, play.after, dice, written_hops(play.text), play=play.text)
        if has_won(play.after, side):
            return
        position, side = play.after, side.other


def _ended(game: GameScript, turns: tuple[Turn, ...], cube: int) -> GameScript:
    final = turns[-1].after
    winner = next((side for side in Side if final.of(side)[OFF] == 15), None)
    points, kind = value_of_win(final, winner) if winner else (0, "")
    return replace(game, turns=turns, winner=winner, points=points * cube, kind=kind)
