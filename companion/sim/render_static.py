"""Table, board, rails, bar and hinges drawn into a `Canvas`: all that stays while checkers, dice and hands move."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.board_art import Sheet, board_sheet
from companion.sim.camera import View
from companion.sim.render_canvas import Canvas, Face, Floats, Level, Paint, draw_face, wall_light
from companion.sim.render_light import Grid, Occluder, Prism
from companion.sim.render_materials import bgr, surface_picture
from companion.sim.scene import Colour, Layout, Material, Scene

Doubles = NDArray[Any]
X, Y, Z = np.eye(3)
Box = tuple[float, float, float, float, float, float]
"""x0, y0, x1, y1, z0, z1."""


def levels_of(layout: Layout) -> dict[str, Level]:
    """The light maps that static surfaces look into: table, floor (z = 0), rail."""
    x0, y0, x1, y1 = layout.outer()
    wide, near = 70.0, 4.0
    table = Grid(x0 - wide, y0 - wide, int((x1 - x0 + 2 * wide) * 2.5), int((y1 - y0 + 2 * wide) * 2.5), 2.5)
    floor = Grid(x0 - near, y0 - near, int((x1 - x0 + 2 * near) * 7), int((y1 - y0 + 2 * near) * 7), 7.0)
    coarse = Grid(x0 - near, y0 - near, int((x1 - x0 + 2 * near) * 3), int((y1 - y0 + 2 * near) * 3), 3.0)
    row, out = 0, {}
    for name, grid, z in (("table", table, -layout.base), ("floor", floor, 0.0), ("rail", coarse, layout.rail_height)):
        out[name] = Level(z, grid, row)
        row += grid.height
    return out


def rail_boxes(layout: Layout) -> list[Box]:
    """Frame, bar, tray walls as boxes."""
    x0, y0, x1, y1 = layout.outer()
    r, h, low = layout.rail, layout.rail_height, -layout.base
    boxes: list[Box] = [
        (x0, y0, x1, y0 + r, low, h),
        (x0, y1 - r, x1, y1, low, h),
        (x0, y0 + r, x0 + r, y1 - r, low, h),
        (x1 - r, y0 + r, x1, y1 - r, low, h),
    ]
    half, y = layout.width / 2, layout.height / 2
    for side in layout.tray:
        sign = 1 if side == "R" else -1
        a, b = sorted((sign * half, sign * (half + layout.divider)))
        boxes.append((a, -y, b, y, 0.0, h))
        a, b = sorted((sign * (half + layout.divider), sign * (half + layout.divider + layout.tray_width)))
        boxes.append((a, -layout.divider / 2, b, layout.divider / 2, 0.0, h))
    return boxes


def bar_boxes(layout: Layout) -> list[Box]:
    """The bar: none, one block, or two rails with the gap of a folding board between."""
    if layout.bar < 0.3 or layout.bar_height < 0.05:
        return []
    b, g, y, h = layout.bar / 2, layout.hinge_gap / 2, layout.height / 2, layout.bar_height
    if g <= 0:
        return [(-b, -y, b, y, 0.0, h)]
    y += layout.rail
    return [(-b, -y, -g, y, 0.0, h), (g, -y, b, y, 0.0, h)]


def static_occluders(scene: Scene) -> list[Occluder]:
    """What stands still and casts shadows."""
    from companion.sim.props import prop_occluders

    out: list[Occluder] = []
    for x0, y0, x1, y1, z0, z1 in rail_boxes(scene.layout) + bar_boxes(scene.layout):
        out.append(Prism(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]), z0, z1))
    for x, y, z, width, depth, yaw in scene.light.screens:
        c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
        half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array([width, depth]) / 2
        out.append(Prism(half @ np.array([[c, s], [-s, c]]) + (x, y), z, z + 0.5, True))
    return out + prop_occluders(scene)


def _look_up(image: NDArray[np.uint8], x: Floats, y: Floats, border: int = cv2.BORDER_REFLECT_101) -> Floats:
    """Sample a gamma 2 picture, linear result, n x 3. Points in one long column are cut into rows for OpenCV."""
    n = x.size
    width = 16384
    pad = (-n) % width if n > width else 0
    shape = (-1, width) if n > width else (1, n)
    mx, my = (np.pad(v.astype(np.float32), (0, pad)).reshape(shape) for v in (x, y))
    got = cv2.remap(image, mx, my, cv2.INTER_LINEAR, borderMode=border).reshape(-1, 3)[:n].astype(np.float32)
    got *= 1.0 / 255.0
    return np.asarray(got * got, np.float32)


def sheet_paint(sheet: Sheet, x0: float, y0: float) -> Paint:
    """Paint of a level face whose coordinate (0, 0) is the world's (x0, y0), from the board's picture."""

    def paint(a: Floats, b: Floats) -> Floats:
        return _look_up(sheet.image, (a + (x0 - sheet.x0)) * sheet.ppc - 0.5, (sheet.y1 - y0 - b) * sheet.ppc - 0.5)

    return paint


def material_paint(m: Material, size: tuple[float, float], ppc: float, salt: int = 0) -> Paint:
    """Paint from a material, mirrored beyond the size of its picture."""
    image = surface_picture(m, max(0.5, size[0]), max(0.5, size[1]), ppc, salt)

    def paint(a: Floats, b: Floats) -> Floats:
        return _look_up(image, a * np.float32(ppc), b * np.float32(ppc))

    return paint


def plain_paint(colour: Colour) -> Paint:
    """One colour."""
    lin = bgr(colour) ** 2

    def paint(a: Floats, b: Floats) -> Floats:
        return np.broadcast_to(lin, (*a.shape, 3)).astype(np.float32)

    return paint


def draw_box(
    canvas: Canvas, scene: Scene, box: Box, m: Material, levels: tuple[Level, Level], bevel: float, salt: int = 0
) -> None:
    """A block: its top (lit by levels[1]) and the four walls (lit by levels[0])."""
    x0, y0, x1, y1, z0, z1 = box
    ppc = min(18.0, canvas.view.pixels_per_cm([(x0 + x1) / 2, (y0 + y1) / 2, z1]) * 1.1)
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    long = dx >= dy
    turned = m if long else replace(m, angle=m.angle + 90.0)
    top = material_paint(turned, (dx, dy), ppc, salt)
    side = material_paint(m, (max(dx, dy), max(dz, 1.0)), ppc, salt + 50)
    corners = [(x0, y0, X, dx, -Y), (x1, y1, -X, dx, Y), (x1, y0, Y, dy, X), (x0, y1, -Y, dy, -X)]
    for x, y, u, length, n in corners:
        wall = float(wall_light(scene.light, n)) * 0.9
        where = np.array([x, y, z0])
        draw_face(
            canvas, Face(where, u, Z, (length, dz), n, side, levels[0], m.gloss * 0.5, m.rough, 0.0, wall), scene.light
        )
    where = np.array([x0, y0, z1])
    draw_face(canvas, Face(where, X, Y, (dx, dy), Z, top, levels[1], m.gloss, m.rough, bevel), scene.light)


def _table(canvas: Canvas, scene: Scene, level: Level) -> None:
    m = scene.table
    size = 110.0
    ppc = min(12.0, canvas.view.pixels_per_cm([0, 0, -scene.layout.base]) * 0.9)
    image = surface_picture(m, size, size, ppc)
    turn = math.radians(float(np.random.default_rng(m.seed).uniform(-25, 25)) + (m.angle if m.kind == "wood" else 0.0))
    c, s = math.cos(turn), math.sin(turn)

    def paint(a: Floats, b: Floats) -> Floats:
        p, q = a - 400.0, b - 400.0
        return _look_up(
            image, ((c * p + s * q) + size / 2) * np.float32(ppc), ((c * q - s * p) + size / 2) * np.float32(ppc)
        )

    where = np.array([-400.0, -400.0, -scene.layout.base])
    face = Face(where, X, Y, (800.0, 800.0), Z, paint, level, m.gloss, m.rough)
    draw_face(canvas, face, scene.light, _under_board(canvas.view, scene.layout))


def _under_board(view: View, layout: Layout) -> NDArray[np.bool_]:
    """Pixels well inside the board's outline, where the table is not seen."""
    x0, y0, x1, y1 = layout.outer()
    edge = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    outline = [
        (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)
        for a, b in zip(edge, edge[1:] + edge[:1], strict=True)
        for t in np.linspace(0, 1, 9)[:-1]
    ]
    mask = np.zeros((view.size[1], view.size[0]), np.uint8)
    px = view.project([(x, y, 0.0) for x, y in outline])
    cv2.fillPoly(mask, [np.round(px).astype(np.int32)], 1)
    return np.asarray(cv2.erode(mask, np.ones((7, 7), np.uint8), borderValue=1) > 0)


