"""The simulated table as a source: `demo` and `match:FILE.mat`. The simulator is loaded only when asked for."""

from __future__ import annotations

from pathlib import Path

from companion.errors import SourceError
from companion.sources.base import Source


def demo_source(*, live: bool, seed: int = 0, fps: float | None = None) -> Source:
    """The bundled demo match: at real time when `live`, else lossless and as fast as the reader."""
    from companion.sim.table import demo_table

    return demo_table(live=live, seed=seed, fps=fps)


def match_source(path: Path, *, live: bool, seed: int = 0, fps: float | None = None) -> Source:
    """A .mat file played on a simulated table. Raises SourceError if the file is missing."""
    if not path.is_file():
        raise SourceError(f"{path}: no such match file")
    from companion.sim.table import match_table

    return match_table(path, live=live, seed=seed, fps=fps)
