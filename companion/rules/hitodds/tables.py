"""Hit odds against one or two men, ready made, a small file for each model.

    python -m companion.rules.hitodds.tables ordinary       makes ordinary.bin beside this file; spare_moves likewise;
                                                            some minutes each on one x86 core

Numbers of 16 bits (step 1.5e-5, so right to 8e-6).
Only states in contact are stored, and only those with the two sides on different points. Order: bearing states as
`_bearing_counts` gives them, in each the configurations of two men in the order of their numbers; first all values
with the bearing side on roll, then all with the other side on roll. One man is two, one of them borne off. The file
is xz: the differences of neighbours, all high bytes first, since they hardly differ.
"""

from __future__ import annotations

import lzma
import sys
from functools import cache
from importlib.resources import files
from itertools import chain, combinations_with_replacement
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.rules.hitodds.solver import solve
from companion.rules.hitodds.states import OTHER_OFF, Bearing, Floats, Indices, other_side, reachable, top_point

STEPS = 65535
MEN, BEARING_MEN = 2, 15
ALL: Bearing = (0, 0, 0, 0, 0, BEARING_MEN)
MODELS = ("ordinary", "spare_moves")
_CODES = 16 ** np.arange(6, dtype=np.int64)
Values = NDArray[np.uint16]
Counts = NDArray[np.int64]


class Table:
    """Both values of every state of up to fifteen bearing men against one or two men."""

    def __init__(self, values: Values) -> None:
        """`values`: (2, states in contact): bearing side on roll, other side on roll."""
        counts = _bearing_counts()
        self._rank = {code: row for row, code in enumerate((counts @ _CODES).tolist())}
        self._start = _starts(counts)
        self._values = values

    def look_up(self, bearing: Bearing, places: tuple[int, ...]) -> tuple[float, float]:
        """Chance of a hit: bearing side on roll, other side on roll. `places`: one or two, sorted."""
        pair = (places[0], places[1] if len(places) == MEN else OTHER_OFF)
        on_roll, against = self.values(bearing, other_side(MEN).number(np.array([pair])))
        return float(on_roll[0]), float(against[0])

    def values(self, bearing: Bearing, numbers: Indices) -> Floats:
        """(2, n): both chances for configurations of two men by number (`OtherSide.number`)."""
        row = self._rank[sum(n << 4 * i for i, n in enumerate(bearing))]
        order = _order(tuple(n > 0 for n in bearing))[numbers]
        found: Floats = np.where(order < 0, 0, self._values[:, self._start[row] + order]) / STEPS
        return found


def _bearing_counts() -> Counts:
    """(states, 6): the men on points 1 … 6 of every state of at most fifteen men, in the order of the file."""
    combinations = combinations_with_replacement(range(7), BEARING_MEN)
    points = np.fromiter(chain.from_iterable(combinations), dtype=np.int8).reshape(-1, BEARING_MEN)
    return np.stack([(points == point).sum(axis=1) for point in range(1, 7)], axis=1)


@cache
def _in_contact(occupied: tuple[bool, ...]) -> NDArray[np.bool_]:
    """Which configurations are stored beside a bearing side that holds these points."""
    places = other_side(MEN).places
    held = np.zeros(OTHER_OFF + 1, dtype=np.bool_)
    held[1:7] = occupied
    top = top_point(tuple(map(int, occupied)))
    stored: NDArray[np.bool_] = ~held[places].any(axis=1) & (places[:, 0] < top)
    return stored


@cache
def _order(occupied: tuple[bool, ...]) -> Indices:
    """By configuration: which of the stored ones it is, -1 if it is not stored."""
    stored = _in_contact(occupied)
    return np.where(stored, np.cumsum(stored) - 1, -1).astype(np.int32)


def _starts(counts: Counts) -> Counts:
    """Where each state's configurations begin in the file; one more entry: the end."""
    patterns = (counts > 0) @ (1 << np.arange(6))
    width = np.array([_in_contact(tuple(bool(p >> i & 1) for i in range(6))).sum() for p in range(64)])
    return np.concatenate([[0], np.cumsum(width[patterns])])


def build(model: str) -> bytes:
    """The file's contents: solves everything."""
    counts = _bearing_counts()
    rank = {tuple(state): row for row, state in enumerate(counts.tolist())}
    start = _starts(counts)
    values = np.zeros((2, int(start[-1])), dtype=np.uint16)
    spare = model == "spare_moves"
    for state, on_roll, against in solve(reachable(ALL), other_side(MEN), spare_moves=spare, progress=_progress):
        stored = _in_contact(tuple(n > 0 for n in state))
        row = rank[state]
        values[:, start[row] : start[row + 1]] = np.round(
            np.stack([on_roll, against])[:, stored[: len(on_roll)]] * STEPS
        )
    return packed(values)


def packed(values: Values) -> bytes:
    """Values as the file holds them."""
    steps = np.diff(values.ravel().astype(np.int32), prepend=0).astype(np.uint16)
    return lzma.compress((steps >> 8).astype(np.uint8).tobytes() + (steps & 255).astype(np.uint8).tobytes())


def unpacked(data: bytes) -> Values:
    """The inverse of `packed`."""
    high, low = np.frombuffer(lzma.decompress(data), dtype=np.uint8).reshape(2, -1).astype(np.uint16)
    return np.cumsum((high << 8) + low, dtype=np.uint16).reshape(2, -1)


def _progress(done: int, of: int) -> None:
    if done % 500 == 0:
        print(f"\r{done} of {of} states", end="", file=sys.stderr, flush=True)


@cache
def table(model: str) -> Table | None:
    """The table of that model, None where this installation has none."""
    file = files("companion.rules.hitodds") / f"{model}.bin"
    return Table(unpacked(file.read_bytes())) if file.is_file() else None


if __name__ == "__main__":
    Path(__file__).with_name(f"{sys.argv[1]}.bin").write_bytes(build(sys.argv[1]))
