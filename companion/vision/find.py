"""Finding the board without help: a small net marks corners, bar ends and the playing surface; closer looks refine."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sources.base import Image
from companion.vision import infer
from companion.vision.geometry import edge_of, image_order

SIDE = 256
"""Side of the square picture the net looks at."""
CELL = 4
MARGIN = 0.14
"""Share of the close view left around the board on each side."""
_PEAKS = 10
LEAST_CONFIDENCE = 0.12
SAME = 0.02
"""Two guesses whose corners differ by less than this share of the size are one."""
Array = NDArray[np.float64]
Maps = NDArray[np.float32]


@dataclass(frozen=True)
class FoundBoard:
    """Corners clockwise from (about) the top left, pixels; which way the points stand; bar as shares of the width.

    `upright`: the points stand parallel to the left edge of the quad (corner 0 to 3); else a quarter turn.
    `bar`: (left, right) along the edge that crosses the bar, in image order of that edge.
    """

    corners: Array
    upright: bool
    bar: tuple[float, float]
    confidence: float

    def seats(self) -> tuple[str, str]:
        """The two image edges at which players can sit."""
        c = self.corners if self.upright else np.roll(self.corners, -1, axis=0)
        return edge_of(c), edge_of(np.roll(c, 2, axis=0))


def look(image: Image, to_view: Array) -> Maps:
    """The net's three maps (0 … 1) of the picture seen through a 3x3 homography picture -> SIDE x SIDE."""
    view = cv2.warpPerspective(
        image,
        to_view,
        (SIDE, SIDE),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(114, 114, 114),
    )
    batch = np.asarray(view.transpose(2, 0, 1)[None] / np.float32(255), np.float32)
    return infer.sigmoid(infer.load("board_finder").run(batch)["maps"][0])


def shrink_for(image: Image, longest: int) -> tuple[Image, float]:
    """The picture shrunk by area so that its longer side is at most `longest`; and the factor."""
    s = longest / max(image.shape[:2])
    if s >= 1:
        return image, 1.0
    return np.asarray(cv2.resize(image, None, fx=s, fy=s, interpolation=cv2.INTER_AREA), np.uint8), s


def peaks(heat: Maps, least: float, most: int) -> list[tuple[float, float, float]]:
    """Local maxima (x, y, height), best first, in pixels of the SIDE x SIDE view, refined by their neighbourhood."""
    grown = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= grown) & (heat >= least))
    order = np.argsort(-heat[ys, xs])[:most]
    return [(*centroid(heat, int(xs[i]), int(ys[i])), float(heat[ys[i], xs[i]])) for i in order]


def centroid(heat: Maps, x: int, y: int, r: int = 2) -> tuple[float, float]:
    """Weighted centre of the bump around a cell, view pixels."""
    y0, y1, x0, x1 = max(0, y - r), min(heat.shape[0], y + r + 1), max(0, x - r), min(heat.shape[1], x + r + 1)
    w = heat[y0:y1, x0:x1] ** 1.5
    total = float(w.sum()) + 1e-9
    cx = float((w.sum(axis=0) * (np.arange(x0, x1) + 0.5)).sum() / total)
    cy = float((w.sum(axis=1) * (np.arange(y0, y1) + 0.5)).sum() / total)
    return cx * CELL, cy * CELL


def overlap(quad: Array, area: Maps) -> float:
    """Intersection over union of a quad (view pixels) and the marked surface."""
    mask = np.zeros(area.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(quad / CELL * 16 - 8).astype(np.int32)], 1, cv2.LINE_8, 4)
    inside = float((area * mask).sum())
    return inside / (float(area.sum()) + float(mask.sum()) - inside + 1e-6)


def quads(maps: Maps, most: int = 2) -> list[tuple[float, Array]]:
    """Guesses at the board's outline in a view, best first: corner peaks that fit the marked surface, then its hull."""
    spots = peaks(maps[0], 0.05, _PEAKS)
    out: list[tuple[float, Array]] = []
    for four in itertools.combinations(spots, 4):
        quad = image_order([p[:2] for p in four])
        if not cv2.isContourConvex(quad.astype(np.float32)):
            continue
        height = float(np.prod([p[2] for p in four])) ** 0.25
        out.append((height * overlap(quad, maps[2]), quad))
    out.sort(key=lambda g: -g[0])
    return out[:most] + surface_quads(maps[2])


