"""`companion bench accuracy`: whole boards read on a generated hold-out no net has seen, with ablations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import click
import cv2
import numpy as np

from companion.bench.rates import rate
from companion.errors import CalibrationError
from companion.read_json import position_of, uncertain
from companion.rules.position import Position
from companion.sim.random_scene import dressed, random_scene
from companion.sim.render import render
from companion.sim.scene import Scene
from companion.sources.base import Image
from companion.vision.calibrate import calibrate
from companion.vision.geometry import edge_of
from companion.vision.read import BoardReader, Switches
from companion.vision.types import BoardObservation, Calibration

SEED = 777_000
"""Hold-out boards are drawn from here; training draws from seeds below 1000."""
LONG_SIDE = 1280
ABLATIONS = {
    "as delivered": Switches(),
    "without learned colours": Switches(colours=False),
    "without conservation": Switches(conservation=False),
    "without the height model": Switches(height=False),
}


@dataclass(frozen=True)
class Shot:
    """One generated picture and what is true of it."""

    image: Image
    position: Position
    corners: np.ndarray  # as White sees them, pixels
    home: str
    hand: bool


def shot(scene: Scene, seed: int) -> Shot:
    """Render at the size of a camera."""
    done = render(scene, seed, LONG_SIDE / max(scene.camera.size))
    corners = np.array(done.truth["board"]["corners_px_TL_TR_BR_BL"])
    home = "right" if done.truth["board"]["light_home"] == "bottom-right" else "left"
    return Shot(done.image, scene.position, corners, home, bool(scene.hands))


def boards(count: int, each: int, seed: int = SEED) -> Iterator[tuple[Shot, list[Shot]]]:
    """`count` boards: the starting position, and `each` others of the same board, camera and light."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        scene = random_scene(rng, start=True, with_hand=False)
        start, others = shot(scene, k), []
        for i in range(each):
            scene = dressed(scene, rng, keep_props=True)
            others.append(shot(scene, k * 100 + i))
        yield start, others


def right(seen: BoardObservation, truth: Position) -> tuple[bool, bool]:
    """(whole board right, said to be sure)."""
    if not seen.board.found:
        return False, False
    position, white, black = position_of(seen)
    whole = position.white[1:] == truth.white[1:] and position.black[1:] == truth.black[1:]
    return whole, not uncertain(seen, (white, black))


def learn(start: Shot, n: Counter[str]) -> Calibration | None:
    """Calibrate by itself, else with the corners given."""
    side = edge_of(start.corners)
    n["boards"] += 1
    try:
        found = calibrate(start.image, white_side=side, home=start.home)
    except CalibrationError:
        found = None
    n["calibrated by itself"] += found is not None
    if found is None:
        try:
            return calibrate(start.image, corners=start.corners, white_side=side, home=start.home)
        except CalibrationError:
            n["never calibrated"] += 1
    return found


def count_frame(name: str, reader: BoardReader, frame: Shot, n: Counter[str]) -> None:
    seen = reader.read(frame.image)
    if frame.hand:
        n[f"{name}: hands"] += 1
        n[f"{name}: hands noticed"] += seen.obstructed
        return
    whole, sure = right(seen, frame.position)
    n[f"{name}: clear"] += 1
    n[f"{name}: covered"] += seen.obstructed
    n[f"{name}: whole"] += whole
    n[f"{name}: sure"] += sure
    n[f"{name}: sure, wrong"] += sure and not whole


def measure(count: int, each: int, ablations: bool, photos: bool, seed: int = SEED) -> Counter[str]:
    """All counts over the hold-out."""
    n: Counter[str] = Counter()
    chosen = ABLATIONS if ablations else {"as delivered": Switches()}
    for start, others in boards(count, each, seed):
        found = learn(start, n)
        readers = {name: BoardReader(found, switches=s) for name, s in chosen.items()} if found else {}
        if photos:
            readers["photo mode"] = BoardReader(white_side=edge_of(start.corners), home=start.home)
        for frame in others:
            for name, reader in readers.items():
                count_frame(name, reader, frame, n)
    return n


def lines(n: Counter[str]) -> list[str]:
    """The printed table."""
    out = [rate("boards calibrated by itself", n["calibrated by itself"], n["boards"])]
    for name in (*ABLATIONS, "photo mode"):
        clear = n[f"{name}: clear"]
        if not clear:
            continue
        out += [
            rate(f"{name}: positions whole", n[f"{name}: whole"], clear),
            rate(f"{name}: said sure", n[f"{name}: sure"], clear),
            rate(f"{name}: said sure, and wrong", n[f"{name}: sure, wrong"], n[f"{name}: sure"]),
            rate(f"{name}: clear called covered", n[f"{name}: covered"], clear),
            rate(f"{name}: hands noticed", n[f"{name}: hands noticed"], n[f"{name}: hands"]),
        ]
    return out


@click.command("accuracy")
@click.option("--boards", "count", default=40, show_default=True, help="Boards of the hold-out.")
@click.option("--each", default=5, show_default=True, help="Positions of every board.")
@click.option("--seed", default=SEED, show_default=True)
@click.option("--ablations/--no-ablations", default=True, show_default=True)
@click.option("--photos/--no-photos", default=True, show_default=True, help="Photo mode too (no calibration).")
@click.option("--json", "as_json", is_flag=True, help="Counts as JSON.")
def command(count: int, each: int, seed: int, ablations: bool, photos: bool, as_json: bool) -> None:
    """Whole boards read on a generated hold-out, with intervals and ablations."""
    cv2.setNumThreads(1)
    n = measure(count, each, ablations, photos, seed)
    click.echo(json.dumps(dict(n)) if as_json else "\n".join(lines(n)))
