"""Resulting positions without notation."""

from __future__ import annotations

from companion.rules.plays import legal_paths


def resulting_keys(key: int, dice: tuple[int, int]) -> frozenset[int]:
    """The keys of all positions legal plays lead to; the unchanged one if nothing can be played."""
    return frozenset(legal_paths(key, dice))
