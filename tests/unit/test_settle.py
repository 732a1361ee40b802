"""Settling: from 30 frames a second to one, a hand is no reading, a still table is read twice, frames out of order
are passed over."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from companion.sources.base import Frame, Image
from companion.table import events as ev
from companion.table.motion import Gate, cleared, small_picture, watch
from companion.table.settle import Watcher
from companion.vision.types import BoardObservation, BoardView, CountReading, DieObservation

RNG = np.random.default_rng(5)
BOARD = RNG.integers(60, 180, (240, 320, 3), dtype=np.uint8)


def noisy(image: Image, seed: int) -> Image:
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def with_patch(image: Image, x: int, y: int, w: int, h: int) -> Image:
    changed = image.copy()
    changed[y : y + h, x : x + w] = 255 - changed[y : y + h, x : x + w] // 3
    return changed


DIE = with_patch(BOARD, 200, 120, 9, 9)
HAND = with_patch(BOARD, 60, 0, 90, 150)
OTHER_HAND = with_patch(BOARD, 190, 20, 90, 150)


def decide(pictures: list[tuple[float, Image]]) -> list[str]:
    """For each frame: read, hand or nothing."""
    gate = Gate()
    said = []
    for t, picture in pictures:
        gate, decision = watch(gate, small_picture(picture), t)
        if decision.read:
            gate = cleared(gate)
        said.append("read" if decision.read else "hand" if decision.hand else "-")
    return said


@pytest.mark.parametrize("fps", [5, 15, 30])
def test_a_still_table_is_read_twice_and_then_left_alone(fps: int) -> None:
    said = decide([(n / fps, noisy(BOARD, n)) for n in range(3 * fps)])
    assert said.count("read") == 2


@pytest.mark.parametrize("fps", [1, 2])
def test_sparse_frames_are_read_at_once(fps: int) -> None:
    said = decide([(n / fps, noisy(picture, n)) for n, picture in enumerate([BOARD, DIE, BOARD, DIE])])
    assert said == ["read"] * 4


def test_a_small_change_is_news_at_any_rate() -> None:
    frames = [BOARD] * 30 + [DIE] * 30
    said = decide([(n / 15, noisy(picture, n)) for n, picture in enumerate(frames)])
    assert said[:30].count("read") == 2
    assert said[30:].count("read") == 2


def test_moving_dice_are_not_read_while_frames_are_dense() -> None:
    frames = [with_patch(BOARD, 20 + 8 * n, 60 + 3 * n, 9, 9) for n in range(20)]
    said = decide([(n / 20, noisy(picture, n)) for n, picture in enumerate([BOARD] * 20 + frames)])
    assert "read" not in said[20:]


def test_a_hand_is_no_reading_and_the_table_after_it_is_clear() -> None:
    said = decide([(float(n), noisy(p, n)) for n, p in enumerate([BOARD, HAND, DIE, OTHER_HAND, BOARD])])
    assert said == ["read", "hand", "read", "hand", "read"]


def test_a_hand_in_the_very_first_picture_does_not_blind_the_gate() -> None:
    frames = [HAND, BOARD, OTHER_HAND, BOARD, DIE]
    said = decide([(float(n), noisy(p, n)) for n, p in enumerate(frames)])
    assert said[3:] == ["read", "read"]


def test_a_lamp_switched_on_is_no_hand() -> None:
    lit = np.clip(BOARD.astype(int) + 30, 0, 255).astype(np.uint8)
    assert "hand" not in decide([(float(n), noisy(p, n)) for n, p in enumerate([BOARD, lit, lit])])


def test_a_cup_that_stays_is_accepted() -> None:
    said = decide([(n / 10, noisy(p, n)) for n, p in enumerate([BOARD] * 10 + [HAND] * 40)])
    assert "read" in said[20:]


def test_frames_out_of_order_and_repeated_ones_are_passed_over() -> None:
    assert decide([(1.0, BOARD), (1.0, DIE), (0.5, DIE), (2.0, DIE)]) == ["read", "-", "-", "read"]


class Script:
    """A reader that says what it is told."""

    def __init__(self, *said: BoardObservation) -> None:
        self.said = list(said)

    def observe(self, frame: Frame) -> BoardObservation:
        return msgspec.structs.replace(self.said.pop(0), seq=frame.seq, t=frame.t)


EMPTY = CountReading(0, 0.99)
CLEAR = BoardObservation(
    seq=0, t=0.0, size=(320, 240), board=BoardView(found=True), points=(EMPTY,) * 24, bar=(EMPTY, EMPTY)
)
COVERED = msgspec.structs.replace(CLEAR, obstructed=True)
ROLLING = msgspec.structs.replace(
    CLEAR,
    dice=(DieObservation(x=1, y=1, value=None, state="moving", half="right", tilt_deg=None, confidence=0.9),),
)
DARK = msgspec.structs.replace(CLEAR, problems=("dark",))


def names(*said: BoardObservation) -> list[str]:
    watcher = Watcher(Script(*said))
    pictures = [BOARD if n % 2 else DIE for n in range(len(said))]
    events = [e for n, p in enumerate(pictures) for e in watcher.watch(Frame(n, float(n), noisy(p, n)))]
    return [type(event).__name__ for event in events]


def test_hands_are_told_in_and_out_and_cover_the_reading() -> None:
    assert names(CLEAR, COVERED, COVERED, CLEAR) == ["PositionSettled", "HandsIn", "HandsOut", "PositionSettled"]


def test_tumbling_dice_are_told() -> None:
    assert names(ROLLING) == ["DiceMoving", "PositionSettled"]


def test_view_problems_are_told_when_they_change() -> None:
    said = names(CLEAR, DARK, DARK, CLEAR)
    assert said.count("ViewChanged") == 2


def test_an_observation_carries_the_frames_clock() -> None:
    watcher = Watcher(Script(CLEAR))
    (event,) = watcher.watch(Frame(7, 12.5, BOARD))
    assert isinstance(event, ev.PositionSettled)
    assert (event.t, event.frame) == (12.5, 7)
