"""Dice: where they lie, how crops are made square, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from companion.sim.die import View, paste, pose_showing, render_body, truth
from companion.sim.die_faces import DieLook, encode
from companion.sim.scene import Lamp, Light
from companion.vision import dice, dice_detect, dice_state
from companion.vision.dice_detect import Sighting
from companion.vision.geometry import BoardGeometry
from companion.vision.types import Lens

LIGHT = Light(lamps=(Lamp(direction=(0.2, 0.3, 1.0), size=0.2),), ambient=0.5)
SIZE = (900, 800)
WIDTH, HEIGHT, EDGE = 52.0, 45.0, 1.5  # cm


def scene_view(tilt_deg: float = 30.0, focal: float = 1100.0) -> View:
    """A camera 75 cm from the board's middle, leaning `tilt_deg` towards White's seat."""
    a = np.radians(tilt_deg)
    turn = np.array([[1, 0, 0], [0, -np.cos(a), -np.sin(a)], [0, np.sin(a), -np.cos(a)]])
    k = np.array([[focal, 0, SIZE[0] / 2], [0, focal, SIZE[1] / 2], [0, 0, 1.0]])
    return View(k, turn, np.array([0.0, 0.0, 75.0]))


def board_of(view: View) -> BoardGeometry:
    """The geometry of a WIDTH x HEIGHT board under that camera."""
    w, h = WIDTH / 2, HEIGHT / 2
    corners = view.project(np.array([[-w, h, 0], [w, h, 0], [w, -h, 0], [-w, -h, 0]]))
    k = view.K
    lens = Lens(fx=k[0, 0], fy=k[1, 1], cx=k[0, 2], cy=k[1, 2])
    return BoardGeometry(corners=corners, size=SIZE, aspect=HEIGHT / WIDTH, bar=(0.46, 0.54), lens=lens)


def picture(view: View, places: list[tuple[float, float, int]], look: DieLook | None = None) -> np.ndarray:
    """BGR picture of flat dice (x cm, y cm, value) on a plain green surface."""
    light = np.full((SIZE[1], SIZE[0], 3), (0.02, 0.12, 0.05), np.float32)
    for x, y, value in places:
        turn = pose_showing(value, 0.5 + x)
        paste(light, render_body(look or DieLook(), turn, np.array([x, y, EDGE / 2]), EDGE, view, LIGHT))
    return (encode(light)[..., ::-1] * 255).astype(np.uint8)


@pytest.mark.parametrize("tilt", [0.0, 25.0, 45.0])
@pytest.mark.parametrize("at", [(-15.0, -10.0), (14.0, 12.0)])
def test_square_crop_makes_a_flat_top_face_a_square_of_known_size(tilt: float, at: tuple[float, float]) -> None:
    view = scene_view(tilt)
    board = board_of(view)
    turn = pose_showing(3, 0.7)
    told = truth(DieLook(), turn, np.array([*at, EDGE / 2]), EDGE, view)
    place = dice_state.local(board, *told.centre, EDGE / 2 / WIDTH)
    flat = (told.top_face - told.centre) @ np.linalg.inv(place.jacobian).T * WIDTH
    sides = np.linalg.norm(flat - np.roll(flat, 1, axis=0), axis=1)
    assert sides == pytest.approx([EDGE] * 4, rel=0.04)
    assert place.px_per_unit * EDGE / WIDTH == pytest.approx(told.edge_px, rel=0.03)


def test_tangent_is_that_of_the_view_onto_the_die() -> None:
    board = board_of(scene_view(40.0))
    middle = board.to_pixels([[0.5, board.aspect / 2, 0.01]])[0]
    assert dice_state.local(board, *middle, 0.01).tangent == pytest.approx(np.tan(np.radians(40)), rel=0.02)


def test_up_points_up_in_the_crop() -> None:
    view = scene_view(40.0)
    board = board_of(view)
    image = picture(view, [(12.0, -8.0, 1)], DieLook(body=(1, 1, 1), pip=(1, 1, 1), gloss=0))
    x, y = view.project(np.array([[12.0, -8.0, EDGE / 2]]))[0]
    place = dice_state.local(board, x, y, EDGE / 2 / WIDTH)
    crop = dice_state.square_crop(image, place, x, y, 22.0 / (EDGE / WIDTH)).astype(int).sum(axis=2)
    assert crop[20:30, 28:36].mean() > crop[40:48, 28:36].mean() > crop[58:62, 28:36].mean()  # top, side, surface


def test_shrinking_crop_is_smoothed_not_aliased() -> None:
    stripes = np.zeros((400, 400, 3), np.uint8)
    stripes[:, ::4] = 255
    crop = dice_state.plain_crop(stripes, 200, 200, 22.0 * 4)
    assert np.ptp(crop[20:44, 20:44]) < 30


def test_crop_at_the_border_and_outside() -> None:
    image = np.full((40, 40, 3), 7, np.uint8)
    assert (dice_state.plain_crop(image, 1, 1, 22) == 7).all()
    assert dice_state.plain_crop(image, -500, -500, 22).shape == (64, 64, 3)


def test_doubles_of_one_die_are_dropped_touching_dice_kept() -> None:
    seen = [
        Sighting("die", 100, 100, 20, 0.9),
        Sighting("die", 105, 100, 21, 0.5),
        Sighting("die", 121, 100, 20, 0.8),
        Sighting("cube", 101, 100, 40, 0.3),
    ]
    kept = dice_detect._distinct(seen)
    assert [(s.kind, s.x) for s in kept] == [("die", 100), ("die", 121), ("cube", 101)]


@pytest.mark.parametrize(
    ("xy", "raised", "zone"),
    [
        ((0.5, 0.4), 0.0, "on_bar"),
        ((0.25, 0.4), 0.1, None),
        ((0.25, 0.4), 0.9, None),  # far from any wood
        ((0.445, 0.4), 0.9, "on_bar"),  # parallax of the raised bar
        ((1.03, 0.4), 0.9, "on_bar"),
        ((1.03, 0.4), 0.1, "off_board"),
        ((1.2, 0.4), 0.9, "off_board"),
        ((0.25, 0.004), 0.2, None),
    ],
)
def test_zone(xy: tuple[float, float], raised: float, zone: str | None) -> None:
    assert dice._zone(xy, 0.028, board_of(scene_view()), raised) == zone


def test_sizes_are_taken_from_most_dice() -> None:
    assert dice._common_edge([(0.028, 0.9), (0.029, 0.8), (0.06, 0.2)]) in (0.028, 0.029)
    assert dice._common_edge([]) == dice_detect.USUAL_DIE


def test_no_crops_no_readings() -> None:
    assert dice_state.read([], []) == []


@pytest.mark.parametrize(
    ("other", "pip"),
    [
        (Sighting("die", 108, 104, 10, 0.9), True),
        (Sighting("die", 108, 104, 38, 0.9), False),  # as large: another sighting of the die itself
        (Sighting("die", 150, 100, 10, 0.9), False),  # beside it
    ],
)
def test_pips_of_a_large_die_are_not_small_dice(other: Sighting, pip: bool) -> None:
    assert dice._pip_of(other, Sighting("die", 100, 100, 44, 0.8)) is pip


def test_a_die_seen_in_the_cube_is_the_cube_one_beside_it_a_die() -> None:
    cube = Sighting("cube", 100, 100, 50, 0.9)
    assert dice._within(Sighting("die", 110, 95, 26, 0.9), cube)
    assert not dice._within(Sighting("die", 142, 100, 26, 0.9), cube)


def test_crop_map_brings_a_die_to_its_size_in_the_crop() -> None:
    assert np.allclose(dice_state.crop_map(None, 44.0), 2.0 * np.eye(2))
    board = board_of(scene_view())
    place = dice_state.local(board, 450, 400, 0.0)
    near, far = dice_state.crop_map(place, 0.028), dice_state.crop_map(place, 0.056)
    assert np.allclose(2 * near, far)
