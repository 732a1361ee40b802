"""Motion gate: cheap, at low resolution, on every frame; decides when the board is worth reading.

Works from 30 frames a second (waits for stillness) down to one a second (every frame that brings something new).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sources.base import Image

WIDTH = 320
"""Pixels of the small picture's long side: a die is some 60 of its pixels, noise is averaged away."""
STRONG = 14
"""Grey levels, light changes of the whole picture taken off."""
CHANGED = 14
"""Changed pixels of the small picture that make a difference."""
HAND = 0.017
"""A changed patch larger than this share of the picture's board is a hand: moved checkers and dice stay below 0.012,
hands above 0.024 (measured on filmed play)."""
PAST, PAST_STEP_S = 12, 0.4
"""Pictures kept of the last seconds, and how far apart."""
ACCEPT_S = 1.4
"""What looks like a hand but does not move for so long is a change of the scene (a cup, a bump, a new game)."""
DENSE_S = 0.45
"""Frames nearer to each other than this show motion; farther apart, each stands for itself."""
STILL_S = 0.22
SECOND_LOOK_S = 0.5
RESTLESS_S = 1.5
LOOKS = 2
"""Readings of one still scene."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What the gate remembers. `read_small`: the small picture at the last reading."""

    t: float | None = None
    small: NDArray[np.uint8] | None = None
    read_small: NDArray[np.uint8] | None = None
    clear: NDArray[np.uint8] | None = None  # the last picture without a hand
    read_t: float = -1e9
    reads: int = 0
    still_since: float | None = None
    past: tuple[tuple[float, NDArray[np.uint8]], ...] = ()  # pictures of the last seconds, for `revisited`


@dataclass(frozen=True, slots=True)
class Decision:
    """`read`: read the board now. `still`: frames before showed no motion. `hand`: so much moves that it is a hand."""

    read: bool
    still: bool = False
    hand: bool = False


NOTHING = Decision(False)


def small_picture(image: Image, mask: NDArray[np.bool_] | None = None) -> NDArray[np.uint8]:
    """Grey, 320 pixels wide; outside the mask black."""
    height, width = image.shape[:2]
    size = (WIDTH, max(1, round(WIDTH * height / width)))
    small = cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    if mask is not None and mask.shape == small.shape:
        small[~mask] = 0
    return np.asarray(small, np.uint8)


def board_mask(size: tuple[int, int], corners: Sequence[tuple[float, float]]) -> NDArray[np.bool_]:
    """The board and a margin around it (trays, hands) on the small picture. `size`: width, height of the image."""
    scale = WIDTH / size[0]
    points = np.array(corners, np.float32) * scale
    centre = points.mean(axis=0)
    hull = cv2.convexHull(centre + (points - centre) * 1.2).astype(np.int32)
    mask = np.zeros((max(1, round(size[1] * scale)), WIDTH), np.uint8)
    cv2.fillConvexPoly(mask, hull, 1)
    return mask.astype(bool)


def changed(a: NDArray[np.uint8] | None, b: NDArray[np.uint8]) -> int:
    """How many pixels differ strongly, changes of the light taken off; all of them when there is nothing to compare."""
    if a is None or a.shape != b.shape:
        return int(b.size)
    return int((np.abs(_difference(a, b)) > STRONG).sum())


def _difference(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.int16]:
    """b - a with the change of the light taken off."""
    difference = b.astype(np.int16) - a
    inside = b[::4, ::4] > 0
    if inside.any():
        difference -= np.int16(np.median(difference[::4, ::4][inside]))
        difference[b == 0] = 0
    return difference


def largest_patch(clear: NDArray[np.uint8] | None, small: NDArray[np.uint8]) -> int:
    """Pixels of the largest connected change against a picture without a hand."""
    if clear is None or clear.shape != small.shape:
        return 0
    strong = (np.abs(_difference(clear, small)) > STRONG).astype(np.uint8)
    kernel = np.ones((3, 3), np.uint8)
    whole = cv2.dilate(cv2.morphologyEx(strong, cv2.MORPH_OPEN, kernel), kernel)
    count, _, stats, _ = cv2.connectedComponentsWithStats(whole)
    return int(stats[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0


def watch(gate: Gate, small: NDArray[np.uint8], t: float, area: int | None = None) -> tuple[Gate, Decision]:
    """The gate after one more frame, and what to do with it. Frames that come late or twice are passed over.

    `area`: pixels of the small picture that belong to the board and its margin.
    """
    if gate.t is not None and t <= gate.t:
        return gate, NOTHING
    dense = gate.t is not None and t - gate.t < DENSE_S
    motion = changed(gate.small, small)
    news = changed(gate.read_small, small) >= CHANGED
    quiet = motion < CHANGED
    since = (gate.still_since if gate.still_since is not None else gate.t) if quiet else None
    gate = replace(gate, t=t, small=small, still_since=since, reads=0 if news and gate.reads else gate.reads)
    still = quiet and since is not None and t - since >= STILL_S
    limit = HAND * (area or small.size)
    hand = largest_patch(gate.clear, small) > limit and not revisited(gate, small, limit)
    gate = _with_past(gate, small, t)
    if hand and not (since is not None and t - since >= ACCEPT_S):
        return gate, Decision(False, still, True)
    if not _wanted(gate, t, dense=dense, still=still, news=news):
        return gate, Decision(False, still)
    return replace(gate, read_small=small, read_t=t, reads=gate.reads + 1), Decision(True, still)


def revisited(gate: Gate, small: NDArray[np.uint8], limit: float) -> bool:
    """The scene was like this before something large came and went: hands never come back to the same place."""
    gone = False
    for _, past in reversed(gate.past):
        alike = largest_patch(past, small) <= limit
        if alike and gone:
            return True
        gone = gone or not alike
    return False


def _with_past(gate: Gate, small: NDArray[np.uint8], t: float) -> Gate:
    if gate.past and t - gate.past[-1][0] < PAST_STEP_S:
        return gate
    return replace(gate, past=(*gate.past[1 - PAST :], (t, small)))


def cleared(gate: Gate) -> Gate:
    """The frame just read shows no hand: later ones are compared with it."""
    return replace(gate, clear=gate.read_small)


def _wanted(gate: Gate, t: float, *, dense: bool, still: bool, news: bool) -> bool:
    if not dense:
        return news or gate.reads < LOOKS
    if not still:
        return t - gate.read_t > RESTLESS_S
    return news or gate.reads == 0 or (gate.reads < LOOKS and t - gate.read_t >= SECOND_LOOK_S)
