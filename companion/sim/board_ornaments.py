"""Ornaments in the middle of each half: diamonds, stars, tavla mosaics, medallions, bands, letters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import cv2
import numpy as np

from companion.sim.render_materials import bgr255
from companion.sim.scene import BoardStyle, Colour, Layout

if TYPE_CHECKING:
    from companion.sim.board_art import Sheet

Colours = tuple[Colour, ...]


def _diamond(sheet: Sheet, x: float, y: float, w: float, h: float, colours: Colours) -> None:
    for k, share in enumerate((1.0, 0.82, 0.62, 0.3)):
        corners = np.array([[x - w * share, y], [x, y + h * share], [x + w * share, y], [x, y - h * share]])
        sheet.fill(corners, colours[k % len(colours)])


def _lozenge(sheet: Sheet, x: float, y: float, w: float, h: float, colours: Colours) -> None:
    _diamond(sheet, x, y, w, h, colours)
    for i in range(-2, 3):
        for j in range(-2, 3):
            if abs(i) + abs(j) <= 2:
                _diamond(sheet, x + i * w * 0.2, y + j * h * 0.2, w * 0.1, h * 0.1, colours[::-1])


def _star(sheet: Sheet, x: float, y: float, w: float, h: float, colours: Colours) -> None:
    for k in range(16):
        a0, a1 = (k - 0.5) * math.pi / 8, (k + 0.5) * math.pi / 8
        reach = 1.0 if k % 4 == 0 else 0.72 if k % 2 == 0 else 0.35
        tip = (a0 + a1) / 2
        inner = 0.25
        xy = [[0, 0], [inner * math.cos(a0), inner * math.sin(a0)], [reach * math.cos(tip), reach * math.sin(tip)]]
        half = np.array(xy) * (w, h) + (x, y)
        xy[1] = [inner * math.cos(a1), inner * math.sin(a1)]
        other = np.array(xy) * (w, h) + (x, y)
        sheet.fill(half, colours[0])
        sheet.fill(other, colours[1 % len(colours)])


def _mosaic_panel(
    sheet: Sheet, x: float, y: float, w: float, h: float, colours: Colours, rng: np.random.Generator
) -> None:
    n = int(rng.integers(5, 10))
    pattern = rng.integers(0, len(colours), (n, n))
    pattern = np.minimum(pattern, pattern[::-1])
    pattern = np.minimum(pattern, pattern[:, ::-1])
    sheet.fill(np.array([[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]]), colours[1 % len(colours)])
    cw, ch = 1.84 * w / n, 1.84 * h / n
    for i in range(n):
        for j in range(n):
            cx, cy = x - 0.92 * w + (i + 0.5) * cw, y - 0.92 * h + (j + 0.5) * ch
            a = colours[int(pattern[i, j])]
            b = colours[int(pattern[i, j] + 1) % len(colours)]
            sheet.fill(np.array([[cx - cw / 2, cy - ch / 2], [cx + cw / 2, cy - ch / 2], [cx, cy + ch / 2]]), a)
            sheet.fill(np.array([[cx - cw / 2, cy + ch / 2], [cx + cw / 2, cy + ch / 2], [cx, cy - ch / 2]]), b)
    for share, line in ((1.0, 0.25), (0.94, 0.12)):
        frame = np.array([[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]])
        sheet.line((frame - (x, y)) * share + (x, y), colours[0], line)


def _medallion(
    sheet: Sheet, x: float, y: float, w: float, h: float, colours: Colours, rng: np.random.Generator
) -> None:
    t = np.linspace(0, 2 * math.pi, 96, endpoint=False)
    petals = int(rng.integers(6, 14))
    for k, share in enumerate((1.0, 0.8, 0.55, 0.3)):
        r = share * (1.0 + 0.12 * np.cos(petals * t + k))
        sheet.fill(np.stack([x + w * r * np.cos(t), y + h * r * np.sin(t)], 1), colours[k % len(colours)])
    for k in range(petals):
        a = 2 * math.pi * k / petals
        sheet.disc(
            x + w * 0.68 * math.cos(a), y + h * 0.68 * math.sin(a), 0.1 * min(w, h), colours[(k + 1) % len(colours)]
        )


def _band(sheet: Sheet, x: float, y: float, w: float, colours: Colours) -> None:
    for k, (dy, thick) in enumerate(((0.0, 1.4), (1.0, 0.25), (-1.0, 0.25))):
        sheet.fill(
            np.array(
                [
                    [x - w, y + dy - thick / 2],
                    [x + w, y + dy - thick / 2],
                    [x + w, y + dy + thick / 2],
                    [x - w, y + dy + thick / 2],
                ]
            ),
            colours[k % len(colours)],
        )


def _letters(
    sheet: Sheet, x: float, y: float, w: float, colours: Colours, rng: np.random.Generator, turn: bool
) -> None:
    text = "".join(rng.choice(list("ABCDEGHKLMNRSTW"), int(rng.integers(1, 4))))
    size = sheet.ppc * w / (22.0 * len(text) ** 0.5)
    (tw, th), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_TRIPLEX, size, max(1, round(size * 2)))
    at = sheet.at(np.array([[x, y]]))[0]
    patch = np.zeros((th * 2, tw + 8, 3), np.uint8)
    cv2.putText(
        patch,
        text,
        (4, th + th // 2),
        cv2.FONT_HERSHEY_TRIPLEX,
        size,
        (255, 255, 255),
        max(1, round(size * 2)),
        cv2.LINE_AA,
    )
    if turn:
        patch = np.ascontiguousarray(patch[::-1, ::-1])
    r0, c0 = int(at[1] - patch.shape[0] / 2), int(at[0] - patch.shape[1] / 2)
    view = sheet.image[max(0, r0) : r0 + patch.shape[0], max(0, c0) : c0 + patch.shape[1]]
    share = patch[: view.shape[0], : view.shape[1]].astype(np.float32) / 255
    view[:] = (view * (1 - share) + np.array(bgr255(colours[0]), np.float32) * share).astype(np.uint8)


def draw_ornament(sheet: Sheet, layout: Layout, style: BoardStyle, rng: np.random.Generator) -> None:
    """Draw `style.ornament` into the middle of both halves (between the points' tips, or under them)."""
    if not style.ornament:
        return
    gap = layout.height * max(0.06, 0.5 - style.point_length)
    half = 3 * layout.pitch
    grow = float(rng.uniform(0.6, 1.0))
    w, h = half * 0.75 * grow, max(gap * 0.85, 2.0) * float(rng.uniform(0.8, 1.3))
    state = int(rng.integers(1 << 30))
    for side in (-1, 1):
        x, own = side * (layout.bar / 2 + half), np.random.default_rng(state)
        colours = style.ornament_colours
        if style.ornament == "diamond":
            _diamond(sheet, x, 0.0, min(w, h * 1.5), h, colours)
        elif style.ornament == "lozenge":
            _lozenge(sheet, x, 0.0, w, h, colours)
        elif style.ornament in ("star", "compass"):
            _star(sheet, x, 0.0, w, w if style.ornament == "compass" else h, colours)
        elif style.ornament == "mosaic":
            _mosaic_panel(sheet, x, 0.0, w, h * 1.2, colours, own)
        elif style.ornament == "medallion":
            _medallion(sheet, x, 0.0, w, h, colours, own)
        elif style.ornament == "band":
            _band(sheet, x, 0.0, half, colours)
        elif style.ornament == "letters":
            _letters(sheet, x, 0.0, w, colours, own, side < 0)
