"""Corners drawn to where the board reads best: small moves of the edges and the bar, kept when a score rises.

The finder may take a tray for part of the board, or a deep frame's rim for its foot; the reader knows better, since a
board rectified wrongly does not read clearly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from companion.vision.geometry import BoardGeometry

COARSE = (0.1, 0.05, 0.025, 0.012)
"""Sizes of the moves tried in turn, board widths."""
Edges = tuple[float, float, float, float]


def moved(geometry: BoardGeometry, edges: Edges, bar: float = 0.0) -> BoardGeometry:
    """The board with its left, far, right, near edges moved outwards (board units) and its bar widened by `bar`."""
    left, far, right, near = edges
    x0, x1, y0, y1 = -left, 1 + right, -far, geometry.aspect + near
    corners = geometry.to_pixels([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    half = float(np.clip((geometry.bar[0] + 1 - geometry.bar[1]) / 2 - bar / 2, 0.42, 0.5))
    return replace(geometry, corners=corners, bar=(half, 1 - half))


def moves(size: float) -> Iterator[tuple[Edges, float]]:
    """All moves of one size: each edge out and in, opposite edges together, the bar wider and narrower."""
    for s in (-size, size):
        for k in range(4):
            yield (s * (k == 0), s * (k == 1), s * (k == 2), s * (k == 3)), 0.0
        yield (s, 0.0, -s, 0.0), 0.0
        yield (0.0, s, 0.0, -s), 0.0
        if size <= 0.03:
            yield (0.0, 0.0, 0.0, 0.0), s


def tune(
    geometry: BoardGeometry,
    score: Callable[[BoardGeometry], float],
    sizes: tuple[float, ...] = COARSE,
    enough: float = 0.995,
) -> tuple[BoardGeometry, float]:
    """The geometry with the highest score found, and that score. Stops once `enough` is reached."""
    best, height = geometry, score(geometry)
    for size in sizes:
        for _ in range(2):
            if height >= enough:
                return best, height
            tried = [(score(g), g) for g in (moved(best, *move) for move in moves(size))]
            top, place = max(tried, key=lambda t: t[0])
            if top <= height + 1e-4:
                break
            best, height = place, top
    return best, height
