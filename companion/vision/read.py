"""Reading a board: picture -> BoardObservation (without dice and cube; `companion.vision.observe` adds those)."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.rules.position import CHECKERS
from companion.sources.base import Image
from companion.vision import checkers, covered, decode, find, problems
from companion.vision.geometry import (
    USUAL_ASPECT,
    BoardGeometry,
    as_corners,
    canonical_corners,
    edge_of,
    image_order,
)
from companion.vision.rectify import Rectifier
from companion.vision.types import BoardObservation, BoardView, Calibration, ColourModel, CountReading

Array = NDArray[np.float64]
PLAIN, PLAIN_MEN = 0.95, 12
"""Mean clearness of the columns, and men on the points, from which a calibrated board surely lies where it lay."""
LOOK_EVERY = 8
"""Readings after which a calibrated board is looked for again though it reads plainly."""
CLEARLY = 0.5
"""A second guess with less than this share of the best one's confidence is not looked at."""
TRUSTED = 0.03
"""Corners given by hand are moved at most by this share of the board's diagonal."""


@dataclass(frozen=True)
class Switches:
    """Parts that can be turned off, for the ablations of the benchmark."""

    colours: bool = True
    conservation: bool = True
    height: bool = True


@dataclass(frozen=True)
class Sighting:
    """A board located in a picture: its geometry and how sure that is."""

    geometry: BoardGeometry
    confidence: float
    moved: bool = False


@dataclass(frozen=True)
class Reading:
    """Everything read from one picture: the observation and what it rests on (for dice, overlay, calibration)."""

    observation: BoardObservation
    geometry: BoardGeometry | None = None
    canvas: Image | None = None
    net: checkers.CanvasReading | None = None
    sets: tuple[ColourModel, ColourModel] | None = None


def locate(
    image: Image, corners: ArrayLike | None = None, white_side: str | None = None, home: str | None = None
) -> Sighting | None:
    """The board in a picture, with corners refined; what is not given is found or guessed. None = no board."""
    if corners is not None:
        places = given_places(image, image_order(corners))
    else:
        places = find.find_boards(image)
    seen = [sighting_of(image, f, white_side, home) for f in places]
    if not seen:
        return None
    return clearest(image, [s for s in seen if s.confidence > CLEARLY * seen[0].confidence])


def clearest(image: Image, seen: list[Sighting]) -> Sighting:
    """The place that reads most clearly."""
    if len(seen) == 1:
        return seen[0]
    return max(seen, key=lambda s: s.confidence * legibility(image, s.geometry))


def given_places(image: Image, corners: Array) -> list[find.FoundBoard]:
    """Corners given by hand: as refined, and as given. What reads better is taken."""
    refined = refine_given(image, corners)
    if np.allclose(refined.corners, corners):
        return [refined]
    return [refined, replace(refined, corners=corners)]


def sighting_of(image: Image, found: find.FoundBoard, white_side: str | None, home: str | None) -> Sighting:
    """A found board with White seated."""
    canonical = canonical_corners(found.corners, white_side or default_seat(found))
    size = (image.shape[1], image.shape[0])
    return Sighting(BoardGeometry(canonical, size, home or "right", USUAL_ASPECT, found.bar), found.confidence)


def legibility(image: Image, geometry: BoardGeometry) -> float:
    """How clearly a board reads at this place, 0 … 1: wrong corners blur the counts, lose men, or see too many."""
    columns = checkers.read_canvas(Rectifier(geometry).apply(image)).columns
    clear = float(np.exp(3 * np.log(columns.max(axis=-1)).mean()))
    counts = columns.argmax(axis=-1) - 15
    sides = (int(counts[counts > 0].sum()), -int(counts[counts < 0].sum()))
    extra = sum(max(0, n - CHECKERS) for n in sides)
    return clear * (0.4 + 0.6 * min(1.0, sum(sides) / (2 * CHECKERS))) / (1 + 0.15 * extra)


def default_seat(found: find.FoundBoard) -> str:
    """White's side when nobody said: the nearer edge of the picture, else the left one."""
    seats = found.seats()
    return next((s for s in ("bottom", "left") if s in seats), seats[0])


