"""What is painted on the faces of a die or a doubling cube: pip grids, digits, marble and wood.

Body axes as in `companion.sim.scene.Die`: +x 3, -x 4, +y 2, -y 5, +z 1, -z 6. Face order everywhere: +x -x +y -y +z -z.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim.scene import Colour, DieStyle

Floats = NDArray[np.float32]
CUBE_FACES = (64, 32, 16, 8, 4, 2)
TEXTURE = 96  # pixels, edge of a digit picture

_PATTERNS = {  # rows of a 3 x 3 grid, first index along u
    1: ("...", ".x.", "..."),
    2: ("x..", "...", "..x"),
    3: ("x..", ".x.", "..x"),
    4: ("x.x", "...", "x.x"),
    5: ("x.x", ".x.", "x.x"),
    6: ("xxx", "...", "xxx"),
}
_HERSHEY = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX)


@dataclass(frozen=True, eq=False, slots=True)
class DieLook:
    """How a die looks. Lengths are shares of half the edge. `digits`: six masks (TEXTURE², 0 … 1) in place of pips.

    `mirrored`: a left-handed die (2 and 5 change places). `turned`: which of the patterns 2, 3, 6 stand turned by 90°.
    `ball`: radius of the sphere the cube is turned in (1.73 = no effect, 1.35 = very round corners).
    """

    body: Colour = (0.95, 0.95, 0.92)
    pip: Colour = (0.05, 0.05, 0.05)
    one: Colour | None = None
    rounding: float = 0.12
    ball: float = 1.75
    pip_radius: float = 0.19
    one_radius: float = 0.0  # 0 = as the others
    pip_gap: float = 0.52
    pip_depth: float = 0.5  # 0 = painted flat, 1 = deeply drilled
    crown: float = 0.02  # faces bulge: spreads reflections
    translucent: float = 0.0
    finish: str = "plain"  # plain | marble | wood
    second: Colour = (0.7, 0.7, 0.7)
    finish_scale: float = 2.0
    gloss: float = 0.5
    rough: float = 0.1
    mirrored: bool = False
    turned: tuple[bool, bool, bool] = (False, False, False)
    digits: tuple[Floats, ...] | None = None
    seed: int = 0

    @staticmethod
    def of(style: DieStyle, *, seed: int = 0) -> DieLook:
        """The look a scene's `DieStyle` asks for."""
        round_share = float(np.clip(style.roundness, 0.0, 1.0))
        second = tuple(0.65 * c for c in style.body)
        return DieLook(
            body=style.body,
            pip=style.pip,
            one=style.one,
            rounding=0.04 + 0.3 * round_share,
            ball=1.78 - 0.4 * round_share,
            pip_radius=0.19 * style.pip_size,
            translucent=style.translucent,
            finish=style.finish,
            second=(second[0], second[1], second[2]),
            gloss=style.gloss,
            turned=(bool(seed & 1), bool(seed & 2), bool(seed & 4)),
            seed=seed,
        )


def face_values(look: DieLook) -> tuple[int, int, int, int, int, int]:
    """Values of the faces +x -x +y -y +z -z."""
    return (3, 4, 5, 2, 1, 6) if look.mirrored else (3, 4, 2, 5, 1, 6)


def pip_grid(look: DieLook) -> NDArray[np.bool_]:
    """(6, 3, 3): has face f a pip at grid place (u, v)?"""
    turned = {2: look.turned[0], 3: look.turned[1], 6: look.turned[2]}
    grids = []
    for value in face_values(look):
        grid = np.array([[c == "x" for c in row] for row in _PATTERNS[value]])
        grids.append(np.rot90(grid) if turned.get(value, False) else grid)
    return np.stack(grids)