def _hinges(canvas: Canvas, scene: Scene, levels: dict[str, Level]) -> None:
    lay, kind = scene.layout, scene.board.hinges
    if not kind:
        return
    looks = {
        "brass": ((0.78, 0.6, 0.25), 0.9, 0.25),
        "green": ((0.05, 0.25, 0.1), 0.05, 0.9),
        "black": ((0.08, 0.08, 0.09), 0.3, 0.4),
        "steel": ((0.6, 0.6, 0.62), 0.9, 0.25),
    }
    colour, gloss, rough = looks.get(kind, looks["brass"])
    rng = np.random.default_rng([scene.board.seed, 31])
    width = max(1.2, lay.bar * float(rng.uniform(0.5, 0.95)))
    length, far = float(rng.uniform(1.6, 6.0)), float(rng.uniform(0.2, 0.36)) * lay.height
    m = Material("plain", colour, colour, 0.3, 1.0, 0.0, gloss, rough, 0)
    for y in (-far, far):
        z = max(lay.bar_height, 0.0)
        box = (-width / 2, y - length / 2, width / 2, y + length / 2, z - 0.02, z + 0.12)
        draw_box(canvas, scene, box, m, (levels["rail"], levels["rail"]), 0.08)
        for dx in (-0.3, 0.3) if gloss > 0.2 else ():
            for dy in (-0.3, 0.3):
                _screw(canvas, scene, dx * width, y + dy * length, z + 0.13, levels["rail"])


