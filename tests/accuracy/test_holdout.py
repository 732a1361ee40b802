"""A small generated hold-out with floors that only rise (floors.json); the large one is `companion bench accuracy`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import cv2
import pytest

from companion.bench.accuracy import measure

FLOORS = json.loads((Path(__file__).parent / "floors.json").read_text())
AT_MOST = ("as delivered: sure, wrong",)


@pytest.fixture(scope="module")
def counted() -> Counter[str]:
    cv2.setNumThreads(1)
    return measure(FLOORS["boards"], FLOORS["each"], ablations=False, photos=True)


@pytest.mark.parametrize("name", [k for k in FLOORS if k not in ("boards", "each", *AT_MOST)])
def test_not_below_the_floor(counted: Counter[str], name: str) -> None:
    assert counted[name] >= FLOORS[name]


@pytest.mark.parametrize("name", AT_MOST)
def test_not_above_the_ceiling(counted: Counter[str], name: str) -> None:
    assert counted[name] <= FLOORS[name]
