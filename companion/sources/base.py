"""What a camera gives: frames with their own clock, behind one interface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""A picture: uint8, height x width x 3, BGR."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture. `t` is seconds on the source's own clock, `seq` counts from 0 (gaps = dropped frames)."""

    seq: int
    t: float
    image: Image
    meta: dict[str, Any] = field(default_factory=dict)


@runtime_checkable
class Source(Protocol):
    """A stream of frames. `live` sources drop old frames when the reader is slow, recorded ones block.

    `frames()` ends when the recording ends; raises SourceError when the source breaks. `close()` is idempotent and
    makes a running `frames()` end soon.
    """

    name: str
    live: bool

    def frames(self) -> Iterator[Frame]: ...

    def close(self) -> None: ...
