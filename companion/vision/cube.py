"""The doubling cube: found by the dice detector, read by a small net at any rotation (`models/cube_value.onnx`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision import dice_detect, dice_state, infer
from companion.vision.dice_detect import Sighting
from companion.vision.geometry import BoardGeometry
from companion.vision.types import CubeObservation

Image = NDArray[np.uint8]
MODEL = "cube_value"
CROP = 48  # pixels
CUBE_PX = 30.0  # the cube's edge in the crop
FACES = (2, 4, 8, 16, 32, 64)
SIZES = (0.028, 0.1)  # edges in board units, generously
RISE = 0.3  # of its edge: the crop's middle lies this far above the cube's middle
MOST = 4  # candidates looked at
TURNS = (0, 1, 2, 3)  # quarter turns the best is read at
OFFERED = 0.3  # a cube is this much rarer on the playing surface
IS_CUBE = 0.5
CENTRE = 0.2  # a cube this share of the board's height around the middle is nobody's


def read_cube(
    image: Image, geometry: BoardGeometry, *, sightings: tuple[Sighting, ...] | None = None
) -> CubeObservation | None:
    """The doubling cube in a BGR picture, None when none is seen."""
    seen = dice_detect.find(image, geometry) if sightings is None else sightings
    found = find_cube(image, geometry, seen)
    return None if found is None else observe(*found, geometry)


def find_cube(
    image: Image, geometry: BoardGeometry, sightings: tuple[Sighting, ...]
) -> tuple[Sighting, NDArray[np.float32]] | None:
    """The likeliest cube among the sightings and the chances of its faces (7, the last: no cube); None = no cube.

    A first look at each candidate drops what is none; the best is then read at several quarter turns.
    """
    found = [s for s in sightings if s.kind == "cube" and _fits(s, geometry)][:MOST]
    if not found:
        return None
    crops = [_crop(image, s, geometry) for s in found]
    looks = _faces(crops)
    likely = [
        s.score * (1 - float(p[6])) * float(p[:6].max()) * _usual(s, geometry)
        for s, p in zip(found, looks, strict=True)
    ]
    best = int(np.argmax(likely))
    views = _faces([np.ascontiguousarray(np.rot90(crops[best], k)) for k in TURNS])
    face = np.exp(np.log(np.maximum(views, 1e-6)).mean(axis=0))
    face = np.asarray(face / face.sum(), np.float32)
    return None if 1 - float(face[6]) < IS_CUBE else (found[best], face)


def _usual(s: Sighting, geometry: BoardGeometry) -> float:
    """How common a cube is there: seldom on the playing surface."""
    return OFFERED if place_of(*dice_state.local(geometry, s.x, s.y, 0.02).xy, geometry) == "offered" else 1.0


def _fits(s: Sighting, geometry: BoardGeometry) -> bool:
    place = dice_state.local(geometry, s.x, s.y, 0.02)
    return SIZES[0] < s.edge_px / place.px_per_unit < SIZES[1]


def _crop(image: Image, s: Sighting, geometry: BoardGeometry) -> Image:
    """The candidate with its upper face in the middle, the surface square."""
    place = dice_state.local(geometry, s.x, s.y, 0.02)
    edge = s.edge_px / place.px_per_unit
    x, y = np.array([s.x, s.y]) + RISE * edge * place.up
    return dice_state.square_crop(image, place, float(x), float(y), CUBE_PX / edge, CROP)


def _faces(crops: list[Image]) -> NDArray[np.float32]:
    """(n, 7) chances of 2 4 8 16 32 64 and of no cube."""
    out = infer.load(MODEL).run(np.ascontiguousarray(dice_state.standard(np.stack(crops))))["out"]
    return infer.softmax(out, 1)


def observe(s: Sighting, face: NDArray[np.float32], geometry: BoardGeometry) -> CubeObservation:
    """What is told of a cube: the value it stands for and whose it is."""
    x, y = dice_state.local(geometry, s.x, s.y, 0.02).xy
    place = place_of(x, y, geometry)
    shown = FACES[int(face[:6].argmax())]
    return CubeObservation(
        value=1 if place == "centre" and shown == 64 else shown,
        place=place,
        x=s.x,
        y=s.y,
        confidence=round(float(face[:6].max()), 4),
        offered_by=offerer(x, geometry) if place == "offered" else None,
    )


def place_of(x: float, y: float, geometry: BoardGeometry) -> str:
    """centre | white | black by the end of the board it lies nearest to; offered = on the playing surface."""
    if geometry.half_of(x, y) is not None and _inside(x, y, geometry):
        return "offered"
    share = y / geometry.aspect - 0.5
    if abs(share) < CENTRE:
        return "centre"
    return "white" if share > 0 else "black"


def _inside(x: float, y: float, geometry: BoardGeometry) -> bool:
    """Clearly on the surface, not leaning out of a rail or the bar."""
    slack = 0.02
    left, right = geometry.bar
    across = slack < x < left - slack or right + slack < x < 1 - slack
    return across and slack < y < geometry.aspect - slack


def offerer(x: float, geometry: BoardGeometry) -> str:
    """The side that offers: the cube is set into the half at the right hand of the doubler."""
    return "white" if geometry.half_of(x, 0.5 * geometry.aspect) == "right" else "black"
