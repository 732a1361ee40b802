"""`companion bench read`: CPU time of reading a board, beside one pass of a YOLO11n-sized net in the same run."""

from __future__ import annotations

import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
import cv2
import numpy as np

from companion.bench.accuracy import SEED, boards
from companion.errors import InputError
from companion.vision.calibrate import calibrate
from companion.vision.geometry import edge_of
from companion.vision.read import BoardReader

REPEATS = 15


def cpu_ms(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median CPU time of the process for one call, after a first one that warms up."""
    work()
    times = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


def yolo_sized(path: Path) -> Path:
    """An ONNX file with the layers of a YOLO11n at 640 (3.2 G multiply-adds) and random weights. Needs `onnx`."""
    try:
        from companion.bench.yolo_onnx import write
    except ImportError:
        raise InputError("the comparison needs the extra 'bench': pip install 'backgammon-companion[bench]'") from None
    write(path)
    return path


def yolo_ms() -> float:
    """One pass of it in ONNX Runtime on one thread."""
    try:
        import onnxruntime
    except ImportError:
        raise InputError("the comparison needs the extra 'bench': pip install 'backgammon-companion[bench]'") from None
    with tempfile.TemporaryDirectory() as folder:
        path = yolo_sized(Path(folder) / "yolo.onnx")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        batch = np.random.default_rng(0).random((1, 3, 640, 640), np.float32)
        name = session.get_inputs()[0].name
        return cpu_ms(lambda: session.run(None, {name: batch}))


def board_ms() -> dict[str, float]:
    """One calibrated reading of a 1280-wide frame, and one photograph read by itself."""
    start, others = next(boards(1, 1, SEED + 1))
    found = calibrate(start.image, corners=start.corners, white_side=edge_of(start.corners), home=start.home)
    reader, alone = BoardReader(found), BoardReader()
    return {
        "read_ms": cpu_ms(lambda: reader.read(others[0].image)),
        "photo_ms": cpu_ms(lambda: alone.read(others[0].image)),
    }


@click.command("read")
@click.option("--compare/--no-compare", default=True, show_default=True, help="Beside a YOLO11n-sized net.")
@click.option("--json", "as_json", is_flag=True)
def command(compare: bool, as_json: bool) -> None:
    """CPU time of reading a board on one core."""
    cv2.setNumThreads(1)
    out = board_ms()
    out["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if compare:
        out["yolo11n_ms"] = yolo_ms()
        out["ratio"] = out["read_ms"] / out["yolo11n_ms"]
    text = "\n".join(f"{name:12} {value:8.2f}" for name, value in out.items())
    click.echo(json.dumps({k: round(v, 3) for k, v in out.items()}) if as_json else text)
