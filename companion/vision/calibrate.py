"""Learning a board from one picture of a known position: corners, orientation, colours, sizes; or why it cannot be.

The starting position tells by itself where White sits and on which hand the home boards lie: of the (up to) four ways
to seat White only one fits the counts.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.errors import CalibrationError, InputError
from companion.rules.position import BAR, START, Position, Side
from companion.sources.base import Image
from companion.vision import checkers, colours, covered, find, problems
from companion.vision.geometry import (
    SIDES,
    BoardGeometry,
    as_corners,
    canonical_corners,
    column_point,
    edge_of,
    image_order,
    point_column,
)
from companion.vision.read import Sighting, given_places, sighting_of
from companion.vision.rectify import INNER, MARGIN, PITCH, Rectifier, column_u
from companion.vision.tune import tune
from companion.vision.types import Calibration, ColourModel, Lens

SCHEMA = 1
SMALLEST = 260
"""Least mean width of the board in pixels: below it checkers are a few pixels wide."""
LEAST_FIT = 0.85
"""Least mean probability of the right count over the 26 regions."""
WELL = 0.97
"""A fit from which nothing need be tuned."""
TUNED = 2
HIDDEN = 12
"""A hand explains no more wrong places than this, and hides at least half of them."""
MOST_WRONG = 2
"""Regions the reader may see otherwise, when all else fits: the position is known, the reader is not perfect."""
HEIGHT_SHARE = 0.24
"""Checker height / diameter of common sets: the height itself cannot be measured in one picture."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Seating:
    """One way to seat White, and how well the known position fits then."""

    sighting: Sighting
    home: str
    fit: float  # mean probability of the right count
    wrong: int  # regions whose most probable count is another
    canvas: Image
    net: checkers.CanvasReading
    sets: tuple[ColourModel, ColourModel] | None


def signed_points(position: Position) -> list[int]:
    """Signed counts of White's points 1 … 24 (White > 0)."""
    return [position.white[p] - position.black[25 - p] for p in range(1, 25)]


def calibrate(
    image: Image,
    *,
    position: Position = START,
    corners: ArrayLike | None = None,
    white_side: str | None = None,
    home: str | None = None,
    lens: Lens | None = None,
) -> Calibration:
    """Learn the board from a BGR picture that shows `position`. Raises CalibrationError: the reason and the mend."""
    check_light(image)
    if corners is not None:
        places = given_places(image, image_order(corners))
    else:
        places = find.find_boards(image)
    if not places:
        raise CalibrationError(
            "no board found: show the whole board with its four inner corners, or give them with --corners"
        )
    guesses = [sighting_of(image, found, white_side, home) for found in places]
    check_size(guesses[0].geometry)
    ways = [(way, g.confidence) for g in guesses for way in seatings(g.geometry, white_side, home)]
    best = best_seating(image, ways, position)
    check(best, position)
    return learned(image, best, position, lens)


def check_light(image: Image) -> None:
    """Refuse pictures in which nothing can be told."""
    if image.ndim != 3 or min(image.shape[:2]) < 120:
        raise CalibrationError(f"picture of {image.shape[1]}x{image.shape[0]} is too small: use at least 640x480")
    if problems.brightness(image) < 25:
        raise CalibrationError("the picture is dark: put on a lamp, or raise the exposure")


def check_size(geometry: BoardGeometry) -> None:
    c = geometry.corners
    width = (np.linalg.norm(c[1] - c[0]) + np.linalg.norm(c[2] - c[3])) / 2
    if width < SMALLEST:
        raise CalibrationError(
            f"the board is too small: {width:.0f} px wide, at least {SMALLEST} are needed; move the camera nearer"
        )


def seatings(g: BoardGeometry, white_side: str | None, home: str | None) -> list[BoardGeometry]:
    """The ways to seat White that are left open: opposite ends of the board, and either hand."""
    if white_side is not None and white_side not in SIDES:
        raise InputError(f"--white-side {white_side!r}: use one of {', '.join(SIDES)}")
    ends = [white_side] if white_side else [edge_of(g.corners), edge_of(np.roll(g.corners, 2, axis=0))]
    hands = [home] if home else ["right", "left"]
    return [
        replace(g, corners=canonical_corners(g.corners, end), home=hand) for end, hand in itertools.product(ends, hands)
    ]


