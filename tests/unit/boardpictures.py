"""Pictures of generated boards for the tests of seeing: drawn by the simulated table, small and seeded."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from companion.rules.position import START, Position
from companion.sim.random_scene import dressed, random_scene
from companion.sim.render import render
from companion.sources.base import Image

SEED = 20261130
SIZE = (1280, 960)


@cache
def shot(
    seed: int, position: Position | None = START, *, hand: bool = False, tilt: float = 20.0, shift: float = 0.0
) -> tuple[Image, dict[str, Any]]:
    """A picture and its truth (format of the shared scenes) of board `seed`; `shift` moves the camera sideways (cm)."""
    rng = np.random.default_rng([SEED, seed])
    scene = random_scene(
        rng,
        start=True,
        image_size=SIZE,
        tilt_max=tilt,
        turn=0.0,
        fill=(0.7, 0.9),
        with_dice=False,
        with_hand=False,
        with_cube=False,
        with_props=False,
    )
    if position != START or hand:
        scene = dressed(
            scene, rng, position, with_dice=False, with_hand=hand, with_cube=False, with_props=False, keep_props=True
        )
    x, y, z = scene.camera.target
    scene = replace(scene, camera=replace(scene.camera, target=(x + shift, y, z)))
    done = render(scene, seed, 0.75)
    return done.image, done.truth


def counts(truth: dict[str, Any]) -> list[int]:
    """Signed counts of White's points 1 … 24 (light > 0)."""
    p = truth["position"]
    light = {int(k): v for k, v in p["light"].items()}
    dark = {int(k): v for k, v in p["dark_on_light_numbering"].items()}
    return [light.get(k, 0) - dark.get(k, 0) for k in range(1, 25)]