@lru_cache(maxsize=256)
def digit_mask(text: str, font: int = 0, weight: int = 3, turn: int = 0, height: float = 0.5) -> Floats:
    """Ink of `text` centred on a face (TEXTURE², float 0 … 1; row 0 = upper edge), turned by quarter turns."""
    face = _HERSHEY[font % len(_HERSHEY)]
    scale = cv2.getFontScaleFromHeight(face, int(TEXTURE * height), weight)
    (w, h), _ = cv2.getTextSize(text, face, scale, weight)
    if w > 0.82 * TEXTURE:
        scale *= 0.82 * TEXTURE / w
        (w, h), _ = cv2.getTextSize(text, face, scale, weight)
    image = np.zeros((TEXTURE, TEXTURE), np.uint8)
    cv2.putText(image, text, ((TEXTURE - w) // 2, (TEXTURE + h) // 2), face, scale, 255, weight, cv2.LINE_AA)
    return np.rot90(image, turn).astype(np.float32) / 255.0


def cube_digits(top: int, seed: int = 0, *, font: int | None = None, weight: int | None = None) -> tuple[Floats, ...]:
    """The six faces of a doubling cube with `top` on +z, its upper edge towards +y."""
    rng = np.random.default_rng(seed)
    font = int(rng.integers(4)) if font is None else font
    weight = int(rng.integers(2, 9)) if weight is None else weight
    others = [v for v in CUBE_FACES if v != top]
    rng.shuffle(others)
    height = float(rng.uniform(0.38, 0.62))
    turns = rng.integers(0, 4, 5)
    sides = [digit_mask(str(v), font, weight, int(t), height) for v, t in zip(others, turns, strict=True)]
    return (*sides[:4], digit_mask(str(top), font, weight, 0, height), sides[4])


def body_colours(look: DieLook, p: Floats) -> Floats:
    """Linear RGB of the material at body points p (n, 3)."""
    base = linear(look.body)
    if look.finish == "plain":
        return np.broadcast_to(base, p.shape).astype(np.float32)
    rng = np.random.default_rng(look.seed)
    waves = rng.normal(0, look.finish_scale, (5, 3)).astype(np.float32)
    phase = rng.uniform(0, 6.28, 5).astype(np.float32)
    if look.finish == "wood":
        waves[1:] *= 0.25
        waves[0] *= 4.0
    warped = p + 0.35 * np.sin(p[:, ::-1] @ waves[:3] + phase[0])
    share = 0.5 + 0.5 * np.sin(np.sin(warped @ waves.T + phase).sum(axis=1) * 1.6)
    mixed: Floats = (base + (linear(look.second) - base) * share[:, None]).astype(np.float32)
    return mixed


def ink(look: DieLook, face: NDArray[np.intp], u: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
    """Ink share (n,) and the slope of the drilled bowls along u and v (n,) for face coordinates in -1 … 1."""
    if look.digits is not None:
        u = np.where(face % 2 == 1, -u, u)  # seen from outside the negative faces are mirrored
        col = np.clip((u + 1) * 0.5 * TEXTURE, 0, TEXTURE - 1).astype(np.intp)
        row = np.clip((1 - v) * 0.5 * TEXTURE, 0, TEXTURE - 1).astype(np.intp)
        share = np.stack(look.digits)[face, row, col]
        zero = np.zeros_like(u)
        return share, zero, zero
    gap = look.pip_gap
    iu = np.clip(np.rint(u / gap), -1, 1)
    iv = np.clip(np.rint(v / gap), -1, 1)
    present = pip_grid(look)[face, iu.astype(np.intp) + 1, iv.astype(np.intp) + 1]
    single = np.asarray([value == 1 for value in face_values(look)])[face]
    radius = np.where(single, look.one_radius or look.pip_radius, look.pip_radius).astype(np.float32)
    du, dv = (u - iu * gap) / radius, (v - iv * gap) / radius
    inside = present & (du * du + dv * dv < 1.0)
    depth = np.where(inside, look.pip_depth, 0.0)
    return inside.astype(np.float32), (-depth * du).astype(np.float32), (-depth * dv).astype(np.float32)


def ink_colour(look: DieLook, face: NDArray[np.intp]) -> Floats:
    """Linear RGB of the ink on each point's face."""
    plain = linear(look.pip)
    if look.one is None:
        return np.broadcast_to(plain, (len(face), 3))
    single = np.asarray([value == 1 for value in face_values(look)])[face]
    return np.where(single[:, None], linear(look.one), plain).astype(np.float32)


def linear(colour: Colour) -> Floats:
    """sRGB 0 … 1 to linear light."""
    c = np.asarray(colour, np.float32)
    out: Floats = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return out


def encode(light: Floats) -> Floats:
    """Linear light to sRGB 0 … 1."""
    c = np.clip(light, 0.0, 1.0)
    out: Floats = np.where(c <= 0.0031308, c * 12.92, 1.055 * c ** (1 / 2.4) - 0.055).astype(np.float32)
    return out
