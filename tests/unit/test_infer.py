"""One seam to the model runtime: same answers from both, faults named (issue 4.7)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from companion.errors import InputError
from companion.vision import infer
from companion.vision.rectify import HEIGHT, WIDTH

SHAPES = {"board_reader": (1, 5, HEIGHT, WIDTH), "board_finder": (1, 3, 256, 256)}


@pytest.mark.parametrize("name", SHAPES)
def test_both_runtimes_give_the_same_answers(name: str) -> None:
    pytest.importorskip("onnxruntime")
    batch = np.random.default_rng(1).random(SHAPES[name]).astype(np.float32)
    ours, other = infer.load(name, "opencv").run(batch), infer.load(name, "onnxruntime").run(batch)
    assert set(ours) == set(other)
    for key, value in ours.items():
        assert np.abs(value - other[key]).max() < 2e-3


def test_an_unknown_runtime_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'tensorflow'"):
        infer.load("board_reader", "tensorflow")


def test_a_missing_model_names_the_file_and_the_mend() -> None:
    with pytest.raises(InputError, match=r"no_such\.onnx.*install"):
        infer.model_file("no_such")


def test_weights_are_small() -> None:
    total = sum(Path(infer.model_file(name)).stat().st_size for name in SHAPES)
    assert total < 8_000_000


def test_probabilities_sum_to_one_at_any_temperature() -> None:
    p = infer.softmax(np.array([[5.0, 1.0, -40.0]], np.float32), -1, 2.0)
    assert p.sum() == pytest.approx(1.0)
    assert infer.sigmoid(np.array([1e5, -1e5], np.float32)) == pytest.approx([1.0, 0.0])
