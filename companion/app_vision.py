"""The calibration wizard and photo mode of the page, done by the real vision (`VisionPort`)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import cv2
import msgspec
import numpy as np

from companion.errors import CalibrationError, InputError
from companion.rules.position import START, Position
from companion.sources.base import Image
from companion.vision.types import Calibration
from companion.web.ports import Corner, Json

GOOD_WIDTH = 1100.0
"""Width of the board in pixels at which dice are read well (DESIGN.md)."""
GOOD_LIGHT = 170.0
GOOD_SHARPNESS = 0.16
POOR = 0.45
"""A meter below this comes with advice."""
LONGEST_PHOTO = 4096
REASONS = {
    "no board found": "no_board",
    "picture of": "small_picture",
    "the picture is dark": "dark",
    "the board is dark": "dark",
    "the board is too small": "small_board",
    "the board is partly hidden": "hidden",
    "the picture is blurred": "blurred",
    "glare on the board": "glare",
    "not the starting position": "not_start",
    "one side's checkers": "one_side",
    "White's checkers are darker": "swapped",
}
"""How a refusal of the calibration begins -> key `cal.reason.…` of the language files."""


def decode(data: bytes) -> Image:
    """A JPEG, PNG or WebP as BGR; InputError when it is none or absurdly large."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise InputError(
            "this picture is broken or of an unknown kind; send a JPEG, PNG or WebP", code="broken_picture"
        )
    longest = max(image.shape[:2])
    if longest > LONGEST_PHOTO:
        scale = LONGEST_PHOTO / longest
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(image, np.uint8)


def meters(image: Image, corners: list[Corner] | None) -> dict[str, float]:
    """Light, sharpness and size, 0 … 1; of the whole picture while no board is known."""
    from companion.vision import problems

    shown = image
    if corners:
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        shown = image[max(0, int(min(ys))) : int(max(ys)) + 1, max(0, int(min(xs))) : int(max(xs)) + 1]
    if min(shown.shape[:2]) < 16:
        shown = image
    values = {
        "light": problems.brightness(shown) / GOOD_LIGHT,
        "sharpness": problems.sharpness(shown) / GOOD_SHARPNESS,
    }
    if corners:
        c = np.asarray(corners, np.float64)
        values["size"] = float((np.linalg.norm(c[1] - c[0]) + np.linalg.norm(c[2] - c[3])) / 2) / GOOD_WIDTH
    return {name: round(min(1.0, value), 3) for name, value in values.items()}


def grid(calibration: Calibration) -> list[list[Corner]]:
    """The lines between the points, as polylines in pixels."""
    from companion.vision.geometry import BoardGeometry

    board = BoardGeometry.of(calibration)
    half = board.pitch / 2
    xs = [board.column_x(c) - half for c in range(12)] + [board.column_x(c) + half for c in (5, 11)]
    rows = np.linspace(0.0, board.aspect, 9)
    lines = [board.to_pixels(np.column_stack([np.full(9, x), rows])) for x in sorted(xs)]
    return [[(round(float(x), 1), round(float(y), 1)) for x, y in line] for line in lines]


class Wizard:
    """`VisionPort`. `picture()`: the newest JPEG. `use(calibration)`: what a kept calibration is given to.

    `position()`: what must lie on the board: the record's position in mid-match, else the starting position.
    """

    def __init__(
        self,
        picture: Callable[[], bytes | None],
        board_file: Path,
        use: Callable[[Calibration], None],
        position: Callable[[], Position] = lambda: START,
        exposure: Callable[[], dict[str, float]] = dict,
    ) -> None:
        self._picture = picture
        self._board_file = board_file
        self._use = use
        self._trial: Calibration | None = None
        self._lock = threading.Lock()
        self._position = position
        self._exposure = exposure

    def find(self, corners: list[Corner] | None, white_side: str | None, home: str | None) -> Json:
        from companion.vision.calibrate import calibrate

        data = self._picture()
        if data is None:
            raise InputError("the camera gives no picture yet; check it on the page Health", code="no_picture")
        image = decode(data)
        size = [image.shape[1], image.shape[0]]
        try:
            made = calibrate(image, position=self._position(), corners=corners, white_side=white_side, home=home)
        except CalibrationError as error:
            self._set(None)
            seen = corners or self._corners(image)
            found = meters(image, seen)
            return {
                "ok": False,
                "reason": str(error),
                "reason_code": reason_code(error),
                "size": size,
                "corners": seen,
                "meters": found,
                **advice(found),
            }
        self._set(made)
        found = meters(image, list(made.corners))
        return {
            "ok": True,
            "reason": "",
            "confidence": made.confidence,
            "white_side": made.white_side,
            "home": made.home,
            "size": size,
            "corners": [list(corner) for corner in made.corners],
            "grid": grid(made),
            "meters": found,
            **advice(found),
        }

    def _corners(self, image: Image) -> list[Corner] | None:
        """Where a board seems to lie, to start dragging from."""
        from companion.vision.geometry import as_corners
        from companion.vision.read import locate

        sighting = locate(image)
        return list(as_corners(sighting.geometry.corners)) if sighting else None

    def _set(self, calibration: Calibration | None) -> None:
        with self._lock:
            self._trial = calibration

    def keep(self) -> Json:
        from companion.vision.calibrate import save

        with self._lock:
            made = self._trial
        if made is None:
            raise InputError("there is no good calibration to keep; find the board first", code="no_calibration")
        made = msgspec.structs.replace(made, exposure=self._exposure())
        save(made, self._board_file)
        self._use(made)
        return {"kept": True, "confidence": made.confidence}

    def discard(self) -> None:
        self._set(None)

    def read_photo(self, jpeg: bytes, options: Json) -> Json:
        from companion.cli_vision import verdict
        from companion.read_json import document
        from companion.rules.position import Side
        from companion.rules.profile import load_profile
        from companion.vision.observe import Observer

        image = decode(jpeg)
        observer = Observer(
            corners=corners_of(options.get("corners")),
            white_side=options.get("white_side"),
            home=options.get("home"),
        )
        reading = observer.study(image)
        on_roll = Side(options["on_roll"]) if options.get("on_roll") in ("white", "black") else None
        roll = verdict(reading, on_roll, load_profile(), False)
        return document("photo", reading.observation, roll, on_roll)


def reason_code(error: CalibrationError) -> str:
    """The refusal as a key; "" for one without."""
    return next((code for start, code in REASONS.items() if str(error).startswith(start)), "")


def advice(found: dict[str, float]) -> Json:
    """What to do about poor meters: keys of the language files."""
    return {"advice": [name for name, value in found.items() if value < POOR]}


def corners_of(text: str | None) -> list[Corner] | None:
    """`x,y x,y x,y x,y` of a request."""
    if not text:
        return None
    try:
        pairs = [tuple(float(v) for v in pair.split(",")) for pair in text.split()]
    except ValueError as error:
        raise InputError(f"corners {text[:60]!r}: write x,y x,y x,y x,y") from error
    if len(pairs) != 4 or any(len(pair) != 2 or not all(np.isfinite(pair)) for pair in pairs):
        raise InputError(f"corners {text[:60]!r}: four pairs x,y are needed")
    return [(pair[0], pair[1]) for pair in pairs]