def surface_quads(area: Maps) -> list[tuple[float, Array]]:
    """The outline of the largest marked surface as a quad (none when hardly anything is marked)."""
    contours, _ = cv2.findContours((area > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return []
    big = max(contours, key=cv2.contourArea)
    if cv2.contourArea(big) < 0.02 * area.size:
        return []
    quad = image_order((np.asarray(cv2.boxPoints(cv2.minAreaRect(big)), np.float64) + 0.5) * CELL)
    return [(0.3 * overlap(quad, area), quad)]


def close_view(corners: Array, margin: float = MARGIN) -> Array:
    """3x3 picture -> view in which these corners (image order) become a square with a margin."""
    m = SIDE * margin
    square = np.array([[m, m], [SIDE - m, m], [SIDE - m, SIDE - m], [m, SIDE - m]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), square), np.float64)


def through(matrix: Array, points: Array) -> Array:
    """N x 2 points through a 3x3 homography."""
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2).astype(np.float64), matrix).reshape(-1, 2))


def snap(maps: Maps, reach: float = 0.12) -> tuple[Array, float]:
    """In a close view: the corner peaks near the four expected places (view pixels), and their mean height."""
    m = SIDE * MARGIN
    expected = np.array([[m, m], [SIDE - m, m], [SIDE - m, SIDE - m], [m, SIDE - m]])
    spots = peaks(maps[0], 0.04, 16)
    corners, heights = expected.copy(), []
    for i, e in enumerate(expected):
        near = [p for p in spots if np.hypot(p[0] - e[0], p[1] - e[1]) < reach * SIDE]
        best = max(near, key=lambda p: p[2], default=None)
        heights.append(best[2] if best else 0.0)
        if best:
            corners[i] = best[:2]
    return corners, float(np.mean(heights))


