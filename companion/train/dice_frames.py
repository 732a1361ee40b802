"""Training samples from whole frames of the simulated table: true dice, and what the detector takes for dice wrongly.

    python -m companion.train.dice_frames CROPS_DIR WINDOWS_DIR CUBES_DIR PLACES_DIR --frames 600 --seed 41

Crops are cut exactly as the reader cuts them, with the board slightly misplaced; the detector in models/ looks for
negatives (corners of boards, checkers, cups, print, hands).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from companion.sim.random_scene import dressed, random_scene
from companion.sim.render import render
from companion.train.dice_data import CUBES, PLACES, STATES, WINDOW, Shards
from companion.train.dice_throws import thrown
from companion.vision import cube, dice_detect, dice_state
from companion.vision.geometry import BoardGeometry
from companion.vision.types import Lens

UNKNOWN = np.full(2, np.nan, np.float32)
EACH = 14  # frames of one board


def geometry_of(t: dict, rng=None) -> BoardGeometry:
    """The board of a truth record (shared scene format); with `rng` misplaced as a calibration would misplace it."""
    cm, c = t["board"]["cm"], t["camera"]
    width = 12 * cm["pitch"] + cm["barw"]
    k = c["K"]
    corners = np.array(t["board"]["corners_px_TL_TR_BR_BL"], float)
    focal = 1.0
    if rng is not None:
        corners = corners + rng.normal(0, 0.0025, (4, 2)) * np.ptp(corners)
        focal = float(np.exp(rng.normal(0, 0.04)))
    return BoardGeometry(
        corners=corners,
        size=tuple(t["image_size"]),
        home="right" if t["board"]["light_home"] == "bottom-right" else "left",
        aspect=cm["H"] / width,
        bar=(6 * cm["pitch"] / width, 1 - 6 * cm["pitch"] / width),
        checker_diameter=cm["D"] / width,
        checker_height=cm["th"] / width,
        lens=Lens(fx=k[0][0] * focal, fy=k[1][1] * focal, cx=k[0][2], cy=k[1][2], distortion=tuple(c["dist"])),
    )


def state_of(d: dict) -> str:
    """A truth die's state in the words of dice_data.STATES ("off_board" lies flat, elsewhere)."""
    if d["detail"] == "on_die":
        return "stacked"
    return {"on_bar_or_rail": "on_bar", "off_board": "flat"}.get(d["cls"], d["cls"])


def crop_at(rng, image, geometry, x, y, edge_px, *, rectified: bool):
    """The reader's crop around a place, a little off as the detector is."""
    x, y = np.array([x, y]) + rng.normal(0, 0.05, 2) * edge_px
    edge_px = edge_px * float(np.exp(rng.normal(0, 0.07)))
    if not rectified:
        return dice_state.plain_crop(image, x, y, edge_px), dice_state.UNKNOWN_TILT
    place = dice_state.local(geometry, x, y, dice_detect.USUAL_DIE / 2)
    scale = dice_state.DIE_PX * place.px_per_unit / edge_px
    return dice_state.square_crop(image, place, x, y, scale), place.tangent


def leaning(d: dict, place: dice_state.Local) -> np.ndarray:
    """Which way the face most up leans in the rectified crop (x, y): sine of the tilt."""
    w, x, y, z = d["quat_wxyz"]
    rows = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    k = int(np.abs(rows[2]).argmax())
    normal = rows[:, k] * np.sign(rows[2, k])
    turn = np.linalg.inv(place.jacobian) @ dice_state.crop_map(place, 1.0, 1.0)
    return np.asarray(np.linalg.solve(turn, [normal[0], -normal[1]]), np.float32)


def add_crops(rng, shards: Shards, image, t: dict, geometry, found) -> None:
    """Each die twice, and up to four false sightings."""
    dice = [d for d in t["dice"] if d["in_frame"] and d["visible"] > 0.4 and d["cls"] != "moving"]
    for d in dice:
        x, y = np.mean(d["hull_px"], axis=0)
        for _ in range(2):
            rectified = bool(rng.random() < 0.85)
            crop, tan = crop_at(rng, image, geometry, x, y, d["edge_px"], rectified=rectified)
            place = dice_state.local(geometry, x, y, dice_detect.USUAL_DIE / 2)
            shards.add(
                image=crop, value=d["value"], state=STATES.index(state_of(d)), tilt=float(d["tilt"]), tan=tan,
                px=float(d["edge_px"]), visible=float(d["visible"]), lean=leaning(d, place) if rectified else UNKNOWN,
            )  # fmt: skip
    false = [s for s in found if s.kind == "die" and not any(_near(s, d["px"], d["edge_px"]) for d in t["dice"])]
    for s in false[:4]:
        crop, tan = crop_at(rng, image, geometry, s.x, s.y, s.edge_px, rectified=rng.random() < 0.85)
        none = STATES.index("none")
        shards.add(image=crop, value=0, state=none, tilt=0.0, tan=tan, px=float(s.edge_px), visible=0.0, lean=UNKNOWN)


def add_places(rng, shards: Shards, image, t: dict, geometry) -> None:
    """Each level die with what it lies on, as the wide look sees it."""
    for d in t["dice"]:
        if not d["in_frame"] or d["visible"] < 0.5 or state_of(d) not in PLACES:
            continue
        x, y = np.mean(d["hull_px"], axis=0) + rng.normal(0, 0.08, 2) * d["edge_px"]
        place = dice_state.local(geometry, x, y, dice_detect.USUAL_DIE / 2)
        scale = dice_state.WIDE_PX * place.px_per_unit / d["edge_px"] * float(np.exp(rng.normal(0, 0.1)))
        crop = dice_state.square_crop(image, place, x, y, scale, dice_state.WIDE)
        shards.add(image=crop, label=PLACES.index(state_of(d)), tan=float(place.tangent))


