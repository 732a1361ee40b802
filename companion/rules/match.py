"""Game and match as pure steps (RULES.md B1, B2, B6, F2, F3, G6, H1-H3): what follows from what, nothing stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from companion.errors import RuleError
from companion.rules.position import Position, Side
from companion.rules.profile import Profile
from companion.rules.record import Result, has_won, value_of_win

KINDS = {1: "single", 2: "gammon", 3: "backgammon"}


# --- opening -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opening:
    """What an opening roll decides. `starter` None: equal dice, both roll again. `cube`: the centred cube after it."""

    starter: Side | None
    dice: tuple[int, int]
    cube: int


def opening_roll(white: int, black: int, profile: Profile, *, length: int, cube: int = 1) -> Opening:
    """One die each; the higher starts and plays both numbers (B1, B2).

    Equal dice double the centred cube where the profile has automatic doubles, at money only (G6).
    """
    if not (1 <= white <= 6 and 1 <= black <= 6):
        raise RuleError(f"opening roll {white} and {black}: two numbers from 1 to 6 are needed")
    if white == black:
        return Opening(None, (white, black), 2 * cube if automatic_doubles(profile, length) else cube)
    starter = Side.WHITE if white > black else Side.BLACK
    return Opening(starter, (max(white, black), min(white, black)), cube)


def automatic_doubles(profile: Profile, length: int) -> bool:
    """Money option; off in matches (G6)."""
    return profile.automatic_doubles and length == 0


def jacoby(profile: Profile, length: int) -> bool:
    """Gammons count only with a turned cube: money option, off in matches (G6)."""
    return profile.jacoby and length == 0


def beavers(profile: Profile, length: int) -> bool:
    """Money option, off in matches (G6)."""
    return profile.beavers and length == 0


# --- the end of a game -------------------------------------------------------------------------------------------


def game_result(position: Position, cube: int, *, cube_turned: bool = True, jacoby: bool = False) -> Result | None:
    """The result once a side has borne off 15 (H1), else None. `cube_turned`: somebody doubled in this game."""
    winner = next((side for side in Side if has_won(position, side)), None)
    if winner is None:
        return None
    times, kind = value_of_win(position, winner)
    if jacoby and not cube_turned:
        times = 1
    return Result(winner=winner, points=times * cube, kind=kind)


def pass_result(doubler: Side, cube: int) -> Result:
    """A passed double: the value before it (G2)."""
    return Result(winner=doubler, points=cube, kind="pass")


def resignation(side: Side, times: int, cube: int) -> Result:
    """`side` gives up 1, 2 or 3 times the cube and it is accepted (H2)."""
    if times not in KINDS:
        raise RuleError(f"a resignation is for 1, 2 or 3 times the cube, not {times}")
    return Result(winner=side.other, points=times * cube, kind="resign")


# --- score -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Score:
    """The score before a game. `length` 0 = money. `crawford_played`: the Crawford game is behind us."""

    length: int = 0
    white: int = 0
    black: int = 0
    crawford_played: bool = False

    def of(self, side: Side) -> int:
        return self.white if side is Side.WHITE else self.black

    def away(self, side: Side) -> int:
        """Points still needed; 0 at money."""
        return max(0, self.length - self.of(side)) if self.length else 0

    @property
    def winner(self) -> Side | None:
        """Who has won the match (H3)."""
        return next((side for side in Side if self.length and self.of(side) >= self.length), None)

    def is_crawford(self, profile: Profile) -> bool:
        """The game to come is the Crawford game: the first after one side stands a point from winning (G5)."""
        if not profile.crawford or self.length < 2 or self.crawford_played or self.winner is not None:
            return False
        return (self.away(Side.WHITE) == 1) != (self.away(Side.BLACK) == 1)

    def is_post_crawford(self, profile: Profile) -> bool:
        """A side stands a point from winning and the Crawford game is over: doubling is allowed again (G5)."""
        one_away = 1 in (self.away(Side.WHITE), self.away(Side.BLACK))
        return self.winner is None and self.length > 1 and one_away and not self.is_crawford(profile)

    def after(self, result: Result, profile: Profile) -> Score:
        """The score with that game's points added (H3)."""
        played = self.crawford_played or self.is_crawford(profile)
        if result.winner is Side.WHITE:
            return replace(self, white=self.white + result.points, crawford_played=played)
        return replace(self, black=self.black + result.points, crawford_played=played)


# --- objections and premature rolls ------------------------------------------------------------------------------


class Happening(StrEnum):
    """What the next player does after a turn, as far as it may close the window for objections (F3)."""

    ROLL = "roll"
    DOUBLE = "double"
    PLAY = "play"


_CLOSES = {
    "roll_or_double": (Happening.ROLL, Happening.DOUBLE, Happening.PLAY),
    "next_roll": (Happening.ROLL, Happening.PLAY),
    "next_play": (Happening.PLAY,),
}


def closes_objection(profile: Profile, happening: Happening) -> bool:
    """True when this (valid) act of the opponent ends the chance to object to the last play (F3)."""
    return happening in _CLOSES[profile.objection_until]


@dataclass(frozen=True, slots=True)
class IllegalPlayRuling:
    """`must_correct`: it has to be put right (F2 `legal`); `chooser`: whose choice it is to let it stand, else None."""

    must_correct: bool
    chooser: Side | None


def illegal_play_ruling(profile: Profile, mover: Side) -> IllegalPlayRuling:
    """What the profile says of an illegal play noticed in time (F2)."""
    if profile.illegal_play == "legal":
        return IllegalPlayRuling(True, None)
    return IllegalPlayRuling(False, mover.other)


def premature_ruling(profile: Profile) -> str:
    """What becomes of a roll made before the opponent ended the turn: void | stands | opponent_choice (B6)."""
    return profile.premature


def is_premature(side: Side, *, on_turn: Side, turn_ended: bool) -> bool:
    """`side` rolled while the other side's turn was not over yet (B6, F1)."""
    return side is not on_turn and not turn_ended


# --- clocks ------------------------------------------------------------------------------------------------------


def starting_minutes(profile: Profile, score: Score, side: Side) -> float:
    """Minutes on the clock at the start: so many a match point, less for each point already scored."""
    clock = profile.clock
    if clock.type == "none" or not score.length:
        return 0.0
    return max(0.0, clock.minutes_per_point * score.length - clock.less_per_point_scored * score.of(side))
