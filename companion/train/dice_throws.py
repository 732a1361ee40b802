"""Dice thrown onto the simulated table by physics: MuJoCo drops them among the scene's own checkers, rails and bar."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from companion.sim.random_dice import spare_die
from companion.sim.scene import Cube, Die, DieStyle, Layout, Scene
from companion.sim.styles import die_style
from companion.train.dice_looks import BODIES, body_weights, jitter, luminance
from companion.train.dice_physics import RestDie, RestScene, describe, fall
from companion.train.dice_scenes import lean, stack

CLASSES = {"on_bar": ("on_bar_or_rail", "flat"), "stacked": ("cocked", "on_die")}
INKS = ((0.95, 0.95, 0.93), (0.03, 0.03, 0.04), (0.9, 0.75, 0.2), (0.6, 0.04, 0.04), (0.05, 0.08, 0.4))


def rest_scene(scene: Scene) -> RestScene:
    """The scene's walls and lying checkers as physics knows them (centimetres, surface z = 0)."""
    lay = scene.layout
    w, h = lay.width / 2, lay.height / 2
    rest = RestScene(pitch=lay.pitch)
    for sign in (-1.0, 1.0):
        y0, y1 = sorted((sign * h, sign * (h + lay.rail)))
        rest.boxes.append((-w - lay.rail, y0, w + lay.rail, y1, lay.rail_height, "rail"))
        thick = lay.divider if ("R" if sign > 0 else "L") in lay.tray else lay.rail
        x0, x1 = sorted((sign * w, sign * (w + thick)))
        rest.boxes.append((x0, -h, x1, h, lay.rail_height, "rail"))
    if lay.bar > 0.3 and lay.bar_height > 0.05:
        rest.boxes.append((-lay.bar / 2, -h, lay.bar / 2, h, lay.bar_height, "bar"))
    lying = (c for c in scene.checkers if c.pose == "flat" and abs(c.x) < w and abs(c.y) < h)
    rest.checkers = [(c.x, c.y, c.z, lay.checker / 2, lay.thick) for c in lying]
    return rest


def drop_point(rng: np.random.Generator, rest: RestScene, layout: Layout) -> tuple[float, float, float]:
    """Where a die starts: at a checker's rim, at the edge of rail or bar, anywhere on the surface."""
    kind, s = rng.random(), layout.die
    if kind < 0.45 and rest.checkers:
        c = rest.checkers[int(rng.integers(len(rest.checkers)))]
        a, r = rng.uniform(0, 2 * np.pi), c[3] * (1 + rng.uniform(-0.7, 0.3)) + s * rng.uniform(-0.4, 0.6)
        return c[0] + r * np.cos(a), c[1] + r * np.sin(a), c[2] + c[4] + 2.0
    if kind < 0.62:
        b = rest.boxes[int(rng.integers(len(rest.boxes)))]
        along = rng.uniform(0.1, 0.9)
        side = rng.uniform(-0.9, 0.9) * s
        if b[2] - b[0] > b[3] - b[1]:
            return b[0] + along * (b[2] - b[0]), (b[1] if b[1] > 0 else b[3]) + side, b[4] + 2.0
        edge = b[0] if b[0] > 0 else b[2]
        return edge + side, b[1] + along * (b[3] - b[1]), b[4] + 2.0
    x = rng.uniform(layout.bar / 2 + s, layout.width / 2 - s) * rng.choice((-1, 1))
    return x, float(np.clip(rng.normal(0, 0.2), -0.45, 0.45)) * layout.height, 2.5


def settled(scene: Scene, rng: np.random.Generator, count: int) -> list[RestDie]:
    """Up to `count` dice at rest inside the board; some made to lean or stacked."""
    rest, edge = rest_scene(scene), scene.layout.die
    starts = [drop_point(rng, rest, scene.layout) for _ in range(count)]
    for die in fall(rest, edge, starts, rng, 700, 200):
        if die.speed < 1.5 and die.centre[2] > 0:
            rest.dice.append(describe(rest, die.centre, die.turn, edge, die.touches, []))
    dice = [lean(rng, d) if d.state == "flat" and rng.random() < 0.4 else d for d in rest.dice]
    flat = [d for d in dice if d.state in ("flat", "on_checker")]
    if flat and rng.random() < 0.12:
        dice.append(stack(rng, flat[int(rng.integers(len(flat)))]))
    return dice


def awkward(scene: Scene, rng: np.random.Generator) -> list[RestDie]:
    """Dice at rest, mostly with one that leans: ordinary rolls are plentiful."""
    wanted = rng.random() < 0.7
    for _ in range(6):
        dice = settled(scene, rng, int(rng.integers(3, 7)))
        if dice and (not wanted or any(d.state == "cocked" and "checker" in d.touches for d in dice)):
            break
    return dice


def quaternion(turn: np.ndarray) -> tuple[float, float, float, float]:
    """w x y z of a rotation matrix."""
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(turn, float).ravel())
    return float(q[0]), float(q[1]), float(q[2]), float(q[3])


def wild_style(rng: np.random.Generator) -> DieStyle:
    """The simulator's dice, or any body colour with pips that stand out."""
    usual = die_style(rng)
    if rng.random() < 0.45:
        return usual
    body = jitter(rng, BODIES[int(rng.choice(len(BODIES), p=body_weights()))], 0.03)
    far = [c for c in INKS if abs(luminance(c) - luminance(body)) > 0.12]
    pip = jitter(rng, far[int(rng.integers(len(far)))] if far else INKS[0], 0.02)
    return replace(
        usual, body=body, pip=pip, roundness=float(rng.uniform(0.03, 0.55)), pip_size=float(rng.uniform(0.75, 1.35))
    )


def thrown(scene: Scene, rng: np.random.Generator) -> Scene:
    """The scene with some dice come to rest on it, now and then one beside the board, and a cube of any colour."""
    first = wild_style(rng)
    dice = []
    for d in awkward(scene, rng):
        cls, detail = CLASSES.get(d.state, (d.state, ""))
        x, y, z = (float(v) for v in d.centre)
        style = first if rng.random() < 0.6 else wild_style(rng)
        dice.append(Die(x, y, z, quaternion(d.turn), d.edge, style, cls, detail))
    if rng.random() < 0.15:
        dice.append(spare_die(scene, rng, wild_style(rng)))
    cube = coloured(scene.cube, rng) if scene.cube else None
    return replace(scene, dice=tuple(dice), cube=cube)


def coloured(cube: Cube, rng: np.random.Generator) -> Cube:
    """Any face up at any angle; half of the cubes in other colours."""
    face = int(rng.choice([2, 4, 8, 16, 32, 64]))
    up = float(rng.uniform(0, 360)) if rng.random() < 0.5 else cube.digit_up
    if rng.random() < 0.5:
        return replace(cube, face=face, digit_up=up)
    body = jitter(rng, BODIES[int(rng.integers(len(BODIES)))], 0.03)
    far = [c for c in INKS if abs(luminance(c) - luminance(body)) > 0.12]
    ink = jitter(rng, far[int(rng.integers(len(far)))] if far else INKS[0], 0.02)
    return replace(cube, face=face, digit_up=up, body=body, ink=ink)
