"""Dice of one still picture: found, read, and judged as to how and where they lie.

Two nets do the seeing (`dice_detect`, `dice_state`); the board's geometry says where a die's foot stands. What cannot
be read is `None` with state `unsure`, never a guess: a wrong value costs far more than a refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision import cube as doubling_cube
from companion.vision import dice_detect, dice_state
from companion.vision.dice_detect import USUAL_DIE, Sighting
from companion.vision.dice_state import UNKNOWN_TILT, DieReading, Local
from companion.vision.geometry import BoardGeometry
from companion.vision.types import CubeObservation, DieObservation

Image = NDArray[np.uint8]
SIZES = (0.014, 0.08)  # edges of dice in board units, generously
MOST = 8  # dice looked at in one picture
SURE_VALUE = 0.80  # below: value refused
SURE_PLAIN = 0.90  # the same without a board
IS_DIE = 0.5
WORTH_A_SECOND_LOOK = -1.0  # logit of being a die at first glance
PLAINLY = 1.0  # the same, from which its pips are not looked at for smaller dice
SAME_SIZE = 0.2  # log ratio within which dice are taken to be equally large
NEIGHBOURS, TOUCHING = 10, 1.1  # places looked at around a lone die, and how far off in edges
UNSEEN = 0.35  # the finder's score of what it did not point at
OTHER_SIZE = 0.45  # log ratio from which one of them is no die
TOGETHER = 1.5  # log odds of finder and reader
FLAT = 0.6  # at least: the die lies flat on something
INSIDE = 0.6  # of a cube's edge: a die seen nearer to its middle is the cube
RAIL = 0.09  # board units a rail may reach outwards


@dataclass(frozen=True, slots=True)
class _Candidate:
    sighting: Sighting
    place: Local | None
    edge: float  # board units; pixels without a board


def read_dice(
    image: Image,
    geometry: BoardGeometry | None,
    checkers: Iterable[object] = (),
    *,
    sightings: tuple[Sighting, ...] | None = None,
) -> tuple[DieObservation, ...]:
    """Dice seen in a BGR picture (H, W, 3), most certain first.

    `geometry` None: any photograph of dice; states are then flat or unsure, no board places. `sightings`: what
    `dice_detect.find` said of this picture, if already known. `checkers` is kept for readers with more context.
    """
    seen = dice_detect.find(image, geometry) if sightings is None else sightings
    candidates = _candidates([s for s in seen if s.kind == "die"][: MOST if geometry else None], geometry)
    found = _sure(image, _closer(image, candidates))
    if geometry is not None and len(found) == 1:
        found += _sure(image, _closer(image, _around(found[0][0]), found[0][0]))[:1]
    dice = [_observe(c, r, geometry) for c, r in found]
    return tuple(sorted(dice, key=lambda d: -d.confidence))


def _sure(image: Image, candidates: list[_Candidate]) -> list[tuple[_Candidate, DieReading]]:
    """The candidates that are dice, with what they show."""
    crops, tangents = _crops(image, candidates)
    readings = dice_state.read(crops, tangents, _wide_crops(image, candidates))
    return [(c, r) for c, r in zip(candidates, readings, strict=True) if _is_die(c, r)]


def _around(die: _Candidate) -> list[_Candidate]:
    """Where a second die lies that touches this one: the finder may see such a pair as one thing."""
    turns = np.arange(NEIGHBOURS) * 2 * np.pi / NEIGHBOURS
    s, reach = die.sighting, TOUCHING * die.edge * dice_state.crop_map(die.place, 1.0, 1.0)
    places = [reach @ [np.cos(a), np.sin(a)] for a in turns]
    near = [replace(s, x=s.x + float(dx), y=s.y + float(dy), score=UNSEEN) for dx, dy in places]
    return [replace(die, sighting=n) for n in near]


def read_dice_and_cube(
    image: Image, geometry: BoardGeometry
) -> tuple[tuple[DieObservation, ...], CubeObservation | None]:
    """Both with one search of the picture."""
    seen = dice_detect.find(image, geometry)
    found = doubling_cube.find_cube(image, geometry, seen)
    if found is None:
        return read_dice(image, geometry, sightings=seen), None
    others = tuple(s for s in seen if s.kind != "die" or not _within(s, found[0]))
    return read_dice(image, geometry, sightings=others), doubling_cube.observe(*found, geometry)


def _within(s: Sighting, cube: Sighting) -> bool:
    """Seen in the body of the cube: a face of it, no die of its own."""
    return float(np.hypot(s.x - cube.x, s.y - cube.y)) < INSIDE * cube.edge_px


def _candidates(seen: list[Sighting], geometry: BoardGeometry | None) -> list[_Candidate]:
    if geometry is None:
        return [_Candidate(s, None, s.edge_px) for s in seen]
    places = [dice_state.local(geometry, s.x, s.y, USUAL_DIE / 2) for s in seen]
    edges = [s.edge_px / p.px_per_unit for s, p in zip(seen, places, strict=True)]
    kept = [i for i, e in enumerate(edges) if SIZES[0] < e < SIZES[1]]
    return [_Candidate(seen[i], places[i], edges[i]) for i in kept]


def _common_edge(edges: list[tuple[float, float]]) -> float:
    """The size most dice in view have: weighted median of the likely ones."""
    if not edges:
        return USUAL_DIE
    ordered = sorted(edges)
    weights = np.cumsum([score**2 for _, score in ordered])
    return ordered[int(np.searchsorted(weights, weights[-1] / 2))][0]


def _closer(image: Image, candidates: list[_Candidate], known: _Candidate | None = None) -> list[_Candidate]:
    """A first glance: drops what is no die, centres the rest, and sees two sightings of one die as one.

    `known`: a die already read, not to be seen again.
    """
    glances = dice_state.glance(*_crops(image, candidates))
    worth = [(c, g) for c, g in zip(candidates, glances, strict=True) if g[0] > WORTH_A_SECOND_LOOK]
    seen = [(float(g[0]), _moved(c, g)) for c, g in worth]
    whole = [c for logit, c in seen if logit > PLAINLY]
    kept: list[_Candidate] = []
    for _, c in sorted(seen, key=lambda pair: -pair[0]):
        if any(_pip_of(c.sighting, w.sighting) for w in whole):
            continue
        others = kept if known is None else [*kept, known]
        if all(_apart(c.sighting, k.sighting) for k in others):
            kept.append(c)
    return _sized(kept)


def _sized(kept: list[_Candidate]) -> list[_Candidate]:
    """Dice of one throw are equally large: sizes far off are no dice (a board's dice alone), the rest share one."""
    usual = _common_edge([(c.edge, c.sighting.score) for c in kept])
    off = [abs(float(np.log(c.edge / usual))) for c in kept]
    alike = [replace(c, edge=usual) if o < SAME_SIZE else c for c, o in zip(kept, off, strict=True)]
    return [c for c, o in zip(alike, off, strict=True) if c.place is None or o < OTHER_SIZE]


def _moved(c: _Candidate, glance: NDArray[np.float32]) -> _Candidate:
    """The candidate where the net sees its middle, at the size it sees."""
    dx, dy = dice_state.crop_map(c.place, c.edge) @ np.clip(glance[1:3], -12, 12)
    grown = float(np.exp(np.clip(glance[3], -0.5, 0.5)))
    s = replace(c.sighting, x=c.sighting.x + float(dx), y=c.sighting.y + float(dy), edge_px=c.sighting.edge_px * grown)
    return replace(c, sighting=s, edge=c.edge * grown)


def _apart(a: Sighting, b: Sighting) -> bool:
    return float(np.hypot(a.x - b.x, a.y - b.y)) > 0.6 * min(a.edge_px, b.edge_px)


def _pip_of(a: Sighting, die: Sighting) -> bool:
    """`a` is much smaller than the die it is seen on: a pip or two of it."""
    return die.edge_px > 1.7 * a.edge_px and float(np.hypot(a.x - die.x, a.y - die.y)) < 0.8 * die.edge_px


def _crops(image: Image, candidates: list[_Candidate]) -> tuple[list[Image], list[float]]:
    crops, tangents = [], []
    for c in candidates:
        s = c.sighting
        if c.place is None:
            crops.append(dice_state.plain_crop(image, s.x, s.y, s.edge_px))
            tangents.append(UNKNOWN_TILT)
        else:
            crops.append(dice_state.square_crop(image, c.place, s.x, s.y, dice_state.DIE_PX / c.edge))
            tangents.append(c.place.tangent)
    return crops, tangents


def _wide_crops(image: Image, candidates: list[_Candidate]) -> list[Image]:
    """Coarse crops that show what the dice lie on; none without a board."""
    size, px = dice_state.WIDE, dice_state.WIDE_PX
    return [
        dice_state.square_crop(image, c.place, c.sighting.x, c.sighting.y, px / c.edge, size)
        for c in candidates
        if c.place is not None
    ]


def _is_die(candidate: _Candidate, reading: DieReading) -> bool:
    """Finder and reader together: log odds of the reader plus twice those of the finder."""
    odds = _log_odds(reading.die) + 2 * _log_odds(candidate.sighting.score)
    return reading.die > IS_DIE and odds > TOGETHER


def _log_odds(p: float) -> float:
    p = min(max(p, 1e-6), 1 - 1e-6)
    return float(np.log(p / (1 - p)))


def _observe(candidate: _Candidate, reading: DieReading, geometry: BoardGeometry | None) -> DieObservation:
    s, place = candidate.sighting, candidate.place
    best = int(reading.values.argmax())
    sure = float(reading.values[best])
    value = best + 1 if sure >= (SURE_VALUE if place else SURE_PLAIN) else None
    state = (
        _plain_state(reading) if geometry is None or place is None else _state(reading, place, candidate.edge, geometry)
    )
    if value is None and state == "flat":
        state = "unsure"
    return DieObservation(
        x=s.x,
        y=s.y,
        value=value,
        state=state,
        half=geometry.half_of(*place.xy) if geometry and place else None,
        tilt_deg=round(reading.tilt_deg, 1),
        confidence=round(float(min(1.0, reading.die * (sure if value else 1 - sure))), 4),
        edge_px=s.edge_px,
        board_xy=place.xy if place else None,
        values=tuple(float(v) for v in reading.values),
    )


def _plain_state(reading: DieReading) -> str:
    return "flat" if reading.states[1] < 0.5 else "cocked"


def _state(reading: DieReading, place: Local, edge: float, geometry: BoardGeometry) -> str:
    """The net says how it lies, the geometry where; a place off the surface outweighs the look."""
    zone = _zone(place.xy, edge, geometry, float(reading.states[3]))
    if zone is not None:
        return zone
    if float(reading.states[0]) >= FLAT:
        return "flat"
    return dice_state.STATES[1 + int(reading.states[1:].argmax())]


def _zone(xy: tuple[float, float], edge: float, geometry: BoardGeometry, raised: float) -> str | None:
    """on_bar (bar or rail) | off_board | None = on the playing surface. `raised`: the net's chance of lying on wood."""
    x, y = xy
    left, right = geometry.bar
    if right > left and left < x < right and 0 < y < geometry.aspect:
        return "on_bar"
    outside = max(-x, x - 1, -y, y - geometry.aspect)
    if outside > 0.25 * edge:
        return "on_bar" if outside < RAIL and raised > 0.5 else "off_board"
    near_wood = outside > -1.5 * edge or left - edge < x < right + edge
    return "on_bar" if near_wood and raised > 0.6 else None
