"""Film of a simulated table at many frames a second: what rests is kept drawn, and only what changed is drawn again.

The picture is the renderer's (same light, checkers, dice, hands). Three short cuts make it fast: after a checker was
put down only its neighbourhood is lit and drawn anew; shadows of moving things darken the picture at low resolution;
sensor noise is cut out of a prepared sheet. Exposure is locked, as the service locks a camera's.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sim import render
from companion.sim.camera import View
from companion.sim.die import matrix
from companion.sim.film_area import (
    COARSE,
    Box,
    Reach,
    Rect,
    dark_rects,
    enlarged,
    grown,
    heights,
    merged,
    near,
    neighbourhood,
    offset,
    only_near,
    padded,
    part_of,
    slices,
)
from companion.sim.hand import hand_occluders
from companion.sim.isp import develop
from companion.sim.render_light import Grid, LevelShade, Occluder
from companion.sim.scene import Checker, Cube, Die, Isp, Scene
from companion.sources.base import Image

Floats = NDArray[np.float32]

_MANY = 8  # changed things beyond which the whole picture is drawn anew
_PAD = 10  # pixels around a changed rectangle that blur and sharpening reach


@dataclass(eq=False)
class _Sheet(render._Frame):
    """A frame that draws only inside `clip` and remembers where it drew."""

    clip: Rect = (0, 0, 1 << 30, 1 << 30)
    drawn: list[Rect] = field(default_factory=list)

    def lay(
        self, number: int, x0: int, y0: int, colour: Floats, cover: Floats, depth: Floats, top: NDArray[np.bool_]
    ) -> None:
        h, w = cover.shape
        a, b = max(x0, self.clip[0]), max(y0, self.clip[1])
        c, d = min(x0 + w, self.clip[2]), min(y0 + h, self.clip[3])
        if c <= a or d <= b:
            return
        part = (slice(b - y0, d - y0), slice(a - x0, c - x0))
        super().lay(number, a, b, colour[part], cover[part], depth[part], top[part])
        self.drawn.append((a, b, c, d))


@dataclass(eq=False)
class _Base:
    """The resting picture: linear colour and depth, the lit atlas, the developed picture without noise."""

    scene: Scene
    static: render._Static
    atlas: Floats
    sheet: _Sheet
    picture: Image


def _things(scene: Scene) -> set[Checker | Die | Cube]:
    return {*scene.checkers, *scene.dice, *([scene.cube] if scene.cube else [])}


class FilmPrinter:
    """Draws the frames of one film. `scene` of the first call sets the exposure."""

    def __init__(self) -> None:
        self._gain = 0.0
        self._base: _Base | None = None
        self._noise: tuple[Isp, NDArray[np.int16]] | None = None
        self._unshaded: tuple[tuple[object, ...], LevelShade, Floats, Floats, Floats] | None = None

    def picture(self, rest: Scene, moving: Scene, number: int) -> Image:
        """Draw `rest` (all that lies still) and `moving` (same table, only what moves); `number` seeds the noise."""
        base = self._rested(rest)
        picture = base.picture
        if moving.checkers or moving.dice or moving.hands or moving.cube:
            picture = self._with_moving(base, moving)
        return self._exposed(picture, rest.isp, number)

    # What rests --------------------------------------------------------------------------------------------------

    def _rested(self, scene: Scene) -> _Base:
        base = self._base
        same_table = base is not None and base.scene.static_key() == scene.static_key()
        changed = _things(base.scene) ^ _things(scene) if base is not None and same_table else set()
        if base is None or not same_table or len(changed) > _MANY:
            base = self._base = self._drawn_anew(scene)
        elif changed:
            self._redraw(base, scene, changed)
        return base

    def _drawn_anew(self, scene: Scene) -> _Base:
        if not self._gain:
            self._gain = render.metered(scene)
        static = render._static(scene, 1.0)
        things = render._moving(scene)
        atlas = render._atlas(scene, static, things)
        depth = static.canvas.depth
        sheet = _Sheet(np.zeros((*depth.shape, 3), np.float32), depth.copy(), np.zeros(depth.shape, np.int32), {})
        base = _Base(scene, static, atlas, sheet, np.zeros((*depth.shape, 3), np.uint8))
        width, height = static.view.size
        self._draw_rest(base, scene, (0, 0, width, height), render._LightAt(scene, things, static))
        return base

    def _draw_rest(self, base: _Base, scene: Scene, rect: Rect, lights: render._LightAt) -> None:
        """Draw static picture and `scene`'s things inside the rectangle, and develop it."""
        canvas, area = base.static.canvas, slices(rect)
        lit = cv2.remap(
            base.atlas, canvas.mapx[area], canvas.mapy[area], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        base.sheet.colour[area] = canvas.albedo[area] * lit + canvas.gloss[area]
        base.sheet.depth[area] = canvas.depth[area]
        base.sheet.clip = rect
        render._checkers(base.sheet, scene, base.static.view, lights)
        render._dice(base.sheet, scene, base.static.view, lights)
        base.picture[area] = self._developed(base.sheet.colour, rect, scene.isp)

    def _redraw(self, base: _Base, scene: Scene, changed: set[Checker | Die | Cube]) -> None:
        things = render._moving(scene)
        for thing in changed:
            box = neighbourhood(thing, scene)
            shading = near(things, box)
            self._relight(base, scene, box, shading)
            lights = _PartLight(scene, shading, base.static, grown(box, 8.0))
            rect = base.static.view.box([(x, y, z) for x in box[::2] for y in box[1::2] for z in heights(scene)])
            if rect is not None:
                self._draw_rest(base, only_near(scene, grown(box, 7.0)), rect, lights)
        base.scene = scene

    def _relight(self, base: _Base, scene: Scene, box: Box, occluders: list[Occluder]) -> None:
        """Light the levels anew inside the box."""
        for level in base.static.levels.values():
            wide, inner = part_of(level.grid, grown(box, 5.0)), part_of(level.grid, box)
            lit = LevelShade(wide, scene.light, level.z, base.static.occluders).lit(occluders)
            x, y = offset(inner, level.grid), offset(wide, level.grid)
            part = lit[x[1] - y[1] :, x[0] - y[0] :][: inner.height, : inner.width]
            rows = slice(level.row + x[1], level.row + x[1] + part.shape[0])
            base.atlas[rows, x[0] : x[0] + part.shape[1]] = part

    # What moves --------------------------------------------------------------------------------------------------

    def _with_moving(self, base: _Base, moving: Scene) -> Image:
        view, sheet = base.static.view, base.sheet
        shadow, dark = self._shadow(moving, view)
        reach = Reach(sheet.colour.shape[1], sheet.colour.shape[0])
        rects = [*dark, *reach.of(moving, view)]
        rects = [padded(r, 2, view.size) for r in merged([padded(r, _PAD, view.size) for r in rects])]
        kept = [(r, sheet.colour[slices(r)].copy(), sheet.depth[slices(r)].copy()) for r in rects]
        for rect in dark:
            sheet.colour[slices(rect)] *= enlarged(shadow, rect)
        self._lay_moving(sheet, moving, view)
        picture = base.picture.copy()
        for rect in rects:
            picture[slices(rect)] = self._developed(sheet.colour, rect, moving.isp)
        for rect, colour, depth in kept:
            sheet.colour[slices(rect)], sheet.depth[slices(rect)] = colour, depth
        return picture

    def _lay_moving(self, sheet: _Sheet, moving: Scene, view: View) -> None:
        sheet.clip = (0, 0, *view.size)
        open_air = _OpenAir(self._open_light(moving))
        render._checkers(sheet, moving, view, open_air)  # type: ignore[arg-type]
        render._dice(sheet, moving, view, open_air)  # type: ignore[arg-type]
        render._hands(sheet, moving, view)

    def _open_light(self, scene: Scene) -> Floats:
        return np.asarray(render._level_light(scene.light) * np.float32(0.96), np.float32)

    def _shadow(self, moving: Scene, view: View) -> tuple[Floats, list[Rect]]:
        """How much light moving things leave (low resolution), and the rectangles of full pixels they darken."""
        open_air, unshaded, mapx, mapy = self._shadow_grid(moving, view)
        occluders: list[Occluder] = [render.checker_occluder(c, moving.layout) for c in moving.checkers]
        for die in moving.dice:
            occluders.append(render.body_occluder(matrix(die.quat), np.array([die.x, die.y, die.z]), die.size))
        for hand in moving.hands:
            occluders += hand_occluders(hand)
        shaded = open_air.lit(occluders).mean(axis=2)
        left = cv2.remap(
            shaded / unshaded, mapx, mapy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=1.0
        )
        dimmed = np.asarray(left, np.float32)
        return dimmed, dark_rects(dimmed, view.size)

    def _shadow_grid(self, scene: Scene, view: View) -> tuple[LevelShade, Floats, Floats, Floats]:
        key = (scene.camera, scene.light, scene.layout)
        if self._unshaded is None or self._unshaded[0] != key:
            x0, y0, x1, y1 = scene.layout.outer()
            grid = Grid(x0 - 12, y0 - 12, int((x1 - x0 + 24) * 2), int((y1 - y0 + 24) * 2), 2.0)
            rays = view.rays[COARSE // 2 :: COARSE, COARSE // 2 :: COARSE]
            depth = np.float32(0.4 - view.centre[2]) / np.minimum(rays[..., 2], -1e-4)
            mapx = (np.float32(view.centre[0]) + depth * rays[..., 0] - np.float32(grid.x0)) * np.float32(grid.ppc)
            mapy = (np.float32(view.centre[1]) + depth * rays[..., 1] - np.float32(grid.y0)) * np.float32(grid.ppc)
            open_air = LevelShade(grid, scene.light, 0.4, [])
            unshaded = np.asarray(open_air.lit([]).mean(axis=2), np.float32)
            self._unshaded = (key, open_air, unshaded, np.ascontiguousarray(mapx), np.ascontiguousarray(mapy))
        return self._unshaded[1:]

    # The camera's own work ---------------------------------------------------------------------------------------

    def _developed(self, linear: Floats, rect: Rect, isp: Isp) -> Image:
        """A part of the linear picture, developed without noise; `rect` in pixels."""
        height, width = linear.shape[:2]
        wide = padded(rect, _PAD, (width, height))
        part = linear[slices(wide)] * _vignette((width, height), isp.vignette)[slices(wide)]
        stretch = width / part.shape[1]  # `develop` measures blur by the width of what it gets
        plain = dataclasses.replace(
            isp,
            vignette=0.0,
            noise=0.0,
            jpeg=0,
            flicker=0.0,
            glow=0.0,
            equalise=0.0,
            defocus=isp.defocus * stretch,
            motion=isp.motion * stretch,
        )
        done = develop(part, plain, np.random.default_rng(0), self._gain)
        x, y = rect[0] - wide[0], rect[1] - wide[1]
        return np.asarray(done[y : y + rect[3] - rect[1], x : x + rect[2] - rect[0]], np.uint8)

    def _exposed(self, picture: Image, isp: Isp, number: int) -> Image:
        """Exposure drift (`isp.exposure`, stops), noise and JPEG."""
        if abs(isp.exposure) > 1e-3:
            picture = np.asarray(cv2.convertScaleAbs(picture, alpha=2.0 ** (isp.exposure / 2.2)), np.uint8)
        if isp.noise > 0:
            picture = np.asarray(cv2.add(picture, self._noise_of(picture, isp, number), dtype=cv2.CV_8U), np.uint8)
        if isp.jpeg:
            data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, isp.jpeg])[1]
            picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return picture

    def _noise_of(self, picture: Image, isp: Isp, number: int) -> NDArray[np.int16]:
        key = replace(isp, exposure=0.0)
        height, width = picture.shape[:2]
        if self._noise is None or self._noise[0] != key:
            self._noise = (key, _noise_sheet((height + 128, width + 128), isp))
        x, y = (int(v) for v in np.random.default_rng([number, 5]).integers(0, 128, 2))
        return self._noise[1][y : y + height, x : x + width]


