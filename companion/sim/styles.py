"""Random looks: boards, checkers, dice, tables, light, camera faults; drawn from the families real sets come in."""

from __future__ import annotations

import colorsys
from dataclasses import replace
from typing import Any

import numpy as np

from companion.sim.scene import (
    BoardStyle,
    CheckerStyle,
    Colour,
    DieStyle,
    Layout,
    Material,
)

Rng = np.random.Generator
WOODS: tuple[tuple[Colour, Colour], ...] = (
    ((0.62, 0.45, 0.28), (0.42, 0.27, 0.15)),
    ((0.45, 0.27, 0.15), (0.24, 0.13, 0.07)),
    ((0.35, 0.16, 0.09), (0.17, 0.07, 0.04)),
    ((0.80, 0.64, 0.43), (0.62, 0.45, 0.26)),
    ((0.72, 0.50, 0.28), (0.50, 0.30, 0.13)),
    ((0.86, 0.74, 0.55), (0.70, 0.55, 0.36)),
    ((0.22, 0.15, 0.11), (0.09, 0.06, 0.05)),
    ((0.75, 0.47, 0.20), (0.55, 0.28, 0.09)),
    ((0.48, 0.42, 0.36), (0.30, 0.25, 0.21)),
    ((0.55, 0.24, 0.12), (0.33, 0.11, 0.05)),
)


def hsv(h: float, s: float, v: float) -> Colour:
    """sRGB from hue, saturation, value."""
    r, g, b = colorsys.hsv_to_rgb(h % 1.0, min(1.0, max(0.0, s)), min(1.0, max(0.0, v)))
    return r, g, b


def near(rng: Rng, colour: Colour, spread: float = 0.04) -> Colour:
    """A colour close by."""
    r, g, b = (float(min(0.97, max(0.02, c + rng.normal(0, spread)))) for c in colour)
    return r, g, b


def pick(rng: Rng, *choices: str, p: tuple[float, ...] | None = None) -> str:
    """One of the words."""
    return str(rng.choice(choices, p=p))


def lightness(c: Colour) -> float:
    """Rough lightness 0 … 1."""
    return 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]


def contrast(a: Colour, b: Colour) -> float:
    """How far apart two colours look (0 … about 1.7)."""
    return abs(lightness(a) - lightness(b)) * 1.2 + 0.45 * float(np.linalg.norm(np.subtract(a, b)))


def wood(rng: Rng, gloss: float | None = None, seed: int = 0) -> Material:
    """A kind of wood."""
    a, b = WOODS[int(rng.integers(len(WOODS)))]
    shine = float(rng.choice([0.1, 0.4, 0.9])) if gloss is None else gloss
    return Material(
        "wood",
        near(rng, a),
        near(rng, b, 0.03),
        grain=float(rng.uniform(0.25, 1.0)),
        scale=float(rng.uniform(0.4, 1.5)),
        angle=float(rng.choice([0.0, 90.0])),
        gloss=shine,
        rough=float(rng.uniform(0.15, 0.6)),
        seed=int(rng.integers(1 << 30)),
    )


