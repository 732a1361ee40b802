"""From generated pictures on disk to training samples of the two nets: imperfect views, planes, targets."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.utils.data import IterableDataset

from companion.train.board_net import BAR_CLASSES
from companion.vision import colours, rectify

ON_SURFACE, ON_OTHERS, LIGHT, HAND, THING = range(5)


def load(path: Path) -> tuple[np.ndarray, np.ndarray, dict]:
    """Picture, mask and truth of one record, by its .json path."""
    img = cv2.imread(str(path.with_suffix(".jpg")))
    mask_file = path.with_suffix(".png")
    mask = cv2.imread(str(mask_file), 0) if mask_file.exists() else np.zeros(img.shape[:2], np.uint8)
    return img, mask, json.loads(path.read_text())


def splat(heat: np.ndarray, x: float, y: float, sigma: float) -> None:
    """Raise the map to a Gaussian bump at (x, y), in cells."""
    h, w = heat.shape
    r = int(3 * sigma + 1)
    x0, x1, y0, y1 = max(0, int(x) - r), min(w, int(x) + r + 2), max(0, int(y) - r), min(h, int(y) + r + 2)
    if x0 >= x1 or y0 >= y1:
        return
    gy = np.exp(-(((np.arange(y0, y1) + 0.5 - y) / sigma) ** 2) / 2)
    gx = np.exp(-(((np.arange(x0, x1) + 0.5 - x) / sigma) ** 2) / 2)
    np.maximum(heat[y0:y1, x0:x1], np.outer(gy, gx), out=heat[y0:y1, x0:x1])


def photometric(rng: np.random.Generator, img: np.ndarray) -> np.ndarray:
    """Tone, colour, blur, noise, compression: what cameras and web sites do."""
    out = img
    if rng.random() < 0.7:
        table = np.arange(256, dtype=np.float32)[:, None] / 255 * rng.normal(1, 0.08, 3) * rng.uniform(0.8, 1.2)
        table = np.clip(table, 0, 1) ** rng.uniform(0.7, 1.4)
        if rng.random() < 0.3:
            lo, hi = rng.uniform(0, 0.2), rng.uniform(0.75, 1.05)
            table = (table - lo) / (hi - lo)
        out = cv2.LUT(out, np.clip(table * 255, 0, 255).astype(np.uint8)[None])
    if rng.random() < 0.3:
        k = rng.uniform(0.2, 1.7)
        out = cv2.transform(out, np.eye(3) * k + np.full((3, 3), (1 - k) / 3))
    if rng.random() < 0.25:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, 1.1))
    if rng.random() < 0.2:
        soft = cv2.GaussianBlur(out, (0, 0), 1.2)
        out = cv2.addWeighted(out, 1.8, soft, -0.8, 0)
    if rng.random() < 0.25:
        _, code = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 85))])
        out = cv2.imdecode(code, cv2.IMREAD_COLOR)
    return out


def view_of(rng: np.random.Generator, truth: dict, jitter: float) -> tuple[np.ndarray, tuple[float, float]]:
    """Homography board -> pixels as a calibration would know it: corners a little off, any height of the plane."""
    a = truth["aspect"]
    flat = np.array(truth["corners"])
    top = flat + (np.array(truth["lifted"]) - flat) * (truth["height"] / truth["lift"]) * rng.choice(
        [0.0, 1.0, rng.random()]
    )
    width = np.mean([np.linalg.norm(flat[1] - flat[0]), np.linalg.norm(flat[2] - flat[3])])
    corners = top + rng.normal(0, jitter, (4, 2)) * width + rng.normal(0, jitter * 0.5, 2) * width
    board = np.float32([[0, 0], [1, 0], [1, a], [0, a]])
    bar = np.array(truth["bar"]) + rng.normal(0, 0.004, 2)
    if bar[1] < bar[0]:
        bar[:] = bar.mean()
    return cv2.getPerspectiveTransform(board, np.float32(corners)).astype(np.float64), (float(bar[0]), float(bar[1]))


def men_on_canvas(truth: dict, hom: np.ndarray, bar: tuple[float, float]) -> np.ndarray:
    """Rows (u, v, light, layer, upright) of the men shown, once for each part of the canvas that shows them."""
    men = truth["men"]
    if not men:
        return np.zeros((0, 5))
    px = np.array([[m[0], m[1], 1.0] for m in men]) @ np.linalg.inv(hom).T
    x, y = px[:, 0] / px[:, 2], px[:, 1] / px[:, 2]
    v = rectify.MARGIN + y / truth["aspect"] * rectify.INNER
    rows = []
    for u in rectify.x_to_canvas(x, bar):
        for i in np.flatnonzero(~np.isnan(u) & (v > -4) & (v < rectify.HEIGHT + 4)):
            rows.append((u[i], v[i], men[i][2], men[i][3], men[i][4] != "edge"))
    return np.array(rows, float).reshape(-1, 5)


def reader_sample(rng: np.random.Generator, path: Path, jitter: float | None = None, augment: bool = True) -> dict:
    """One sample of the reader: planes (5 x H x W uint8), maps, columns, bar."""
    img, mask, truth = load(path)
    hom, bar = view_of(rng, truth, rng.choice([0.002, 0.005, 0.009]) if jitter is None else jitter)
    a = truth["aspect"]
    scale = np.linalg.norm(np.subtract(truth["corners"][1], truth["corners"][0])) / (12.6 * rectify.PITCH)
    if scale > 1.5:  # the big pictures: shrink first, as the runtime does
        img = cv2.resize(img, None, fx=1.1 / scale, fy=1.1 / scale, interpolation=cv2.INTER_AREA)
        s = img.shape[1] / truth["size"][0]
        pic_hom = np.diag([s, s, 1]) @ hom
    else:
        pic_hom = hom
    mx, my = rectify.canvas_maps(pic_hom, bar, a)
    border = cv2.BORDER_REPLICATE if rng.random() < 0.7 else cv2.BORDER_CONSTANT
    canvas = cv2.remap(img, mx, my, cv2.INTER_LINEAR, borderMode=border)
    sx, sy = mask.shape[1] / img.shape[1], mask.shape[0] / img.shape[0]
    small = cv2.remap(mask, mx[2::4, 2::4] * sx, my[2::4, 2::4] * sy, cv2.INTER_NEAREST)
    men = men_on_canvas(truth, hom, bar)
    maps = np.zeros((5, rectify.MAP_HEIGHT, rectify.MAP_WIDTH), np.float32)
    for u, v, light, layer, upright in men:
        if upright:
            splat(maps[ON_OTHERS if layer > 0 else ON_SURFACE], u / 4, v / 4, 0.9)
            r = slice(max(0, int(v / 4) - 1), int(v / 4) + 2), slice(max(0, int(u / 4) - 1), int(u / 4) + 2)
            maps[LIGHT][r] = 1 if light else -1
    maps[HAND], maps[THING] = small == 1, small == 2
    counts = np.array([truth["far"], truth["near"]])
    if augment:
        canvas = photometric(rng, canvas)
    planes = np.zeros((2, rectify.HEIGHT, rectify.WIDTH), np.uint8)
    if rng.random() < 0.65:
        planes = colour_planes(rng, canvas, men)
    x = np.concatenate([canvas.transpose(2, 0, 1), planes])
    flat_bar = np.minimum(np.array(truth["on_bar"]), BAR_CLASSES - 1)
    if augment and rng.random() < 0.5:
        x, maps, counts = x[:, :, ::-1], maps[:, :, ::-1], counts[:, ::-1]
    if augment and rng.random() < 0.5:
        x, maps, counts = x[:, ::-1], maps[:, ::-1], counts[::-1]
    return {
        "x": torch.from_numpy(np.ascontiguousarray(x)),
        "maps": torch.from_numpy(np.ascontiguousarray(maps)),
        "counts": torch.from_numpy(np.ascontiguousarray(np.clip(counts, -15, 15) + 15)).long(),
        "bar": torch.from_numpy(flat_bar).long(),
    }


def colour_planes(rng: np.random.Generator, canvas: np.ndarray, men: np.ndarray) -> np.ndarray:
    """Likeness planes from the true checkers' colours, a little wrong as after a change of light."""
    at_half = cv2.resize(canvas, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(at_half, cv2.COLOR_BGR2LAB)
    models = []
    drift = rng.normal(0, (6, 2, 2))
    for light in (1, 0):
        at = (men[(men[:, 2] == light) & (men[:, 4] > 0)][:, :2] / 2).round().astype(int)
        at = at[(at[:, 0] > 2) & (at[:, 0] < lab.shape[1] - 3) & (at[:, 1] > 2) & (at[:, 1] < lab.shape[0] - 3)]
        if len(at) == 0:
            models.append(colours.ColourModel(mean=(-300.0, 0.0, 0.0), std=(1.0, 1.0, 1.0)))
            continue
        samples = np.concatenate([lab[v - 2 : v + 3, u - 2 : u + 3].reshape(-1, 3) for u, v in at])
        model = colours.fit(samples.astype(np.float32))
        mean = (np.array(model.mean) + drift).tolist()
        models.append(colours.ColourModel(mean=(mean[0], mean[1], mean[2]), std=model.std))
    return colours.likeness_planes(canvas, *models)


FIND = 256
"""Side of the finder's square picture."""


def finder_sample(rng: np.random.Generator, path: Path) -> dict:
    """One sample of the finder: a whole picture letterboxed, or a closer view about the board, turned and flipped."""
    img, _, truth = load(path)
    w, h = truth["size"]
    corners, bars = np.array(truth["corners"]), np.array(truth["bar_px"])
    if rng.random() < 0.45:  # whole picture
        s = FIND / max(w, h) / rng.uniform(1.02, 1.25)
        shift = (FIND - s * np.array([w, h])) / 2
        hom = np.array([[s, 0, shift[0]], [0, s, shift[1]], [0, 0, 1]])
    else:  # a guess at the board's outline, made flat with a margin
        width = np.linalg.norm(corners[0] - corners[1])
        guess = corners + rng.normal(0, rng.choice([0.008, 0.025, 0.05]), (4, 2)) * width
        m = FIND * rng.uniform(0.08, 0.2)
        square = np.float32([[m, m], [FIND - m, m], [FIND - m, FIND - m], [m, FIND - m]])
        hom = cv2.getPerspectiveTransform(np.float32(guess), square).astype(np.float64)
    turn = int(rng.integers(4))
    c = FIND / 2
    rot = np.linalg.matrix_power(np.array([[0, -1, 2 * c], [1, 0, 0], [0, 0, 1.0]]), turn)
    flip = np.array([[-1, 0, 2 * c], [0, 1, 0], [0, 0, 1.0]]) if rng.random() < 0.5 else np.eye(3)
    hom = flip @ rot @ hom
    scale = (
        np.sqrt(abs(np.linalg.det(hom[:2, :2]))) if hom[2, 0] == 0 else FIND / np.linalg.norm(corners[0] - corners[1])
    )
    if scale < 0.75:
        img = cv2.resize(img, None, fx=scale * 1.2, fy=scale * 1.2, interpolation=cv2.INTER_AREA)
        pic = hom @ np.diag([1 / (scale * 1.2), 1 / (scale * 1.2), 1])
    else:
        pic = hom
    border = cv2.BORDER_CONSTANT if rng.random() < 0.6 else cv2.BORDER_REPLICATE
    view = cv2.warpPerspective(img, pic, (FIND, FIND), borderMode=border, borderValue=(114, 114, 114))
    view = photometric(rng, view)
    maps = np.zeros((3, FIND // 4, FIND // 4), np.float32)

    def seen(p: np.ndarray) -> np.ndarray:
        q = np.column_stack([p, np.ones(len(p))]) @ hom.T
        return q[:, :2] / q[:, 2:] / 4

    for x, y in seen(corners):
        splat(maps[0], x, y, 1.0)
    for x, y in seen(bars):
        splat(maps[1], x, y, 0.75)
    cv2.fillPoly(maps[2], [np.round(seen(corners) * 16 - 8).astype(np.int32)], 1.0, cv2.LINE_8, 4)
    return {"x": torch.from_numpy(np.ascontiguousarray(view.transpose(2, 0, 1))), "maps": torch.from_numpy(maps)}


class Endless(IterableDataset):
    """Random samples for ever, from every record of the folders (looked up again now and then: they grow)."""

    def __init__(self, folders: list[tuple[Path, float]], kind: str, seed: int) -> None:
        self.folders, self.kind, self.seed = folders, kind, seed

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self.seed, info.id if info else 0])
        make = reader_sample if self.kind == "reader" else finder_sample
        cv2.setNumThreads(1)
        known: dict[Path, float] = {}
        while True:
            pools = [(sorted(f.glob("*.json")), weight) for f, weight in self.folders]
            pools = [(p, weight) for p, weight in pools if p]
            weights = np.array([weight for _, weight in pools])
            chances = [chance(p, known) for p, _ in pools]
            for _ in range(400):
                k = int(rng.choice(len(pools), p=weights / weights.sum()))
                yield make(rng, pools[k][0][int(rng.choice(len(chances[k]), p=chances[k]))])


def chance(pool: list[Path], known: dict[Path, float]) -> np.ndarray:
    """How often each record is drawn: tall stacks and men on the bar, rare and hard, more often."""
    for path in pool:
        if path not in known:
            t = json.loads(path.read_text())
            tall = sum(abs(n) >= 6 for n in (*t["far"], *t["near"]))
            known[path] = 1.0 + 1.5 * tall + 0.5 * (sum(t["on_bar"]) > 0)
    weights = np.array([known[path] for path in pool])
    return weights / weights.sum()
