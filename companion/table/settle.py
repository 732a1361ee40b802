"""From frames to table events: hands in and out, dice moving, clear looks at a table at rest.

The only state is the gate and what was last said; the board is read by the observer that is handed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from companion.sources.base import Frame
from companion.table import events as ev
from companion.table.motion import Decision, Gate, board_mask, cleared, small_picture, watch
from companion.table.plausible import plausible
from companion.vision.types import BoardObservation, Calibration


class Reader(Protocol):
    """What reads a frame: `companion.vision.observe.Observer`, or a stand-in in tests."""

    def observe(self, frame: Frame) -> BoardObservation: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What was last told, so that changes are told once."""

    hands: bool = False
    problems: tuple[str, ...] = ()


def table_events(
    state: Settled, seen: BoardObservation, decision: Decision
) -> tuple[Settled, tuple[ev.TableEvent, ...]]:
    """What a reading means for the table."""
    t, frame = seen.t, seen.seq
    out: list[ev.TableEvent] = []
    if seen.problems != state.problems:
        out.append(ev.ViewChanged(t=t, frame=frame, problems=seen.problems))
        state = replace(state, problems=seen.problems)
    if seen.obstructed:
        if not state.hands:
            out.append(ev.HandsIn(t=t, frame=frame))
        return replace(state, hands=True), tuple(out)
    if state.hands:
        out.append(ev.HandsOut(t=t, frame=frame))
        state = replace(state, hands=False)
    if any(die.state == "moving" for die in seen.dice):
        out.append(ev.DiceMoving(t=t, frame=frame))
    out.append(ev.PositionSettled(t=t, frame=frame, observation=seen, still=decision.still))
    return state, tuple(out)


class Watcher:
    """Follows one source: feed it every frame in order, get the table events. Not thread-safe."""

    def __init__(self, reader: Reader, calibration: Calibration | None = None) -> None:
        self.reader = reader
        self._calibration = calibration
        self.gate = Gate()
        self.settled = Settled()
        self.last: BoardObservation | None = None
        self._mask = None if calibration is None else board_mask(calibration.image_size, calibration.corners)
        self._area = None if self._mask is None else int(self._mask.sum())

    def watch(self, frame: Frame) -> Iterator[ev.TableEvent]:
        """The events of one frame; `last` is then the newest reading."""
        small = small_picture(frame.image, self._mask)
        self.gate, decision = watch(self.gate, small, frame.t, self._area)
        if decision.hand and not self.settled.hands:
            self.settled = replace(self.settled, hands=True)
            yield ev.HandsIn(t=frame.t, frame=frame.seq)
        if decision.read:
            seen = self.reader.observe(frame)
            self.last = seen if self._calibration is None else plausible(seen, self._calibration)
            if not self.last.obstructed:
                self.gate = cleared(self.gate)
            self.settled, found = table_events(self.settled, self.last, decision)
            yield from found
