"""The die renderer: what is drawn is what the truth says."""

from __future__ import annotations

import numpy as np
import pytest

from companion.sim.die import View, about, paste, pose_showing, render_body, render_cube, shadow, truth
from companion.sim.die_faces import DieLook, cube_digits, encode
from companion.sim.scene import Cube, Lamp, Light

LIGHT = Light(lamps=(Lamp(direction=(0.3, 0.2, 1.0)),), ambient=0.4)


def overhead(edge_px: float = 60.0) -> View:
    """A camera straight above the origin that sees a die of 1.5 at `edge_px`."""
    focal = edge_px / 1.5 * 60
    return View(
        np.array([[focal, 0, 50.0], [0, focal, 50.0], [0, 0, 1.0]]), np.diag([1.0, -1.0, -1.0]), np.array([0, 0, 60.0])
    )


def dark_spots(picture: np.ndarray) -> int:
    import cv2

    grey = (encode(picture).mean(axis=2) * 255).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats((grey < 90).astype(np.uint8))
    return sum(stats[i, cv2.CC_STAT_AREA] > 15 for i in range(1, count))


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("mirrored", [False, True])
def test_top_face_shows_its_value(value: int, mirrored: bool) -> None:
    look = DieLook(mirrored=mirrored, gloss=0.1)
    turn = pose_showing(value, 0.4, mirrored=mirrored)
    picture = np.full((100, 100, 3), 0.5, np.float32)
    paste(picture, render_body(look, turn, np.array([0, 0, 0.75]), 1.5, overhead(), LIGHT))
    assert truth(look, turn, np.array([0, 0, 0.75]), 1.5, overhead()).value == value
    assert dark_spots(picture) == value


def test_truth_measures_tilt_and_edge() -> None:
    turn = pose_showing(4, 1.0, tilt=np.radians(12), towards=0.3)
    told = truth(DieLook(), turn, np.array([0.0, 0, 0]), 1.5, overhead(60))
    assert told.value == 4
    assert told.tilt == pytest.approx(12, abs=1e-6)
    assert told.edge_px == pytest.approx(60)
    assert told.top_face.shape == (4, 2)


def test_patch_covers_the_hull_and_no_more() -> None:
    turn = pose_showing(3, 0.2)
    view = overhead()
    patch = render_body(DieLook(rounding=0.02, ball=2), turn, np.array([0, 0, 0.75]), 1.5, view, LIGHT)
    hull = truth(DieLook(), turn, np.array([0, 0, 0.75]), 1.5, view).hull
    x, y = hull[:, 0], hull[:, 1]
    area = 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
    assert patch.rgba[..., 3].sum() == pytest.approx(area, rel=0.03)


def test_digits_are_not_mirrored_on_any_face() -> None:
    digits = cube_digits(4, 1)
    view = overhead(80)
    faces = [
        np.eye(3),
        about((1.0, 0, 0), np.pi),
        *(about(a, s * np.pi / 2) for a in ((1.0, 0, 0), (0, 1.0, 0)) for s in (1, -1)),
    ]
    for turn in faces:
        top = int(np.argmax([turn[2, 0], -turn[2, 0], turn[2, 1], -turn[2, 1], turn[2, 2], -turn[2, 2]]))
        patch = render_body(
            DieLook(digits=digits, gloss=0, body=(1, 1, 1), pip=(0, 0, 0)), turn, np.zeros(3), 1.5, view, LIGHT
        )
        ink = 1 - encode(patch.rgba[..., :3]).mean(axis=2)
        h, w = ink.shape
        seen = ink[h // 2 - 32 : h // 2 + 32, w // 2 - 32 : w // 2 + 32]

        def likeness(mask: np.ndarray, seen: np.ndarray = seen) -> float:
            import cv2

            small = cv2.resize(mask, (80, 80), interpolation=cv2.INTER_AREA)[8:72, 8:72]
            return max(float(np.corrcoef(np.rot90(small, k).ravel(), seen.ravel())[0, 1]) for k in range(4))

        assert likeness(digits[top]) > likeness(digits[top][:, ::-1])


def test_shadow_falls_away_from_the_lamp() -> None:
    light = Light(lamps=(Lamp(direction=(1.0, 0.0, 1.0), size=0.02),), ambient=0.2)
    shade = shadow(np.eye(3), np.array([0, 0, 0.75]), 1.5, 0.0, overhead(30), light)
    assert shade is not None
    middle = shade.factor[50 - shade.y0]
    assert middle[50 - 25 - shade.x0] < 0.5  # west of the die, the lamp is in the east
    assert middle[50 + 25 - shade.x0] > 0.85


def test_doubling_cube_is_drawn_with_ink() -> None:
    patch = render_cube(Cube(0, 0, 1.3, face=16, ink=(0, 0, 0), body=(1, 1, 1)), overhead(60), LIGHT, seed=3)
    grey = encode(patch.rgba[..., :3]).mean(axis=2)
    assert (grey[patch.rgba[..., 3] > 0.99] < 0.3).mean() > 0.03
