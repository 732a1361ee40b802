"""Real rest poses: MuJoCo drops dice among checkers, rails, a bar and each other, until all lies still.

    python -m companion.train.dice_physics OUT.pkl --scenes 3000 --seed 1

Units: cm. Each scene is a corner of a board: the surface is z = 0, a rail and (mostly) a bar stand on it, checkers lie
in columns from the rail. Kept are the shapes and each die's pose, what it rests on and its state.
"""

from __future__ import annotations

import argparse
import pickle
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

STATES = ("flat", "cocked", "on_checker", "on_bar", "stacked")
FLAT_BELOW = 1.2  # degrees: what physics leaves by penetration


@dataclass
class RestDie:
    """Centre, rotation (body -> world), edge, state, tilt (degrees), names of what it touches."""

    centre: np.ndarray
    turn: np.ndarray
    edge: float
    state: str
    tilt: float
    touches: tuple[str, ...] = ()


@dataclass
class RestScene:
    """`boxes`: (x0, y0, x1, y1, height, kind rail|bar|trim); `checkers`: (x, y, lower z, radius, height)."""

    boxes: list = field(default_factory=list)
    checkers: list = field(default_factory=list)
    dice: list = field(default_factory=list)
    pitch: float = 4.5


def make_layout(rng: np.random.Generator) -> RestScene:
    """A board corner: rails along two edges, a bar, columns of checkers and a few strays."""
    scene = RestScene(pitch=float(rng.uniform(3.6, 5.6)))
    rail = float(rng.uniform(0.7, 2.2))
    scene.boxes.append((-16.0, 9.0, 16.0, 9.0 + rng.uniform(1.2, 3.0), rail, "rail"))
    scene.boxes.append((10.0, -16.0, 10.0 + rng.uniform(1.2, 4.0), 9.0, rail, "rail"))
    if rng.random() < 0.75:
        scene.boxes.append((-10.0 - rng.uniform(1.6, 5.0), -16.0, -10.0, 9.0, rail * rng.uniform(0.7, 1.1), "bar"))
    if rng.random() < 0.3:
        scene.boxes.append((-16.0, 9.0 - rng.uniform(0.15, 0.5), 16.0, 9.0, rng.uniform(0.1, 0.35), "trim"))
    radius = 0.5 * scene.pitch * float(rng.uniform(0.82, 0.98))
    thick = float(rng.uniform(0.6, 1.4))
    x = -10.0 + scene.pitch / 2
    while x < 10 - radius:
        n = int(rng.choice([0, 0, 1, 2, 3, 5], p=[0.25, 0.15, 0.15, 0.2, 0.15, 0.1]))
        for k in range(n):
            y = 9.0 - radius * (1 + 2.02 * k) - rng.uniform(0, 0.3)
            scene.checkers.append((x + rng.normal(0, 0.15), y, 0.0, radius, thick))
            if rng.random() < 0.08:
                scene.checkers.append((x + rng.normal(0, 0.2), y, thick, radius, thick))
        x += scene.pitch
    for _ in range(int(rng.integers(0, 4))):
        p = rng.uniform([-9, -12], [9, -2])
        if all(np.hypot(*(p - c[:2])) > 2 * radius for c in scene.checkers):
            scene.checkers.append((*p, 0.0, radius, thick))
    return scene


def drop_point(rng: np.random.Generator, scene: RestScene, edge: float) -> tuple[float, float, float]:
    """Where a die starts: anywhere, at a checker's rim, at a rail's or bar's edge."""
    kind = rng.random()
    if kind < 0.4 and scene.checkers:
        c = scene.checkers[int(rng.integers(len(scene.checkers)))]
        a, r = rng.uniform(0, 2 * np.pi), c[3] * (1 + rng.uniform(-0.7, 0.3)) + edge * rng.uniform(-0.4, 0.6)
        return c[0] + r * np.cos(a), c[1] + r * np.sin(a), c[2] + c[4] + 2.0
    if kind < 0.62:
        b = scene.boxes[int(rng.integers(len(scene.boxes)))]
        x, y = rng.uniform(max(b[0], -10), min(b[2], 12)), rng.uniform(max(b[1], -10), min(b[3], 11))
        if b[5] == "rail" and b[1] == 9.0:
            y = b[1] + rng.uniform(-1.2, 1.2) * edge
        else:
            x = (b[0] if b[5] == "rail" else b[2]) + rng.uniform(-1.2, 1.2) * edge
        return x, y, b[4] + 2.0
    return (*rng.uniform([-9, -9], [9, 7]), 2.5)


