"""The picture on the board: playing surfaces, points, dots, ornaments, drawn lines, tray floors; seen from above.

The texture covers `Layout.outer()`; pixel (column, row) = ((x - x0) * ppc, (y1 - y) * ppc).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.board_ornaments import draw_ornament
from companion.sim.render_materials import bgr255, surface_picture
from companion.sim.scene import BoardStyle, Colour, Layout, Material

Bytes = NDArray[Any]
Doubles = NDArray[Any]
_FIXED = 4


@dataclass(eq=False)
class Sheet:
    """A picture lying on the level z = 0: `image` with `ppc` pixels per cm, upper left corner at (x0, y1)."""

    image: Bytes
    x0: float
    y1: float
    ppc: float

    def at(self, xy: Doubles) -> Doubles:
        """cm -> pixels."""
        return np.stack([(xy[:, 0] - self.x0) * self.ppc, (self.y1 - xy[:, 1]) * self.ppc], axis=1)

    def fixed(self, xy: Doubles) -> NDArray[np.int32]:
        return np.round(self.at(xy) * (1 << _FIXED)).astype(np.int32)

    def fill(self, xy: Doubles, colour: Colour) -> None:
        """A filled polygon (cm)."""
        cv2.fillPoly(self.image, [self.fixed(xy)], bgr255(colour), cv2.LINE_AA, _FIXED)

    def line(self, xy: Doubles, colour: Colour, width: float, closed: bool = True) -> None:
        """A drawn line of `width` cm."""
        thick = max(1, round(width * self.ppc))
        cv2.polylines(self.image, [self.fixed(xy)], closed, bgr255(colour), thick, cv2.LINE_AA, _FIXED)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """A filled disc (cm)."""
        centre = self.fixed(np.array([[x, y]]))[0]
        r = round(radius * self.ppc * (1 << _FIXED))
        cv2.circle(self.image, (int(centre[0]), int(centre[1])), r, bgr255(colour), -1, cv2.LINE_AA, _FIXED)

    def paste(self, x0: float, y0: float, x1: float, y1: float, tile: Bytes) -> None:
        """A rectangle (cm) filled with a picture, stretched to fit."""
        (c0, r0), (c1, r1) = np.round(self.at(np.array([[x0, y1], [x1, y0]]))).astype(int)
        c0, r0 = max(0, c0), max(0, r0)
        c1, r1 = min(self.image.shape[1], c1), min(self.image.shape[0], r1)
        if c1 > c0 and r1 > r0:
            self.image[r0:r1, c0:c1] = cv2.resize(tile, (c1 - c0, r1 - r0), interpolation=cv2.INTER_AREA)

    def multiply(self, gain: NDArray[np.float32]) -> None:
        """Brighter or darker, pixel by pixel."""
        self.image = np.asarray(np.clip(self.image * gain[..., None], 0, 255), np.uint8)


def rect(x0: float, y0: float, x1: float, y1: float) -> Doubles:
    """Corners of a rectangle."""
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def point_outline(layout: Layout, style: BoardStyle, point: int) -> Doubles:
    """Polygon (cm) of one point: base on the board's edge, tip towards the middle."""
    column, far = layout.point_column(point)
    half = layout.pitch * style.point_width / 2
    length = layout.height * style.point_length
    t = np.linspace(0.0, 1.0, 14)
    shapes = {
        "round": np.sqrt(np.clip(1.0 - (np.maximum(0, t - 0.0)) ** 2.2, 0, 1)) * (1 - 0.45 * t),
        "slim": (1.0 - t) * 0.82,
        "blunt": 1.0 - 0.86 * t,
        "lens": np.clip(1.0 - t**1.7, 0, 1),
        "waist": (1.0 - t) ** 1.35,
    }
    w = shapes.get(style.shape, 1.0 - t) * half
    x = layout.column_x(column)
    y = np.where(np.full(14, far), layout.height / 2 - t * length, -layout.height / 2 + t * length)
    return np.concatenate([np.stack([x - w, y], 1), np.stack([x + w, y], 1)[::-1]])


def tip_of(layout: Layout, style: BoardStyle, point: int) -> tuple[float, float]:
    """Tip of a point, cm."""
    y = layout.height * (0.5 - style.point_length)
    column, far = layout.point_column(point)
    return layout.column_x(column), y if far else -y


