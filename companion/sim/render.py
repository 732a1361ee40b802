"""A scene's picture and its exact truth: `render(scene, seed, scale)`. `Renderer` keeps what stands still, for film."""

from __future__ import annotations

import dataclasses
import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules.position import Side
from companion.sim import die as dice_art
from companion.sim.camera import View, view_of
from companion.sim.checkers import draw_checker, outlines, window_of
from companion.sim.hand import HandArt, hand_occluders
from companion.sim.isp import develop, exposure_gain, motion_kernel
from companion.sim.render_canvas import Canvas, Level
from companion.sim.render_light import Disc, Grid, LevelShade, Occluder, Prism, light_at
from companion.sim.render_static import draw_static, static_occluders
from companion.sim.render_truth import Seen, frame_truth
from companion.sim.scene import Checker, Cube, Die, Isp, Layout, Light, Scene

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rendered:
    """`image` uint8 BGR; `truth` as in the JSON files of the shared scenes (see data/README.md there)."""

    image: NDArray[np.uint8]
    truth: dict[str, Any]


@dataclass(eq=False)
class _Static:
    canvas: Canvas
    levels: dict[str, Level]
    occluders: list[Occluder]
    view: View
    shades: dict[object, LevelShade]

    def shade(self, name: object, grid: Grid, light: Light, z: float) -> LevelShade:
        """The light map of a level; its standing shadows are worked out once."""
        if name not in self.shades:
            self.shades[name] = LevelShade(grid, light, z, self.occluders)
        return self.shades[name]


_cache: OrderedDict[tuple[object, ...], _Static] = OrderedDict()


def _static(scene: Scene, scale: float) -> _Static:
    key = (scene.static_key(), scale)
    found = _cache.get(key)
    if found is None:
        view = view_of(scene.camera, scale)
        canvas, levels = draw_static(view, scene)
        found = _Static(canvas, levels, static_occluders(scene), view, {})
        _cache[key] = found
        while len(_cache) > 2:
            _cache.popitem(last=False)
    return found


def checker_occluder(c: Checker, layout: Layout) -> Occluder:
    """What a checker's shadow comes from."""
    if abs(c.normal[2]) > 0.8:
        return Disc(c.x, c.y, layout.checker / 2, c.z, c.z + layout.thick)
    n = np.array(c.normal[:2]) / max(1e-6, math.hypot(*c.normal[:2]))
    side = np.array([-n[1], n[0]]) * layout.checker / 2
    a, b = np.array([c.x, c.y]), np.array([c.x, c.y]) + n * layout.thick
    return Prism(np.array([a - side, b - side, b + side, a + side]), c.z - layout.checker / 2, c.z + layout.checker / 2)


def body_occluder(turn: NDArray[Any], centre: NDArray[Any], edge: float) -> Prism:
    """Shadow of a die or cube: its outline from above."""
    corners = dice_art.CORNERS * (0.46 * edge) @ turn.T + centre
    hull = cv2.convexHull(corners[:, :2].astype(np.float32)).reshape(-1, 2).astype(np.float64)
    return Prism(hull, float(corners[:, 2].min()), float(corners[:, 2].max()))


def _moving(scene: Scene) -> list[Occluder]:
    out: list[Occluder] = [checker_occluder(c, scene.layout) for c in scene.checkers]
    for d in scene.dice:
        out.append(body_occluder(dice_art.matrix(d.quat), np.array([d.x, d.y, d.z]), d.size))
    if scene.cube:
        c = scene.cube
        out.append(body_occluder(dice_art.cube_rotation(c), np.array([c.x, c.y, c.z]), c.size))
    for hand in scene.hands:
        out += hand_occluders(hand)
    return out


def _atlas(scene: Scene, static: _Static, moving: list[Occluder]) -> Floats:
    """The light maps of all static levels in one picture."""
    width = max(level.grid.width for level in static.levels.values())
    height = sum(level.grid.height for level in static.levels.values())
    atlas = np.ones((height, width, 3), np.float32)
    for name, level in static.levels.items():
        lit = static.shade(name, level.grid, scene.light, level.z).lit(moving)
        atlas[level.row : level.row + level.grid.height, : level.grid.width] = lit
    return atlas


@dataclass(eq=False)
class _Frame:
    """The picture while movable things are added: colour, depth, owner (object number x 2, + 1 on an upper face)."""

    colour: Floats
    depth: Floats
    owner: NDArray[np.uint16]
    area: dict[int, tuple[float, float]]  # object -> own silhouette in pixels, of it the upper face

    def lay(
        self, number: int, x0: int, y0: int, colour: Floats, cover: Floats, depth: Floats, top: NDArray[np.bool_]
    ) -> None:
        h, w = cover.shape
        rows, cols = slice(y0, y0 + h), slice(x0, x0 + w)
        share = np.where(depth < self.depth[rows, cols] + 0.03, cover, np.float32(0.0))
        target = self.colour[rows, cols]
        target += (colour - target) * share[..., None]
        most = share > 0.5
        np.copyto(self.depth[rows, cols], depth, where=most)
        np.copyto(self.owner[rows, cols], (2 * number + top).astype(np.uint16), where=most)
        inside = cover > 0.5
        self.area[number] = (float(inside.sum()), float((inside & top).sum()))