def cloth(rng: Rng) -> Material:
    """Felt, velvet, vinyl, leather, cork, plain paint."""
    kind = pick(rng, "felt", "velvet", "leather", "vinyl", "cork", "plain", p=(0.32, 0.08, 0.2, 0.2, 0.05, 0.15))
    tone = pick(
        rng,
        "green",
        "grey",
        "tan",
        "blue",
        "red",
        "dark",
        "cream",
        "any",
        p=(0.17, 0.13, 0.15, 0.13, 0.09, 0.1, 0.13, 0.1),
    )
    u = rng.uniform
    colours = {
        "green": hsv(u(0.33, 0.45), u(0.5, 0.9), u(0.2, 0.5)),
        "grey": hsv(u(0, 1), u(0, 0.1), u(0.35, 0.8)),
        "tan": hsv(u(0.06, 0.12), u(0.35, 0.7), u(0.4, 0.8)),
        "blue": hsv(u(0.55, 0.68), u(0.5, 0.9), u(0.2, 0.6)),
        "red": hsv(u(0.95, 1.03), u(0.6, 0.95), u(0.25, 0.7)),
        "dark": hsv(u(0, 1), u(0, 0.5), u(0.06, 0.22)),
        "cream": hsv(u(0.08, 0.15), u(0.1, 0.3), u(0.75, 0.93)),
        "any": hsv(u(0, 1), u(0.2, 0.95), u(0.15, 0.85)),
    }
    base = colours[tone]
    gloss = {"felt": 0.0, "velvet": 0.0, "leather": 0.25, "vinyl": 0.3, "cork": 0.0, "plain": float(u(0.1, 0.8))}[kind]
    rough = float(u(0.2, 0.5)) if kind == "plain" else float(u(0.5, 0.8))
    second = hsv(0.08, 0.5, lightness(base) * 0.6)
    return Material(
        kind, base, second, float(u(0.3, 1.0)), float(u(0.7, 1.6)), 0.0, gloss, rough, int(rng.integers(1 << 30))
    )


def point_colours(rng: Rng, ground: Colour, woody: bool) -> tuple[Colour, Colour]:
    """Two colours for the points: inlay woods or paints, usually apart from the ground and from each other."""
    for _ in range(40):
        if woody and rng.random() < 0.75:
            a, b = (near(rng, WOODS[int(rng.integers(len(WOODS)))][int(rng.integers(2))]) for _ in range(2))
        else:
            family = [
                hsv(rng.uniform(0, 1), rng.uniform(0, 0.15), rng.uniform(0.75, 0.95)),
                hsv(rng.uniform(0, 1), rng.uniform(0, 0.3), rng.uniform(0.06, 0.25)),
                hsv(rng.uniform(-0.04, 0.04), rng.uniform(0.6, 0.95), rng.uniform(0.35, 0.8)),
                hsv(rng.uniform(0, 1), rng.uniform(0.3, 0.95), rng.uniform(0.2, 0.9)),
                hsv(rng.uniform(0.05, 0.12), rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.85)),
            ]
            i, j = rng.choice(len(family), 2, replace=False, p=[0.3, 0.25, 0.15, 0.15, 0.15])
            a, b = family[int(i)], family[int(j)]
        far = min(contrast(a, ground), contrast(b, ground), contrast(a, b))
        if far > (0.06 if rng.random() < 0.2 else 0.16):
            return a, b
    return (0.9, 0.88, 0.8), (0.15, 0.1, 0.1)


def board_style(rng: Rng, layout: Layout) -> BoardStyle:
    """A whole board."""
    family = pick(rng, "felt", "wood", "tavla", "printed", "leather", p=(0.25, 0.27, 0.2, 0.14, 0.14))
    woody = family in ("wood", "tavla")
    surface = wood(rng) if woody else cloth(rng)
    if family == "printed":
        surface = replace(surface, kind=pick(rng, "plain", "vinyl"), gloss=float(rng.uniform(0.1, 0.9)))
    rail = wood(rng) if woody or rng.random() < 0.5 else cloth(rng)
    if woody and rng.random() < 0.4:
        rail = replace(surface, seed=surface.seed + 1, grain=surface.grain * 0.8)
    bar = rail if rng.random() < 0.75 else replace(surface, seed=surface.seed + 2)
    a, b = point_colours(rng, surface.colour, woody)
    tray = surface if rng.random() < 0.5 else cloth(rng)
    style = BoardStyle(
        surface=surface, rail=rail, bar=bar, tray=tray, point_a=a, point_b=b, seed=int(rng.integers(1 << 30))
    )
    return _decorated(rng, style, layout, family)


