"""What was seen (TableEvent) and what counts (MatchEvent): small immutable values, tagged, that go to JSON and back.

Positions inside events are GNU position ids in the mover's view, as in CONTRACT.md (`transcribe` events).
"""

from __future__ import annotations

import msgspec

from companion.vision.types import BoardObservation


class TableEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Something seen on the table. `t`: seconds on the source's clock, `frame`: the source's sequence number."""

    t: float
    frame: int


class HandsIn(TableEvent, frozen=True, kw_only=True, tag="hands_in"):
    """A hand or arm came over the board."""


class HandsOut(TableEvent, frozen=True, kw_only=True, tag="hands_out"):
    """The board is free again."""


class DiceMoving(TableEvent, frozen=True, kw_only=True, tag="dice_moving"):
    """Dice are in the air or tumbling."""


class PositionSettled(TableEvent, frozen=True, kw_only=True, tag="position_settled"):
    """Hands away, dice not moving: a clear reading of checkers, dice and cube.

    `still`: dense frames showed that nothing moved; False when frames are sparse and this one is all there is.
    """

    observation: BoardObservation
    still: bool = False


class ViewChanged(TableEvent, frozen=True, kw_only=True, tag="view_changed"):
    """The view got worse or better (dark, glare, blurred, moved, blocked, no_board; empty = fine again)."""

    problems: tuple[str, ...] = ()


class CameraLost(TableEvent, frozen=True, kw_only=True, tag="camera_lost"):
    """No frame for too long."""

    reason: str


class CameraBack(TableEvent, frozen=True, kw_only=True, tag="camera_back"):
    """Frames come again."""


class MatchEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=False):
    """What counts. The log is these, in order; the state is their fold. Names and fields as CONTRACT.md.

    `t`, `frame`: the source's clock; `who`: camera | operator | clock; `evidence`: names of JPEGs kept for it.
    """

    t: float = 0.0
    frame: int = 0
    who: str = "camera"
    evidence: tuple[str, ...] = ()


class MatchStarted(MatchEvent, frozen=True, kw_only=True, tag="match_start"):
    match_id: str
    length: int  # 0 = money
    white: str
    black: str
    profile: str
    overrides: dict[str, str | int | bool] = {}
    date: str = ""  # annotation only: the clock of a Pi may be wrong
    score: tuple[int, int] = (0, 0)


class GameStarted(MatchEvent, frozen=True, kw_only=True, tag="game_start"):
    game: int
    crawford: bool = False
    start: str = ""  # GNU position id, White's view; "" = the starting position
    on_roll: str | None = None  # when joined in mid-game
    cube: int = 1
    cube_owner: str | None = None


class OpeningRolled(MatchEvent, frozen=True, kw_only=True, tag="opening_roll"):
    white: int
    black: int


class Rolled(MatchEvent, frozen=True, kw_only=True, tag="roll"):
    side: str
    dice: tuple[int, int]
    valid: bool = True


class RerollCalled(MatchEvent, frozen=True, kw_only=True, tag="reroll"):
    side: str | None
    reason: str  # off_board | on_bar | on_checker | stacked | cocked | split | wrong_half
    dice_states: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


class PrematureRoll(MatchEvent, frozen=True, kw_only=True, tag="premature_roll"):
    side: str
    dice: tuple[int, int] | None = None
    ruling: str = "void"  # void | stands | opponent_choice (profile)


class TurnEnded(MatchEvent, frozen=True, kw_only=True, tag="turn_end"):
    side: str
    dice: tuple[int, int]
    before: str
    after: str
    legal: bool
    play: str
    rules: tuple[str, ...] = ()
    why: str = ""


class IllegalSeen(MatchEvent, frozen=True, kw_only=True, tag="illegal"):
    side: str
    dice: tuple[int, int]
    before: str
    after: str
    what: str
    rules: tuple[str, ...] = ()
    legal: bool = False
    play: str = ""
    final: bool = False
    code: str = ""  # the gravest fault (companion.rules.faults) and its arguments, for translation
    args: dict[str, int | str] = {}


class Corrected(MatchEvent, frozen=True, kw_only=True, tag="corrected"):
    """An illegal play was put right by the players, or the record was put right by later evidence or the operator.

    `turn`: index of the turn in the game that changes; fields that are None stay as they were.
    """

    side: str | None = None
    turn: int | None = None
    dice: tuple[int, int] | None = None
    after: str | None = None
    play: str | None = None
    legal: bool = True  # what is recorded now is a legal play
    why: str = ""


class Doubled(MatchEvent, frozen=True, kw_only=True, tag="double"):
    side: str
    value: int  # the new value


class Taken(MatchEvent, frozen=True, kw_only=True, tag="take"):
    side: str


class Passed(MatchEvent, frozen=True, kw_only=True, tag="pass"):
    side: str


class Resigned(MatchEvent, frozen=True, kw_only=True, tag="resign"):
    side: str
    points: int  # 1, 2 or 3 times the cube
    accepted: bool | None = None  # None: offered


class GameEnded(MatchEvent, frozen=True, kw_only=True, tag="game_end"):
    winner: str
    points: int
    kind: str  # single | gammon | backgammon | pass | resign


class MatchEnded(MatchEvent, frozen=True, kw_only=True, tag="match_end"):
    winner: str | None
    score: tuple[int, int] = (0, 0)


class Undone(MatchEvent, frozen=True, kw_only=True, tag="undone"):
    """Everything after log sequence `to_seq` no longer counts (redo = a later Undone of this one)."""

    to_seq: int


class ScoreSet(MatchEvent, frozen=True, kw_only=True, tag="score_set"):
    score: tuple[int, int]
    crawford: bool | None = None


class CubeSet(MatchEvent, frozen=True, kw_only=True, tag="cube_set"):
    value: int
    owner: str | None


class PositionSet(MatchEvent, frozen=True, kw_only=True, tag="position_set"):
    """The operator set the checkers (and who is on roll)."""

    position: str  # GNU position id, White's view
    on_roll: str | None = None


class SidesSwapped(MatchEvent, frozen=True, kw_only=True, tag="sides_swapped"):
    """Which player plays which colour was the wrong way round."""


class Doubt(MatchEvent, frozen=True, kw_only=True, tag="doubt"):
    doubt_id: str = ""
    about: str  # roll | play | position | cube | result
    alternatives: tuple[str, ...] = ()
    text: str = ""
    turn: int | None = None  # the turn of the game on the table that is doubted


class DoubtSolved(MatchEvent, frozen=True, kw_only=True, tag="doubt_solved"):
    doubt_id: str
    choice: str


class ViewProblem(MatchEvent, frozen=True, kw_only=True, tag="view"):
    problems: tuple[str, ...] = ()


class Paused(MatchEvent, frozen=True, kw_only=True, tag="paused"):
    """The match is paused (nothing is judged) until Resumed."""


class Resumed(MatchEvent, frozen=True, kw_only=True, tag="resumed"):
    pass


class ClockPressed(MatchEvent, frozen=True, kw_only=True, tag="clock"):
    side: str
    left: tuple[float, float] = (0.0, 0.0)  # seconds left: White, Black
    action: str = "press"  # press | pause | resume | flag


AnyMatchEvent = (
    MatchStarted
    | GameStarted
    | OpeningRolled
    | Rolled
    | RerollCalled
    | PrematureRoll
    | TurnEnded
    | IllegalSeen
    | Corrected
    | Doubled
    | Taken
    | Passed
    | Resigned
    | GameEnded
    | MatchEnded
    | Undone
    | ScoreSet
    | CubeSet
    | PositionSet
    | SidesSwapped
    | Doubt
    | DoubtSolved
    | ViewProblem
    | Paused
    | Resumed
    | ClockPressed
)
AnyTableEvent = HandsIn | HandsOut | DiceMoving | PositionSettled | ViewChanged | CameraLost | CameraBack
