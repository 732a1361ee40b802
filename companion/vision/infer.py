"""The one seam to the model runtime: OpenCV's DNN by default, ONNX Runtime when asked for. Same weights, same answers.

`COMPANION_RUNTIME=onnxruntime` (or `runtime=`) chooses the other one; nothing else in the project knows which it is.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import InputError

Tensor = NDArray[np.float32]
RUNTIMES = ("opencv", "onnxruntime")


class Net(Protocol):
    """A loaded net: `run` takes N x C x H x W floats and gives the outputs by name."""

    def run(self, batch: Tensor) -> dict[str, Tensor]: ...


def model_file(name: str) -> Path:
    """Where `NAME.onnx` lies: the project's models/ folder, or the installed data. Raises InputError."""
    places = (
        Path(__file__).resolve().parents[2] / "models",
        Path(sys.prefix) / "share" / "backgammon-companion" / "models",
    )
    for place in places:
        if (place / f"{name}.onnx").is_file():
            return place / f"{name}.onnx"
    raise InputError(f"model {name}.onnx: not found in {' or '.join(map(str, places))}; install the package again")


class OpenCvNet:
    """Runs in cv2.dnn. One caller at a time: the table's thread and the page (photo, set-up) share the loaded nets."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._net = cv2.dnn.readNetFromONNX(str(path))
        self._names = list(self._net.getUnconnectedOutLayersNames())

    def run(self, batch: Tensor) -> dict[str, Tensor]:
        with self._lock:
            self._net.setInput(batch)
            found: list[Tensor] = [np.array(output, np.float32) for output in self._net.forward(self._names)]
        return dict(zip(self._names, found, strict=True))


class OnnxRuntimeNet:
    """Runs in ONNX Runtime (optional extra), one thread."""

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise InputError("runtime onnxruntime: not installed; pip install 'backgammon-companion[onnx]'") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._names = [o.name for o in self._session.get_outputs()]
        self._input = self._session.get_inputs()[0].name

    def run(self, batch: Tensor) -> dict[str, Tensor]:
        return dict(zip(self._names, self._session.run(self._names, {self._input: batch}), strict=True))


@cache
def load_file(path: Path, runtime: str) -> Net:
    """A net from a file, loaded once. Raises InputError for an unknown runtime."""
    if runtime not in RUNTIMES:
        raise InputError(f"runtime {runtime!r}: use one of {', '.join(RUNTIMES)}")
    return OpenCvNet(path) if runtime == "opencv" else OnnxRuntimeNet(path)


@cache
def load(name: str, runtime: str | None = None) -> Net:
    """A net of the project by name, e.g. `board_reader`."""
    return load_file(model_file(name), runtime or os.environ.get("COMPANION_RUNTIME", "opencv"))


def sigmoid(logits: Tensor) -> Tensor:
    """Logistic function, safe for large values."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30))), np.float32)


def softmax(logits: Tensor, axis: int, temperature: float = 1.0) -> Tensor:
    """Probabilities along an axis."""
    z = logits / temperature
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True), np.float32)