def _decorated(rng: Rng, style: BoardStyle, layout: Layout, family: str) -> BoardStyle:
    u, woody = rng.uniform, family in ("wood", "tavla")
    outlined = rng.random() < (0.55 if woody else 0.3)
    fill = not (family == "tavla" and outlined and rng.random() < 0.35)
    light, dark = (0.93, 0.88, 0.75), (0.08, 0.06, 0.05)
    line = light if lightness(style.surface.colour) < 0.4 else dark
    many = tuple(
        near(rng, c, 0.08) for c in ((0.92, 0.86, 0.7), (0.25, 0.13, 0.08), (0.6, 0.15, 0.1), (0.12, 0.1, 0.1))
    )
    order = rng.permutation(4)
    patterned = rng.random() < (0.35 if family == "tavla" else 0.05)
    pattern = pick(rng, "split", "inner", "double") if patterned else ""
    ornament = ""
    if family == "tavla" and rng.random() < 0.85:
        ornament = pick(rng, "mosaic", "medallion", "diamond", "lozenge", "star", "compass", "band")
    elif rng.random() < 0.22:
        ornament = pick(rng, "diamond", "letters", "band", "star", "lozenge", "letters")
    return replace(
        style,
        point_fill=fill,
        point_wood=woody and rng.random() < 0.7,
        point_pattern=pattern,
        point_grain=float(u(0.5, 1.0)) if woody else float(u(0.0, 0.8)),
        shape=pick(rng, "sharp", "round", "slim", "blunt", "lens", "waist", p=(0.45, 0.15, 0.15, 0.08, 0.09, 0.08)),
        point_length=float(u(0.36, 0.46)) if rng.random() < 0.85 else float(u(0.3, 0.48)),
        point_width=float(u(0.8, 1.0)) if rng.random() < 0.8 else float(u(0.55, 0.8)),
        outline=float(u(0.06, 0.22)) if outlined or not fill else 0.0,
        outline_colour=near(rng, line if rng.random() < 0.7 else many[0], 0.05),
        dots=pick(rng, "tip", "beyond", "base", "along", "", p=(0.13, 0.08, 0.05, 0.04, 0.7)),
        dot_size=float(u(0.12, 0.5)),
        dot_colour=near(rng, line),
        ornament=ornament,
        ornament_colours=tuple(many[int(k)] for k in order),
        frame_line=float(u(0.08, 0.3)) if rng.random() < 0.25 else 0.0,
        frame_colour=near(rng, line),
        mosaic_strip=float(u(0.5, 1.1)) if family == "tavla" and rng.random() < 0.35 else 0.0,
        hinges=pick(rng, "brass", "black", "steel", "green", p=(0.55, 0.15, 0.15, 0.15))
        if layout.hinge_gap > 0
        else "",
        trim=float(u(0.15, 0.6)) if rng.random() < 0.3 else 0.0,
        trim_colour=near(rng, many[0] if rng.random() < 0.5 else style.point_a),
        wear=float(rng.beta(1.5, 4)),
        half_tone=float(rng.normal(0, 0.06)) if woody else 0.0,
    )


def random_layout(rng: Rng) -> Layout:
    """Measures of a board."""
    u = rng.uniform
    d = float(u(2.8, 4.8))
    pitch = d * float(u(1.02, 1.16) if rng.random() < 0.8 else u(1.16, 1.3))
    bar = float(rng.choice([0.0, 1.0, 2.0])) * 0.25 + 0.02 if rng.random() < 0.08 else d * float(u(0.7, 1.25))
    if rng.random() < 0.15:
        bar = d * float(u(0.35, 0.7))
    rail = float(u(1.0, 2.6))
    high = float(u(0.5, 2.0) if rng.random() < 0.7 else u(2.0, 4.0))
    folding = bar > 1.0 and rng.random() < 0.5
    trays = pick(rng, "", "R", "L", "LR", p=(0.5, 0.17, 0.08, 0.25))
    return Layout(
        checker=d,
        thick=d * float(u(0.18, 0.34)),
        pitch=pitch,
        height=d * float(u(10.6, 13.5)),
        bar=bar,
        bar_height=0.0 if bar < 0.8 else (high if rng.random() < 0.7 else float(u(0.0, high))),
        rail=rail,
        rail_height=high,
        tray=trays,
        tray_width=d * float(u(1.15, 1.6)),
        divider=float(u(0.6, 1.8)),
        hinge_gap=float(u(0.1, 0.4)) if folding else 0.0,
        base=float(u(0.6, 3.5)),
        home=pick(rng, "R", "L", p=(0.6, 0.4)),
        die=float(u(1.1, 1.7)),
        cube=float(u(2.0, 3.2)),
    )


