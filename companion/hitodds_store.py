"""Where solved hit odds are kept between runs: the user's cache directory (XDG), for `companion.rules.hitodds`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

LIMIT_BYTES = 300_000_000
"""The oldest files go when all together are larger."""


def cache_dir(variables: Mapping[str, str] | None = None) -> Path:
    """systemd's CACHE_DIRECTORY, or `backgammon-companion` in XDG_CACHE_HOME (~/.cache)."""
    env = os.environ if variables is None else variables
    given = env.get("CACHE_DIRECTORY", "").split(":")[0]
    if given:
        return Path(given) / "hitodds"
    base = env.get("XDG_CACHE_HOME") or str(Path(env.get("HOME") or Path.home()) / ".cache")
    return Path(base) / "backgammon-companion" / "hitodds"


class DiskStore:
    """One file a name, written beside and renamed. A cache: what cannot be read or written is left out silently."""

    def __init__(self, folder: Path | None = None, limit: int = LIMIT_BYTES) -> None:
        self._folder = folder or cache_dir()
        self._limit = limit

    def load(self, name: str) -> bytes | None:
        """The bytes kept under `name`, None if there are none."""
        try:
            return (self._folder / f"{name}.npz").read_bytes()
        except OSError:
            return None

    def save(self, name: str, data: bytes) -> None:
        """Keep `data` under `name`, whole or not at all."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, suffix=".tmp", delete=False) as file:
                file.write(data)
            os.replace(file.name, self._folder / f"{name}.npz")
            self._tidy()
        except OSError:
            return

    def _tidy(self) -> None:
        files = sorted(self._folder.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
        total = 0
        for file in files:
            total += file.stat().st_size
            if total > self._limit:
                file.unlink(missing_ok=True)
