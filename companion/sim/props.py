"""Things beside and on the board: cups, mugs, phones, watches, score cards, pens, books, coins."""

from __future__ import annotations

from companion.sim.render_canvas import Canvas, Level
from companion.sim.render_light import Occluder
from companion.sim.scene import Scene


def prop_occluders(scene: Scene) -> list[Occluder]:
    """Their shadows."""
    return []


def draw_props(canvas: Canvas, scene: Scene, levels: dict[str, Level]) -> None:
    """Draw them into the static picture."""
