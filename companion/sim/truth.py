"""The truth of one frame as plain JSON-able values."""

from __future__ import annotations

from typing import Any

import numpy as np

from companion.rules.position import Side
from companion.sim.camera import view_of
from companion.sim.motion import rotate
from companion.sim.scene import Cube, Die, Scene, Vec3
from companion.sim.stage import Segment, Things

_AXES: dict[int, Vec3] = {1: (0, 0, 1), 6: (0, 0, -1), 2: (0, 1, 0), 5: (0, -1, 0), 3: (1, 0, 0), 4: (-1, 0, 0)}


def top_value(die: Die) -> int:
    """The face most up."""
    return max(_AXES, key=lambda value: rotate(die.quat, _AXES[value])[2])


def frame_truth(segment: Segment, things: Things, scene: Scene, t: float) -> dict[str, Any]:
    """What is so at time t: phase, whose roll, dice, position of the lying checkers (26 integers a side), pixels.

    `on_board`: the board is in sight and no hand or cover is over it; `corners`: CONTRACT.md's rectangle, board frame
    order top-left, top-right, bottom-right, bottom-left as White sees it, pixels.
    """
    facts, position = segment.facts, segment.position
    moving = sum(c.loc == "hand" for c in things.checkers)
    return {
        "t": round(t, 3),
        "game": facts.game,
        "turn": facts.turn,
        "phase": facts.phase,
        "scenario": facts.scenario,
        "on_roll": facts.on_roll.value if facts.on_roll else None,
        "roll": list(facts.roll) if facts.roll else None,
        "still": segment.still,
        "hands": len(things.hands),
        "position": {side.value: list(position.of(side)) for side in Side},
        "in_hand": moving,
        "dice": [_die(die, scene) for die in things.dice],
        "cube": _cube(things.cube, scene) if things.cube else None,
        "corners": corners(scene),
        "white_side": white_side(scene),
        "home": "right" if scene.layout.home == "R" else "left",
    }


def _pixel(scene: Scene, point: Vec3) -> list[float]:
    x, y = view_of(scene.camera).project([point])[0]
    return [round(float(x), 1), round(float(y), 1)]


def _die(die: Die, scene: Scene) -> dict[str, Any]:
    x, y = _pixel(scene, (die.x, die.y, die.z))
    state = "stacked" if die.detail == "on die" else {"on_bar_or_rail": "on_bar"}.get(die.cls, die.cls)
    return {"x": x, "y": y, "value": top_value(die), "state": state, "zone": die.zone, "detail": die.detail}


def _cube(cube: Cube, scene: Scene) -> dict[str, Any]:
    x, y = _pixel(scene, (cube.x, cube.y, cube.z))
    place = {"light": "white", "dark": "black"}.get(cube.place, cube.place)
    return {"x": x, "y": y, "value": cube.value, "face": cube.face, "place": place}


def corners(scene: Scene) -> list[list[float]]:
    """The playing rectangle's corners as White sees them: far left, far right, near right, near left; pixels."""
    w, h = scene.layout.width / 2, scene.layout.height / 2
    found = view_of(scene.camera).project([(-w, h, 0.0), (w, h, 0.0), (w, -h, 0.0), (-w, -h, 0.0)])
    return [[round(float(x), 1), round(float(y), 1)] for x, y in found]


def white_side(scene: Scene) -> str:
    """The edge of the picture White sits at."""
    view = view_of(scene.camera)
    middle, near = view.project([(0.0, 0.0, 0.0), (0.0, -scene.layout.height / 2, 0.0)])
    dx, dy = np.asarray(near) - np.asarray(middle)
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "bottom" if dy > 0 else "top"