def _points(sheet: Sheet, layout: Layout, style: BoardStyle) -> None:
    before = sheet.image.copy() if style.point_grain < 1.0 and not style.point_wood else None
    if style.point_wood and style.point_fill:
        _inlay_points(sheet, layout, style)
    for point in range(1, 25):
        column, far = layout.point_column(point)
        colours = (style.point_a, style.point_b)
        odd = int((column + far) % 2)
        outline = point_outline(layout, style, point)
        if style.point_fill and not style.point_wood:
            sheet.fill(outline, colours[odd])
        if style.point_pattern:
            _pattern(sheet, outline, style, colours[1 - odd])
        if style.outline > 0:
            line = style.outline_colour if style.point_fill else colours[odd]
            sheet.line(outline, line, style.outline)
    if before is not None:
        _keep_grain(sheet, before, style)
    _dots(sheet, layout, style)


def _pattern(sheet: Sheet, outline: Doubles, style: BoardStyle, other: Colour) -> None:
    """A second tone inside a point."""
    half = len(outline) // 2
    left, right = outline[:half], outline[half:][::-1]
    middle = (left + right) / 2
    if style.point_pattern == "split":
        sheet.fill(np.concatenate([middle, right[::-1]]), other)
        return
    share = np.linspace(0.62, 0.3, half)[:, None]
    reach = middle[0] + (middle - middle[0]) * 0.72
    inner = np.concatenate([reach + (left - middle) * share, (reach + (right - middle) * share)[::-1]])
    sheet.fill(inner, other if style.point_pattern == "inner" else style.ornament_colours[0])
    if style.point_pattern == "double":
        sheet.line(inner, style.outline_colour, 0.08)


def _inlay_points(sheet: Sheet, layout: Layout, style: BoardStyle) -> None:
    """Points cut from two other woods, the grain along the point."""
    h, w = sheet.image.shape[:2]
    for odd, colour in enumerate((style.point_a, style.point_b)):
        mask = np.zeros((h, w, 3), np.uint8)
        shape = Sheet(mask, sheet.x0, sheet.y1, sheet.ppc)
        for point in range(1, 25):
            column, far = layout.point_column(point)
            if (column + far) % 2 == odd:
                shape.fill(point_outline(layout, style, point), (1.0, 1.0, 1.0))
        r, g, b = (0.68 * c for c in colour)
        tone = Material("wood", colour, (r, g, b), 0.4 + 0.6 * style.point_grain, 0.7, 90.0, seed=style.seed + odd)
        grain = surface_picture(tone, w / sheet.ppc / 2, h / sheet.ppc, sheet.ppc * 0.7, salt=40 + odd)
        grain = np.concatenate([grain, grain[::-1]], axis=1)
        grain = cv2.resize(grain, (w, h), interpolation=cv2.INTER_LINEAR)
        share = shape.image.astype(np.float32) * np.float32(1 / 255)
        sheet.image = np.asarray(sheet.image + (grain - sheet.image.astype(np.float32)) * share, np.uint8)


def _keep_grain(sheet: Sheet, before: Bytes, style: BoardStyle) -> None:
    """Let the surface's texture show through the paint of the points."""
    grey = cv2.cvtColor(before, cv2.COLOR_BGR2GRAY).astype(np.float32)
    soft = cv2.GaussianBlur(grey, (0, 0), 1.2 * sheet.ppc) + 4.0
    gain = 1.0 + (grey + 4.0 - soft) / soft * style.point_grain
    changed = cv2.absdiff(sheet.image, before).max(axis=2) > 3
    sheet.image[changed] = np.clip(sheet.image[changed] * gain[changed][:, None], 0, 255)


def _dots(sheet: Sheet, layout: Layout, style: BoardStyle) -> None:
    if not style.dots:
        return
    for point in range(1, 25):
        x, y = tip_of(layout, style, point)
        down = -1.0 if y > 0 else 1.0
        where = {"tip": [0.0], "beyond": [down * style.dot_size * 2.6], "along": [-down * k * 2.6 for k in range(1, 4)]}
        for dy in where.get(style.dots, [-down * (layout.height * style.point_length - 1.2 * layout.checker / 2)]):
            sheet.disc(x, y + dy, style.dot_size, style.dot_colour)


def _halves(layout: Layout) -> tuple[tuple[float, float, float, float], tuple[float, float, float, float]]:
    y, x, b = layout.height / 2, layout.width / 2, layout.bar / 2
    return (-x, -y, -b, y), (b, -y, x, y)


