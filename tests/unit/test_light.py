"""The held exposure goes with the calibration, and is measured anew only between turns, when the light stays bad."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from companion.app_light import AGAIN_S, PATIENCE_S, Light
from companion.sources.base import Frame
from companion.table.view import CameraView, TableView

HELD = {"ExposureTime": 10_000.0, "AnalogueGain": 2.0}


class Camera:
    live = True
    name = "camera"

    def __init__(self) -> None:
        self.held: Mapping[str, float] | None = None
        self.relocked = 0

    def frames(self):  # type: ignore[no-untyped-def]
        yield from ()

    def close(self) -> None:
        """Nothing to close."""

    def hold(self, exposure: Mapping[str, float]) -> None:
        self.held = exposure

    def relock(self) -> None:
        self.relocked += 1


def frame(t: float, **meta: object) -> Frame:
    return Frame(int(t * 10), t, np.zeros((2, 2, 3), np.uint8), meta)


def view(status: str, *problems: str) -> TableView:
    return TableView(status=status, camera=CameraView(ok=True, problems=problems))


def watched(light: Light, status: str, problem: str, start: float, seconds: float) -> None:
    for step in range(int(seconds) + 1):
        light.watch(frame(start + step), view(status, problem))


def test_a_camera_opened_again_holds_what_the_calibration_was_made_with() -> None:
    camera = Camera()
    Light(lambda: HELD).opened(camera)
    assert camera.held == HELD
    fresh = Camera()
    Light(dict).opened(fresh)
    assert fresh.held is None, "nothing known: the camera measures the light itself"


def test_what_the_newest_frame_held_is_kept_for_the_calibration() -> None:
    light = Light(dict)
    light.watch(frame(0.0, exposure=HELD), view("watching"))
    light.watch(frame(0.1), view("watching"))
    assert light.held() == HELD


@pytest.mark.parametrize("status", ["waiting_roll", "game_over"])
def test_light_that_stays_bad_between_turns_is_measured_anew_but_not_again_and_again(status: str) -> None:
    camera, light = Camera(), Light(dict)
    light.opened(camera)
    watched(light, status, "dark", 0.0, PATIENCE_S - 1)
    assert camera.relocked == 0
    watched(light, status, "dark", PATIENCE_S, AGAIN_S / 2)
    assert camera.relocked == 1
    watched(light, status, "dark", AGAIN_S, 3 * PATIENCE_S + AGAIN_S / 2)
    assert camera.relocked == 2


@pytest.mark.parametrize("status", ["rolled", "hands", "illegal", "reroll", "doubt", "double_offered"])
def test_never_in_the_middle_of_a_turn(status: str) -> None:
    camera, light = Camera(), Light(dict)
    light.opened(camera)
    watched(light, status, "dark", 0.0, 5 * PATIENCE_S)
    assert camera.relocked == 0


def test_a_film_cannot_be_measured_anew() -> None:
    class Film:
        live, name = False, "film"

        def frames(self):  # type: ignore[no-untyped-def]
            yield from ()

        def close(self) -> None:
            """Nothing to close."""

    light = Light(lambda: HELD)
    light.opened(Film())
    watched(light, "waiting_roll", "glare", 0.0, 2 * PATIENCE_S)
