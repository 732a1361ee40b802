"""Path-traced training pictures: random scenes of the simulator, drawn by Blender instead of our own renderer.

    python -m companion.train.blender_data OUT --site BPY_SITE --count 40 --each 4 --seed 1

BPY_SITE is a folder made by `pip install --target BPY_SITE bpy "numpy<2"` (Python 3.11). Lens, sensor and truth are the
simulator's own, so the files look like those of `python -m companion.sim.random_scene`. Resumable: what is there stays.
About 15 s a picture on two free x86 cores at 800 x 600.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np

from companion.sim.board_art import board_sheet
from companion.sim.camera import View, view_of
from companion.sim.isp import develop
from companion.sim.random_scene import dressed, random_scene
from companion.sim.render import shade
from companion.sim.render_truth import frame_truth
from companion.sim.scene import Scene

WIDE = 900  # pixels of the picture's longer side
MARGIN = 0.1  # drawn around the picture, for the lens to bend in
EXPOSURE = 0.5  # of the linear picture: highlights above 2 are cut


def playing_art(scene: Scene) -> np.ndarray:
    """The art of the playing rectangle alone, uint8 BGR."""
    sheet = board_sheet(scene.layout, scene.board, 22.0)
    w, h = scene.layout.width / 2, scene.layout.height / 2
    (x0, y0), (x1, y1) = np.round(sheet.at(np.array([[-w, h], [w, -h]]))).astype(int)
    return np.ascontiguousarray(sheet.image[max(0, y0) : y1, max(0, x0) : x1])


def job(scene: Scene, view: View, folder: Path, samples: int, threads: int) -> None:
    """Writes one job for `companion.train.blender_scene`."""
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / "board.png"), playing_art(scene))
    w, h = view.size
    pad = np.array([round(MARGIN * w), round(MARGIN * h)])
    K = view.K.copy()
    K[:2, 2] += pad
    task = {
        "scene": scene,
        "K": K.tolist(),
        "R": view.R.tolist(),
        "t": np.asarray(view.t).ravel().tolist(),
        "size": (int(w + 2 * pad[0]), int(h + 2 * pad[1])),
        "samples": samples,
        "threads": threads,
        "exposure": EXPOSURE,
    }
    (folder / "job.pickle").write_bytes(pickle.dumps(task))


def through_lens(linear: np.ndarray, view: View) -> np.ndarray:
    """The padded, undistorted linear picture as the lens of `view` shows it."""
    w, h = view.size
    grid = np.stack(np.meshgrid(np.arange(w), np.arange(h)), axis=-1).reshape(-1, 1, 2).astype(np.float64)
    straight = cv2.undistortPoints(grid, view.K, view.dist, P=view.K).reshape(h, w, 2)
    pad = (round(MARGIN * w), round(MARGIN * h))
    where = (straight + pad).astype(np.float32)
    return cv2.remap(linear, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def finish(scene: Scene, scale: float, folder: Path, out: Path, seed: int) -> None:
    """The path-traced picture through lens and sensor, with its truth beside it."""
    view = view_of(scene.camera, scale)
    raw = cv2.imread(str(folder / "linear.png"), cv2.IMREAD_UNCHANGED)
    linear = through_lens(raw.astype(np.float32) / (65535.0 * EXPOSURE), view)
    image = develop(linear, scene.isp, np.random.default_rng(seed))
    truth = frame_truth(scene, view, shade(scene, scale)[2])
    truth["file"] = out.with_suffix(".jpg").name
    cv2.imwrite(str(out.with_suffix(".jpg")), image, [cv2.IMWRITE_JPEG_QUALITY, 94])
    out.with_suffix(".json").write_text(json.dumps(truth))


def trace(jobs: Path, site: Path) -> None:
    """Runs Blender over all jobs of a folder."""
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{root}"}
    command = [sys.executable, "-m", "companion.train.blender_scene", str(jobs)]
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--site", type=Path, required=True, help="folder that holds bpy and its NumPy")
    parser.add_argument("--count", type=int, default=10, help="boards")
    parser.add_argument("--each", type=int, default=4, help="positions a board")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for k in range(args.count):
        rng = np.random.default_rng([args.seed, k, 77])
        scene = random_scene(rng)
        scale = WIDE / max(scene.camera.size)
        todo: list[tuple[Scene, Path, Path]] = []
        with tempfile.TemporaryDirectory() as work:
            for i in range(args.each):
                out = args.out / f"b{args.seed:02d}{k:04d}_{i}"
                scene = scene if i == 0 else dressed(scene, rng)
                if not out.with_suffix(".json").exists():
                    folder = Path(work) / f"{i}"
                    job(scene, view_of(scene.camera, scale), folder, args.samples, args.threads)
                    todo.append((scene, folder, out))
            trace(Path(work), args.site)
            for i, (drawn, folder, out) in enumerate(todo):
                finish(drawn, scale, folder, out, 1000 * k + i)


if __name__ == "__main__":
    main()
