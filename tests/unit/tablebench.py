"""A table without pictures: plays matches as a stream of noisy readings, thousands of turns a minute, with the truth.

Every misreading the camera makes is made here too, seeded: wrong counts with and without the right alternative, dice
unread or overlooked, looks missing, hands, phases that fall between two frames.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from companion.rules.packed import pack
from companion.rules.plays import legal_plays
from companion.rules.position import BAR, OFF, START, Position, Side
from companion.rules.profile import Profile, load_profile
from companion.rules.record import Double, Drop, MatchRecord, Play, Resign, Take
from companion.table import events as ev
from companion.table.evidence_model import encode
from companion.table.fold import step
from companion.table.referee import referee
from companion.table.referee_state import RefereeState
from companion.table.state import MatchState
from companion.vision.types import BoardObservation, BoardView, CountReading, CubeObservation, DieObservation

Dice = tuple[int, int]
BOARD = BoardView(found=True, corners=((0, 0), (1000, 0), (1000, 800), (0, 800)), confidence=0.99)


@dataclass(frozen=True)
class Noise:
    """How badly the camera reads. Shares of readings, looks, dice."""

    wrong: float = 0.0  # a region read wrong
    owned: float = 0.7  # … with the truth among the alternatives
    doubtful: float = 0.0  # a region read right, but not surely
    die_unread: float = 0.0
    die_wrong: float = 0.0
    die_missed: float = 0.0
    looks_missed: float = 0.0  # a clear look that falls between the frames
    off_seen: bool = False


CLEAN = Noise()
REAL = Noise(wrong=0.004, doubtful=0.03, die_unread=0.03, die_wrong=0.002, die_missed=0.01, looks_missed=0.05)


def right_of(side: Side) -> str:
    return "right" if side is Side.WHITE else "left"


@dataclass
class Table:
    """Turns what happens into table events, a second apart unless told otherwise."""

    rng: random.Random
    noise: Noise = CLEAN
    step_s: float = 1.0
    still: bool = False
    position: Position = START
    dice: tuple[DieObservation, ...] = ()
    cube: CubeObservation | None = field(
        default_factory=lambda: CubeObservation(value=1, place="centre", x=500, y=400, confidence=0.95)
    )
    t: float = 0.0
    frame: int = 0

    def look(self, times: int = 1, *, sure: bool = False) -> Iterator[ev.TableEvent]:
        """Clear frames of the table as it is; may fall out unless `sure`."""
        for _ in range(times):
            self._tick()
            if not sure and self.rng.random() < self.noise.looks_missed:
                continue
            yield ev.PositionSettled(t=self.t, frame=self.frame, observation=self.observation(), still=self.still)

    def hand(self) -> Iterator[ev.TableEvent]:
        self._tick()
        yield ev.HandsIn(t=self.t, frame=self.frame)
        self._tick(0.1)
        yield ev.HandsOut(t=self.t, frame=self.frame)

    def _tick(self, share: float = 1.0) -> None:
        self.t = round(self.t + self.step_s * share * self.rng.uniform(0.7, 1.3), 3)
        self.frame += 1

    def throw(
        self, side: Side, dice: Dice, *, half: str | None = None, states: tuple[str, str] = ("flat", "flat")
    ) -> None:
        half = half or right_of(side)
        base = 650 if half == "right" else 150
        spots = [(base + self.rng.uniform(0, 120), self.rng.uniform(250, 550))]
        spots.append((spots[0][0] + self.rng.uniform(50, 90), self.rng.uniform(250, 550)))
        self.dice = tuple(self.die(*spot, v, half, s) for spot, v, s in zip(spots, dice, states, strict=True))

    def die(self, x: float, y: float, value: int, half: str | None, state: str = "flat") -> DieObservation:
        off = state in ("off_board",)
        return DieObservation(
            x=x,
            y=y,
            value=value,
            state=state,
            half=None if off else half,
            tilt_deg=0.0,
            confidence=0.98,
            edge_px=28,
            board_xy=None if off else (x / 1000, y / 1000),
        )

    def lift(self) -> None:
        self.dice = ()

    def observation(self) -> BoardObservation:
        row = encode(self.position)
        readings = [self._reading(int(n)) for n in row]
        off = (readings[26], readings[27]) if self.noise.off_seen else (None, None)
        seen = tuple(self._die_seen(die) for die in self.dice if self.rng.random() >= self.noise.die_missed)
        return BoardObservation(
            seq=self.frame,
            t=self.t,
            size=(1000, 800),
            board=BOARD,
            points=tuple(readings[:24]),
            bar=(readings[24], readings[25]),
            off=off,
            dice=seen,
            cube=self.cube,
        )

    def _reading(self, true: int) -> CountReading:
        chance = self.rng.random()
        if chance < self.noise.wrong:
            wrong = max(-15, min(15, true + self.rng.choice((-1, 1))))
            if self.rng.random() < self.noise.owned:
                return CountReading(wrong, 0.6, ((true, 0.35),), why="stacked")
            return CountReading(wrong, 0.9)
        if chance < self.noise.wrong + self.noise.doubtful:
            other = true + (1 if true >= 0 else -1)
            return CountReading(true, 0.65, ((other, 0.3),), why="stacked")
        return CountReading(true, 0.985)

    def _die_seen(self, die: DieObservation) -> DieObservation:
        jitter = {"x": die.x + self.rng.uniform(-2, 2), "y": die.y + self.rng.uniform(-2, 2)}
        board = die.board_xy and (jitter["x"] / 1000, jitter["y"] / 1000)
        value, state, sure = die.value, die.state, die.confidence
        chance = self.rng.random()
        if chance < self.noise.die_unread:
            value, state, sure = None, "unsure", 0.3
        elif chance < self.noise.die_unread + self.noise.die_wrong and value is not None:
            value, sure = self.rng.choice([v for v in range(1, 7) if v != value]), 0.9
        return DieObservation(
            x=jitter["x"],
            y=jitter["y"],
            value=value,
            state=state,
            half=die.half,
            tilt_deg=die.tilt_deg,
            confidence=sure,
            edge_px=die.edge_px,
            board_xy=board,
        )


@dataclass
class Expected:
    """One turn as played."""

    side: Side
    dice: Dice
    after: Position


def film(table: Table, record: MatchRecord, games: int | None = None) -> Iterator[tuple[ev.TableEvent, list[Expected]]]:
    """All events of a match, each with the turns finished by then."""
    played: list[Expected] = []
    for game in record.games[:games]:
        table.position = game.start
        table.lift()
        table.cube = CubeObservation(value=1, place="centre", x=500, y=400, confidence=0.95)
        yield from _with(table.look(3, sure=True), played)
        for action in game.actions:
            match action:
                case Play():
                    yield from _with(_turn(table, action), played)
                    played.append(Expected(action.side, action.dice, action.after))
                    yield from _with(table.look(), played)
                case Double(value=value):
                    table.cube = CubeObservation(
                        value=value, place="offered", x=700, y=400, confidence=0.9, offered_by=action.side.value
                    )
                    yield from _with(table.look(sure=True), played)
                case Take():
                    assert table.cube is not None
                    table.cube = CubeObservation(
                        value=table.cube.value, place=action.side.value, x=500, y=700, confidence=0.9
                    )
                    yield from _with(table.look(), played)
                case Drop() | Resign():
                    yield from _with(table.look(), played)


def _with(stream: Iterator[ev.TableEvent], played: list[Expected]) -> Iterator[tuple[ev.TableEvent, list[Expected]]]:
    for event in stream:
        yield event, played


def _turn(table: Table, play: Play) -> Iterator[ev.TableEvent]:
    before = table.position
    table.throw(play.side, play.dice)
    yield from table.look(sure=True)
    yield from table.look(table.rng.choice((0, 0, 1, 2)))
    for middle in halfway(table.rng, before, play):
        yield from table.hand()
        table.position = middle
        if table.rng.random() < 0.4:
            yield from table.look()
    table.position = play.after
    yield from table.hand()
    yield from table.look()
    yield from table.hand()
    table.lift()


def halfway(rng: random.Random, before: Position, play: Play) -> list[Position]:
    """Positions the hand leaves on its way."""
    found = next((p for p in legal_plays(before, play.side, play.dice) if p.after == play.after), None)
    if found is None or len(found.steps) < 2:
        return []
    first = found.steps[0]
    own, theirs = list(before.of(play.side)), list(before.of(play.side.other))
    own[first.start] -= 1
    own[first.end] += 1
    if first.hit and first.end != OFF:
        theirs[25 - first.end] -= 1
        theirs[BAR] += 1
    return [before.replace(play.side, tuple(own)).replace(play.side.other, tuple(theirs))]


@dataclass
class Refereed:
    """A referee under test: feed it, read what it said."""

    state: RefereeState
    events: list[ev.MatchEvent] = field(default_factory=list)

    @classmethod
    def of(cls, length: int = 0, profile: Profile | None = None) -> Refereed:
        match = step(
            MatchState(), 0, ev.MatchStarted(match_id="m", length=length, white="A", black="B", profile="classic")
        )
        return cls(RefereeState(match=match, law=profile or load_profile()))

    def see(self, stream: Iterator[ev.TableEvent]) -> list[ev.MatchEvent]:
        said = []
        for event in stream:
            self.state, new = referee(self.state, event)
            said += new
        self.events += said
        return said

    def turns(self) -> list[tuple[Side, Dice, Position]]:
        """All turns as they stand in the record after corrections."""
        match = self.state.match
        games = [*match.games, *([match.game] if match.game and match.game not in match.games else [])]
        return [
            (a.side, a.dice, a.after)
            for game in games
            for a in game.actions
            if a.kind in ("play", "dance") and a.side and a.dice and a.after
        ]


def kinds(events: list[ev.MatchEvent]) -> list[str]:
    """The type tags."""
    return [type(event).__struct_config__.tag for event in events]  # type: ignore[misc]


__all__ = ["CLEAN", "REAL", "Expected", "Noise", "Refereed", "Table", "film", "kinds", "pack"]
