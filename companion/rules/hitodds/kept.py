"""Solved hit odds kept for the next question: the asked bearing state and all that one roll can make of it.

This package knows no files: whoever asks brings a `Store` (companion.hitodds_store keeps it on disk).
"""

from __future__ import annotations

import io
import zipfile
import zlib
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.rules.hitodds.states import Bearing, OtherSide, bearing_moves

Solutions = dict[Bearing, NDArray[np.float32]]
"""By bearing state: (2, configurations in contact), bearing side on roll and other side on roll."""
VERSION = 1


class Store(Protocol):
    """Named bytes from earlier runs; whatever goes wrong is as if nothing had been kept."""

    def load(self, name: str) -> bytes | None: ...
    def save(self, name: str, data: bytes) -> None: ...


def name_of(bearing: Bearing, men: int, spare_moves: bool) -> str:
    """The name under which the solutions around `bearing` against that many men are kept."""
    return f"v{VERSION}-{'spare' if spare_moves else 'ordinary'}-{men}-{'-'.join(map(str, bearing))}"


def one_roll_on(bearing: Bearing) -> set[Bearing]:
    """Every state that at most four equal or two different numbers can lead to, `bearing` among them."""
    found = {bearing}
    for die in range(1, 7):
        once = _moved({bearing}, die)
        for second in range(1, 7):
            found |= _moved(once, second)
        twice = _moved(once, die)
        thrice = _moved(twice, die)
        found |= once | twice | thrice | _moved(thrice, die)
    return found


def _moved(states: set[Bearing], die: int) -> set[Bearing]:
    return {move.left for move in chain.from_iterable(bearing_moves(state, die) for state in states)}


def packed(solutions: Solutions) -> bytes:
    """Solutions as bytes, with a checksum (zip)."""
    out = io.BytesIO()
    np.savez_compressed(out, states=np.array(list(solutions)), values=np.stack(list(solutions.values())))
    return out.getvalue()


def unpacked(data: bytes, side: OtherSide, top: int) -> Solutions:
    """The inverse of `packed`; empty when the bytes are damaged or of another shape."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            states, values = kept["states"], kept["values"]
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error):
        return {}
    if states.ndim != 2 or values.shape != (len(states), 2, side.in_contact(top)) or values.dtype != np.float32:
        return {}
    return {tuple(state): row for state, row in zip(states.tolist(), values, strict=True)}
