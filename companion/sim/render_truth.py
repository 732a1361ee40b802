"""The exact truth of a rendered scene, with the field names of the JSON beside the shared path-traced scenes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules.position import BAR, OFF, Position, Side
from companion.sim import die as dice_art
from companion.sim.camera import View
from companion.sim.checkers import rims
from companion.sim.die_faces import DieLook
from companion.sim.hand import hand_polygon
from companion.sim.scene import Checker, Cube, Die, Hand, Layout, Scene

Json = dict[str, Any]
COLOUR = {Side.WHITE: "light", Side.BLACK: "dark"}


@dataclass(frozen=True, eq=False)
class Seen:
    """Silhouette sizes when nothing is in front (object -> pixels, upper face) and the owner of every pixel."""

    area: dict[int, tuple[float, float]]
    owner: NDArray[np.uint16]

    def counts(self, things: int) -> NDArray[np.int64]:
        """Pixels of each mark, for things numbered up to `things` (one out of the picture has none)."""
        n = 2 * max(things, max(self.area, default=0)) + 2
        found = cv2.calcHist([self.owner], [0], None, [n], [0, n])
        return found.ravel().astype(np.int64)


def _list(points: NDArray[Any]) -> list[Any]:
    return list(np.round(points, 2).tolist())


def _share(got: float, whole: float) -> float:
    return round(min(1.0, float(got) / whole), 3) if whole > 0 else 0.0


def position_json(p: Position) -> Json:
    """Counts by point, bar and off; `signed24` from White's point 1: + White, - Black."""
    light = {str(n): p.white[n] for n in range(1, 25) if p.white[n]}
    dark = {str(25 - n): p.black[n] for n in range(24, 0, -1) if p.black[n]}
    signed = [p.white[n] - p.black[25 - n] for n in range(1, 25)]
    return {
        "light": light,
        "dark_on_light_numbering": dark,
        "bar": {"light": p.white[BAR], "dark": p.black[BAR]},
        "off": {"light": p.white[OFF], "dark": p.black[OFF]},
        "signed24": signed,
    }


def _board(scene: Scene, view: View) -> Json:
    lay, length = scene.layout, scene.layout.height * scene.board.point_length
    w, h, b = lay.width / 2, lay.height / 2, lay.bar / 2
    x0, y0, x1, y1 = lay.outer()
    inner = [(-w, h, 0), (w, h, 0), (w, -h, 0), (-w, -h, 0)]
    z = lay.rail_height
    outer = [(x0, y1, z), (x1, y1, z), (x1, y0, z), (x0, y0, z)]
    z = lay.bar_height if lay.bar > 0.3 else 0.0
    bar = [(-b, h, z), (b, h, z), (b, -h, z), (-b, -h, z)]
    ends = []
    for n in range(1, 25):
        y, x = (h if n > 12 else -h), lay.point_x(n)
        ends += [(x, y, 0), (x, y - length if n > 12 else y + length, 0)]
    px = _list(view.project(ends))
    points = {str(n): {"base_px": px[2 * n - 2], "tip_px": px[2 * n - 1]} for n in range(1, 25)}
    cm = {
        "D": lay.checker,
        "th": lay.thick,
        "pitch": lay.pitch,
        "H": lay.height,
        "barw": lay.bar,
        "barh": lay.bar_height,
    }
    cm |= {"rail": lay.rail, "railh": lay.rail_height, "trayw": lay.tray_width, "div": lay.divider, "base": lay.base}
    return {
        "cm": {**cm, "tray": lay.tray, "hinge": lay.hinge_gap, "home": lay.home, "die": lay.die, "cube": lay.cube},
        "light_home": "bottom-right" if lay.home == "R" else "bottom-left",
        "corners_px_TL_TR_BR_BL": _list(view.project(inner)),
        "outer_px_TL_TR_BR_BL": _list(view.project(outer)),
        "bar_px": _list(view.project(bar)),
        "points_light_numbering": points,
    }