_PAIRS: tuple[tuple[Colour, Colour], ...] = (
    ((0.92, 0.88, 0.76), (0.10, 0.09, 0.09)),
    ((0.92, 0.92, 0.90), (0.10, 0.10, 0.11)),
    ((0.90, 0.85, 0.70), (0.30, 0.16, 0.09)),
    ((0.82, 0.66, 0.44), (0.22, 0.13, 0.09)),
    ((0.93, 0.91, 0.86), (0.60, 0.10, 0.10)),
    ((0.92, 0.90, 0.85), (0.12, 0.18, 0.45)),
    ((0.95, 0.80, 0.20), (0.12, 0.20, 0.55)),
    ((0.90, 0.55, 0.15), (0.05, 0.35, 0.38)),
    ((0.70, 0.70, 0.72), (0.15, 0.14, 0.14)),
    ((0.85, 0.68, 0.66), (0.38, 0.07, 0.16)),
    ((0.93, 0.92, 0.88), (0.10, 0.35, 0.18)),
    ((0.80, 0.12, 0.10), (0.10, 0.09, 0.09)),
    ((0.62, 0.48, 0.32), (0.30, 0.20, 0.14)),
    ((0.86, 0.75, 0.55), (0.48, 0.26, 0.13)),
)


def checker_pair(rng: Rng) -> tuple[CheckerStyle, CheckerStyle]:
    """White's and Black's checkers (lighter set first), from high contrast to merely distinguishable."""
    if rng.random() < 0.78:
        a, b = _PAIRS[int(rng.integers(len(_PAIRS)))]
        a, b = near(rng, a), near(rng, b)
    else:
        while True:
            a, b = (hsv(rng.uniform(0, 1), rng.uniform(0, 0.95), rng.uniform(0.1, 0.97)) for _ in range(2))
            if contrast(a, b) > 0.3 and abs(lightness(a) - lightness(b)) > 0.08:
                break
    if lightness(a) < lightness(b):
        a, b = b, a
    finish = pick(rng, "plain", "marble", "wood", "stripes", "speck", p=(0.52, 0.17, 0.19, 0.05, 0.07))
    profile = pick(rng, "plain", "rim", "groove", "dimple", "dome", p=(0.3, 0.22, 0.2, 0.2, 0.08))
    common: dict[str, Any] = {
        "profile": profile,
        "gloss": float(rng.choice([0.05, 0.4, 1.0], p=[0.25, 0.45, 0.3])),
        "rough": float(rng.uniform(0.1, 0.5)),
        "bevel": float(rng.uniform(0.05, 0.4)),
        "spread": float(rng.uniform(0.0, 0.07 if finish in ("wood", "stripes") else 0.03)),
        "strength": float(rng.uniform(0.25, 1.0)),
        "translucent": float(rng.uniform(0.3, 0.9)) if finish != "wood" and rng.random() < 0.12 else 0.0,
    }
    out = []
    inlay = float(rng.uniform(0.3, 0.8)) if rng.random() < 0.14 else 0.0
    wide = float(rng.uniform(0.06, 0.2)) if rng.random() < 0.6 else 1.0
    for c, other in ((a, b), (b, a)):
        kind = finish if finish in ("wood", "stripes") or rng.random() < 0.85 else "plain"
        step = rng.uniform(-0.3, 0.3)
        second = near(rng, hsv_shift(c, float(step)), 0.05)
        if kind == "stripes":
            second = near(
                rng,
                hsv_shift(c, float(rng.uniform(-0.25, -0.1) if lightness(c) > 0.4 else rng.uniform(0.08, 0.2))),
                0.03,
            )
        ring = near(
            rng, other if rng.random() < 0.4 and wide < 1 else hsv_shift(c, float(rng.uniform(-0.3, 0.3))), 0.05
        )
        out.append(
            CheckerStyle(
                colour=c, second=second, finish=kind, inlay=inlay, inlay_width=wide, inlay_colour=ring, **common
            )
        )
    return out[0], out[1]


