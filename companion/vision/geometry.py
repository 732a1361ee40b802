"""Between pixels and the board: orientation, homography, lens, pose, and where things are to be expected.

Board units as in `companion.vision.types`: x 0 … 1 from White's left to White's right, y 0 … aspect from the far edge
to White's edge, z up. The pose is found from the four corners; without a known lens the focal length is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.errors import InputError
from companion.vision.types import Calibration, Corners, Lens, Point2

Array = NDArray[np.float64]
SIDES = ("bottom", "top", "left", "right")
"""Edges of the image White may sit at."""
USUAL_ASPECT = 0.86
"""Height / width of the playing rectangle of most boards: the guess until checkers have been measured."""
_FOV_DEGREES = np.linspace(34.0, 100.0, 45)
"""Horizontal fields of view tried for an unknown lens."""
_USUAL_FOV = 62.0


def image_order(points: ArrayLike) -> Array:
    """The four corners clockwise from the one nearest the image's top-left (CONTRACT.md)."""
    pts = np.asarray(points, dtype=np.float64).reshape(4, 2)
    offset = pts - pts.mean(axis=0)
    pts = pts[np.argsort(np.arctan2(offset[:, 1], offset[:, 0]))]
    return np.roll(pts, -int(np.argmin(pts.sum(axis=1))), axis=0)


def edge_of(canonical: ArrayLike) -> str:
    """The image edge White sits at, from corners as White sees them (far left, far right, near right, near left)."""
    pts = np.asarray(canonical, dtype=np.float64).reshape(4, 2)
    dx, dy = pts[2:].mean(axis=0) - pts.mean(axis=0)
    if abs(dy) >= abs(dx):
        return "bottom" if dy > 0 else "top"
    return "right" if dx > 0 else "left"


def canonical_corners(corners: ArrayLike, white_side: str) -> Array:
    """Corners as White sees them: far left, far right, near right, near left. Raises InputError on an unknown side."""
    if white_side not in SIDES:
        raise InputError(f"white side {white_side!r}: use one of {', '.join(SIDES)}")
    ordered = image_order(corners)
    turns = [np.roll(ordered, -k, axis=0) for k in range(4)]
    for turned in turns:
        if edge_of(turned) == white_side:
            return turned
    # A board at exactly 45 degrees: two edges compete; fall back to the corner order.
    return turns[("bottom", "left", "top", "right").index(white_side)]


def as_corners(points: ArrayLike) -> Corners:
    """Four pixel corners in image order as plain tuples."""
    a, b, c, d = ((float(x), float(y)) for x, y in image_order(points))
    return (a, b, c, d)


def point_column(point: int, home: str) -> tuple[int, bool]:
    """Column 0 … 11 (White's left to right) and "far row" of White's point 1 … 24."""
    far = point > 12
    right = point - 13 if far else 12 - point
    return (right if home == "right" else 11 - right), far


def column_point(column: int, far: bool, home: str) -> int:
    """White's point at a column 0 … 11 of the far or near row: the inverse of `point_column`."""
    right = column if home == "right" else 11 - column
    return 13 + right if far else 12 - right


def camera_matrix(focal: float, size: tuple[int, int]) -> Array:
    """Pinhole matrix with square pixels and the centre in the middle of the image (width, height)."""
    return np.array([[focal, 0.0, size[0] / 2], [0.0, focal, size[1] / 2], [0.0, 0.0, 1.0]])


def estimate_focal(homography: Array, size: tuple[int, int]) -> float:
    """Focal length in pixels that best makes the board's axes orthogonal and equally long, near a usual lens.

    A view from straight above says nothing about the lens: there the usual field of view wins.
    """
    width = max(size)

    def misfit(fov: float) -> float:
        focal = width / 2 / np.tan(np.radians(fov) / 2)
        r = np.linalg.inv(camera_matrix(focal, size)) @ homography
        a, b = r[:, 0], r[:, 1]
        la, lb = np.linalg.norm(a), np.linalg.norm(b)
        skew, stretch = float(a @ b / (la * lb)), float(np.log(la / lb))
        return skew**2 + stretch**2 + float(0.02 * np.log(fov / _USUAL_FOV)) ** 2

    best = min(_FOV_DEGREES, key=misfit)
    return float(width / 2 / np.tan(np.radians(best) / 2))


