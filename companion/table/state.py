"""The match as the log tells it: one immutable value, made only by folding match events (`companion.table.fold`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from companion.rules.position import OFF, START, Position, Side
from companion.table.events import ClockPressed, Doubt, IllegalSeen, PrematureRoll, RerollCalled

Dice = tuple[int, int]


class Phase(StrEnum):
    """Where a match stands. `BETWEEN`: no game on the table (before the first, after the last one ended)."""

    NO_MATCH = "no_match"
    BETWEEN = "between"
    OPENING = "opening"
    TO_ROLL = "to_roll"
    OFFERED = "offered"
    ROLLED = "rolled"
    ILLEGAL = "illegal"  # the turn was ended with an illegal play: the objection window is open (F3)
    MATCH_OVER = "match_over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One line of a game's record.

    kind: opening | play | dance | double | take | pass | reroll | illegal | premature | resign | game_end.
    `turn`: number of the play or dance in its game, from 0 (others: the number of plays made before).
    """

    seq: int
    game: int
    turn: int
    kind: str
    t: float
    frame: int
    side: Side | None = None
    dice: Dice | None = None
    before: Position | None = None
    after: Position | None = None
    play: str = ""
    legal: bool = True
    rules: tuple[str, ...] = ()
    why: str = ""
    value: int = 0  # cube value of a double, points of a result
    result: str = ""
    evidence: tuple[str, ...] = ()
    corrected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game of the match. `winner` None: not ended. `score`: before it (White, Black)."""

    number: int
    start: Position = START
    on_roll: Side | None = None
    cube: int = 1
    cube_owner: Side | None = None
    crawford: bool = False
    score: tuple[int, int] = (0, 0)
    actions: tuple[Action, ...] = ()
    winner: Side | None = None
    points: int = 0
    kind: str = ""
    final: Position | None = None

    @property
    def turns(self) -> int:
        """How many plays and dances were made."""
        return sum(action.kind in ("play", "dance") for action in self.actions)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """Everything that counts at one moment."""

    seq: int = -1  # of the last event folded in
    t: float = 0.0
    match_id: str = ""
    length: int = 0
    white: str = "White"
    black: str = "Black"
    profile: str = "classic"
    overrides: dict[str, str | int | bool] = field(default_factory=dict)
    date: str = ""
    phase: Phase = Phase.NO_MATCH
    score: tuple[int, int] = (0, 0)
    crawford_done: bool = False
    games: tuple[Game, ...] = ()  # ended ones
    game: Game | None = None  # the one being played, or the last one ended
    position: Position = START
    on_roll: Side | None = None
    dice: Dice | None = None
    opening: Dice | None = None  # White's die, Black's die of the last opening roll
    cube: int = 1
    cube_owner: Side | None = None
    offered_by: Side | None = None
    reroll: RerollCalled | None = None
    illegal: IllegalSeen | None = None
    premature: PrematureRoll | None = None
    doubts: tuple[Doubt, ...] = ()
    paused: bool = False
    problems: tuple[str, ...] = ()
    winner: Side | None = None
    clock: ClockPressed | None = None

    @property
    def started(self) -> bool:
        """A game is being played."""
        return self.phase not in (Phase.NO_MATCH, Phase.BETWEEN, Phase.MATCH_OVER)

    @property
    def crawford(self) -> bool:
        return self.game is not None and self.game.crawford and self.started

    @property
    def post_crawford(self) -> bool:
        return self.crawford_done and not self.crawford and self.length > 0

    @property
    def next_game(self) -> int:
        return self.game.number + 1 if self.game else 1

    def points(self, side: Side) -> int:
        return self.score[0 if side is Side.WHITE else 1]

    def last_turn(self) -> Action | None:
        """The last play or dance of the game on the table."""
        actions = self.game.actions if self.game else ()
        return next((a for a in reversed(actions) if a.kind in ("play", "dance")), None)

    def borne_off(self, side: Side) -> int:
        return self.position.of(side)[OFF]
