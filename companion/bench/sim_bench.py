"""How fast the simulated table draws: `companion bench sim [--seconds N] [--seed N]`.

Frames a second of processor time on one core at 1280x960, over a stretch of play with hands, dice and checkers moving.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import click
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


@click.command("sim")
@click.option(
    "--seconds", type=click.FloatRange(min=1.0), default=20.0, show_default=True, help="Length of the stretch."
)
@click.option("--seed", default=0, show_default=True, help="The table that is drawn.")
def command(seconds: float, seed: int) -> None:
    """Frames a second of the simulated table, one core, 1280x960."""
    speed = measure(seconds, seed)
    click.echo(
        f"{speed.fps:.1f} frames a second of processor time ({speed.frames} frames, {speed.with_hand} with a hand; "
        f"the first picture took {speed.first_s:.1f} s)"
    )
