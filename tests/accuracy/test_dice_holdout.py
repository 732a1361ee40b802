"""Floors on generated rolls nobody trained on. A floor may be raised, never lowered (figures: models/dice.md)."""

from __future__ import annotations

from collections import Counter

import pytest

from companion.bench import dice_bench

pytest.importorskip("mujoco", reason="the hold-out's rest poses come from MuJoCo (extra: train)")

ROLLS = 60
SEED = 4711


@pytest.fixture(scope="module")
def counts() -> Counter[str]:
    total: Counter[str] = Counter()
    dice_bench.holdout_lines(ROLLS, SEED, total)
    return total


def test_wrong_values_are_rare(counts: Counter[str]) -> None:
    assert counts["all False"] <= 0.02 * counts["all n"]


def test_values_of_flat_dice_in_clear_light(counts: Counter[str]) -> None:
    assert counts["light clear True"] >= 0.6 * counts["light clear n"]


def test_strongly_tilted_dice_are_faults(counts: Counter[str]) -> None:
    assert counts["tilt 20-60 fault"] >= 0.8 * counts["tilt 20-60 n"]


def test_nothing_is_invented(counts: Counter[str]) -> None:
    assert counts["invented"] <= 0.1 * counts["rolls"]
