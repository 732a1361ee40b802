"""Positions to measure and to compare on: from real matches where there are any, from seeded random play elsewhere."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from companion.rules.notation.mat import read_mat
from companion.rules.plays import legal_plays
from companion.rules.position import BAR, CHECKERS, OFF, START, Position, Side
from companion.rules.record import MatchRecord, Play, moments
from companion.rules.validity import position_faults


class Roll(NamedTuple):
    """A position, who is to move, and the dice."""

    position: Position
    side: Side
    dice: tuple[int, int]


SPREAD = 3
"""Real rolls are drawn from so many times as many, of whole matches."""


def real_rolls(matches: Path, count: int, seed: int) -> list[Roll]:
    """`count` rolls (or all there are) from the .mat files of a folder, in random order."""
    rng = random.Random(seed)
    files = sorted(matches.glob("*.mat"))
    rolls: list[Roll] = []
    for path in rng.sample(files, len(files)):
        if len(rolls) >= SPREAD * count:
            break
        rolls.extend(_match_rolls(read_mat(path.read_text(encoding="utf-8", errors="replace"))))
    return rng.sample(rolls, min(count, len(rolls)))


def _match_rolls(record: MatchRecord) -> Iterator[Roll]:
    for game in record.games:
        for moment in moments(game):
            if isinstance(moment.action, Play):
                yield Roll(moment.before, moment.action.side, moment.action.dice)


def random_rolls(count: int, seed: int) -> list[Roll]:
    """`count` rolls of games in which both sides play at random: many blots, bars, dances and odd bear-offs."""
    rng = random.Random(seed)
    rolls: list[Roll] = []
    while len(rolls) < count:
        rolls.extend(_random_game(rng))
    return rolls[:count]


def _random_game(rng: random.Random) -> Iterator[Roll]:
    position, side = START, rng.choice(tuple(Side))
    while position.pips(Side.WHITE) and position.pips(Side.BLACK):
        dice = rng.randint(1, 6), rng.randint(1, 6)
        yield Roll(position, side, dice)
        position = rng.choice(legal_plays(position, side, dice)).after
        side = side.other


def constructed_rolls(count: int, seed: int) -> list[Roll]:
    """`count` rolls of made-up possible positions: few men, several on the bar, all at home, gaps, contact or none."""
    rng = random.Random(seed)
    return [
        Roll(_random_position(rng), rng.choice(tuple(Side)), (rng.randint(1, 6), rng.randint(1, 6)))
        for _ in range(count)
    ]


def _random_position(rng: random.Random) -> Position:
    while True:
        white, black = _random_side(rng), _random_side(rng)
        for point in range(1, BAR):
            if white[point] and black[BAR - point]:
                loser, place = rng.choice(((white, point), (black, BAR - point)))
                loser[OFF] += loser[place]
                loser[place] = 0
        position = Position(tuple(white), tuple(black))
        if sum(white[1:]) and sum(black[1:]) and not position_faults(position):
            return position


def _random_side(rng: random.Random) -> list[int]:
    """One side's counts, with no regard to the other's."""
    men = rng.choice((CHECKERS, CHECKERS, rng.randint(1, CHECKERS)))
    reach = rng.choice((24, 24, 12, 8, 6))
    points = rng.sample(range(1, reach + 1), min(reach, rng.randint(1, 8)))
    counts = [0] * 26
    counts[BAR] = min(men, rng.choice((0, 0, 0, 1, 2, 3)))
    for _ in range(men - counts[BAR]):
        counts[rng.choice(points)] += 1
    counts[OFF] = CHECKERS - sum(counts)
    return counts