def refine_given(image: Image, corners: Array) -> find.FoundBoard:
    """Corners given by hand drawn to what the picture shows, within reason."""
    small, s = find.shrink_for(image, 900)
    found = find.inspect(small, corners * s)
    moved = found.corners / s
    diagonal = max(np.linalg.norm(corners[0] - corners[2]), np.linalg.norm(corners[1] - corners[3]))
    if np.linalg.norm(moved - corners, axis=1).max() <= TRUSTED * diagonal and found.confidence > 0.2:
        return replace(found, corners=moved)
    return replace(found, corners=corners, confidence=min(found.confidence, 0.5))


class BoardReader:
    """Reads frames of one board (with a calibration) or single photographs (without).

    Without a calibration every picture is located anew; `corners`, `white_side`, `home` may be given. With one,
    `register` looks now and then whether the board still lies where it was.
    """

    def __init__(
        self,
        calibration: Calibration | None = None,
        *,
        corners: ArrayLike | None = None,
        white_side: str | None = None,
        home: str | None = None,
        switches: Switches | None = None,
        register: bool = True,
    ) -> None:
        self.calibration = calibration
        self.switches = switches or Switches()
        self.register = register
        self._since_look = 0
        self._hints = (corners, white_side, home)
        self._rectifiers: dict[tuple[int, int], Rectifier] = {}

    def read(self, image: Image, seq: int = 0, t: float = 0.0) -> BoardObservation:
        """The board in this picture (BGR): counts, bar, hands, problems. Dice and cube are left out."""
        return self.study(image, seq, t).observation

    def study(self, image: Image, seq: int = 0, t: float = 0.0) -> Reading:
        """As `read`, with what it rests on."""
        began = time.perf_counter()
        size = (image.shape[1], image.shape[0])
        sighting = self._sight(image)
        reading = self._read_at(image, sighting, seq, t) if sighting else None
        if reading is not None and sighting is not None:
            reading = self._followed(image, reading, sighting)
        if reading is None:
            nothing = BoardObservation(seq=seq, t=t, size=size, board=BoardView(found=False), problems=("no_board",))
            return Reading(nothing)
        timing = {"board": round((time.perf_counter() - began) * 1000, 2)}
        return replace(reading, observation=_with_timing(reading.observation, timing))

    def _sight(self, image: Image) -> Sighting | None:
        cal = self.calibration
        if cal is None:
            return locate(image, *self._hints)
        return Sighting(scaled_geometry(cal, (image.shape[1], image.shape[0])), cal.confidence)

    def _followed(self, image: Image, first: Reading, sighting: Sighting) -> Reading | None:
        """A calibrated board is looked for at first, now and then, and when it does not read plainly.

        None = gone; another reading when it was bumped.
        """
        if not self.register or self.calibration is None:
            return first
        self._since_look = (self._since_look + 1) % LOOK_EVERY
        if self._since_look != 1 and plain(first):
            return first
        now = self._registered(image, sighting.geometry, sighting.confidence)
        if now is None:
            return None
        return self._read_at(image, now, first.observation.seq, first.observation.t) if now.moved else first

    def _registered(self, image: Image, geometry: BoardGeometry, confidence: float) -> Sighting | None:
        """The calibrated board where it lies now: bumped boards are followed, and told; None = it is gone."""
        now = find.register(image, geometry.corners)
        if now.shift is None and now.surface < problems.LIMITS.gone:
            return None
        if now.shift is None or now.shift <= problems.LIMITS.moved:
            return Sighting(geometry, confidence)
        there = replace(geometry, corners=now.corners)
        if legibility(image, there) < legibility(image, geometry):
            return Sighting(geometry, confidence)
        return Sighting(there, confidence, moved=True)

    def _rectifier(self, geometry: BoardGeometry, moved: bool = False) -> Rectifier:
        z = geometry.checker_height if self.calibration is not None and self.switches.height else 0.0
        if self.calibration is None or moved:
            return Rectifier(geometry, z)
        if geometry.size not in self._rectifiers:
            self._rectifiers[geometry.size] = Rectifier(geometry, z)
        return self._rectifiers[geometry.size]

    def _read_at(self, image: Image, sighting: Sighting, seq: int, t: float) -> Reading:
        geometry, cal = sighting.geometry, self.calibration
        canvas = self._rectifier(geometry, sighting.moved).apply(image)
        net, sets = self._net(canvas)
        mask = covered.hand_mask(net.hand)
        seen = covered.visible_shares(mask)
        decoded = decode.decode(net.columns, net.bar, geometry.home, seen, conserve=self.switches.conservation)
        troubles = problems.of_picture(canvas)
        if float(mask.mean()) > problems.LIMITS.blocked:
            troubles.append("blocked")
        if sighting.moved:
            troubles.append("moved")
        view = BoardView(
            found=True,
            corners=as_corners(geometry.corners),
            white_side=cal.white_side if cal else edge_of(geometry.corners),
            home=geometry.home,
            confidence=round(sighting.confidence, 3),
        )
        observation = BoardObservation(
            seq=seq,
            t=t,
            size=geometry.size,
            board=view,
            points=decoded.points,
            bar=decoded.bar,
            obstructed=bool(mask.any()),
            problems=tuple(troubles),
        )
        return Reading(observation, geometry, canvas, net, sets)

    def _net(self, canvas: Image) -> tuple[checkers.CanvasReading, tuple[ColourModel, ColourModel] | None]:
        cal = self.calibration
        if not self.switches.colours:
            return checkers.read_canvas(canvas, turns=checkers.TWICE), None
        if cal is None:
            return checkers.read_by_itself(canvas)
        return checkers.read_canvas(canvas, cal.white, cal.black, checkers.TWICE), (cal.white, cal.black)