class _LightAt:
    """Light maps of the heights that checkers' upper faces lie at, made when asked for."""

    def __init__(self, scene: Scene, moving: list[Occluder], static: _Static) -> None:
        self.scene, self.moving, self.static = scene, moving, static
        base = static.levels["floor"].grid
        self.grid = Grid(base.x0, base.y0, int(base.width * 4 / base.ppc), int(base.height * 4 / base.ppc), 4.0)
        self.maps: dict[float, Floats] = {}

    def at(self, x: float, y: float, z: float) -> Floats:
        """Irradiance (BGR) at one place."""
        return light_at(self.scene.light, self.static.occluders + self.moving, (x, y, z))

    def _map(self, z: float) -> Floats:
        key = round(z, 1)
        if key not in self.maps:
            self.maps[key] = self.static.shade(("top", key), self.grid, self.scene.light, z).lit(self.moving)
        return self.maps[key]

    def window(self, box: tuple[int, int, int, int], z: float) -> Floats:
        """Irradiance at the height z for every pixel of a window of the picture."""
        view, g = self.static.view, self.grid
        rays = view.rays[box[1] : box[3], box[0] : box[2]]
        depth = np.float32(z - view.centre[2]) / np.minimum(rays[..., 2], np.float32(-1e-4))
        mx = (np.float32(view.centre[0] - g.x0) + depth * rays[..., 0]) * np.float32(g.ppc)
        my = (np.float32(view.centre[1] - g.y0) + depth * rays[..., 1]) * np.float32(g.ppc)
        lit = cv2.remap(self._map(z), mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(lit, np.float32)


def _checkers(frame: _Frame, scene: Scene, view: View, lights: _LightAt) -> None:
    styles = {Side.WHITE: scene.white, Side.BLACK: scene.black}
    shapes = outlines(scene.checkers, scene.layout, view)
    order = sorted(range(len(scene.checkers)), key=lambda k: _far_first(scene.checkers[k], view))
    for k in order:
        c = scene.checkers[k]
        box = window_of(shapes[k], view)
        if box is None:
            continue
        flat = c.pose == "flat" and _on_board(c, scene.layout)
        top = c.z + scene.layout.thick if c.pose == "flat" else c.z + scene.layout.checker / 2
        lit = lights.window(box, top) if flat else lights.at(c.x, c.y, top)
        piece = draw_checker(c, styles[c.side], scene.layout, view, scene.light, lit, shapes[k], box)
        frame.lay(k + 1, piece.x0, piece.y0, piece.colour, piece.cover, piece.depth, piece.top)


def _on_board(c: Checker, layout: Layout) -> bool:
    x0, y0, x1, y1 = layout.outer()
    return x0 < c.x < x1 and y0 < c.y < y1


def _far_first(c: Checker, view: View) -> tuple[float, float]:
    return (round(c.z, 1), -float(np.hypot(c.x - view.centre[0], c.y - view.centre[1])))


def _pinhole(view: View, centre: NDArray[Any]) -> dice_art.View:
    """The camera near one place without lens distortion (shifted so that the place falls on the same pixel)."""
    K = view.K.copy()
    p = K @ (view.R @ centre + view.t)
    K[:2, 2] += view.project(centre[None])[0] - p[:2] / p[2]
    return dice_art.View(K, view.R, view.t)


def _body(
    frame: _Frame, number: int, patch: dice_art.Patch, centre: NDArray[Any], edge: float, view: View, tint: Floats
) -> None:
    h, w = patch.rgba.shape[:2]
    x0, y0 = max(0, patch.x0), max(0, patch.y0)
    x1, y1 = min(view.size[0], patch.x0 + w), min(view.size[1], patch.y0 + h)
    if x1 <= x0 or y1 <= y0:
        return
    part = patch.rgba[y0 - patch.y0 : y1 - patch.y0, x0 - patch.x0 : x1 - patch.x0]
    cover = np.ascontiguousarray(part[..., 3])
    colour = part[..., 2::-1] / np.maximum(cover, 1e-3)[..., None] * tint
    near = float(view.depth(centre)[0])
    depth = np.full(cover.shape, near - 0.45 * edge, np.float32)
    frame.lay(number, x0, y0, np.asarray(colour, np.float32), cover, depth, np.ones(cover.shape, np.bool_))


def _smeared(patch: dice_art.Patch, die: Die, view: View) -> dice_art.Patch:
    """The die drawn along its way while the shutter is open."""
    start, end = view.project([(die.x, die.y, die.z), (die.x + die.blur[0], die.y + die.blur[1], die.z)])
    dx, dy = (float(v) for v in end - start)
    length = min(60.0, math.hypot(dx, dy))
    if length < 1.0:
        return patch
    pad = math.ceil(length / 2) + 1
    wide = cv2.copyMakeBorder(patch.rgba, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0))
    soft = cv2.filter2D(wide, -1, motion_kernel(length, math.degrees(math.atan2(dy, dx))))
    return dice_art.Patch(np.asarray(soft, np.float32), patch.x0 - pad, patch.y0 - pad)


