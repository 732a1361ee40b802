"""Positions for tests, written by own points: `board("24:2 13:5 8:3 6:5", "…")`."""

from __future__ import annotations

from companion.rules.position import BAR, CHECKERS, Counts, Position, side_counts

START_TEXT = "24:2 13:5 8:3 6:5"


def counts(text: str) -> Counts:
    """26 integers from `bar:1 24:2 6:5`; what is missing to 15 is borne off."""
    entries = [entry.split(":") for entry in text.split()]
    found = side_counts({BAR if place == "bar" else int(place): int(number) for place, number in entries})
    return (max(0, CHECKERS - sum(found)), *found[1:])


def board(white: str, black: str = START_TEXT) -> Position:
    """A position from both sides' texts."""
    return Position(counts(white), counts(black))