def plain(reading: Reading) -> bool:
    """Nothing about this reading asks whether the board still lies where it was."""
    if reading.net is None or reading.observation.problems:
        return False
    men = sum(abs(c.value) for c in reading.observation.points)
    return float(reading.net.columns.max(axis=-1).mean()) > PLAIN and men >= PLAIN_MEN


def _with_timing(observation: BoardObservation, timing: dict[str, float]) -> BoardObservation:
    from msgspec.structs import replace as struct_replace

    return struct_replace(observation, timing_ms=timing)


def scaled_geometry(calibration: Calibration, size: tuple[int, int]) -> BoardGeometry:
    """The calibration's geometry for a picture of another size of the same view."""
    geometry = BoardGeometry.of(calibration)
    if size == calibration.image_size:
        return geometry
    k = np.array(size, float) / np.array(calibration.image_size, float)
    lens = calibration.lens
    if lens is not None:
        from msgspec.structs import replace as struct_replace

        lens = struct_replace(lens, fx=lens.fx * k[0], fy=lens.fy * k[1], cx=lens.cx * k[0], cy=lens.cy * k[1])
    return replace(geometry, corners=geometry.corners * k, size=size, lens=lens)


def doubts(observation: BoardObservation) -> list[tuple[str, CountReading]]:
    """Everything that is not sure: ("white 13" | "black bar" …, reading). Points in the owner's own numbering."""
    out = []
    for i, c in enumerate(observation.points):
        if c.why:
            out.append((f"black {24 - i}" if c.value < 0 else f"white {i + 1}", c))
    for name, c in zip(("white bar", "black bar"), observation.bar or (), strict=False):
        if c.why:
            out.append((name, c))
    return out


def confidence(observation: BoardObservation) -> float:
    """Probability that the whole board is read right, taking the regions as independent."""
    if not observation.board.found:
        return 0.0
    parts = [c.confidence for c in (*observation.points, *(observation.bar or ()))]
    return float(np.prod(parts)) if parts else 0.0


def load_picture(path: str) -> Image | None:
    """A picture from a file as BGR, or None when it is none."""
    data = cv2.imread(path, cv2.IMREAD_COLOR)
    return None if data is None else np.asarray(data, np.uint8)