def seat(image: Image, geometry: BoardGeometry, confidence: float, position: Position) -> Seating:
    """Read the board there, with the colours that the known position gives, and compare with it."""
    canvas = Rectifier(geometry).apply(image)
    sets = colours_of(canvas, position, geometry.home)
    net = checkers.read_canvas(canvas, *sets) if sets else checkers.read_canvas(canvas)
    want = np.array(signed_points(position))
    probs = np.ones(26)
    wrong = 0
    for point in range(1, 25):
        column, far = point_column(point, geometry.home)
        p = net.columns[0 if far else 1, column]
        probs[point - 1] = p[want[point - 1] + 15]
        wrong += int(p.argmax()) != want[point - 1] + 15
    for k, side in enumerate((Side.WHITE, Side.BLACK)):
        n = min(7, position.of(side)[BAR])
        probs[24 + k] = net.bar[k][n]
        wrong += int(net.bar[k].argmax()) != n
    fit = float(probs.mean()) * (1.0 if sets else 0.5)
    return Seating(Sighting(geometry, confidence), geometry.home, fit, int(wrong), canvas, net, sets)


def colours_of(canvas: Image, position: Position, home: str) -> tuple[ColourModel, ColourModel] | None:
    """White's and Black's colours where the position says their men lie; None when White's are not the lighter ones."""
    samples: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for point, n in enumerate(signed_points(position), start=1):
        column, far = point_column(point, home)
        samples[n > 0] += checkers.slot_places(column, far, abs(n))
    if not all(samples.values()):
        return None
    white, black = (colours.fit(checkers.patches(canvas, samples[white]).reshape(-1, 3)) for white in (True, False))
    return (white, black) if white.mean[0] > black.mean[0] - 2 else None


def best_seating(image: Image, ways: list[tuple[BoardGeometry, float]], position: Position) -> Seating:
    """The way to seat White that fits best; when none fits well, the corners of the best ones are tuned."""
    seats = sorted((seat(image, g, c, position) for g, c in ways), key=lambda s: -s.fit)
    if seats[0].fit > WELL:
        return seats[0]
    tuned = []
    for s in seats[:TUNED]:
        confidence = s.sighting.confidence

        def score(g: BoardGeometry, confidence: float = confidence) -> float:
            return seat(image, g, confidence, position).fit

        geometry, _ = tune(s.sighting.geometry, score, enough=WELL)
        tuned.append(seat(image, geometry, confidence, position))
    return max([seats[0], *tuned], key=lambda s: s.fit)


def check(best: Seating, position: Position) -> None:
    """Raise with the reason when the picture does not show the known position well."""
    if best.fit >= LEAST_FIT and best.wrong <= MOST_WRONG:
        return
    named = {
        "dark": "the board is dark: put on a lamp, or raise the exposure",
        "blurred": "the picture is blurred: focus the camera, hold it still",
        "glare": "glare on the board hides checkers: move the lamp or the camera",
    }
    for problem in problems.of_picture(best.canvas):
        raise CalibrationError(named[problem])
    shares = covered.visible_shares(covered.hand_mask(best.net.hand))
    if best.wrong <= HIDDEN and (shares < 0.7).sum() >= best.wrong / 2:
        raise CalibrationError("the board is partly hidden (a hand?): clear the view and try again")
    what = "the starting position" if position == START else "the position named"
    raise CalibrationError(
        f"not {what}: {best.wrong} of 26 places read otherwise ({differences(best, position)}); set it up, or give "
        "--corners, --home and --white-side"
    )


def differences(best: Seating, position: Position) -> str:
    """The first places that differ, in words."""
    out = []
    for point, want in enumerate(signed_points(position), start=1):
        column, far = point_column(point, best.home)
        got = int(best.net.columns[0 if far else 1, column].argmax()) - 15
        if got != want:
            out.append(f"point {point} holds {want:+d}, seen {got:+d}")
    return "; ".join(out[:3]) + (" …" if len(out) > 3 else "")


