"""A player good enough to look at: weighs points made, blots in danger and the race. For made-up matches only."""

from __future__ import annotations

import random

from companion.rules.plays import Play, legal_plays
from companion.rules.position import BAR, OFF, Position, Side

_POINT_WORTH = (0, 1, 2, 3, 5, 7, 5, 5, 3, 2, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 4, 2, 2, 0, 0)


def _danger(own: tuple[int, ...], theirs: tuple[int, ...], point: int) -> float:
    """About the chance in 36 that a blot on `point` is hit: direct shots count, far ones little."""
    shots = 0.0
    for theirs_at, n in enumerate(theirs):
        away = theirs_at - (25 - point)
        if n and 0 < away <= 12:
            shots += 11.0 + away if away <= 6 else 3.0
    strength = sum(1 for p in range(1, 7) if theirs[p] > 1)
    return min(30.0, shots) * (0.5 + 0.25 * strength) * (25 - point + 6) / 30.0


def worth(position: Position, side: Side) -> float:
    """How well the position suits `side`, before the other side rolls."""
    own, theirs = position.of(side), position.of(side.other)
    contact = (
        max((p for p in range(26) if own[p]), default=0) + max((p for p in range(26) if theirs[p]), default=0) > 25
    )
    value = float(position.pips(side.other) - position.pips(side)) * 0.5 + 2.0 * own[OFF]
    if not contact:
        return value + 10.0 * own[OFF]
    value += sum(_POINT_WORTH[p] for p in range(1, 25) if own[p] > 1)
    value -= sum(_danger(own, theirs, p) * 0.35 for p in range(1, 25) if own[p] == 1)
    board = sum(1 for p in range(1, 7) if own[p] > 1)
    value += theirs[BAR] * (4.0 + 2.5 * board) - sum(max(0, n - 3) for n in own[1:25])
    return value


def choose(rng: random.Random, position: Position, side: Side, dice: tuple[int, int], spread: float = 1.0) -> Play:
    """The play this bot makes; `spread` is how much its judgement wavers."""
    plays = legal_plays(position, side, dice)
    return max(plays, key=lambda play: worth(play.after, side) + rng.gauss(0, spread))
