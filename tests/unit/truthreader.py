"""Reads the simulated table by its truth instead of its pictures: the turn logic tested on everything the simulator
does (hands, tumbling dice, incidents), at any frame rate, hundreds of times faster than with vision."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
from tablebench import BOARD, CLEAN, Noise, Table

from companion.rules.position import Position
from companion.sim.table import SimulatedTable
from companion.sources.base import Frame, Image
from companion.table import events as ev
from companion.table.motion import Decision
from companion.table.settle import Settled, table_events
from companion.vision.types import BoardObservation, CubeObservation, DieObservation


def position_of(truth: dict[str, Any]) -> Position:
    return Position(tuple(truth["position"]["white"]), tuple(truth["position"]["black"]))


def observed(truth: dict[str, Any], seq: int, t: float, noise: Noise, rng: random.Random) -> BoardObservation:
    """What a camera with this noise reads from a moment of the simulated table."""
    table = Table(rng, noise, position=position_of(truth), t=t, frame=seq)
    to_board = cv2.getPerspectiveTransform(
        np.array(truth["corners"], np.float32), np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    )
    table.dice = tuple(_die(die, to_board) for die in truth["dice"])
    cube = truth["cube"]
    table.cube = cube and CubeObservation(
        value=cube["value"], place=cube["place"], x=cube["x"], y=cube["y"], confidence=0.95
    )
    seen = table.observation()
    moving = any(die["state"] == "moving" for die in truth["dice"])
    hidden = bool(truth["hands"]) and not moving
    return BoardObservation(
        seq=seq, t=t, size=seen.size, board=BOARD, points=seen.points, bar=seen.bar, off=seen.off,
        dice=() if hidden else seen.dice, cube=None if hidden else seen.cube, obstructed=bool(truth["hands"]),
        problems=tuple(truth.get("problems", ())),
    )  # fmt: skip


def _die(die: dict[str, Any], to_board: Any) -> DieObservation:
    x, y = cv2.perspectiveTransform(np.array([[[die["x"], die["y"]]]], np.float32), to_board)[0, 0]
    half = {"R": "right", "L": "left"}.get(die["zone"])
    return DieObservation(
        x=die["x"], y=die["y"], value=die["value"], state=die["state"], half=half, tilt_deg=0.0, confidence=0.98,
        edge_px=28, board_xy=(float(x), float(y)),
    )  # fmt: skip


def truth_events(
    table: SimulatedTable, fps: float, noise: Noise = CLEAN, seed: int = 0, until: float | None = None
) -> Iterator[ev.TableEvent]:
    """The table events of a whole film at `fps`, gated as the motion gate would: dense frames must be still."""
    rng = random.Random(seed)
    settled = Settled()
    scene: tuple[Any, ...] = ()
    since, reads = 0.0, 0
    for seq in range(int((until or table.duration) * fps)):
        t = seq / fps
        truth = table.truth(t)
        now = _scene(truth)
        if now != scene:
            scene, since, reads = now, t, 0
        still = fps > 2.5 and t - since >= 0.22 and truth["still"]
        if reads < 2 and (still or fps <= 2.5):
            reads += 1
            seen = observed(truth, seq, t, noise, rng)
            settled, events = table_events(settled, seen, Decision(True, still))
            yield from events
        elif truth["hands"] and not settled.hands:
            settled = Settled(hands=True, problems=settled.problems)
            yield ev.HandsIn(t=t, frame=seq)


def _scene(truth: dict[str, Any]) -> tuple[Any, ...]:
    dice = tuple((round(d["x"]), round(d["y"]), d["state"]) for d in truth["dice"])
    cube = truth["cube"] and (round(truth["cube"]["x"]), round(truth["cube"]["y"]))
    return (dice, cube, tuple(truth["position"]["white"]), tuple(truth["position"]["black"]), truth["hands"])


BASE = np.random.default_rng(9).integers(90, 130, (240, 320, 3), dtype=np.uint8)


def _picture(truth: dict[str, Any], seq: int) -> Image:
    """A small patch that depends on what lies on the table, a large one where a hand is."""
    image = BASE.copy()
    key = zlib.crc32(repr((_scene(truth), 0 if truth["still"] else seq)).encode())
    x, y = 40 + key % 230, 30 + (key >> 10) % 170
    image[y : y + 7, x : x + 7] = 240 if key >> 20 & 1 else 10
    if truth["hands"]:
        x = 20 + 31 * seq % 190
        image[10:200, x : x + 90] = 40 + 17 * seq % 30
    return image


class TruthFilm:
    """A source without pictures worth the name: the picture only changes when something on the table does."""

    live = False

    def __init__(self, table: SimulatedTable, fps: float, start: float = 0.0, until: float | None = None) -> None:
        self.name = table.name
        self.script = table.script
        self.table = table
        self.fps = fps
        self.start = start
        self.until = until or table.duration
        self.closed = False

    @property
    def total(self) -> int:
        return int((self.until - self.start) * self.fps)

    def frames(self) -> Iterator[Frame]:
        for seq in range(self.total):
            if self.closed:
                return
            t = self.start + seq / self.fps
            truth = self.table.truth(t)
            yield Frame(seq, t - self.start, _picture(truth, seq), {"truth": truth})

    def close(self) -> None:
        self.closed = True


class TruthReader:
    """Reads the truth that comes with the frame, with noise."""

    def __init__(self, noise: Noise = CLEAN, seed: int = 0) -> None:
        self.noise = noise
        self.rng = random.Random(seed)

    def observe(self, frame: Frame) -> BoardObservation:
        return observed(frame.meta["truth"], frame.seq, frame.t, self.noise, self.rng)