def _noise_sheet(shape: tuple[int, int], isp: Isp) -> NDArray[np.int16]:
    rng = np.random.default_rng(77)
    grain = max(1.0, isp.grain)
    small = (math.ceil(shape[0] / grain), math.ceil(shape[1] / grain))
    grey = rng.standard_normal((*small, 1), np.float32) * np.float32(math.sqrt(max(0.0, 1 - isp.chroma_noise**2)))
    noise = rng.standard_normal((*small, 3), np.float32) * np.float32(isp.chroma_noise) + grey
    noise = noise * np.float32(255 * isp.noise * (1 + isp.sharpen) * (0.6 + 0.4 * grain))
    if noise.shape[:2] != shape:
        noise = np.asarray(cv2.resize(noise, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR), np.float32)
    return np.asarray(np.round(noise), np.int16)


_vignettes: dict[tuple[tuple[int, int], float], Floats] = {}


def _vignette(size: tuple[int, int], strength: float) -> Floats:
    key = (size, strength)
    if key not in _vignettes:
        _vignettes.clear()
        w, h = size
        x = (np.arange(w, dtype=np.float32) - w / 2) / (0.5 * math.hypot(w, h))
        y = (np.arange(h, dtype=np.float32) - h / 2) / (0.5 * math.hypot(w, h))
        _vignettes[key] = np.asarray((1.0 - strength * (x[None] ** 2 + y[:, None] ** 2))[..., None], np.float32)
    return _vignettes[key]


class _OpenAir:
    """The light on things held above the table: no shadow of anything below reaches them."""

    def __init__(self, light: Floats) -> None:
        self._light = light

    def at(self, x: float, y: float, z: float) -> Floats:
        del x, y, z
        return self._light

    def window(self, box: Rect, z: float) -> Floats:
        del box, z
        return self._light


class _PartLight(render._LightAt):
    """Light maps of upper faces, worked out only around one place."""

    def __init__(self, scene: Scene, moving: list[Occluder], static: render._Static, box: Box) -> None:
        super().__init__(scene, moving, static)
        self.grid = part_of(self.grid, box)

    def _map(self, z: float) -> Floats:
        key = round(z, 1)
        if key not in self.maps:
            self.maps[key] = LevelShade(self.grid, self.scene.light, z, self.static.occluders).lit(self.moving)
        return self.maps[key]
