"""Puts a game on paper action by action, knowing the position and the cube: readers of notations and exports use it."""

from __future__ import annotations

import msgspec

from companion.rules.position import Position, Side
from companion.rules.record import (
    AnyAction,
    Beaver,
    Dice,
    Double,
    Drop,
    GameRecord,
    Play,
    Resign,
    Result,
    Roll,
    Take,
    final_position,
    has_won,
    value_of_win,
)


class GameBuilder:
    """Collects the actions of one game. `position`: as it stands now; `cube`, `owner`: as agreed now."""

    def __init__(self, game: GameRecord) -> None:
        """`game`: number, score, start and so on, without actions."""
        self._game = game
        self._actions: list[AnyAction] = []
        self._offered = game.cube
        self.position: Position = game.start
        self.cube: int = game.cube
        self.owner: Side | None = game.owner

    @property
    def last(self) -> AnyAction | None:
        """The last action so far."""
        return self._actions[-1] if self._actions else None

    def rolled(self, side: Side, dice: Dice) -> None:
        """A roll that no play follows."""
        self._actions.append(Roll(side=side, dice=dice))

    def played(self, play: Play) -> None:
        """A turn, as `record.made_play` or `record.written_play` give it."""
        self._actions.append(play)
        self.position = play.after

    def replaced(self, play: Play) -> None:
        """The last turn was another one than the record said."""
        self._actions.pop()
        self.played(play)

    def doubled(self, side: Side, value: int | None = None) -> None:
        """A double to `value`, else to twice the cube."""
        self._offered = value or 2 * self.cube
        self._actions.append(Double(side=side, value=self._offered))

    def beavered(self, side: Side, value: int | None = None) -> None:
        """A take that turns the cube once more."""
        self.cube = self._offered = value or 2 * self._offered
        self.owner = side
        self._actions.append(Beaver(side=side, value=self.cube))

    def taken(self, side: Side) -> None:
        """The offered cube is taken. After a beaver nothing is added: going on is accepting it."""
        if not isinstance(self.last, Beaver):
            self.cube, self.owner = self._offered, side
            self._actions.append(Take(side=side))

    def dropped(self, side: Side) -> None:
        """The double is passed."""
        self._actions.append(Drop(side=side))

    def added(self, action: AnyAction) -> None:
        """Any other action, kept as it is (an opening roll)."""
        self._actions.append(action)

    def so_far(self) -> GameRecord:
        """The game without a result."""
        return msgspec.structs.replace(self._game, actions=tuple(self._actions))

    def ended(self, winner: Side | None = None, points: int | None = None, *, money: bool = False) -> GameRecord:
        """The game with its result: by a pass, by the board, else (there is a winner all the same) by resignation.

        `winner`, `points`: what the source says; None: what follows from the actions (H1, H2). Where the board tells
        the result of a match game, the rules count, not the source (some cap the points at what the winner needed);
        at money the source knows whether Jacoby was played. A game that nobody has won yet stays without a result.
        """
        game = self.so_far()
        if isinstance(self.last, Drop):
            return _won(game, self.last.side.other, self._passed_value(), "pass")
        side = _who_is_off(game)
        if side is not None:
            times, kind = value_of_win(self.position, side)
            return _won(game, side, (points if money else None) or times * self.cube, kind)
        return game if winner is None else _resigned(game, winner, self._whole_cubes(points or self.cube))

    def _passed_value(self) -> int:
        """What a pass costs: the value before the double or before the beaver (G2)."""
        beavered = len(self._actions) > 1 and isinstance(self._actions[-2], Beaver)
        return self.cube // 2 if beavered else self.cube

    def _whole_cubes(self, points: int) -> int:
        """A resignation gives 1, 2 or 3 times the cube (H2); sources that cap the points name less, some name more."""
        times = min(3, -(-points // self.cube))
        return times * self.cube


def _won(game: GameRecord, winner: Side, points: int, kind: str) -> GameRecord:
    return msgspec.structs.replace(game, result=Result(winner=winner, points=points, kind=kind))


def _who_is_off(game: GameRecord) -> Side | None:
    position = final_position(game)
    return next((side for side in Side if has_won(position, side)), None)


def _resigned(game: GameRecord, winner: Side, points: int) -> GameRecord:
    last = game.actions[-1] if game.actions else None
    if not isinstance(last, Resign):
        actions = (*game.actions, Resign(side=winner.other, points=points))
        game = msgspec.structs.replace(game, actions=actions)
    return _won(game, winner, points, "resign")
