"""What vision tells: small immutable values. Positions are seen from White's seat (White at the bottom of the view).

Board coordinates ("board units"), used all over `companion.vision`: the rectangle of the two playing surfaces
incl. the bar between them. x runs 0 … 1 from White's left to White's right, y runs 0 … `aspect` from the far edge
(Black's seat) to White's edge, z (same unit, one board width) points up from the surface to the camera.
"""

from __future__ import annotations

import msgspec

Point2 = tuple[float, float]
Corners = tuple[Point2, Point2, Point2, Point2]
"""Pixels, x right, y down; clockwise from the corner nearest the image's top-left (CONTRACT.md)."""


class ColourModel(msgspec.Struct, frozen=True, kw_only=True):
    """One side's checkers under this light: mean and spread of CIE L*a*b* (OpenCV 8-bit scale)."""

    mean: tuple[float, float, float]
    std: tuple[float, float, float]


class Lens(msgspec.Struct, frozen=True, kw_only=True):
    """Pinhole camera with OpenCV distortion. focal lengths and centre in pixels of `Calibration.image_size`."""

    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """All that is learned once about board, set, light and camera. Written as JSON by `companion calibrate`."""

    schema: int = 1
    image_size: tuple[int, int]  # width, height in pixels
    corners: Corners  # image order, pixels
    white_side: str  # bottom | top | left | right: the image edge White sits at
    home: str  # right | left: on which hand of White both home boards lie
    aspect: float  # height / width of the playing rectangle (about 0.8 … 1.2)
    bar: tuple[float, float]  # board units x where the left half ends and the right half starts (equal: no bar)
    white: ColourModel
    black: ColourModel
    checker_diameter: float  # board units
    checker_height: float  # board units
    lens: Lens | None = None
    rotation: tuple[float, ...] = ()  # 3x3 row-major, board units -> camera (pose estimate); () = unknown
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    confidence: float = 0.0
    style: dict[str, float | str] = {}  # measured facts about the board (tray left/right, surface colour …)
    exposure: dict[str, float] = {}  # locked camera settings captured with the calibration
    reference: str = ""  # base64 PNG, small grey picture of the calibrated view: notices a bump


class CountReading(msgspec.Struct, frozen=True):
    """How many checkers lie in one region. Signed: white > 0, black < 0, 0 = empty.

    `alternatives`: other signed counts with their probability, best first; together with `value`'s `confidence`
    they sum to at most 1. `visible`: share of the region not hidden by a hand or an object.
    """

    value: int
    confidence: float
    alternatives: tuple[tuple[int, float], ...] = ()
    visible: float = 1.0
    why: str = ""  # stacked | hidden | colour | …: why it is not sure


class DieObservation(msgspec.Struct, frozen=True, kw_only=True):
    """One die. `state` as in CONTRACT.md: flat cocked on_checker on_bar off_board stacked moving unsure."""

    x: float  # pixels, centre of the die in the image
    y: float
    value: int | None  # uppermost face, None = not readable
    state: str
    half: str | None  # right | left of the bar as White sees it, None when outside the playing surface
    tilt_deg: float | None
    confidence: float
    edge_px: float = 0.0
    board_xy: Point2 | None = None  # board units
    values: tuple[float, ...] = ()  # probability of 1 … 6, when computed (evidence for joint decoding)


class CubeObservation(msgspec.Struct, frozen=True, kw_only=True):
    """The doubling cube. `value` 1 = a centred cube showing 64. `place`: centre | white | black | offered."""

    value: int
    place: str
    x: float
    y: float
    confidence: float
    offered_by: str | None = None


class BoardView(msgspec.Struct, frozen=True, kw_only=True):
    """Where the board lies in the image."""

    found: bool
    corners: Corners | None = None
    white_side: str = "bottom"
    home: str = "right"
    confidence: float = 0.0


class BoardObservation(msgspec.Struct, frozen=True, kw_only=True):
    """One still frame, read. `points[i]` is White's point i + 1. Bar and off: (white, black), signed like points."""

    seq: int
    t: float
    size: tuple[int, int]  # width, height
    board: BoardView
    points: tuple[CountReading, ...] = ()  # 24, empty when no board was found
    bar: tuple[CountReading, CountReading] | None = None
    off: tuple[CountReading | None, CountReading | None] = (None, None)  # None = not seen
    dice: tuple[DieObservation, ...] = ()
    cube: CubeObservation | None = None
    obstructed: bool = False
    problems: tuple[str, ...] = ()  # dark | glare | blurred | moved | blocked | no_board
    timing_ms: dict[str, float] = {}