@dataclass(frozen=True)
class BoardGeometry:
    """A board in a picture of `size`. `corners`: px, as White sees them: far left, far right, near right, near left."""

    corners: Array
    size: tuple[int, int]
    home: str = "right"
    aspect: float = USUAL_ASPECT
    bar: tuple[float, float] = (0.47, 0.53)
    checker_diameter: float = 0.083
    checker_height: float = 0.02
    lens: Lens | None = None

    @classmethod
    def of(cls, calibration: Calibration) -> BoardGeometry:
        """The geometry a calibration describes."""
        return cls(
            corners=canonical_corners(calibration.corners, calibration.white_side),
            size=calibration.image_size,
            home=calibration.home,
            aspect=calibration.aspect,
            bar=calibration.bar,
            checker_diameter=calibration.checker_diameter,
            checker_height=calibration.checker_height,
            lens=calibration.lens,
        )

    @cached_property
    def homography(self) -> Array:
        """3x3: board units on the surface -> undistorted pixels."""
        board = np.array([[0, 0], [1, 0], [1, self.aspect], [0, self.aspect]], dtype=np.float32)
        seen = self._undistort(self.corners).astype(np.float32)
        return np.asarray(cv2.getPerspectiveTransform(board, seen), np.float64)

    @cached_property
    def camera(self) -> Array:
        """3x3 pinhole matrix: the known lens, or the estimated one."""
        if self.lens is not None:
            return np.array([[self.lens.fx, 0, self.lens.cx], [0, self.lens.fy, self.lens.cy], [0, 0, 1.0]])
        return camera_matrix(estimate_focal(self.homography, self.size), self.size)

    @cached_property
    def pose(self) -> tuple[Array, Array]:
        """Rotation 3x3 (determinant 1, of (x, y, -z)) and translation, board units -> camera, in board widths."""
        r = np.linalg.inv(self.camera) @ self.homography
        scale = 2.0 / (np.linalg.norm(r[:, 0]) + np.linalg.norm(r[:, 1]))
        r = r * (scale if r[2, 2] > 0 else -scale)
        u, _, vt = np.linalg.svd(np.column_stack([r[:, 0], r[:, 1], np.cross(r[:, 0], r[:, 1])]))
        return u @ vt, r[:, 2]

    @cached_property
    def _up(self) -> Array:
        """Column of the 3x4 projection that a board's z adds (z up to the camera), scaled to the homography."""
        rotation, _ = self.pose
        r = np.linalg.inv(self.camera) @ self.homography
        scale = (np.linalg.norm(r[:, 0]) + np.linalg.norm(r[:, 1])) / 2 * (1 if r[2, 2] > 0 else -1)
        return np.asarray(-(self.camera @ rotation[:, 2]) * scale)

    @property
    def tilt_deg(self) -> float:
        """Angle between the view and straight down."""
        return float(np.degrees(np.arccos(np.clip(abs(self.pose[0][2, 2]), 0.0, 1.0))))

    def homography_at(self, z: float) -> Array:
        """3x3: board (x, y) at height z -> undistorted pixels."""
        h = self.homography.copy()
        h[:, 2] += self._up * z
        return h

    def to_pixels(self, points: ArrayLike) -> Array:
        """Board points, N x 2 or N x 3 (x, y[, z]) -> N x 2 pixels as seen."""
        pts = np.atleast_2d(np.asarray(points, dtype=np.float64))
        z = pts[:, 2:3] if pts.shape[1] > 2 else np.zeros((len(pts), 1))
        q = np.column_stack([pts[:, :2], np.ones(len(pts))]) @ self.homography.T + z * self._up
        return self._distort(q[:, :2] / q[:, 2:3])

    def to_board(self, pixels: ArrayLike, z: float = 0.0) -> Array:
        """N x 2 pixels as seen -> N x 2 board points at height z."""
        pts = self._undistort(np.atleast_2d(np.asarray(pixels, dtype=np.float64)))
        q = np.column_stack([pts, np.ones(len(pts))]) @ np.linalg.inv(self.homography_at(z)).T
        return np.asarray(q[:, :2] / q[:, 2:3])

    def _undistort(self, pixels: Array) -> Array:
        if self.lens is None or not any(self.lens.distortion):
            return np.asarray(pixels, np.float64)
        k = self.camera
        out = cv2.undistortPoints(pixels.reshape(-1, 1, 2), k, np.array(self.lens.distortion), P=k)
        return np.asarray(out.reshape(-1, 2), np.float64)

    def _distort(self, pixels: Array) -> Array:
        if self.lens is None or not any(self.lens.distortion):
            return pixels
        rays = np.column_stack([pixels, np.ones(len(pixels))]) @ np.linalg.inv(self.camera).T
        out, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.camera, np.array(self.lens.distortion))
        return np.asarray(out.reshape(-1, 2), np.float64)

    def column_x(self, column: int) -> float:
        """Centre (board x) of the column 0 … 11."""
        left, right = self.bar
        if column < 6:
            return left * (column + 0.5) / 6
        return right + (1.0 - right) * (column - 5.5) / 6

    @property
    def pitch(self) -> float:
        """Mean width of a point, board units."""
        return (self.bar[0] + 1.0 - self.bar[1]) / 12

    def point_base(self, point: int) -> Point2:
        """Board (x, y) of the middle of the base of White's point 1 … 24."""
        column, far = point_column(point, self.home)
        return (self.column_x(column), 0.0 if far else self.aspect)

    def slot(self, point: int, k: int, depth: int = 5) -> tuple[float, float, float]:
        """Board (x, y, z of the lower face) of the k-th checker (from 0) of White's point; beyond `depth` on top."""
        x, y = self.point_base(point)
        step = self.checker_diameter if y == 0.0 else -self.checker_diameter
        layer, row = divmod(k, depth)
        return (x, y + step * (row + 0.5 + 0.5 * (layer % 2)), layer * self.checker_height)

    def checker_ellipse(self, x: float, y: float, layer: int = 0) -> tuple[Point2, Point2, float]:
        """Where the top of a checker at board (x, y) shows: centre px, full axes px, angle in degrees (OpenCV's)."""
        angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        r = self.checker_diameter / 2
        z = np.full(16, (layer + 1) * self.checker_height)
        rim = self.to_pixels(np.column_stack([x + r * np.cos(angle), y + r * np.sin(angle), z]))
        (cx, cy), (a, b), turn = cv2.fitEllipse(rim.astype(np.float32))
        return (float(cx), float(cy)), (float(a), float(b)), float(turn)

    def scale_at(self, x: float, y: float) -> float:
        """Pixels per board unit near board (x, y): the geometric mean over directions."""
        d = 1e-3
        o, px, py = self.to_pixels([[x, y], [x + d, y], [x, y + d]])
        area = abs(np.cross(np.append(px - o, 0), np.append(py - o, 0))[2])
        return float(np.sqrt(area) / d)

    def die_edge_px(self, x: float, y: float, edge: float = 0.028) -> float:
        """Expected edge in pixels of a die at board (x, y); `edge` in board units (0.023 … 0.06 are seen)."""
        return edge * self.scale_at(x, y)

    def on_surface(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Is board (x, y) on the playing rectangle, grown by `margin`?"""
        return -margin <= x <= 1 + margin and -margin <= y <= self.aspect + margin

    def half_of(self, x: float, y: float) -> str | None:
        """`left` | `right` of the bar as White sees it; None on the bar or outside the surfaces."""
        if not self.on_surface(x, y) or self.bar[0] < x < self.bar[1]:
            return None
        return "left" if x <= self.bar[0] else "right"

    def outline(self) -> Array:
        """The rectangle's outline in pixels, 40 x 2 (edges subdivided, so that lens distortion shows)."""
        t = np.linspace(0, 1, 10, endpoint=False)[:, None]
        frame = np.array([[0, 0], [1, 0], [1, self.aspect], [0, self.aspect]])
        return self.to_pixels(np.vstack([(1 - t) * frame[i] + t * frame[(i + 1) % 4] for i in range(4)]))