def _checkers(scene: Scene, view: View, seen: Seen, counts: NDArray[np.int64]) -> list[Json]:
    if not scene.checkers:
        return []
    world = rims(scene.checkers, scene.layout)
    px = view.project(world).reshape(len(scene.checkers), 2, 16, 2)
    middle = view.project(world.mean(axis=2)).reshape(-1, 2, 2)
    return [_checker(c, k + 1, px[k, 1], middle[k], seen, counts) for k, c in enumerate(scene.checkers)]


def _checker(
    c: Checker, number: int, rim: NDArray[Any], middle: NDArray[Any], seen: Seen, counts: NDArray[np.int64]
) -> Json:
    whole, face = seen.area.get(number, (0.0, 0.0))
    out = {
        "colour": COLOUR[c.side],
        "loc": c.loc,
        "layer": c.layer,
        "k": c.k,
        "pose": c.pose,
        "top_px": _list(middle[1]),
        "base_px": _list(middle[0]),
        "rim_px": _list(rim),
        "visible": _share(counts[2 * number] + counts[2 * number + 1], whole),
        "visible_top": _share(counts[2 * number + 1], face),
        "xyz": [round(c.x, 2), round(c.y, 2), round(c.z, 2)],
    }
    if c.loc.startswith("p"):
        own = int(c.loc[1:])
        out["point_light_numbering"] = own if c.side is Side.WHITE else 25 - own
    return out


def zone_of(layout: Layout, x: float, y: float) -> str:
    """Where a place lies: L R (playing surfaces) bar tray rail table."""
    half, b = layout.width / 2, layout.bar / 2
    x0, y0, x1, y1 = layout.outer()
    if not (x0 <= x <= x1 and y0 <= y <= y1):
        return "table"
    if abs(y) <= layout.height / 2:
        if abs(x) <= half:
            return "bar" if abs(x) < b else ("L" if x < 0 else "R")
        if abs(x) > half + layout.divider and ("R" if x > 0 else "L") in layout.tray:
            return "tray"
    return "rail"


def legal_half(scene: Scene) -> str:
    """The half of the board (L or R in the board frame) that the player on roll must throw into: the right as seen."""
    return "R" if scene.on_roll is Side.WHITE else "L"


def _die(d: Die, number: int, scene: Scene, view: View, seen: Seen, counts: NDArray[np.int64]) -> Json:
    centre = np.array([d.x, d.y, d.z])
    turn = dice_art.matrix(d.quat)
    near = _local(view, centre)
    t = dice_art.truth(DieLook.of(d.style), turn, centre, d.size, near)
    zone = d.zone or zone_of(scene.layout, d.x, d.y)
    lay = scene.layout
    gaps = [
        float(np.hypot(c.x - d.x, c.y - d.y)) - lay.checker / 2 - d.size / 2 for c in scene.checkers if c.pose == "flat"
    ]
    others = [float(np.hypot(o.x - d.x, o.y - d.y)) - d.size for o in scene.dice if o is not d]
    inside = (t.hull >= 0).all() and (t.hull <= np.array(view.size) - 1).all()
    visible = _share(counts[2 * number] + counts[2 * number + 1], seen.area.get(number, (0.0, 0.0))[0])
    return {
        "cls": d.cls,
        "detail": d.detail,
        "value": int(t.value),
        "tilt": round(float(t.tilt), 2),
        "zone": zone,
        "size": d.size,
        "legal_half": zone == legal_half(scene),
        "gap_checker": round(min(gaps, default=99.0), 3),
        "gap_die": round(min(others, default=99.0), 3),
        "touching_checker": min(gaps, default=99.0) < 0.05,
        "touching_die": min(others, default=99.0) < 0.05,
        "px": _list(t.centre),
        "hull_px": _list(t.hull),
        "top_face_px": _list(t.top_face),
        "visible": visible,
        "visible_top": visible,
        "in_frame": bool(inside),
        "xyz": [round(v, 3) for v in (d.x, d.y, d.z)],
        "quat_wxyz": [round(float(v), 5) for v in d.quat],
        "edge_px": round(float(t.edge_px), 1),
        "legible": bool(
            t.edge_px >= 9 and visible > 0.6 and scene.isp.defocus * view.size[0] / 1280 < 0.16 * t.edge_px
        ),
    }