def _strips(sheet: Sheet, layout: Layout, style: BoardStyle) -> None:
    for x0, y0, x1, y1 in _halves(layout):
        if style.mosaic_strip > 0:
            _mosaic(sheet, (x0, y0, x1, y1), style)
        if style.frame_line > 0:
            inset = style.frame_line * 0.5 + style.mosaic_strip
            sheet.line(rect(x0 + inset, y0 + inset, x1 - inset, y1 - inset), style.frame_colour, style.frame_line)


def _mosaic(sheet: Sheet, box: tuple[float, float, float, float], style: BoardStyle) -> None:
    """A strip of small inlaid triangles around a half."""
    x0, y0, x1, y1 = box
    s = style.mosaic_strip
    colours = style.ornament_colours
    for strip in (
        rect(x0, y0, x1, y0 + s),
        rect(x0, y1 - s, x1, y1),
        rect(x0, y0, x0 + s, y1),
        rect(x1 - s, y0, x1, y1),
    ):
        sheet.fill(strip, colours[0])
        a, b = strip.min(axis=0), strip.max(axis=0)
        flat = b[0] - a[0] > b[1] - a[1]
        n = int(max(b - a) / s)
        for k in range(n):
            p = a[0 if flat else 1] + k * s
            tri = np.array([[p, 0.0], [p + s, 0.0], [p + s / 2, s]])
            xy = np.stack([tri[:, 0], a[1] + tri[:, 1]], 1) if flat else np.stack([a[0] + tri[:, 1], tri[:, 0]], 1)
            sheet.fill(xy, colours[1 + k % (len(colours) - 1)])


def _trays(sheet: Sheet, layout: Layout, style: BoardStyle, ppc: float) -> None:
    half = layout.tray_width / 2
    for side in layout.tray:
        x = layout.tray_x(side)
        tile = surface_picture(style.tray, layout.tray_width, layout.height, ppc, salt=3 if side == "L" else 4)
        sheet.paste(x - half, -layout.height / 2, x + half, layout.height / 2, tile)


def _wear(sheet: Sheet, style: BoardStyle, rng: np.random.Generator) -> None:
    """Uneven fading, dirt near the edges, and some scratches."""
    h, w = sheet.image.shape[:2]
    small = rng.standard_normal((9, 11), np.float32)
    gain = 1.0 + 0.06 * style.wear * cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC)
    sheet.multiply(gain)
    for _ in range(int(style.wear * 14)):
        p = rng.uniform(0, 1, 2) * (w, h)
        q = p + rng.normal(0, 2.5 * sheet.ppc, 2)
        shade = float(rng.uniform(90, 220))
        part = sheet.image.copy()
        cv2.line(part, (int(p[0]), int(p[1])), (int(q[0]), int(q[1])), (shade,) * 3, 1, cv2.LINE_AA)
        sheet.image = cv2.addWeighted(sheet.image, 0.75, part, 0.25, 0)


def board_sheet(layout: Layout, style: BoardStyle, ppc: float) -> Sheet:
    """Draw the board. uint8 BGR in the gamma 2 scale, `ppc` pixels per cm."""
    x0, y0, x1, y1 = layout.outer()
    rng = np.random.default_rng([style.seed, 5])
    shape = max(8, round((y1 - y0) * ppc)), max(8, round((x1 - x0) * ppc)), 3
    sheet = Sheet(np.full(shape, bgr255(style.bar.colour), np.uint8), x0, y1, ppc)
    if layout.bar > 0.1:
        b, y = layout.bar / 2, layout.height / 2
        sheet.paste(-b, -y, b, y, surface_picture(style.bar, layout.bar, layout.height, ppc, salt=9))
    for k, (a, b, c, d) in enumerate(_halves(layout)):
        tint = 1.0 + style.half_tone * (0.5 - k)
        colour = tuple(float(min(1.0, v * tint)) for v in style.surface.colour)
        second = tuple(float(min(1.0, v * tint)) for v in style.surface.second)
        piece = replace(style.surface, colour=colour, second=second)  # type: ignore[arg-type]
        sheet.paste(a, b, c, d, surface_picture(piece, c - a, d - b, ppc, salt=k + 1))
    draw_ornament(sheet, layout, style, rng)
    _points(sheet, layout, style)
    _strips(sheet, layout, style)
    _trays(sheet, layout, style, ppc)
    _wear(sheet, style, rng)
    return sheet
