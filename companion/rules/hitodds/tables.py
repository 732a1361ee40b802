"""Hit odds against one or two men, ready made: 16-bit numbers (step 1.5e-5, so right to 8e-6) in two small files.

    python -m companion.rules.hitodds.tables 1        makes hitodds1.npz beside this file (2 for the other; minutes)

A state without contact is 0 and not stored: with the configurations in order, those in contact with a bearing side
whose highest man stands on point t are the first ones, lowest place < t.
"""

from __future__ import annotations

import io
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.rules.hitodds.solver import solve
from companion.rules.hitodds.states import Bearing, other_side, pips, reachable

STEPS = 65535
ALL: Bearing = (0, 0, 0, 0, 0, 15)


class Table:
    """Both values of every state of up to fifteen bearing men against a fixed number of men."""

    def __init__(self, men: int, keys: NDArray[np.int64], values: NDArray[np.uint16]) -> None:
        self.men = men
        self._keys = keys
        self._values = values  # (2, states in contact): bearing side on roll, other side on roll
        lowest = other_side(men).places[:, 0]
        self._width = np.array([int((lowest < top).sum()) for top in range(7)])
        self._start = np.concatenate([[0], np.cumsum(self._width[_top(keys)])])

    def look_up(self, bearing: Bearing, number: int) -> tuple[float, float]:
        """Chance of a hit: bearing side on roll, other side on roll; `number` as in `OtherSide.find`."""
        row = int(np.searchsorted(self._keys, _key(bearing)))
        if number >= self._width[_top(self._keys[row : row + 1])[0]]:
            return 0.0, 0.0
        on_roll, against = self._values[:, self._start[row] + number] / STEPS
        return float(on_roll), float(against)


def _key(bearing: Bearing) -> int:
    """Orders states as `reachable` does: by pips, then by the counts."""
    key = pips(bearing)
    for n in bearing:
        key = key * 16 + n
    return key


def _top(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Highest occupied point (0 = none) of each key."""
    top = np.zeros(len(keys), dtype=np.int64)
    for point in range(1, 7):
        top[(keys >> (4 * (6 - point))) & 15 > 0] = point
    return top


def build(men: int) -> bytes:
    """The file's contents: solves everything. About 1 minute for one man, 5 for two, on one x86 core."""
    states = reachable(ALL)
    side = other_side(men)
    lowest = side.places[:, 0]
    rows: dict[Bearing, NDArray[np.uint16]] = {}
    for state, on_roll, against in solve(states, side, progress=_progress):
        top = max((i + 1 for i, n in enumerate(state) if n), default=0)
        width = int((lowest < top).sum())
        rows[state] = _rounded(np.stack([on_roll[:width], against[:width]]))
    out = io.BytesIO()
    keys = np.array([_key(s) for s in states], dtype=np.int64)
    np.savez_compressed(out, keys=keys, values=np.concatenate([rows[s] for s in states], axis=1))
    return out.getvalue()


def _rounded(values: NDArray[np.float64]) -> NDArray[np.uint16]:
    rounded: NDArray[np.uint16] = np.round(values * STEPS).astype(np.uint16)
    return rounded


def _progress(done: int, of: int) -> None:
    if done % 500 == 0:
        print(f"\r{done} of {of} states", end="", file=sys.stderr, flush=True)


@cache
def table(men: int) -> Table | None:
    """The table for that many men, None when this installation has none."""
    file = files("companion.rules.hitodds") / f"hitodds{men}.npz"
    if not file.is_file():
        return None
    with np.load(io.BytesIO(file.read_bytes())) as data:
        return Table(men, data["keys"], data["values"])


if __name__ == "__main__":
    Path(__file__).with_name(f"hitodds{sys.argv[1]}.npz").write_bytes(build(int(sys.argv[1])))
