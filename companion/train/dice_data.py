"""Training sets for dice and cube, in shards: crops for the state/value net, windows for the detector, cube crops.

python -m companion.train.dice_data crops POSES.pkl OUTDIR --count 60000 --seed 1
python -m companion.train.dice_data windows POSES.pkl OUTDIR --count 6000 --seed 2
python -m companion.train.dice_data cubes OUTDIR --count 20000 --seed 3     (POSES not needed)
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path

import cv2
import numpy as np

from companion.train.dice_looks import camera
from companion.train.dice_physics import RestScene
from companion.train.dice_scenes import compose, normal_crop, sample

OUT = 64  # crop edge, pixels
DIE_PX = 22.0  # a die's edge in the crop
CUBE_PX = 30.0
STATES = ("flat", "cocked", "on_checker", "on_bar", "stacked", "none")
SHARD = 1000


class Shards:
    """Collects samples and writes them `SHARD` at a time."""

    def __init__(self, folder: Path, seed: int, size: int = SHARD):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.seed, self.size, self.rows, self.done = folder, seed, size, [], 0

    def add(self, **row) -> None:
        self.rows.append(row)
        if len(self.rows) == self.size:
            self.flush()

    def flush(self) -> None:
        if self.rows:
            np.savez(
                self.folder / f"s{self.seed:03d}_{self.done:04d}.npz",
                **{k: np.stack([r[k] for r in self.rows]) for k in self.rows[0]},
            )
            self.done += 1
            self.rows = []

    @property
    def count(self) -> int:
        return self.done * self.size + len(self.rows)


def die_crop(rng, image, centre, jac, up, edge, edge_px, theta, rectified: bool):
    """A jittered crop as the reader makes it, and the tangent of the view's tilt it is told (-0.5 = unknown)."""
    centre = centre + rng.normal(0, 0.05, 2) * edge_px
    scale = DIE_PX * float(np.exp(rng.normal(0, 0.07)))
    if not rectified:
        # A photograph is mostly taken upright: the visible sides hang below the top face.
        a = np.arctan2(up[0], -up[1]) + rng.normal(0, 0.35) if rng.random() < 0.7 else rng.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        return sample(image, turn * edge_px / scale, centre, OUT), -0.5
    jac = jac * np.exp(rng.normal(0, 0.015, (2, 2)))
    crop = normal_crop(image, centre, jac, up, scale / edge, OUT, float(rng.normal(0, 0.04)))
    return crop, float(np.tan(theta) * np.exp(rng.normal(0, 0.05)))


