"""What the referee holds between two events, and the scratch pad of one step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from companion.rules.ids import gnu_position_id
from companion.rules.position import Position, Side
from companion.rules.profile import Profile, load_profile
from companion.table.events import Doubt, MatchEvent
from companion.table.evidence_model import Dice, Look
from companion.table.fold import step
from companion.table.state import MatchState, Phase
from companion.table.throws import OPENING, Die, Throw

MAX_LOOKS = 4
ALIKE = 2
"""Looks that differ in at most this many regions may show the same position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastTurn:
    """How the last turn was decoded: what later evidence may overturn."""

    before: Position
    after: Position
    side: Side
    rolls: Mapping[Dice, float]
    looks: tuple[tuple[Look, float], ...]
    turn: int


@dataclass(frozen=True, slots=True)
class Ghost:
    """Something like a die, without a value, at a place (pixels); `turns`: in which turns it was seen there."""

    x: float
    y: float
    turns: frozenset[int]


@dataclass(frozen=True, slots=True)
class CubeMark:
    """A place the cube was seen in (pixels). `by`: the side whose right-hand half it is offered in; `t`, `frame`: of
    the first look at it there; `looks`: how many in a row; `sure`: confidence of the best of them."""

    place: str
    x: float
    y: float
    by: str | None
    t: float
    frame: int
    looks: int
    sure: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen and does not count yet.

    `throw`: the dice of this turn; `fresh`: dice seen once that may be a throw; `old`: dice of an ended turn or a
    faulty throw, still lying; `idle`: dice that lie about; `gone`: clear looks without dice since the roll;
    `noticed`: the position last called illegal; `strange`: a position that does not fit and how often it was seen;
    `hold`: a position not to be judged until it changes (after an undo).
    """

    t: float = 0.0
    frame: int = 0
    before_t: float = 0.0  # time and number of the frame before this one
    before_frame: int = 0
    throw: Throw | None = None
    fresh: Throw | None = None
    glimpse: Die | None = None  # one die of a throw, the other overlooked
    lone: Throw | None = None  # that die at rest, followed: was it picked up without a play?
    refused: Throw | None = None  # the throw called faulty last
    old: tuple[Die, ...] = ()
    idle: tuple[Die, ...] = ()
    looks: tuple[Look, ...] = ()
    hands: bool = False
    gone: int = 0
    end_t: float = 0.0  # time and number of the last frame before the dice were gone
    end_frame: int = 0
    fixed: Dice | None = None  # the operator named the roll
    noticed: bytes = b""
    strange: bytes = b""
    strange_looks: int = 0
    last: LastTurn | None = None
    early: Throw | None = None
    cube: CubeMark | None = None  # where the cube was seen last
    cube_home: CubeMark | None = None  # where it lies when nobody offers it
    offer: CubeMark | None = None  # perhaps offered by the side on roll: what follows will tell
    start_looks: int = 0
    ghosts: tuple[Ghost, ...] = ()  # things without a value seen in places, in which turns
    in_step: bool = True  # the table showed the record's position before this roll was played
    anew: bool = False  # this turn began with a position taken from the table: its play may be made already
    hold: bytes | None = None
    latest: bytes | None = None  # the position last seen
    doubts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeState:
    """The referee between two events.

    `patient`: nobody waits for the verdict (a film): a faulty throw is called once the players are seen to obey.
    """

    match: MatchState = field(default_factory=MatchState)
    seen: Seen = field(default_factory=Seen)
    law: Profile = field(default_factory=load_profile)
    patient: bool = False


class Step:
    """One step of the referee: events are emitted and folded as they come, then the new state is taken."""

    def __init__(self, state: RefereeState) -> None:
        self.match = state.match
        self.seen = state.seen
        self.law = state.law
        self.patient = state.patient
        self.out: list[MatchEvent] = []

    def done(self) -> tuple[RefereeState, tuple[MatchEvent, ...]]:
        state = RefereeState(match=self.match, seen=self.seen, law=self.law, patient=self.patient)
        return state, tuple(self.out)

    def emit(self, event: MatchEvent) -> None:
        """One more event; its time never goes back behind the one before."""
        if event.t < self.match.t:
            event = _at(event, self.match.t)
        self.out.append(event)
        self.match = step(self.match, self.match.seq + 1, event)

    def look_back(self, **changes: Any) -> None:
        """Change what was seen."""
        self.seen = replace(self.seen, **changes)

    def doubt(self, about: str, alternatives: tuple[str, ...], text: str) -> None:
        """Say what cannot be told, with the possibilities."""
        number = self.seen.doubts + 1
        self.look_back(doubts=number)
        self.emit(
            Doubt(
                t=self.seen.before_t,
                frame=self.seen.before_frame,
                doubt_id=f"{self.match.seq + 1}",
                about=about,
                alternatives=alternatives,
                text=text,
                turn=self.match.game.turns - 1 if self.match.game and about in ("roll", "play") else None,
            )
        )

    @property
    def asked(self) -> Side | str:
        """Whose throw is awaited."""
        if self.match.phase is Phase.OPENING or self.match.on_roll is None:
            return OPENING
        return self.match.on_roll

    def id_of(self, position: Position, side: Side) -> str:
        return gnu_position_id(position, side)

    def view(self, look: Look) -> tuple[tuple[Look, float], ...]:
        """This look with the earlier ones since the roll that show much the same position."""
        alike = [other for other in self.seen.looks if (other.best[:26] != look.best[:26]).sum() <= ALIKE]
        share = 0.5 if len(alike) < 2 else 1.0 / len(alike)
        return ((look, 1.0), *((other, share) for other in alike))


def _at(event: MatchEvent, t: float) -> MatchEvent:
    return msgspec.structs.replace(event, t=t)