def _level_light(light: Light) -> Floats:
    total = np.array(light.ambient_colour[::-1], np.float32) * np.float32(light.ambient)
    for lamp in light.lamps:
        steep = lamp.direction[2] / float(np.linalg.norm(lamp.direction))
        total = total + np.array(lamp.colour[::-1], np.float32) * np.float32(lamp.power * steep)
    return np.asarray(np.maximum(total, 1e-3), np.float32)


def _dice(frame: _Frame, scene: Scene, view: View, lights: _LightAt) -> None:
    level = _level_light(scene.light)
    number = len(scene.checkers) + 1
    bodies: list[tuple[float, int, Die | Cube]] = [(d.z, number + k, d) for k, d in enumerate(scene.dice)]
    if scene.cube:
        bodies.append((scene.cube.z, number + len(scene.dice), scene.cube))
    for _, n, body in sorted(bodies, key=lambda b: b[0]):
        centre = np.array([body.x, body.y, body.z])
        if view.box(centre, 40.0) is None:
            continue
        pin = _pinhole(view, centre)
        tint = lights.at(body.x, body.y, body.z + 0.9 * body.size) / level  # above its own corners, however tilted
        patch = (
            _smeared(dice_art.render_die(body, pin, scene.light), body, view)
            if isinstance(body, Die)
            else dice_art.render_cube(body, pin, scene.light, seed=scene.seed % 1000)
        )
        _body(frame, n, patch, centre, body.size, view, tint)


def _hands(frame: _Frame, scene: Scene, view: View) -> None:
    number = len(scene.checkers) + len(scene.dice) + 2
    level = _level_light(scene.light)
    for k, hand in enumerate(scene.hands):
        art = HandArt.draw(hand, view, scene.light)
        if art is not None:
            frame.lay(
                number + k, art.x0, art.y0, art.colour * level, art.cover, art.depth, np.ones(art.cover.shape, np.bool_)
            )


_last: list[tuple[Scene, float, tuple[Floats, NDArray[np.uint16], Seen]]] = []


def shade(scene: Scene, scale: float = 1.0) -> tuple[Floats, NDArray[np.uint16], Seen]:
    """The linear picture (BGR), the owner of every pixel, and what the truth needs to know about visibility.

    Asked for the same things again (a film where nothing moves), it returns the picture it already has.
    """
    key = dataclasses.replace(scene, isp=Isp())
    if not (_last and _last[0][1] == scale and _last[0][0] == key):
        _last[:] = [(key, scale, _shade(scene, scale))]
    return _last[0][2]


def _shade(scene: Scene, scale: float) -> tuple[Floats, NDArray[np.uint16], Seen]:
    static = _static(scene, scale)
    canvas, view = static.canvas, static.view
    moving = _moving(scene)
    atlas = _atlas(scene, static, moving)
    lit = cv2.remap(atlas, canvas.mapx, canvas.mapy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    colour = cv2.multiply(canvas.albedo, lit, dst=lit)
    cv2.add(colour, canvas.gloss, dst=colour)
    frame = _Frame(colour, canvas.depth.copy(), np.zeros(canvas.depth.shape, np.uint16), {})
    lights = _LightAt(scene, moving, static)
    _checkers(frame, scene, view, lights)
    _dice(frame, scene, view, lights)
    _hands(frame, scene, view)
    return frame.colour, frame.owner, Seen(frame.area, frame.owner)


def render(
    scene: Scene, seed: int | np.random.Generator = 0, scale: float = 1.0, gain: float | None = None
) -> Rendered:
    """Draw the scene. `seed` (or a generator) drives the sensor's noise only; `scale` shrinks the picture.

    `gain`: locked exposure (linear factor); None = metered from this picture (`Scene.isp`).
    """
    rng = seed if isinstance(seed, np.random.Generator) else np.random.default_rng([seed, 4])
    linear, _, seen = shade(scene, scale)
    image = develop(linear, scene.isp, rng, gain)
    return Rendered(image, frame_truth(scene, view_of(scene.camera, scale), seen))


def metered(scene: Scene, scale: float = 0.25) -> float:
    """The gain automatic exposure would choose for this scene: lock it for all frames of a film."""
    return exposure_gain(shade(scene, scale)[0], dataclasses.replace(scene.isp, auto=True))
