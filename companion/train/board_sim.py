"""Records for the board's training from the simulated table's renderer: slower and more real than board_synth.

python -m companion.train.board_sim OUT --count 600 --each 5 --seed 1
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from companion.rules.position import START
from companion.sim.random_scene import dressed, random_scene
from companion.sim.render import render

WIDE = 760  # pixels of the rendered picture's longer side


def canonical_rows(t: dict) -> tuple[list[int], list[int]]:
    """Far and near columns, left to right, light > 0, from the truth's light numbering."""
    p = t["position"]
    signed = {int(k): v for k, v in p["light"].items()}
    for k, v in p["dark_on_light_numbering"].items():
        signed[int(k)] = signed.get(int(k), 0) - v
    far = [signed.get(13 + c, 0) for c in range(12)]
    near = [signed.get(12 - c, 0) for c in range(12)]
    if t["board"]["light_home"] != "bottom-right":
        far, near = far[::-1], near[::-1]
    return far, near


def project(t: dict, points: np.ndarray) -> np.ndarray:
    """World centimetres -> pixels as seen."""
    cam = t["camera"]
    r, k = np.array(cam["R"], float), np.array(cam["K"], float)
    out, _ = cv2.projectPoints(
        points.astype(float), cv2.Rodrigues(r)[0], np.array(cam["t"], float), k, np.array(cam["dist"], float)
    )
    return out.reshape(-1, 2)


def record(t: dict) -> dict:
    """The scene format's truth in the words of board_data."""
    cm = t["board"]["cm"]
    width, height = 12 * cm["pitch"] + cm["barw"], cm["H"]
    x, y, lift = width / 2, height / 2, 0.02 * width
    far, near = canonical_rows(t)
    men = [
        [
            *c["top_px"],
            int(c["colour"] == "light"),
            c["layer"],
            "edge" if c["pose"] == "edge" else "board" if c["loc"].startswith("p") else c["loc"],
        ]
        for c in t["checkers"]
        if c["visible_top"] > 0.15 or c["pose"] == "edge"
    ]
    half = 6 * cm["pitch"] / width
    return {
        "size": t["image_size"],
        "corners": t["board"]["corners_px_TL_TR_BR_BL"],
        "lifted": project(t, np.array([[-x, y, lift], [x, y, lift], [x, -y, lift], [-x, -y, lift]])).round(2).tolist(),
        "lift": 0.02,
        "bar_px": project(
            t,
            np.array(
                [
                    [(half - 0.5) * width, y, 0],
                    [(0.5 - half) * width, y, 0],
                    [(0.5 - half) * width, -y, 0],
                    [(half - 0.5) * width, -y, 0],
                ]
            ),
        )
        .round(2)
        .tolist(),
        "bar": [half, 1 - half],
        "aspect": height / width,
        "height": cm["th"] / width,
        "diameter": cm["D"] / width,
        "far": far,
        "near": near,
        "on_bar": [t["position"]["bar"]["light"], t["position"]["bar"]["dark"]],
        "men": men,
        "tilt": t["camera"]["tilt_deg"],
    }


def mask_of(t: dict) -> np.ndarray:
    """1 = hand, 2 = die or cube."""
    w, h = t["image_size"]
    mask = np.zeros((h, w), np.uint8)
    things = [d["hull_px"] for d in t["dice"]] + ([t["cube"]["quad_px"]] if t["cube"] else [])
    for hull in things:
        cv2.fillPoly(mask, [np.round(hull).astype(np.int32)], 2)
    for hand in t.get("hands") or []:
        for p in hand["polygon_px"]:
            cv2.fillPoly(mask, [np.round(p).astype(np.int32)], 1)
    return mask


def cropped(
    rng: np.random.Generator, img: np.ndarray, mask: np.ndarray, t: dict
) -> tuple[np.ndarray, np.ndarray, dict]:
    """As web pictures are: cut close around the board, squeezed to a square, tone equalised now and then."""
    c = np.array(t["corners"])
    size = np.ptp(c, axis=0)
    pad = rng.uniform(-0.02, 0.1, (2, 2)) * size
    h, w = img.shape[:2]
    x0, y0 = np.clip((c.min(0) - pad[0]).astype(int), 0, (w - 50, h - 50))
    x1, y1 = np.clip((c.max(0) + pad[1]).astype(int), (x0 + 40, y0 + 40), (w, h))
    side = int(rng.integers(480, 640))
    k = np.array([side / (x1 - x0), side / (y1 - y0)])
    img = cv2.resize(img[y0:y1, x0:x1], (side, side), interpolation=cv2.INTER_AREA)
    mask = cv2.resize(mask[y0:y1, x0:x1], (side, side), interpolation=cv2.INTER_NEAREST)

    def move(points: list) -> list:
        return ((np.array(points, float) - (x0, y0)) * k).round(2).tolist()

    moved = {key: move(t[key]) for key in ("corners", "lifted", "bar_px")}
    men = [[*move([m[:2]])[0], *m[2:]] for m in t["men"]]
    if rng.random() < 0.6:
        ycc = cv2.cvtColor(img, cv2.COLOR_BGR2YCrCb)
        flat = cv2.equalizeHist(ycc[..., 0])
        ycc[..., 0] = cv2.addWeighted(flat, 0.8, ycc[..., 0], 0.2, 0)
        img = cv2.cvtColor(ycc, cv2.COLOR_YCrCb2BGR)
    return img, mask, {**t, **moved, "men": men, "size": [side, side]}


def write(out: Path, name: str, scene: object, rng: np.random.Generator) -> None:
    w, h = scene.camera.size
    shot = render(scene, int(rng.integers(1 << 30)), round(WIDE / max(w, h), 1))
    img, mask, truth = shot.image, mask_of(shot.truth), record(shot.truth)
    if rng.random() < 0.25:
        img, mask, truth = cropped(rng, img, mask, truth)
    cv2.imwrite(str(out / f"{name}.jpg"), img, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))])
    cv2.imwrite(str(out / f"{name}.png"), mask)
    (out / f"{name}.json").write_text(json.dumps(truth))


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("out", type=Path)
    ap.add_argument("--count", type=int, default=600)
    ap.add_argument("--each", type=int, default=5)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    a.out.mkdir(parents=True, exist_ok=True)
    for k in range(a.count):
        if (a.out / f"{a.seed}_{k:05d}_{a.each}.json").exists():
            continue
        rng = np.random.default_rng([a.seed, k, 77])
        scene = random_scene(rng, tilt_max=50.0)
        for i in range(a.each + 1):
            if i:
                start = START if rng.random() < 0.15 else None
                scene = dressed(scene, rng, position=start, keep_props=True)
            write(a.out, f"{a.seed}_{k:05d}_{i}", scene, rng)


if __name__ == "__main__":
    main()