def xml_of(scene: RestScene, edge: float, starts: list, rng: np.random.Generator) -> str:
    """The MuJoCo model. Walls and checkers stand still; dice are free."""
    geoms = []
    for i, (x0, y0, x1, y1, h, kind) in enumerate(scene.boxes):
        geoms.append(
            f'<geom name="{kind}{i}" type="box" size="{(x1 - x0) / 2} {(y1 - y0) / 2} {h / 2}" '
            f'pos="{(x0 + x1) / 2} {(y0 + y1) / 2} {h / 2}"/>'
        )
    for i, (x, y, z, r, h) in enumerate(scene.checkers):
        geoms.append(f'<geom name="checker{i}" type="cylinder" size="{r} {h / 2}" pos="{x} {y} {z + h / 2}"/>')
    bodies = []
    for i, p in enumerate(starts):
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        bodies.append(
            f'<body pos="{p[0]} {p[1]} {p[2]}" quat="{q[0]} {q[1]} {q[2]} {q[3]}"><freejoint/>'
            f'<geom name="die{i}" type="box" size="{edge / 2} {edge / 2} {edge / 2}" mass="4"/></body>'
        )
    return (
        '<mujoco><option gravity="0 0 -981" timestep="0.002" integrator="implicitfast"/>'
        f'<default><geom friction="{rng.uniform(0.3, 1.0):.2f} 0.02 0.002" solref="0.006 0.9"/></default><worldbody>'
        f'<geom name="floor" type="plane" size="60 60 1"/>{"".join(geoms)}{"".join(bodies)}</worldbody></mujoco>'
    )


@dataclass
class Fallen:
    """A die after the fall: centre (cm), 3x3 rotation, largest component of its speed, names of what it touches."""

    centre: np.ndarray
    turn: np.ndarray
    speed: float
    touches: set[str]


def fall(
    scene: RestScene,
    edge: float,
    starts: list[tuple[float, float, float]],
    rng: np.random.Generator,
    most_steps: int,
    least_steps: int,
) -> list[Fallen]:
    """Let dice fall from `starts` with random turns and speeds until all are at rest, or for `most_steps`."""
    model = mujoco.MjModel.from_xml_string(xml_of(scene, edge, starts, rng))
    data = mujoco.MjData(model)
    data.qvel[:] = rng.normal(0, 6.0, model.nv)
    for step in range(most_steps):
        mujoco.mj_step(model, data)
        if step > least_steps and step % 50 == 0 and np.abs(data.qvel).max() < 0.05:
            break
    touch = contacts(model, data)
    return [
        Fallen(
            data.geom(f"die{i}").xpos.copy(),
            data.geom(f"die{i}").xmat.reshape(3, 3).copy(),
            float(np.abs(data.qvel[6 * i : 6 * i + 6]).max()),
            touch[i],
        )
        for i in range(len(starts))
    ]


def settle(scene: RestScene, rng: np.random.Generator) -> bool:
    """Drop two or three dice; True when all came to rest inside the corner (then `scene.dice` is filled)."""
    edge = float(rng.uniform(1.15, 1.75))
    starts = [drop_point(rng, scene, edge) for _ in range(int(rng.integers(2, 4)))]
    if rng.random() < 0.12:
        x, y, z = starts[0]
        starts[-1] = (x + rng.normal(0, 0.5 * edge), y + rng.normal(0, 0.5 * edge), z + 2.2 * edge)
    for die in fall(scene, edge, starts, rng, 1100, 250):
        inside = -14 < die.centre[0] < 13 and -13 < die.centre[1] < 12 and die.centre[2] > 0
        if die.speed < 1.5 and inside:
            others = [d.centre for d in scene.dice]
            scene.dice.append(describe(scene, die.centre, die.turn, edge, die.touches, others))
    return bool(scene.dice)


def contacts(model: mujoco.MjModel, data: mujoco.MjData) -> dict[int, set[str]]:
    """What each die touches."""
    names = [model.geom(g).name for g in range(model.ngeom)]
    out: dict[int, set[str]] = {i: set() for i in range(8)}
    for c in data.contact:
        pair = names[c.geom1], names[c.geom2]
        for a, b in (pair, pair[::-1]):
            if a.startswith("die"):
                out[int(a[3:])].add(b.rstrip("0123456789"))
    return out


def describe(scene: RestScene, centre, turn, edge, touches, _others) -> RestDie:
    """State of a die that lies still, in the words of the contract (board places apart)."""
    up = np.abs(turn[2]).max()
    tilt = float(np.degrees(np.arccos(min(1.0, up))))
    low = centre[2] - edge / 2
    if tilt > FLAT_BELOW:
        state = "cocked"
    elif low < 0.12:
        state = "flat"
    elif any(
        np.hypot(centre[0] - c[0], centre[1] - c[1]) < c[3] + 0.3 and abs(low - c[2] - c[4]) < 0.12
        for c in scene.checkers
    ):
        state = "on_checker"
    elif any(
        b[0] - 0.3 < centre[0] < b[2] + 0.3 and b[1] - 0.3 < centre[1] < b[3] + 0.3 and abs(low - b[4]) < 0.12
        for b in scene.boxes
    ):
        state = "on_bar"
    else:
        state = "stacked" if "die" in touches else "cocked"
    return RestDie(centre, turn, edge, state, tilt, tuple(sorted(touches)))


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out", type=Path)
    ap.add_argument("--scenes", type=int, default=3000)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed)
    scenes, count = [], dict.fromkeys(STATES, 0)
    while len(scenes) < a.scenes:
        scene = make_layout(rng)
        if settle(scene, rng):
            if not any(d.state in ("cocked", "stacked") for d in scene.dice) and rng.random() < 0.75:
                continue  # ordinary rolls are plentiful
            scenes.append(scene)
            for d in scene.dice:
                count[d.state] += 1
    a.out.write_bytes(pickle.dumps(scenes))
    print(f"{len(scenes)} scenes, {count}")


if __name__ == "__main__":
    # Pickled classes must carry this module's name, not "__main__".
    from companion.train.dice_physics import main as run

    run()
