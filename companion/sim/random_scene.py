"""Random scenes for training and tests, and a command that writes them like the shared ones.

    python -m companion.sim.random_scene --count N --seed S --out DIR [--each M] [--scale X]

writes sKKK_0.jpg (starting position), sKKK_1.jpg … (other positions of the same board, camera and light) with JSON.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.rules.position import START, Position, Side
from companion.sim.camera import view_of
from companion.sim.random_dice import place_cube, place_dice
from companion.sim.random_objects import lay_checkers, random_hands, random_props
from companion.sim.random_position import random_position
from companion.sim.render import render
from companion.sim.scene import Camera, Layout, Scene
from companion.sim.styles import board_style, checker_pair, random_layout, table_material
from companion.sim.styles_light import random_isp, random_light

SIZES = (
    *((640, 480), (800, 600), (1024, 768), (1280, 720), (1280, 960)),
    *((1640, 1232), (1920, 1080), (1080, 1080), (900, 1200)),
)


def random_camera(
    rng: np.random.Generator,
    layout: Layout,
    size: tuple[int, int] | None = None,
    tilt_max: float = 45.0,
    turn: float | None = None,
    fill: tuple[float, float] = (0.62, 0.99),
    stock: bool = False,
) -> Camera:
    """A camera that sees the whole board, filling so much of the picture (share of the tighter direction)."""
    size = size or SIZES[int(rng.choice(len(SIZES), p=[0.2, 0.1, 0.1, 0.1, 0.22, 0.12, 0.1, 0.04, 0.02]))]
    tilt = float(min(tilt_max, abs(rng.normal(0, 8)) if rng.random() < 0.5 else rng.uniform(5, 45)))
    if turn is None:
        quarter = float(rng.choice([0.0, 180.0, 90.0, 270.0], p=[0.4, 0.25, 0.175, 0.175]))
        free = float(rng.normal(0, 6) if rng.random() < 0.85 else rng.uniform(-25, 25))
        turn = quarter + (0.25 * free if stock else free)
    fov = math.radians(float(rng.uniform(45, 95)))
    focal = size[0] / 2 / math.tan(fov / 2)
    k1 = float(rng.normal(-0.02, 0.03))
    x0, y0, x1, y1 = layout.outer()
    target = ((x0 + x1) / 2, (y0 + y1) / 2, 0.0)
    stretch = float(rng.uniform(0.85, 1.2)) if rng.random() < 0.15 else 1.0
    if stock:  # a stock photograph pressed into another shape
        wide = (x1 - x0) / (y1 - y0) if round(turn / 90) % 2 == 0 else (y1 - y0) / (x1 - x0)
        stretch = float(np.clip(rng.uniform(0.88, 1.0) * wide * size[1] / size[0], 0.65, 1.6))
    azimuth = turn if stock or rng.random() < 0.6 else turn + float(rng.normal(0, 15))
    camera = Camera(
        size,
        focal,
        target,
        100.0,
        tilt,
        azimuth,
        turn - azimuth + float(rng.normal(0, 1.5)),
        (0.5 + float(rng.normal(0, 0.01)), 0.5 + float(rng.normal(0, 0.01))),
        (k1, float(rng.normal(0, 0.008)), float(rng.normal(0, 4e-4)), float(rng.normal(0, 4e-4)), 0.0),
        stretch,
    )
    camera = fitted(camera, layout, float(rng.uniform(*fill)))
    return shifted(camera, layout, rng)


def _spread(camera: Camera, layout: Layout) -> tuple[float, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    view = view_of(camera, 24.0 / camera.size[0])
    x0, y0, x1, y1 = layout.outer()
    z = layout.rail_height
    p = view.project([(x, y, h) for x in (x0, x1) for y in (y0, y1) for h in (z, -layout.base)])
    size = np.array(view.size)
    p = (p + 0.5) / size
    return float(np.ptp(p, axis=0).max()), p.min(axis=0), p.max(axis=0)


def fitted(camera: Camera, layout: Layout, fill: float) -> Camera:
    """The distance at which the board fills that share of the picture."""
    for _ in range(7):
        spread = _spread(camera, layout)[0]
        camera = replace(camera, distance=min(400.0, max(30.0, camera.distance * spread / fill)))
    return camera


def shifted(camera: Camera, layout: Layout, rng: np.random.Generator) -> Camera:
    """The board off the middle, never cut."""
    for _ in range(3):
        _, low, high = _spread(camera, layout)
        middle = (low + high) / 2 - 0.5
        view = view_of(camera, 24.0 / camera.size[0])
        metres = middle * np.array(view.size) / view.K[0, 0] * camera.distance
        offset = view.R[0] * metres[0] + view.R[1] * metres[1]
        t = np.array(camera.target) + offset * (1, 1, 0)
        camera = replace(camera, target=(float(t[0]), float(t[1]), 0.0))
    _, low, high = _spread(camera, layout)
    slack = np.maximum(0.0, np.minimum(low, 1 - high) - 0.005)
    push = rng.uniform(-1, 1, 2) * slack * 0.8
    return replace(camera, centre=(camera.centre[0] + float(push[0]), camera.centre[1] + float(push[1])))


def random_scene(
    rng: np.random.Generator,
    *,
    position: Position | None = None,
    start: bool = False,
    image_size: tuple[int, int] | None = None,
    tilt_max: float = 45.0,
    turn: float | None = None,
    fill: tuple[float, float] = (0.62, 0.99),
    with_dice: bool | None = None,
    with_hand: bool | None = None,
    with_cube: bool | None = None,
    with_props: bool | None = None,
    faults: float = 0.3,
) -> Scene:
    """A random scene. `None` = by chance. `faults`: share of throws with a die that is cocked, on a checker, off … ."""
    layout = random_layout(rng)
    white, black = checker_pair(rng)
    isp = random_isp(rng)
    stock = isp.quality == "stock" and rng.random() < 0.7
    camera = random_camera(
        rng, layout, image_size, 8.0 if stock else tilt_max, turn, (0.92, 1.01) if stock else fill, stock
    )
    scene = Scene(
        layout=layout,
        board=board_style(rng, layout),
        white=white,
        black=black,
        table=table_material(rng, white=0.3 if stock else 0.03),
        light=random_light(rng),
        camera=camera,
        isp=isp,
        seed=int(rng.integers(1 << 30)),
    )
    if start:
        position = START
    return dressed(scene, rng, position, with_dice, with_hand, with_cube, with_props, faults)


def dressed(
    scene: Scene,
    rng: np.random.Generator,
    position: Position | None = None,
    with_dice: bool | None = None,
    with_hand: bool | None = None,
    with_cube: bool | None = None,
    with_props: bool | None = None,
    faults: float = 0.3,
    keep_props: bool = False,
) -> Scene:
    """The same table with another position, dice, cube, hand (and props unless kept)."""

    def wanted(flag: bool | None, chance: float) -> bool:
        return bool(rng.random() < chance) if flag is None else flag

    if position is None:
        position = random_position(rng)[0]
    roll = Side.WHITE if rng.random() < 0.5 else Side.BLACK
    scene = replace(scene, position=position, on_roll=roll, checkers=lay_checkers(scene.layout, position, rng))
    if not keep_props:
        scene = replace(scene, props=random_props(scene, rng) if wanted(with_props, 0.7) else ())
    scene = replace(scene, cube=place_cube(scene, rng) if wanted(with_cube, 0.75) else None, dice=(), hands=())
    if wanted(with_dice, 0.72):
        scene = replace(scene, dice=place_dice(scene, rng, faults))
    if wanted(with_hand, 0.12):
        scene = replace(scene, hands=random_hands(scene, rng))
    return scene


def _write(scene: Scene, out: Path, k: int, i: int, seed: int, scale: float) -> None:
    shot = render(scene, seed * 1000 + i, scale)
    name = f"s{k:03d}_{i}"
    cv2.imwrite(str(out / f"{name}.jpg"), shot.image, [cv2.IMWRITE_JPEG_QUALITY, 93])
    extra = {"file": f"{name}.jpg", "scene": k, "role": "position" if i else "start", "seed": seed}
    (out / f"{name}.json").write_text(json.dumps({**extra, **shot.truth}))


def write_scenes(out: Path, count: int, seed: int, each: int = 4, scale: float = 1.0) -> None:
    """`count` boards, each with its starting position and `each` other ones."""
    out.mkdir(parents=True, exist_ok=True)
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        scene = random_scene(rng, start=True, with_hand=False)
        _write(scene, out, k, 0, seed, scale)
        for i in range(1, each + 1):
            scene = dressed(scene, rng, keep_props=True)
            _write(scene, out, k, i, seed, scale)


def main() -> None:
    """Command line."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=4)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--each", type=int, default=4)
    ap.add_argument("--scale", type=float, default=1.0)
    a = ap.parse_args()
    write_scenes(a.out, a.count, a.seed, a.each, a.scale)


if __name__ == "__main__":
    main()
