"""Plays nobody may make, as a tired player makes them: chosen so that they are on the way to no legal result."""

from __future__ import annotations

import random
from collections.abc import Iterator

from companion.errors import InputError
from companion.rules.packed import pack, unpack
from companion.rules.plays import legal_plays, steps_with
from companion.rules.position import BAR, Position, Side
from companion.sim.script import Dice, Hop, Turn, hop


def positions_on_the_way(position: Position, side: Side, dice: Dice) -> set[Position]:
    """Every position reached by playing none, some or all of the dice one by one (so not illegal in itself)."""
    found: set[int] = set()
    numbers = (dice[0],) * 4 if dice[0] == dice[1] else dice
    _walk(pack(position, side), numbers, found)
    return {unpack(key, side) for key in found}


def _walk(key: int, numbers: tuple[int, ...], found: set[int]) -> None:
    found.add(key)
    for i, die in enumerate(numbers):
        if die in numbers[:i]:
            continue
        rest = numbers[:i] + numbers[i + 1 :]
        for _, after in steps_with(key, die):
            if after not in found or rest:
                _walk(after, rest, found)


def carried(position: Position, side: Side, hops: tuple[Hop, ...]) -> Position:
    """The position after all hops. Raises InputError if one cannot be carried out."""
    for move in hops:
        position = hop(position, side, move)
    return position


def illegal_hops(rng: random.Random, turn: Turn) -> tuple[Hop, ...] | None:
    """The turn's hops with one landing wrong by a pip or two; None when no such play is clearly illegal."""
    if turn.dice is None:
        return None
    allowed = positions_on_the_way(turn.before, turn.side, turn.dice)
    candidates = list(_wrong_landings(turn))
    rng.shuffle(candidates)
    for hops in candidates:
        try:
            after = carried(turn.before, turn.side, hops)
        except InputError:
            continue
        if after not in allowed:
            return hops
    return None


def _wrong_landings(turn: Turn) -> Iterator[tuple[Hop, ...]]:
    """One hop, the last of its checker, lands somewhere else: nothing is hit there and nothing borne off."""
    for i, move in enumerate(turn.hops):
        goes_on = any(later.start == move.end for later in turn.hops[i + 1 :])
        for wrong in (-2, -1, 1, 2):
            end = move.end + wrong
            if goes_on or not 0 < end < BAR or end >= move.start:
                continue
            if turn.before.of(turn.side.other)[25 - end] == 0:
                yield (*turn.hops[:i], *turn.hops[i + 1 :], Hop(move.start, end))


def other_play(rng: random.Random, turn: Turn) -> tuple[Hop, ...] | None:
    """Another legal play of the same roll that hits nothing (for trying out); None if there is none."""
    if turn.dice is None:
        return None
    plays = [
        play
        for play in legal_plays(turn.before, turn.side, turn.dice)
        if play.steps and play.after != turn.after and not any(s.hit for s in play.steps)
    ]
    if not plays:
        return None
    return tuple(Hop(step.start, step.end) for step in rng.choice(plays).steps)