def _local(view: View, centre: NDArray[Any]) -> dice_art.View:
    K = view.K.copy()
    p = K @ (view.R @ centre + view.t)
    K[:2, 2] += view.project(centre[None])[0] - p[:2] / p[2]
    return dice_art.View(K, view.R, view.t)


def _cube(c: Cube, number: int, view: View, seen: Seen, counts: NDArray[np.int64]) -> Json:
    turn = dice_art.cube_rotation(c)
    h = c.size / 2
    quad = np.array([(-h, h, h), (h, h, h), (h, -h, h), (-h, -h, h)]) @ turn.T + (c.x, c.y, c.z)
    px = view.project(quad)
    visible = _share(counts[2 * number] + counts[2 * number + 1], seen.area.get(number, (0.0, 0.0))[0])
    return {
        "face": c.face,
        "value": c.value,
        "place": c.place,
        "where": c.where,
        "top_px": _list(px.mean(axis=0)),
        "quad_px": _list(px),
        "digit_up_deg_board": round(c.digit_up, 1),
        "visible_top": visible,
        "in_frame": bool((px >= 0).all() and (px < np.array(view.size)).all()),
        "xyz": [round(v, 2) for v in (c.x, c.y, c.z)],
    }


def _hand(h: Hand, view: View) -> Json:
    return {
        "tip_xy": [round(h.tip[0], 1), round(h.tip[1], 1)],
        "tip_z": round(h.tip[2], 1),
        "polygon_px": [_list(p) for p in hand_polygon(h, view)],
    }


def _camera(scene: Scene, view: View) -> Json:
    cam = scene.camera
    return {
        "K": np.round(view.K, 4).tolist(),
        "dist": list(cam.dist),
        "R": np.round(view.R, 6).tolist(),
        "t": np.round(view.t, 4).tolist(),
        "hfov": round(float(2 * np.degrees(np.arctan(view.size[0] / 2 / view.K[0, 0]))), 1),
        "tilt_deg": cam.tilt,
        "azimuth_deg": cam.azimuth,
        "roll_deg": cam.roll,
    }


def frame_truth(scene: Scene, view: View, seen: Seen) -> Json:
    """All that is known about a rendered picture (pixels as seen, i.e. distorted; centimetres in the board frame)."""
    n, dice = len(scene.checkers), len(scene.dice)
    cube = scene.cube
    counts = seen.counts(n + dice + 1)
    hands = [_hand(h, view) for h in scene.hands]
    return {
        "on_roll": COLOUR[scene.on_roll],
        "legal_half_board": "right" if legal_half(scene) == "R" else "left",
        "position": position_json(scene.position),
        "cube_state": cube.place if cube else "none",
        "hand": hands[0] if hands else None,
        "hands": hands,
        "style": _style(scene),
        "image_size": list(view.size),
        "camera": _camera(scene, view),
        "isp": asdict(scene.isp),
        "board": _board(scene, view),
        "checkers": _checkers(scene, view, seen, counts),
        "dice": [_die(d, n + 1 + k, scene, view, seen, counts) for k, d in enumerate(scene.dice)],
        "cube": _cube(cube, n + 1 + dice, view, seen, counts) if cube else None,
    }


def _style(scene: Scene) -> Json:
    return {
        "board": scene.board.surface.kind,
        "checkers": [scene.white.finish, scene.black.finish],
        "profile": scene.white.profile,
        "table": scene.table.kind,
        "props": [p.kind for p in scene.props],
        "dice": [[round(v, 2) for v in d.style.body] for d in scene.dice],
    }