def refine(image: Image, corners: Array, rounds: int = 3) -> tuple[Array, Maps, float]:
    """Corners (image order, pixels) drawn to what the net sees from close by; its last maps; their mean height."""
    maps, height = np.zeros((3, SIDE // CELL, SIDE // CELL), np.float32), 0.0
    for _ in range(rounds):
        view = close_view(corners)
        maps = look(image, view)
        snapped, height = snap(maps)
        moved = float(np.abs(snapped - through(view, corners)).max())
        corners = through(np.asarray(np.linalg.inv(view)), snapped)
        if moved < 0.6:
            break
    return corners, maps, height


def bar_of(maps: Maps) -> tuple[bool, tuple[float, float], float]:
    """From a close view's bar map: do the points stand upright in it, the bar's shares, and how clear that is."""
    heat, cells = maps[1], SIDE // CELL
    low, high = int(cells * MARGIN), int(cells * (1 - MARGIN))
    band = 3
    rows = np.maximum(heat[low - band : low + band + 1].max(axis=0), 0) + heat[high - band : high + band + 1].max(
        axis=0
    )
    cols = heat[:, low - band : low + band + 1].max(axis=1) + heat[:, high - band : high + band + 1].max(axis=1)
    middle = slice(cells // 3, cells - cells // 3)
    upright = bool(rows[middle].max() >= cols[middle].max())
    profile = (rows if upright else cols) / 2
    strength = float(profile[middle].max())
    return upright, _bar_shares(profile, middle), strength


def _bar_shares(profile: NDArray[np.float32], middle: slice) -> tuple[float, float]:
    """The two bar edges along an edge of the close view as shares of the board (equal: no bar)."""
    cells = SIDE // CELL
    best = float(profile[middle].max()) + 1e-9
    found = []
    for i in range(middle.start, middle.stop):
        around = profile[i - 1 : i + 2]
        if profile[i] >= around.max() and profile[i] > 0.3 * best:
            shift = (around[2] - around[0]) / (2 * float(around.sum()) + 1e-9) * 1.5
            found.append(((i + 0.5 + float(shift)) / cells, float(profile[i])))
    found = sorted(sorted(found, key=lambda f: -f[1])[:2])
    shares = [(f[0] - MARGIN) / (1 - 2 * MARGIN) for f in found] or [0.47, 0.53]
    left, right = shares[0], shares[-1]
    return _even(left, right)


def _even(left: float, right: float) -> tuple[float, float]:
    """Both halves are equally wide on every board: make the shares so, and keep them plausible."""
    half = float(np.clip((left + 1 - right) / 2, 0.42, 0.5))
    return half, 1 - half


def find_board(image: Image) -> FoundBoard | None:
    """The most likely board in a picture, or None."""
    found = find_boards(image)
    return found[0] if found else None


def find_boards(image: Image) -> list[FoundBoard]:
    """Where the board may lie, best first (at most four): trays and deep frames offer more than one rectangle.

    Looks at the whole picture, then closely at the best guesses, then at other corners seen in the best close view.
    """
    small, s = shrink_for(image, 900)
    seen: list[FoundBoard] = []
    for grow in (1.12, 1.5):
        seen += [inspect(small, quad) for quad in whole_view(small, grow)]
        if seen and max(f.confidence for f in seen) > 0.5:
            break
    if not seen:
        return []
    best = max(seen, key=lambda f: f.confidence)
    seen += [inspect(small, quad, rounds=2) for quad in other_corners(small, best.corners)]
    kept = [f for f in distinct(seen) if f.confidence >= LEAST_CONFIDENCE]
    return [FoundBoard(f.corners / s, f.upright, f.bar, f.confidence) for f in kept[:4]]


def whole_view(image: Image, grow: float) -> list[Array]:
    """Guesses from the whole picture; `grow` > 1 leaves a border for corners outside it."""
    h, w = image.shape[:2]
    k = SIDE / max(h, w) / grow
    view = np.array([[k, 0, (SIDE - k * w) / 2], [0, k, (SIDE - k * h) / 2], [0, 0, 1]])
    tiny, t = shrink_for(image, round(max(h, w) * min(1.0, k * 1.3)))
    back = np.asarray(np.linalg.inv(view))
    return [through(back, quad) for _, quad in quads(look(tiny, view @ np.diag([1 / t, 1 / t, 1])))[:3]]


def other_corners(image: Image, corners: Array) -> list[Array]:
    """Other rectangles that the corners seen in the close view of a guess make."""
    view = close_view(corners, 0.2)
    back = np.asarray(np.linalg.inv(view))
    return [through(back, quad) for _, quad in quads(look(image, view), most=4)]


def distinct(seen: list[FoundBoard]) -> list[FoundBoard]:
    """Best first, those that lie on a better one left out."""
    kept: list[FoundBoard] = []
    for f in sorted(seen, key=lambda f: -f.confidence):
        order = image_order(f.corners)
        near = [np.abs(image_order(k.corners) - order).max() for k in kept]
        if min(near, default=np.inf) > SAME * float(np.ptp(order, axis=0).max()):
            kept.append(f)
    return kept


def inspect(image: Image, corners: Array, rounds: int = 3) -> FoundBoard:
    """A guess looked at closely: refined corners, bar, and a confidence of 0 … 1."""
    corners, maps, height = refine(image, image_order(corners), rounds)
    upright, bar, strength = bar_of(maps)
    quad = np.array([[MARGIN, MARGIN], [1 - MARGIN, MARGIN], [1 - MARGIN, 1 - MARGIN], [MARGIN, 1 - MARGIN]]) * SIDE
    fit = overlap(quad, maps[2])
    return FoundBoard(corners, upright, bar, float(height * fit * (0.5 + 0.5 * min(1.0, strength * 1.5))))


@dataclass(frozen=True)
class Registration:
    """A known board looked at again. `shift`: usual move of its corners, share of the diagonal; None = too few seen.

    `corners`: the known ones drawn to what is seen (pixels, same order). `surface`: overlap of the known outline with
    the playing surface the net marks, 0 … 1.
    """

    corners: Array
    shift: float | None
    surface: float


def register(image: Image, corners: Array) -> Registration:
    """Does the board still lie where these corners (clockwise, pixels) say? One look of the net."""
    small, s = shrink_for(image, 640)
    view = close_view(corners * s)
    maps = look(small, view)
    snapped, _ = snap(maps)
    m = SIDE * MARGIN
    square = np.array([[m, m], [SIDE - m, m], [SIDE - m, SIDE - m], [m, SIDE - m]])
    seen = np.array([_height_at(maps[0], p) > 0.3 for p in snapped])
    now = through(np.asarray(np.linalg.inv(view)), snapped) / s
    diagonal = float(np.linalg.norm(corners[0] - corners[2]))
    moved = np.linalg.norm(now - corners, axis=1) / diagonal
    shift = float(np.median(moved[seen])) if seen.sum() >= 3 else None
    kept = np.where(seen[:, None], now, corners)
    return Registration(kept, shift, overlap(square, maps[2]))


def _height_at(heat: Maps, at: Array) -> float:
    """Highest value within a cell of a place in the view."""
    x, y = (int(np.clip(v / CELL, 1, SIDE // CELL - 2)) for v in at)
    return float(heat[y - 1 : y + 2, x - 1 : x + 2].max())
