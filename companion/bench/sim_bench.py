"""How fast the simulated table draws: `python -m companion.bench.sim_bench [--seconds N] [--seed N]`.

Frames a second of processor time on one core at 1280x960, over a stretch of play with hands, dice and checkers moving.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass

import cv2

FROM_S = 20.0
"""Where the stretch begins: the table is drawn, play goes on."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Frames drawn, how many showed a moving hand, and the processor seconds they took (with the first picture's)."""

    frames: int
    with_hand: int
    seconds: float
    first_s: float

    @property
    def fps(self) -> float:
        return self.frames / max(1e-9, self.seconds)


def measure(seconds: float = 20.0, seed: int = 0) -> Speed:
    """Draw so many seconds of the demo film as players on table `seed` play it."""
    from companion.sim.table import demo_table

    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        table = demo_table(seed=seed)
        begin = int(FROM_S * table.fps)
        start = time.process_time()
        table.frame(begin)
        first = time.process_time() - start
        numbers = range(begin + 1, begin + 1 + int(seconds * table.fps))
        start = time.process_time()
        hands = sum(bool(table.frame(n).meta["truth"]["hands"]) for n in numbers)
        return Speed(len(numbers), hands, time.process_time() - start, first)
    finally:
        cv2.setNumThreads(threads)


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description="frames a second of the simulated table")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    speed = measure(given.seconds, given.seed)
    print(
        json.dumps(
            {
                "frames": speed.frames,
                "with_hand": speed.with_hand,
                "fps_one_core": round(speed.fps, 2),
                "first_picture_s": round(speed.first_s, 2),
            }
        )
    )


if __name__ == "__main__":
    main()
