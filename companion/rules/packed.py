"""A position as one integer, seen by the mover: the bit board every move generator of this package works on.

One byte a place. Bytes 0 … 25 hold the mover's own counts (0 = borne off, 25 = bar). Bytes 26 … 51 hold the other
side's, by the MOVER's point: byte 26 + p is what stands on the mover's point p, so p = 0 is their bar and p = 25
their borne-off checkers. A checker on the mover's point p is `1 << 8p`; moving it by a die is a shift, and a set of
points is an integer with a one in each such byte.
"""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.position import BAR, Position, Side

PLACES = 26
THEIRS = 8 * PLACES
"""How far the other side's bytes lie above the mover's."""
KEY_BYTES = 2 * PLACES

ALL_PLACES = int.from_bytes(b"\x01" * PLACES, "little")
POINTS = ALL_PLACES & ~1 & ~(1 << 8 * BAR)
"""The 24 points as a set."""
OWN = (1 << THEIRS) - 1
ON_BAR = 1 << 8 * BAR
OUTSIDE_HOME = ON_BAR | (POINTS & ~((1 << 8 * 7) - 1))
"""Bar and points 7 … 24: a checker there forbids bearing off (E1)."""
OWN_FROM = tuple(sum(0xFF << 8 * place for place in range(first, PLACES)) for first in range(8))
"""The mover's bytes from place 0 … 7 up to the bar."""
TO_THEIR_BAR = 1 << THEIRS

_TOP = ALL_PLACES << 7
_ANY = 0x7F * ALL_PLACES
_MANY = 0x7E * ALL_PLACES


class Step(NamedTuple):
    """One checker moved by one die, in the mover's numbering: 25 is the bar, 0 is off."""

    start: int
    end: int
    hit: bool


def pack(position: Position, side: Side) -> int:
    """The key of `position` seen by `side`. Counts must be 0 … 127 (see `validity` for what makes sense)."""
    if side is Side.WHITE:
        own, theirs = position.white, position.black
    else:
        own, theirs = position.black, position.white
    return int.from_bytes(bytes(own + theirs[::-1]), "little")


def unpack(key: int | bytes, side: Side) -> Position:
    """The position of a key (or of its 52 bytes) seen by `side`."""
    places = key if isinstance(key, bytes) else key.to_bytes(KEY_BYTES, "little")
    own, theirs = tuple(places[:PLACES]), tuple(places[: PLACES - 1 : -1])
    return Position(own, theirs) if side is Side.WHITE else Position(theirs, own)


def own_places(key: int) -> int:
    """Where the mover has at least one checker: points, bar and off."""
    return ((key & OWN) + _ANY & _TOP) >> 7


def closed_points(key: int) -> int:
    """Points held by two or more of the other side (C2)."""
    return ((key >> THEIRS) + _MANY & _TOP) >> 7 & POINTS


def their_points(key: int) -> int:
    """Points with at least one checker of the other side."""
    return ((key >> THEIRS) + _ANY & _TOP) >> 7 & POINTS


def numbers(places: int) -> list[int]:
    """The place numbers of a set, highest first."""
    found = []
    while places:
        top = (places.bit_length() - 1) >> 3
        found.append(top)
        places ^= 1 << 8 * top
    return found
