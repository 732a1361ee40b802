"""What the simulated table plays: a match as turns with hops of single checkers, free of notation and of drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.errors import InputError
from companion.rules.position import BAR, OFF, START, Position, Side
from companion.sim.incidents import Incident

Dice = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Hop:
    """One checker carried by hand, in its owner's numbering (25 bar, 0 off). An enemy blot met at `end` is hit."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One player's turn. `dice` None: the turn ended before a roll (a double that was passed)."""

    side: Side
    before: Position
    after: Position
    dice: Dice | None = None
    hops: tuple[Hop, ...] = ()
    openings: tuple[tuple[int, int], ...] = ()  # (white, black) dice of the opening as recorded, ties first
    opening: bool = False
    legal: bool = True
    play: str = ""
    doubled_to: int | None = None  # the new value of the cube
    taken: bool = False
    beavered_to: int | None = None
    resigned: bool = False  # after the roll, instead of a play


@dataclass(frozen=True, slots=True)
class GameScript:
    """One game. `cube` and `owner`: how it starts (1, None unless joined in the middle)."""

    turns: tuple[Turn, ...]
    winner: Side | None
    points: int
    kind: str  # single gammon backgammon pass resign, "" when broken off
    start: Position = START
    cube: int = 1
    owner: Side | None = None
    score: tuple[int, int] = (0, 0)  # white, black


@dataclass(frozen=True, slots=True)
class MatchScript:
    """A match with what goes wrong in it."""

    white: str
    black: str
    length: int
    games: tuple[GameScript, ...]
    incidents: tuple[Incident, ...] = ()

    def at(self, game: int, turn: int) -> tuple[Incident, ...]:
        """The incidents planted in that turn (both counted from 0)."""
        return tuple(i for i in self.incidents if (i.game, i.turn) == (game, turn))

    def turns(self) -> Iterator[tuple[int, int, Turn]]:
        """All turns with their place."""
        for g, game in enumerate(self.games):
            for n, turn in enumerate(game.turns):
                yield g, n, turn


def hop(position: Position, side: Side, move: Hop) -> Position:
    """The position after one checker was carried; an enemy blot on its landing goes to the bar.

    Raises InputError if there is no such checker or more than a blot stands there.
    """
    own, theirs = list(position.of(side)), list(position.of(side.other))
    if not own[move.start]:
        raise InputError(f"{side} has no checker on {move.start} to carry to {move.end}")
    own[move.start] -= 1
    own[move.end] += 1
    if OFF < move.end < BAR and theirs[25 - move.end]:
        if theirs[25 - move.end] > 1:
            raise InputError(f"{side} cannot carry a checker to {move.end}: the point is held")
        theirs[25 - move.end] -= 1
        theirs[BAR] += 1
    return position.replace(side, tuple(own)).replace(side.other, tuple(theirs))


def carries_between(before: Position, after: Position, side: Side) -> tuple[Hop, ...]:
    """Carries of `side`'s checkers that lead from one position to the other, whatever the rules say."""
    own = [a - b for a, b in zip(after.of(side), before.of(side), strict=True)]
    starts = [p for p in range(BAR, -1, -1) for _ in range(max(0, -own[p]))]
    ends = [p for p in range(BAR, -1, -1) for _ in range(max(0, own[p]))]
    return tuple(Hop(a, b) for a, b in zip(starts, ends, strict=False))
