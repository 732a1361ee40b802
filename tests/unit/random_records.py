"""Random matches for the notation tests: everything a real evening may hold, from a seed."""

from __future__ import annotations

import random

from companion.rules.cube import Cube, refusal
from companion.rules.game_builder import GameBuilder
from companion.rules.match import Score
from companion.rules.plays import legal_plays
from companion.rules.position import OFF, START, Position, Side
from companion.rules.profile import load_profile
from companion.rules.record import GameRecord, MatchRecord, has_won, made_play

PROFILE = load_profile("classic")
NAMES = ("Ann", "Bo B. O'Hara", "Łódź", "x" * 31, "31", "Takes", "Game 2", "5 point match", "Wins 3 points")


def random_match(seed: int, *, beaver_drops: bool = True) -> MatchRecord:
    """A match of some games: doubles, beavers, passes, resignations, illegal plays, joined late, broken off early."""
    rng = random.Random(seed)
    length = rng.choice((0, 1, 3, 5, 7))
    score, games = Score(length), []
    for number in range(1, rng.randint(2, 4)):
        game = _game(rng, number, score, joined=number == 1 and rng.random() < 0.3, beaver_drops=beaver_drops)
        games.append(game)
        if game.result is None:
            break
        score = score.after(game.result, PROFILE)
        if score.winner is not None:
            break
    return MatchRecord(
        length=length,
        white=rng.choice(NAMES),
        black=rng.choice(NAMES),
        games=tuple(games),
        jacoby=length == 0 and rng.random() < 0.5,
        tags={
            "EventDate": "2026.11.30",
            "Event": 'Club "Night" [1]'.replace('"', "'").replace("[", "(").replace("]", ")"),
        },
    )


def _game(rng: random.Random, number: int, score: Score, *, joined: bool, beaver_drops: bool) -> GameRecord:
    side = rng.choice(list(Side))
    crawford = score.is_crawford(PROFILE)
    start, cube = (_middle(rng), Cube()) if joined else (START, Cube())
    if joined and not crawford and rng.random() < 0.7:
        cube = Cube(2 ** rng.randint(1, 3), rng.choice(list(Side)))
    builder = GameBuilder(
        GameRecord(
            number=number,
            score_white=score.white,
            score_black=score.black,
            crawford=crawford,
            start=start,
            on_roll=side if joined else None,
            cube=cube.value,
            owner=cube.owner,
        )
    )
    for _ in range(rng.choice((3, 30, 400))):
        if not joined and builder.last is None:
            dice = tuple(sorted(rng.sample(range(1, 7), 2), reverse=True))
        else:
            dice = (rng.randint(1, 6), rng.randint(1, 6))
            if _cube_action(rng, builder, side, score, crawford, beaver_drops):
                return builder.ended(money=score.length == 0)
        # gnubg reads a lone roll as its play where only one is legal
        if rng.random() < 0.01 and len(legal_plays(builder.position, side, dice)) > 1:
            builder.rolled(side, dice)
            return (
                builder.ended(side.other, builder.cube * rng.randint(1, 3)) if rng.random() < 0.7 else builder.ended()
            )
        _turn(rng, builder, side, dice)
        if has_won(builder.position, side):
            return builder.ended(money=score.length == 0)
        side = side.other
    return builder.ended(side.other, builder.cube) if rng.random() < 0.5 else builder.ended()


def _cube_action(
    rng: random.Random, builder: GameBuilder, side: Side, score: Score, crawford: bool, beaver_drops: bool
) -> bool:
    """Maybe a double and its answer; True when the game ended with a pass."""
    cube = Cube(builder.cube, builder.owner)
    if rng.random() > 0.06 or cube.value > 32 or refusal(cube, side, on_roll=side, rolled=False, crawford=crawford):
        return False
    builder.doubled(side)
    answer = rng.random()
    if answer < 0.2:
        builder.dropped(side.other)
        return True
    if score.length == 0 and answer < 0.4:
        builder.beavered(side.other)
        if beaver_drops and rng.random() < 0.3:
            builder.dropped(side)
            return True
    else:
        builder.taken(side.other)
    return False


def _turn(rng: random.Random, builder: GameBuilder, side: Side, dice: tuple[int, int]) -> None:
    before = builder.position
    after = rng.choice(legal_plays(before, side, dice)).after
    if rng.random() < 0.03:
        after = _meddled(rng, before, side)
    builder.played(made_play(before, side, dice, after))


def _meddled(rng: random.Random, position: Position, side: Side) -> Position:
    """One man put where he does not belong, or nothing played at all."""
    own, other = list(position.of(side)), position.of(side.other)
    start = rng.choice([p for p in range(1, 26) if own[p]])
    free = [p for p in range(1, 25) if not other[25 - p]]
    end = rng.choice([*free, start])
    own[start] -= 1
    own[end] += 1
    return position.replace(side, tuple(own))


def _middle(rng: random.Random) -> Position:
    position, side = START, Side.WHITE
    for _ in range(rng.randint(1, 40)):
        position = rng.choice(legal_plays(position, side, (rng.randint(1, 6), rng.randint(1, 6)))).after
        side = side.other
    return position if not position.white[OFF] and not position.black[OFF] else START
