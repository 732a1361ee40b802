"""A whole film to a match record: frames in, events (JSON lines) and a .mat file out, faster than real time.

Nothing here holds frames: memory stays flat on a film of hours. A stop at any moment loses little: the events made so
far lie in a resume file, and the next run with the same arguments goes on behind the last ended turn.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from companion.errors import CalibrationError, InputError
from companion.record.export import export
from companion.rules.ids import gnu_position_id, parse_id
from companion.rules.position import START, Position, Side
from companion.rules.profile import load_profile
from companion.sources.base import Frame, Image, Source
from companion.table import events as ev
from companion.table.fold import fold
from companion.table.referee import referee, stop
from companion.table.referee_state import RefereeState
from companion.table.settle import Reader, Watcher
from companion.table.state import MatchState, Phase
from companion.vision.types import Calibration

log = logging.getLogger(__name__)
CALIBRATE_EVERY_S = 1.0
CALIBRATE_WITHIN_S = 300.0
SAVE_EVERY_S = 20.0
"""Seconds of film between two resume files."""
HIDDEN = ("match_start", "paused", "resumed")
"""Events of the log that say nothing of the film."""


class MakeReader(Protocol):
    """Makes what reads frames, for a calibration."""

    def __call__(self, calibration: Calibration) -> Reader: ...


Register = Callable[[Image, Calibration, MatchState], Calibration | None]
"""Finds the board again after a bump; None when it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to transcribe and how. `start`: position, and `on_roll` who is on roll, when joined in mid-game."""

    source: str
    length: int = 0
    white: str = "White"
    black: str = "Black"
    profile: str = "classic"
    start: Position | None = None
    on_roll: Side | None = None


@dataclass(slots=True)
class Resume:
    """The resume file: events so far and the time of film they reach."""

    path: Path
    job: Job
    t: float = -1.0
    frame: int = -1
    events: list[ev.MatchEvent] = field(default_factory=list)

    def load(self) -> None:
        """Take up what an earlier run with the same arguments left; anything else is left alone."""
        try:
            data = msgspec.json.decode(self.path.read_bytes())
            if data["job"] != _plain(self.job):
                return
            self.events = msgspec.convert(data["events"], list[ev.AnyMatchEvent])
            self.t, self.frame = data["t"], data["frame"]
        except (OSError, msgspec.DecodeError, msgspec.ValidationError, KeyError, TypeError):
            return

    def save(self, t: float, frame: int, events: list[ev.MatchEvent]) -> None:
        self.t, self.frame, self.events = t, frame, events
        data = {"job": _plain(self.job), "t": t, "frame": frame, "events": msgspec.to_builtins(events)}
        part = self.path.with_name(self.path.name + ".part")
        with part.open("wb") as file:
            file.write(msgspec.json.encode(data))
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)

    def done(self) -> None:
        self.path.unlink(missing_ok=True)


def _plain(job: Job) -> Any:
    return msgspec.json.decode(msgspec.json.encode(job))


@dataclass(frozen=True, slots=True)
class Transcript:
    """The result: the state at the end, all events, and the doubts with their times."""

    state: MatchState
    events: tuple[ev.MatchEvent, ...]

    @property
    def doubts(self) -> tuple[ev.Doubt, ...]:
        return self.state.doubts

    def mat(self) -> str:
        return export(self.state, "mat")


class Transcriber:
    """Follows one film. `sink`: where JSON lines go as they come; `progress`: called with each frame."""

    def __init__(
        self,
        job: Job,
        make_reader: MakeReader,
        calibration: Calibration | None = None,
        *,
        sink: IO[str] | None = None,
        resume: Resume | None = None,
        progress: Callable[[Frame], None] | None = None,
        register: Register | None = None,
    ) -> None:
        self.job = job
        self.make_reader = make_reader
        self.calibration = calibration
        self.sink = sink
        self.resume = resume
        self.progress = progress
        self.register = register
        self._moved_looks = 0
        self.events: list[ev.MatchEvent] = list(resume.events) if resume else []
        self.state = self._begin()
        self.watcher = Watcher(make_reader(calibration), calibration) if calibration else None
        self._saved_t = resume.t if resume else 0.0

    def run(self, source: Source) -> Transcript:
        """To the end of the film. Raises CalibrationError when no frame showed a position to calibrate on."""
        try:
            for frame in self._wanted(source):
                self._frame(frame)
                if self.progress:
                    self.progress(frame)
        finally:
            source.close()
        if self.watcher is None:
            raise CalibrationError(
                f"{self.job.source}: no still starting position was seen to calibrate on; "
                "give --board (companion calibrate), or --from-id with the position at the beginning"
            )
        self._take(*stop(self.state))
        return Transcript(self.state.match, tuple(self.events))

    def _begin(self) -> RefereeState:
        """The referee at the beginning, or where an earlier run stopped."""
        law = load_profile(self.job.profile)
        if self.events:
            for event in self.events:
                self._write(event)
            match = fold(enumerate(self.events))
            return RefereeState(match=match, law=law, patient=True)
        self.state = RefereeState(law=law, patient=True)
        job = self.job
        self._emit(
            ev.MatchStarted(match_id="film", length=job.length, white=job.white, black=job.black, profile=job.profile)
        )
        if job.start is not None:
            self._emit(
                ev.GameStarted(game=1, start=_white_view(job.start), on_roll=job.on_roll.value if job.on_roll else None)
            )
        return self.state

    def _emit(self, event: ev.MatchEvent) -> None:
        match = fold(enumerate([*self.events, event]))
        self._take(replace(self.state, match=match), (event,))

    def _take(self, state: RefereeState, new: tuple[ev.MatchEvent, ...]) -> None:
        self.state = state
        self.events += new
        for event in new:
            self._write(event)

    def _write(self, event: ev.MatchEvent) -> None:
        data = msgspec.to_builtins(event)
        if self.sink is None or data["type"] in HIDDEN:
            return
        self.sink.write(msgspec.json.encode(data).decode() + "\n")
        self.sink.flush()

    def _wanted(self, source: Source) -> Iterator[Frame]:
        """The frames behind those an earlier run has seen."""
        after = self.resume.t if self.resume else -1.0
        return (frame for frame in source.frames() if frame.t > after)

    def _frame(self, frame: Frame) -> None:
        if self.watcher is None and not self._calibrated(frame):
            return
        assert self.watcher is not None
        before = self.watcher.last
        for event in self.watcher.watch(frame):
            self._take(*referee(self.state, event))
        if self.watcher.last is not before:
            self._find_again(frame, self.watcher)
        self._save(frame)

    def _find_again(self, frame: Frame, watcher: Watcher) -> None:
        """The camera or the board was bumped: register anew once it rests."""
        seen = watcher.last
        moved = seen is not None and not seen.obstructed and bool({"moved", "no_board"} & set(seen.problems))
        self._moved_looks = self._moved_looks + 1 if moved else 0
        if self._moved_looks < 2 or self.register is None or self.calibration is None:
            return
        self._moved_looks = 0
        found = self.register(frame.image, self.calibration, self.state.match)
        if found is not None:
            self.calibration = found
            self.watcher = Watcher(self.make_reader(found), found)

    def _calibrated(self, frame: Frame) -> bool:
        """Try to learn the board from this frame."""
        from companion.vision.calibrate import calibrate

        if frame.t < self._saved_t:
            return False
        if frame.t > CALIBRATE_WITHIN_S:
            raise CalibrationError(f"{self.job.source}: no starting position in the first minutes; give --board")
        self._saved_t = frame.t + CALIBRATE_EVERY_S
        try:
            calibration = calibrate(frame.image, position=self.job.start or START)
        except CalibrationError as error:
            log.info("frame %d: %s", frame.seq, error)
            return False
        self.calibration = calibration
        self.watcher = Watcher(self.make_reader(calibration), calibration)
        return True

    def _save(self, frame: Frame) -> None:
        """Between two turns, now and then: write the resume file."""
        waiting = self.state.match.phase is Phase.TO_ROLL and self.state.seen.fresh is None
        if self.resume is not None and waiting and frame.t - self._saved_t > SAVE_EVERY_S:
            self._saved_t = frame.t
            self.resume.save(frame.t, frame.seq, self.events)


def _white_view(position: Position) -> str:
    return gnu_position_id(position, Side.WHITE)


def joined_position(text: str | None, on_roll: str | None) -> tuple[Position | None, Side | None]:
    """--from-id and --on-roll: an XGID knows who is on roll, a GNU id is in White's view. Raises InputError."""
    if text is None:
        if on_roll is not None:
            raise InputError("--on-roll: only together with --from-id")
        return None, None
    parsed = parse_id(text)
    is_gnu = ":" not in text
    side = Side(on_roll) if on_roll else None if is_gnu else parsed.on_roll
    if side is None:
        raise InputError("--from-id: say who is on roll with --on-roll white|black")
    return parsed.position, side
