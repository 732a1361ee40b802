"""The position: fifty-two small integers, frozen (RULES.md A1-A3, CONTRACT.md "Sides, positions")."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

CHECKERS = 15
"""Checkers a side (A1)."""
OFF = 0
"""Index of the borne-off checkers in a side's list."""
BAR = 25
"""Index of the checkers on the bar in a side's list."""


class Side(StrEnum):
    """A player by the colour of the checkers: white = the lighter set."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> Side:
        return Side.BLACK if self is Side.WHITE else Side.WHITE


Counts = tuple[int, ...]
"""26 integers `[off, p1 … p24, bar]`, points counted from that side's own home."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where every checker is. `white` and `black` are 26 integers each, in the own numbering."""

    white: Counts
    black: Counts

    def of(self, side: Side) -> Counts:
        """That side's 26 integers."""
        return self.white if side is Side.WHITE else self.black

    def replace(self, side: Side, counts: Counts) -> Position:
        """The same position with one side's counts exchanged."""
        return Position(counts, self.black) if side is Side.WHITE else Position(self.white, counts)

    def pips(self, side: Side) -> int:
        """Pip count: a checker on the bar counts 25 (A2)."""
        return sum(i * n for i, n in enumerate(self.of(side)))


def side_counts(points: dict[int, int], bar: int = 0, off: int = 0) -> Counts:
    """26 integers from {own point: count}."""
    counts = [0] * 26
    counts[OFF], counts[BAR] = off, bar
    for point, n in points.items():
        counts[point] = n
    return tuple(counts)


START = Position(side_counts({6: 5, 8: 3, 13: 5, 24: 2}), side_counts({6: 5, 8: 3, 13: 5, 24: 2}))
"""The starting position (A2)."""