def crops(scenes, out: Path, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shards = Shards(out, seed)
    while shards.count < count:
        edge_px = float(np.exp(rng.uniform(np.log(10.0), np.log(44.0))))
        n = int(5.0 * edge_px)
        light, things = compose(
            rng, scenes[int(rng.integers(len(scenes)))], edge_px, (n, n), plain=rng.random() < 0.15, clutter=0.25
        )
        for _ in range(4):
            image = camera(rng, light, edge_px, 0.45)
            for t in things:
                inside = (t.centre > 1.1 * edge_px).all() and (t.centre < n - 1.1 * edge_px).all()
                if t.kind == "die" and inside and t.visible > 0.4:
                    crop, tan = die_crop(
                        rng, image, t.centre, t.jac, t.up, t.edge, t.edge_px, t.theta, rng.random() < 0.75
                    )
                    shards.add(
                        image=crop,
                        value=t.value,
                        state=STATES.index(t.state),
                        tilt=t.tilt,
                        tan=tan,
                        px=t.edge_px,
                        visible=t.visible,
                    )
        if rng.random() < 0.5 and things:
            add_negative(rng, shards, image, things, edge_px, n)
    shards.flush()


def add_negative(rng, shards, image, things, edge_px, n) -> None:
    """A crop where no die's centre is: a cube, a checker, print, the edge of a die."""
    t = things[int(rng.integers(len(things)))]
    cubes = [x for x in things if x.kind == "cube"]
    if cubes and rng.random() < 0.7:
        t = cubes[0]
        centre, edge_px = t.centre + rng.normal(0, 0.15, 2) * edge_px, t.edge_px * float(rng.uniform(0.5, 1.1))
    else:
        centre = rng.uniform(0.8 * edge_px, n - 0.8 * edge_px, 2)
        edge_px = edge_px * float(np.exp(rng.normal(0, 0.3)))
        if any(np.linalg.norm(centre - x.centre) < 0.75 * x.edge_px for x in things):
            return
    crop, tan = die_crop(
        rng, image, centre, t.jac * 1.0, t.up, t.edge * edge_px / t.edge_px, edge_px, t.theta, rng.random() < 0.75
    )
    shards.add(image=crop, value=0, state=STATES.index("none"), tilt=0.0, tan=tan, px=edge_px, visible=0.0)


PLACES = ("flat", "on_checker", "on_bar")
PLACE_OUT, PLACE_PX = 32, 5.5


def places(scenes, out: Path, count: int, seed: int) -> None:
    """Wide, coarse crops around level dice: does it lie on the surface, on a checker, on wood?"""
    rng = np.random.default_rng(seed)
    shards = Shards(out, seed)
    by_state = {s: [(i, k) for i, x in enumerate(scenes) for k, d in enumerate(x.dice) if d.state == s] for s in PLACES}
    while shards.count < count:
        state = PLACES[int(rng.choice(3, p=[0.48, 0.36, 0.16]))]
        i, k = by_state[state][int(rng.integers(len(by_state[state])))]
        edge_px = float(rng.uniform(6.0, 11.0))
        n = int(7.5 * edge_px)
        light, things = compose(rng, scenes[i], edge_px, (n, n), target=k, clutter=0.1)
        for _ in range(2):
            image = camera(rng, light, 2.5 * edge_px, 0.25)
            for t in things:
                inside = (t.centre > 2.2 * edge_px).all() and (t.centre < n - 2.2 * edge_px).all()
                if t.kind == "die" and inside and t.state in PLACES and t.visible > 0.5:
                    jac = t.jac * np.exp(rng.normal(0, 0.02, (2, 2)))
                    scale = PLACE_PX / t.edge * float(np.exp(rng.normal(0, 0.1)))
                    centre = t.centre + rng.normal(0, 0.08, 2) * edge_px
                    crop = normal_crop(image, centre, jac, t.up, scale, PLACE_OUT)
                    shards.add(image=crop, label=PLACES.index(t.state), tan=float(np.tan(t.theta)))
    shards.flush()


WINDOW = 160


def windows(scenes, out: Path, count: int, seed: int) -> None:
    """Detector windows; up to 12 things each: kind (1 die, 2 cube, 3 ignore), x, y, edge."""
    rng = np.random.default_rng(seed)
    shards = Shards(out, seed)
    while shards.count < count:
        edge_px = float(np.exp(rng.uniform(np.log(7.5), np.log(20.0))))
        finer = 1.6 if rng.random() < 0.25 else 1.0
        n = int(WINDOW * finer)
        rest = scenes[int(rng.integers(len(scenes)))]
        light, things = compose(rng, rest, edge_px * finer, (n, n), plain=rng.random() < 0.15, clutter=0.75)
        for _ in range(2):
            image = camera(rng, light, edge_px * finer, 0.4)
            if finer > 1:
                image = cv2.resize(image, (WINDOW, WINDOW), interpolation=cv2.INTER_AREA)
            boxes = np.zeros((12, 4), np.float32)
            for i, t in enumerate(things[:12]):
                kind = 3 if t.visible < 0.35 else 2 if t.kind == "cube" else 1
                boxes[i] = (
                    kind,
                    (t.centre[0] + 0.5) / finer - 0.5,
                    (t.centre[1] + 0.5) / finer - 0.5,
                    t.edge_px / finer,
                )
            shards.add(image=image, things=boxes)
    shards.flush()


CUBES = (2, 4, 8, 16, 32, 64)


def cubes(out: Path, count: int, seed: int) -> None:
    """Crops of doubling cubes (label 0 … 5 of CUBES) and of other things (6)."""
    from companion.sim.die import about, shadow
    from companion.sim.die_faces import linear
    from companion.train.dice_looks import BODIES, cube_look, die_look, jitter, lighting
    from companion.train.dice_physics import RestDie, make_layout
    from companion.train.dice_scenes import Painter, checker_paint, describe, random_view

    rng = np.random.default_rng(seed)
    shards = Shards(out, seed)
    while shards.count < count:
        edge_px = float(np.exp(rng.uniform(np.log(16.0), np.log(60.0))))
        n = int(2.9 * edge_px)
        rest = make_layout(rng) if rng.random() < 0.8 else RestScene()
        edge = float(rng.uniform(1.9, 3.2))
        spot = rng.uniform([-12, -6], [12, 11])
        if rng.random() < 0.4 and rest.boxes:
            b = rest.boxes[int(rng.integers(len(rest.boxes)))]
            spot = np.array([np.clip(rng.uniform(b[0], b[2]), -12, 12), np.clip(rng.uniform(b[1], b[3]), -10, 12)])
        base = max((b[4] for b in rest.boxes if b[0] < spot[0] < b[2] and b[1] < spot[1] < b[3]), default=0.0)
        rest.checkers = [c for c in rest.checkers if np.hypot(c[0] - spot[0], c[1] - spot[1]) > c[3] + 0.6 * edge]
        label = int(rng.integers(6))
        real = rng.random() < 0.85
        look = cube_look(rng, CUBES[label]) if real else die_look(rng)
        pose = RestDie(
            np.array([*spot, base + edge / 2]), about((0.0, 0.0, 1.0), rng.uniform(0, 6.3)), edge, "flat", 0.0
        )
        view = random_view(rng, pose.centre + rng.normal(0, 0.04, 3) * edge, edge, edge_px, (n, n))
        light = lighting(rng)
        painter = Painter(rng, view, (n, n), light)
        painter.gloss = 0.3
        painter.ground(rest, not rest.boxes)
        wood = linear(jitter(rng, BODIES[int(rng.integers(len(BODIES)))]))
        for b in rest.boxes:
            painter.box(b, wood)
        for c in painter.checkers_near(rest, 3):
            painter.cylinder(c, checker_paint(rng))
        painter.shade_plane(shadow(pose.turn, pose.centre, edge, base, view, light))
        area = painter.body(1, look, pose.turn, pose.centre, edge, fine=2)
        t = describe(0, pose, look, pose.turn, painter, area, view)
        picture = painter.rgb.reshape(n, n, 3)
        for _ in range(3):
            image = camera(rng, picture, 0.55 * edge_px, 0.4)
            scale = CUBE_PX * float(np.exp(rng.normal(0, 0.09)))
            centre = t.centre + t.up * (0.3 * edge) + rng.normal(0, 0.06, 2) * edge_px
            if rng.random() < 0.8:
                crop = normal_crop(image, centre, t.jac, t.up, scale / edge, 48, float(rng.uniform(0, 6.3)))
            else:
                a = rng.uniform(0, 6.3)
                crop = sample(
                    image, np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) * edge_px / scale, centre, 48
                )
            shards.add(image=crop, label=label if real else 6, px=edge_px)
    shards.flush()


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("what", choices=["crops", "windows", "cubes", "places"])
    ap.add_argument("paths", nargs="+", type=Path)
    ap.add_argument("--count", type=int, default=20000)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    if a.what == "cubes":
        cubes(a.paths[-1], a.count, a.seed)
        return
    scenes = pickle.loads(a.paths[0].read_bytes())
    {"crops": crops, "windows": windows, "places": places}[a.what](scenes, a.paths[1], a.count, a.seed)


if __name__ == "__main__":
    main()