def learned(image: Image, best: Seating, position: Position, lens: Lens | None) -> Calibration:
    """Everything measured on the chosen seating."""
    if best.sets is None:
        raise CalibrationError("White's checkers are not lighter than Black's: seat White at the lighter ones")
    white, black = best.sets
    diameter, aspect = sizes(best, expected_spots(best, position))
    g = replace(best.sighting.geometry, aspect=aspect, checker_diameter=diameter, lens=lens)
    rotation, shift = g.pose
    x, y, z = (round(float(v), 6) for v in shift)
    return Calibration(
        schema=SCHEMA,
        image_size=g.size,
        corners=as_corners(g.corners),
        white_side=edge_of(g.corners),
        home=best.home,
        aspect=round(aspect, 4),
        bar=(round(g.bar[0], 4), round(g.bar[1], 4)),
        white=white,
        black=black,
        checker_diameter=round(diameter, 4),
        checker_height=round(diameter * HEIGHT_SHARE, 4),
        lens=lens,
        rotation=tuple(round(float(v), 6) for v in rotation.ravel()),
        translation=(x, y, z),
        confidence=round(float(best.fit * min(1.0, 0.5 + best.sighting.confidence)), 3),
        style=style(best),
        reference=problems.reference_of(image),
    )


def expected_spots(best: Seating, position: Position) -> list[tuple[checkers.Spot, bool]]:
    """Tops seen on points that hold men, with whose they are."""
    want = signed_points(position)
    out = []
    for s in best.net.spots(0.25):
        if not checkers.on_points(s):
            continue
        column, far = checkers.column_of(s)
        n = want[column_point(column, far, best.home) - 1]
        if n:
            out.append((s, n > 0))
    return out


def sizes(best: Seating, spots: list[tuple[checkers.Spot, bool]]) -> tuple[float, float]:
    """Checker diameter in board units and the board's aspect, from the spacing in the columns and the tops' width."""
    columns: dict[tuple[int, bool], list[float]] = {}
    for s, _ in spots:
        if not s.stacked:
            columns.setdefault(checkers.column_of(s), []).append(s.v)
    gaps = [g for vs in columns.values() if len(vs) >= 3 for g in np.diff(sorted(vs)) if 0.5 * PITCH < g < 1.6 * PITCH]
    pitch = best.sighting.geometry.pitch
    diameter = 0.94 * pitch
    if not gaps:
        return diameter, best.sighting.geometry.aspect
    step = float(np.quantile(gaps, 0.35)) / INNER  # touching neighbours, as a share of the board's height
    return diameter, float(np.clip(diameter / step, 0.7, 1.1))


def style(best: Seating) -> dict[str, float | str]:
    """Measured facts about the board, for people."""
    ground = best.canvas[MARGIN + INNER // 2 - 8 : MARGIN + INNER // 2 + 8, int(column_u(1)) : int(column_u(4))]
    b, g, r = (int(v) for v in np.median(ground.reshape(-1, 3), axis=0))
    return {"surface": f"#{r:02x}{g:02x}{b:02x}", "pitch_px": float(PITCH), "fit": round(best.fit, 4)}


def save(calibration: Calibration, path: Path) -> None:
    """Write the JSON atomically: a stop in the middle leaves the old file. Raises InputError when it cannot."""
    data = msgspec.json.format(msgspec.json.encode(calibration), indent=2)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
        with os.fdopen(handle, "wb") as f:
            f.write(data + b"\n")
            f.flush()
            os.fsync(f.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def load(path: Path) -> Calibration:
    """Read a board file; lines starting with // are comments. Raises InputError naming what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); make one with `companion calibrate`") from None
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    try:
        found = msgspec.json.decode(text, type=Calibration)
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: not a board file: {error}; make one with `companion calibrate`") from None
    if found.schema != SCHEMA:
        raise InputError(f"{path}: schema {found.schema} is not known (this version reads {SCHEMA}); calibrate again")
    if found.white_side not in SIDES or found.home not in ("left", "right"):
        raise InputError(f"{path}: white_side must be one of {', '.join(SIDES)} and home left or right")
    return found
