"""Can this position stand on a board at all? Everything wrong with it, as flags and as sentences (A1, C3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto

from companion.errors import RuleError
from companion.rules.position import BAR, CHECKERS, OFF, Counts, Position, Side

PLACES = 26
HOME = range(1, 7)


class Status(Flag):
    """What is wrong with a position; no flag: nothing."""

    OK = 0
    MALFORMED = auto()
    TOO_MANY = auto()
    SHARED_POINT = auto()
    BOTH_CLOSED_OUT = auto()
    BOTH_FINISHED = auto()


@dataclass(frozen=True, slots=True)
class PositionFault:
    """One thing wrong: its flag, the rule, and a sentence without full stop."""

    flag: Status
    rule: str
    text: str


def position_faults(position: Position) -> tuple[PositionFault, ...]:
    """Everything wrong with `position`; empty for a possible one. Fewer than 15 checkers a side are allowed."""
    malformed = tuple(_malformed(position))
    return malformed or (
        *_too_many(position),
        *_shared_points(position),
        *_both_closed_out(position),
        *_both_finished(position),
    )


def position_status(position: Position) -> Status:
    """The flags of all faults together."""
    status = Status.OK
    for fault in position_faults(position):
        status |= fault.flag
    return status


def require_possible(position: Position, name: str = "position") -> Position:
    """The position; RuleError naming everything wrong with it if it is impossible."""
    faults = position_faults(position)
    if faults:
        raise RuleError(f"impossible {name}: " + "; ".join(f"{fault.text} ({fault.rule})" for fault in faults))
    return position


def _malformed(position: Position) -> Iterator[PositionFault]:
    for side in Side:
        counts = position.of(side)
        if len(counts) != PLACES:
            text = f"{side} has {len(counts)} counts, 26 are needed: off, points 1 to 24, bar"
            yield PositionFault(Status.MALFORMED, "A1", text)
        for place, count in enumerate(counts):
            if count < 0:
                yield PositionFault(Status.MALFORMED, "A1", f"{side} has {count} checkers on place {place}")


def _too_many(position: Position) -> Iterator[PositionFault]:
    for side in Side:
        total = sum(position.of(side))
        if total > CHECKERS:
            yield PositionFault(Status.TOO_MANY, "A1", f"{side} has {total} checkers, at most 15 are possible")


def _shared_points(position: Position) -> Iterator[PositionFault]:
    for point in range(1, BAR):
        if position.white[point] and position.black[BAR - point]:
            text = f"both colours stand on White's {point}-point (Black's {BAR - point}-point)"
            yield PositionFault(Status.SHARED_POINT, "C3", text)


def _both_closed_out(position: Position) -> Iterator[PositionFault]:
    if all(position.of(side)[BAR] and _closed_board(position.of(side.other)) for side in Side):
        text = "both sides are on the bar against closed boards: no play leads there"
        yield PositionFault(Status.BOTH_CLOSED_OUT, "D4", text)


def _closed_board(counts: Counts) -> bool:
    return all(counts[point] > 1 for point in HOME)


def _both_finished(position: Position) -> Iterator[PositionFault]:
    if all(position.of(side)[OFF] >= CHECKERS for side in Side):
        yield PositionFault(Status.BOTH_FINISHED, "H1", "both sides have borne off all checkers")
