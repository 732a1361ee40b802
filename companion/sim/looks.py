"""How a simulated table looks and how its players behave: all from one seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from companion.rules.position import Side
from companion.sim.places import Habits
from companion.sim.scene import Camera, Cube, DieStyle, Hand, Layout, Scene
from companion.sim.stage import Props

SKINS = ((0.82, 0.62, 0.5), (0.75, 0.55, 0.42), (0.6, 0.42, 0.3), (0.42, 0.28, 0.2), (0.88, 0.7, 0.6))


@dataclass(frozen=True, slots=True)
class Limits:
    """What the camera may do: lean in degrees, turns of the board in the picture (quarters)."""

    tilt: tuple[float, float] = (4.0, 25.0)
    quarters: tuple[int, ...] = (0,)
    roll: float = 3.0  # degrees either way


def table_scene(seed: int, size: tuple[int, int], limits: Limits) -> Scene:
    """Board, light and camera of that seed; nothing movable on it yet."""
    rng = random.Random(seed)
    scene = Scene(seed=seed)
    return replace(scene, camera=fitted_camera(rng, scene.layout, size, limits))


def fitted_camera(rng: random.Random, layout: Layout, size: tuple[int, int], limits: Limits) -> Camera:
    """A camera that has the whole board, trays and a hand's breadth around it in view."""
    quarter = rng.choice(limits.quarters)
    x0, y0, x1, y1 = layout.outer()
    wide, high = (x1 - x0, y1 - y0) if quarter % 2 == 0 else (y1 - y0, x1 - x0)
    focal = 1.0 * size[0]
    distance = focal * max(wide / size[0], high / size[1]) * rng.uniform(1.12, 1.22)
    return Camera(
        size=size,
        focal=focal,
        target=((x0 + x1) / 2, (y0 + y1) / 2, 0.0),
        distance=distance,
        tilt=rng.uniform(*limits.tilt),
        azimuth=90.0 * quarter + rng.uniform(-limits.roll, limits.roll),
        roll=rng.uniform(-1, 1),
        dist=(rng.uniform(-0.08, 0.02), 0.0, 0.0, 0.0, 0.0),
    )


def habits_of(seed: int, layout: Layout) -> Habits:
    """How these players put things down."""
    rng = random.Random(f"habits {seed}")
    return Habits(
        bar_white_far=rng.random() < 0.5,
        off_on_edge=rng.random() < 0.5,
        jitter=rng.uniform(0.05, 0.16),
        cube_side="bar" if layout.bar >= 2.6 and rng.random() < 0.8 else "table",
        top_on_base=rng.random() < 0.7,
    )


def looks_of(seed: int, layout: Layout) -> Props:
    """Hands, dice and cube of these players."""
    rng = random.Random(f"looks {seed}")
    sleeves = ((0.18, 0.2, 0.28), (0.55, 0.12, 0.12), (0.85, 0.85, 0.8), (0.2, 0.35, 0.25), None)
    hands = {
        side: Hand(
            tip=(0.0, 0.0, 0.0),
            skin=rng.choice(SKINS),
            sleeve=rng.choice(sleeves),
            sleeve_start=rng.uniform(16, 24),
            scale=rng.uniform(0.92, 1.08),
            left=rng.random() < 0.12,
            seed=rng.randrange(1000),
        )
        for side in Side
    }
    style = DieStyle()
    poses = {side: rng.choice(("fist", "cup")) for side in Side}
    size = min(2.6, 0.62 * layout.checker + 0.1)
    return Props(hands, dict.fromkeys(Side, style), Cube(0.0, 0.0, 0.0, size=size), poses)
