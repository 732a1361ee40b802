"""k of n with its Wilson 95 % interval: the one form figures are printed in."""

from __future__ import annotations

import math

Z = 1.96


def wilson(k: int, n: int) -> tuple[float, float]:
    """95 % interval of a rate; (0, 1) when nothing was counted."""
    if n == 0:
        return 0.0, 1.0
    p = k / n
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def rate(name: str, k: int, n: int) -> str:
    """One printed line."""
    low, high = wilson(k, n)
    share = f"{k / n:.4f}" if n else "  -   "
    return f"{name:44} {k:6} of {n:6}  {share}  [{low:.4f}, {high:.4f}]"