def hsv_shift(c: Colour, dv: float) -> Colour:
    """Lighter or darker."""
    h, s, v = colorsys.rgb_to_hsv(*c)
    return hsv(h, s * (1 - 0.5 * max(0.0, dv)), v + dv)


def die_style(rng: Rng) -> DieStyle:
    """Colours and shape of a die."""
    kinds: tuple[tuple[Colour, Colour], ...] = (
        ((0.93, 0.93, 0.9), (0.05, 0.05, 0.06)),
        ((0.90, 0.86, 0.72), (0.08, 0.06, 0.05)),
        ((0.75, 0.06, 0.07), (0.95, 0.95, 0.93)),
        ((0.08, 0.08, 0.09), (0.93, 0.93, 0.9)),
        ((0.10, 0.20, 0.65), (0.95, 0.95, 0.95)),
        ((0.05, 0.40, 0.18), (0.95, 0.95, 0.92)),
        ((0.35, 0.05, 0.09), (0.92, 0.88, 0.8)),
        ((0.93, 0.93, 0.93), (0.1, 0.15, 0.6)),
        ((0.90, 0.75, 0.15), (0.08, 0.07, 0.05)),
        ((0.55, 0.35, 0.2), (0.95, 0.9, 0.8)),
    )
    p = np.array([5, 3, 2, 2, 1, 1, 1, 1, 0.7, 0.8])
    body, ink = kinds[int(rng.choice(len(kinds), p=p / p.sum()))]
    return DieStyle(
        body=near(rng, body, 0.03),
        pip=near(rng, ink, 0.02),
        one=(0.75, 0.05, 0.05) if lightness(body) > 0.7 and rng.random() < 0.1 else None,
        roundness=float(rng.uniform(0.1, 0.5)),
        pip_size=float(rng.uniform(0.8, 1.25)),
        translucent=float(rng.uniform(0.3, 0.8)) if rng.random() < 0.15 else 0.0,
        finish=pick(rng, "plain", "marble", "wood", p=(0.85, 0.09, 0.06)),
        gloss=float(rng.uniform(0.1, 0.9)),
    )


def table_material(rng: Rng, white: float = 0.03) -> Material:
    """What the board stands on; `white`: chance of a white ground, as in product pictures."""
    if rng.random() < white:
        return Material("plain", (0.97, 0.97, 0.97), (0.95, 0.95, 0.95), 0.2)
    kind = pick(
        rng,
        "wood",
        "felt",
        "weave",
        "marble",
        "checked",
        "vinyl",
        "plain",
        p=(0.38, 0.12, 0.14, 0.09, 0.06, 0.06, 0.15),
    )
    if kind == "wood":
        top = wood(rng)
        return replace(top, grain=top.grain * 0.6, scale=top.scale * 1.4)
    u = rng.uniform
    value = u(0.08, 0.95)
    base = hsv(u(0, 1), u(0, 0.25) if rng.random() < 0.6 else u(0.3, 0.9), value)
    second = (
        hsv(u(0, 1), u(0, 0.3), u(0.1, 0.95)) if kind == "checked" else near(rng, hsv_shift(base, u(-0.25, 0.25)), 0.02)
    )
    gloss = {"marble": 0.8, "vinyl": 0.3, "plain": float(u(0, 0.6))}.get(kind, 0.0)
    return Material(
        kind,
        base,
        second,
        float(u(0.3, 1)),
        float(u(0.6, 1.8)),
        0.0,
        gloss,
        float(u(0.2, 0.6)),
        int(rng.integers(1 << 30)),
    )