def _screw(canvas: Canvas, scene: Scene, x: float, y: float, z: float, level: Level) -> None:
    size = 0.3
    face = Face(
        np.array([x - size / 2, y - size / 2, z]), X, Y, (size, size), Z, plain_paint((0.35, 0.27, 0.12)), level
    )
    draw_face(canvas, face, scene.light)


def _floor(canvas: Canvas, scene: Scene, level: Level, ppc: float) -> None:
    lay, style = scene.layout, scene.board
    sheet = board_sheet(lay, style, ppc)
    x0, y0, x1, y1 = lay.outer()
    paint = sheet_paint(sheet, x0, y0)
    m = style.surface
    draw_face(
        canvas, Face(np.array([x0, y0, 0.0]), X, Y, (x1 - x0, y1 - y0), Z, paint, level, m.gloss, m.rough), scene.light
    )
    if lay.hinge_gap > 0:
        gap = Face(
            np.array([-lay.hinge_gap / 2, y0, 0.01]),
            X,
            Y,
            (lay.hinge_gap, y1 - y0),
            Z,
            plain_paint((0.03, 0.03, 0.03)),
            level,
        )
        draw_face(canvas, gap, scene.light)


def _trims(canvas: Canvas, scene: Scene, levels: dict[str, Level]) -> None:
    """A strip of another colour on the inner edge of the rails and the bar."""
    lay, t = scene.layout, scene.board.trim
    if t <= 0:
        return
    x, y, b, z = lay.width / 2, lay.height / 2, lay.bar / 2, lay.rail_height + 0.015
    strips = [(-x - t, -y - t, x + t, -y), (-x - t, y, x + t, y + t), (-x - t, -y, -x, y), (x, -y, x + t, y)]
    if bar_boxes(lay) and b > 2 * t:
        strips += [(-b, -y, -b + t, y), (b - t, -y, b, y)]
    for k, (x0, y0, x1, y1) in enumerate(strips):
        top = z if k < 4 else lay.bar_height + 0.015
        face = Face(
            np.array([x0, y0, top]),
            X,
            Y,
            (x1 - x0, y1 - y0),
            Z,
            plain_paint(scene.board.trim_colour),
            levels["rail"],
            0.1,
            0.5,
        )
        draw_face(canvas, face, scene.light)


def draw_static(view: View, scene: Scene) -> tuple[Canvas, dict[str, Level]]:
    """The whole static part of a scene and the levels its light maps belong to."""
    from companion.sim.props import draw_props

    canvas = Canvas.blank(view)
    levels = levels_of(scene.layout)
    ppc = min(22.0, view.pixels_per_cm([0, 0, 0]) * 1.15)
    _table(canvas, scene, levels["table"])
    _floor(canvas, scene, levels["floor"], ppc)
    style = scene.board
    for k, box in enumerate(rail_boxes(scene.layout)):
        draw_box(canvas, scene, box, style.rail, (levels["table" if k < 0 else "floor"], levels["rail"]), 0.22, k)
    for k, box in enumerate(bar_boxes(scene.layout)):
        draw_box(canvas, scene, box, style.bar, (levels["floor"], levels["rail"]), 0.22, 20 + k)
    _hinges(canvas, scene, levels)
    _trims(canvas, scene, levels)
    draw_props(canvas, scene, levels)
    back = ~canvas.solid
    canvas.albedo[back] = bgr(scene.table.second) ** 2 * 0.3
    return canvas, levels
