"""How a simulated table looks and how its players behave: all from one seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from companion.rules.position import Side
from companion.sim.places import Habits
from companion.sim.random_scene import fitted, random_scene
from companion.sim.scene import (
    BoardStyle,
    Camera,
    CheckerStyle,
    Cube,
    DieStyle,
    Hand,
    Lamp,
    Layout,
    Light,
    Material,
    Scene,
)
from companion.sim.stage import Props
from companion.sim.styles import die_style

SKINS = ((0.82, 0.62, 0.5), (0.75, 0.55, 0.42), (0.6, 0.42, 0.3), (0.42, 0.28, 0.2), (0.88, 0.7, 0.6))


@dataclass(frozen=True, slots=True)
class Limits:
    """What the camera may do: lean in degrees at most, quarter turns of the board in the picture, share it fills."""

    tilt: float = 25.0
    quarters: tuple[int, ...] = (0,)
    fill: tuple[float, float] = (0.85, 0.95)


def standard_scene(size: tuple[int, int]) -> Scene:
    """A well-lit tournament board seen a little from White's side: the demo's table."""
    layout = Layout(checker=4.1, pitch=4.4, height=46.0, tray="R", tray_width=5.0, die=1.7, rail=2.2)
    wood = Material("wood", (0.42, 0.25, 0.13), (0.3, 0.17, 0.08), grain=0.5, scale=1.2, gloss=0.25, rough=0.35, seed=3)
    board = BoardStyle(
        surface=Material("felt", (0.14, 0.33, 0.28), (0.11, 0.28, 0.24), grain=0.35, gloss=0.0, rough=0.9, seed=5),
        rail=wood,
        bar=replace(wood, angle=90.0, seed=4),
        tray=Material("felt", (0.12, 0.28, 0.24), (0.1, 0.25, 0.2), grain=0.3, gloss=0.0, rough=0.9, seed=6),
        point_a=(0.86, 0.8, 0.66),
        point_b=(0.58, 0.17, 0.14),
        point_grain=0.2,
        hinges="brass",
        wear=0.1,
        seed=11,
    )
    camera = Camera(size=size, focal=0.95 * size[0], tilt=9.0, roll=0.6, dist=(-0.03, 0.01, 0.0, 0.0, 0.0))
    return Scene(
        layout=layout,
        board=board,
        white=CheckerStyle((0.86, 0.82, 0.72), (0.8, 0.75, 0.64), finish="marble", profile="groove", strength=0.3),
        black=CheckerStyle((0.15, 0.13, 0.13), (0.2, 0.17, 0.16), finish="marble", profile="groove", strength=0.4),
        table=Material("wood", (0.5, 0.4, 0.3), (0.42, 0.33, 0.24), grain=0.4, scale=2.0, gloss=0.1, seed=9),
        light=Light(lamps=(Lamp((0.35, 0.3, 1.0), 0.2, 0.75), Lamp((-0.5, 0.4, 1.0), 0.25, 0.3))),
        camera=fitted(_aimed(camera, layout), layout, 0.93),
        seed=21,
    )


def _aimed(camera: Camera, layout: Layout) -> Camera:
    x0, y0, x1, y1 = layout.outer()
    return replace(camera, target=((x0 + x1) / 2, (y0 + y1) / 2, 0.0))


def table_scene(seed: int, size: tuple[int, int], limits: Limits) -> Scene:
    """Board, light and camera of that seed; nothing movable on it yet."""
    rng = np.random.default_rng([seed, 31])
    turn = 90.0 * int(rng.choice(limits.quarters)) + float(rng.normal(0, 3))
    scene = random_scene(
        rng,
        start=True,
        image_size=size,
        tilt_max=limits.tilt,
        turn=turn,
        fill=limits.fill,
        with_dice=False,
        with_hand=False,
        with_cube=False,
    )
    return replace(scene, isp=replace(scene.isp, watermark=0.0))  # cameras write no text over the picture


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
    style = DieStyle() if seed == 0 else die_style(np.random.default_rng([seed, 32]))
    poses = {side: rng.choice(("fist", "cup")) for side in Side}
    size = min(2.6, 0.62 * layout.checker + 0.1)
    return Props(hands, dict.fromkeys(Side, style), Cube(0.0, 0.0, 0.0, size=size), poses)