def _near(s, px, edge_px) -> bool:
    return bool(np.hypot(s.x - px[0], s.y - px[1]) < 0.8 * edge_px)


def add_windows(rng, shards: Shards, image, t: dict, geometry) -> None:
    """Six windows of the frame as the detector sees it, at a chance size; half of them around things."""
    scale = dice_detect.EDGE / dice_detect.usual_edge_px(geometry) * float(np.exp(rng.normal(0, 0.2)))
    h, w = (max(round(v * scale), WINDOW) for v in image.shape[:2])
    small = cv2.resize(image, (w, h), interpolation=cv2.INTER_AREA)
    fx, fy = w / image.shape[1], h / image.shape[0]
    things = [(1, *np.mean(d["hull_px"], axis=0), d["edge_px"], d["visible"], d["in_frame"]) for d in t["dice"]]
    if t["cube"]:
        q = np.array(t["cube"]["quad_px"])
        edge = float(np.linalg.norm(q - np.roll(q, 1, axis=0), axis=1).max())
        c = t["cube"]
        place = dice_state.local(geometry, *q.mean(axis=0), 0.04)
        middle = q.mean(axis=0) - 0.5 * edge / place.px_per_unit * place.up
        things.append((2, *middle, edge, c["visible_top"], c["in_frame"]))
    x_lo, y_lo, x_hi, y_hi = dice_detect.roi(image, geometry)
    for k in range(6):
        near = (
            things[int(rng.integers(len(things)))]
            if things and k % 2 == 0
            else (0, rng.uniform(x_lo, x_hi), rng.uniform(y_lo, y_hi))
        )
        x0 = int(np.clip(near[1] * fx - rng.uniform(20, WINDOW - 20), 0, w - WINDOW))
        y0 = int(np.clip(near[2] * fy - rng.uniform(20, WINDOW - 20), 0, h - WINDOW))
        boxes = np.zeros((12, 4), np.float32)
        inside = [
            (kind, (x + 0.5) * fx - 0.5 - x0, (y + 0.5) * fy - 0.5 - y0, e * fx, v)
            for kind, x, y, e, v, ok in things
            if ok
        ]
        inside = [b for b in inside if -5 < b[1] < WINDOW + 5 and -5 < b[2] < WINDOW + 5]
        for i, (kind, x, y, e, v) in enumerate(inside[:12]):
            boxes[i] = (kind if v > 0.35 else 3, x, y, e)
        shards.add(image=small[y0 : y0 + WINDOW, x0 : x0 + WINDOW], things=boxes)


def add_cubes(rng, shards: Shards, image, t: dict, geometry, found) -> None:
    """The cube twice, and up to three false sightings."""
    c = t["cube"]
    rows = []
    if c and c["in_frame"] and c["visible_top"] > 0.7 and c["face"] in CUBES:
        q = np.array(c["quad_px"])
        edge = float(np.linalg.norm(q - np.roll(q, 1, axis=0), axis=1).mean())
        rows = [(CUBES.index(c["face"]), *q.mean(axis=0), edge)] * 2
    false = [s for s in found if s.kind == "cube" and not (c and _near(s, c["top_px"], s.edge_px))]
    rows += [(6, s.x, s.y, s.edge_px) for s in false[:3]]
    for label, x, y, edge in rows:
        place = dice_state.local(geometry, x, y, 0.02)
        x, y = (
            np.array([x, y])
            - (0.2 if label < 6 else -0.3) * edge / place.px_per_unit * place.up
            + rng.normal(0, 0.06, 2) * edge
        )
        scale = cube.CUBE_PX * place.px_per_unit / edge * float(np.exp(rng.normal(0, 0.09)))
        shards.add(image=dice_state.square_crop(image, place, x, y, scale, cube.CROP), label=label, px=float(edge))


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("crops", type=Path)
    ap.add_argument("windows", type=Path)
    ap.add_argument("cubes", type=Path)
    ap.add_argument("places", type=Path)
    ap.add_argument("--frames", type=int, default=600)
    ap.add_argument("--seed", type=int, default=41)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    rng = np.random.default_rng(a.seed)
    folders = ((a.crops, 500), (a.windows, 200), (a.cubes, 200), (a.places, 200))
    crops, windows, cubes, places = (Shards(p, a.seed, size) for p, size in folders)
    scene = None
    for i in range(a.frames):
        if i % EACH == 0:
            size = [(1280, 960), (1640, 1232), (1280, 720), (1640, 1232)][int(rng.integers(4))]
            scene = random_scene(rng, image_size=size, with_dice=True, with_cube=True, faults=0.5, fill=(0.75, 0.99))
        else:
            scene = dressed(scene, rng, with_dice=True, with_cube=bool(rng.random() < 0.9), faults=0.5, keep_props=True)
        if rng.random() < 0.8:
            scene = thrown(scene, rng)
        shot = render(scene, int(rng.integers(1 << 30)))
        t, geometry = shot.truth, geometry_of(shot.truth, rng)
        found = dice_detect.find(shot.image, geometry)
        add_crops(rng, crops, shot.image, t, geometry, found)
        add_windows(rng, windows, shot.image, t, geometry)
        add_cubes(rng, cubes, shot.image, t, geometry, found)
        add_places(rng, places, shot.image, t, geometry)
    for s in (crops, windows, cubes, places):
        s.flush()


if __name__ == "__main__":
    main()
