"""The commands `calibrate` and `read` (CONTRACT.md)."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from companion.errors import CompanionError, InputError

if TYPE_CHECKING:
    from companion.rules.profile import Profile
    from companion.sources.base import Image
    from companion.vision.observe import Observer
    from companion.vision.read import Reading
    from companion.vision.types import Calibration, Lens

Corners = list[tuple[float, float]]
CORNERS_HELP = 'Inner corners of the playing surfaces, pixels: "x,y x,y x,y x,y", clockwise.'


def parse_corners(text: str | None) -> Corners | None:
    """`"x,y x,y x,y x,y"` -> four points. Raises InputError."""
    if text is None:
        return None
    numbers = re.findall(r"[-+]?\d+(?:\.\d+)?", text)
    if len(numbers) != 8 or re.search(r"[^-+\d.,;\s]", text):
        raise InputError(f'--corners {text!r}: write four points "x,y x,y x,y x,y"')
    values = [float(n) for n in numbers]
    points = list(zip(values[::2], values[1::2], strict=True))
    if area(points) < 100:
        raise InputError(f"--corners {text!r}: these four points enclose no board")
    return points


def area(points: Corners) -> float:
    """Area of the polygon of the corners put in order, square pixels."""
    import cv2
    import numpy as np

    return float(cv2.contourArea(cv2.convexHull(np.array(points, np.float32))))


def first_frame(source: str) -> Image:
    """One picture of a source: the file itself, or the first frame of a camera, video or folder."""
    from companion.sources.open import open_source
    from companion.vision.read import load_picture

    path = Path(source)
    if path.is_file() and (image := load_picture(source)) is not None:
        return image
    opened = open_source(source)
    try:
        for frame in opened.frames():
            return frame.image
    finally:
        opened.close()
    raise InputError(f"{source}: gives no frame; name a picture, a video, a folder or a camera")


def write_picture(path: Path, image: Image) -> None:
    """Write a picture; InputError when the place or the ending does not do."""
    import cv2

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = cv2.imwrite(str(path), image)
    except cv2.error:
        done = False
    if not done:
        raise InputError(f"{path}: cannot write a picture there; use a name ending in .png or .jpg")


def read_lens(path: str | None) -> Lens | None:
    """A lens file made by `calibrate --lens`."""
    if path is None:
        return None
    from companion.vision.lens import load

    return load(Path(path))


@click.command()
@click.argument("source", required=False)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where the board file (JSON) goes.")
@click.option("--corners", help=CORNERS_HELP)
@click.option("--home", type=click.Choice(["right", "left"]), help="White's hand on which both home boards lie.")
@click.option("--white-side", type=click.Choice(["bottom", "top", "left", "right"]), help="Image edge White sits at.")
@click.option("--from-id", help="The position shown, when it is not the starting position (XGID or GNU id).")
@click.option("--lens", multiple=True, help="Pictures of the printed ChArUco sheet (files or a folder): lens only.")
@click.option("--lens-file", help="A lens file made before with --lens.")
@click.option("--overlay", type=click.Path(path_type=Path), help="Write the picture with what was learned drawn in.")
def calibrate(
    source: str | None,
    out: Path,
    corners: str | None,
    home: str | None,
    white_side: str | None,
    from_id: str | None,
    lens: tuple[str, ...],
    lens_file: str | None,
    overlay: Path | None,
) -> None:
    """Learn board, orientation, colours and sizes from a frame of the starting position."""
    if lens:
        calibrate_lens((*lens, *([source] if source else [])), out)
        return
    if source is None:
        raise InputError("calibrate: name a picture, video, folder or camera that shows the starting position")
    from companion.rules.ids import parse_id
    from companion.rules.position import START
    from companion.vision import calibrate as learn

    position = parse_id(from_id).position if from_id else START
    image = first_frame(source)
    found = learn.calibrate(
        image,
        position=position,
        corners=parse_corners(corners),
        white_side=white_side,
        home=home,
        lens=read_lens(lens_file),
    )
    learn.save(found, out)
    if overlay is not None:
        draw_calibrated(image, found, overlay)
    sure = "sure" if found.confidence >= 0.9 else "fairly sure" if found.confidence >= 0.7 else "not very sure"
    click.echo(
        f"{out}: board learned, {sure} ({found.confidence:.2f}); White sits at the {found.white_side}, "
        f"home on the {found.home}",
        err=True,
    )


def calibrate_lens(pictures: tuple[str, ...], out: Path) -> None:
    """`calibrate --lens`: the lens alone."""
    from companion.vision import lens

    found, used, error = lens.calibrate_files([Path(p) for p in pictures])
    lens.save(found, out)
    click.echo(f"{out}: lens learned from {used} pictures, {error:.2f} px off on average", err=True)


def draw_calibrated(image: Image, found: Calibration, path: Path) -> None:
    """The picture with the board read through its new calibration."""
    from companion.vision import overlay
    from companion.vision.read import BoardReader

    reading = BoardReader(found).study(image)
    write_picture(path, overlay.draw(image, reading.geometry, reading.observation))


@click.command()
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line (the only form there is).")
@click.option("--profile", default="classic", help="The law that judges the roll.")
@click.option("--board", type=click.Path(path_type=Path), help="Board file made by `companion calibrate`.")
@click.option("--corners", help=CORNERS_HELP)
@click.option("--home", type=click.Choice(["right", "left"]))
@click.option("--white-side", type=click.Choice(["bottom", "top", "left", "right"]))
@click.option("--on-roll", type=click.Choice(["white", "black", "opening"]))
@click.option("--overlay", type=click.Path(path_type=Path), help="Folder for pictures with what was read drawn in.")
def read(
    images: tuple[str, ...],
    as_json: bool,
    profile: str,
    board: Path | None,
    corners: str | None,
    home: str | None,
    white_side: str | None,
    on_roll: str | None,
    overlay: Path | None,
) -> None:
    """Read still images: position, dice, cube; one JSON object a line, in the order given."""
    from companion.rules.profile import load_profile
    from companion.vision.observe import Observer

    if board is not None and (corners or home or white_side):
        raise InputError("--board: already says corners, home and white side; leave those options out")
    law = load_profile(profile)
    observer = Observer(load_board(board), corners=parse_corners(corners), home=home, white_side=white_side)
    broken = 0
    for name in images:
        line = read_one(observer, name, law, on_roll, overlay)
        broken += "error" in line
        sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
        sys.stdout.flush()
    if broken:
        click.echo(f"companion read: {broken} of {len(images)} images could not be read", err=True)
        sys.exit(2)


def load_board(path: Path | None) -> Calibration | None:
    if path is None:
        return None
    from companion.vision import calibrate as learn

    return learn.load(path)


def read_one(observer: Observer, name: str, law: Profile, on_roll: str | None, overlay: Path | None) -> dict[str, Any]:
    """One image's JSON; a broken file's says so in its place."""
    from companion.read_json import document
    from companion.rules.position import Side
    from companion.vision.read import load_picture

    image = load_picture(name)
    if image is None:
        there = Path(name).exists()
        return {"image": {"file": name}, "error": "not a picture" if there else "no such file"}
    try:
        reading = observer.study(image)
    except CompanionError as error:
        return {"image": {"file": name}, "error": str(error)}
    side = Side(on_roll) if on_roll in ("white", "black") else None
    roll = verdict(reading, side, law, on_roll == "opening")
    if overlay is not None:
        draw_reading(image, reading, overlay / (Path(name).stem + ".jpg"))
    return document(name, reading.observation, roll, side)


def verdict(reading: Reading, side: Any, law: Profile, opening: bool) -> dict[str, Any]:
    """The roll judged under the profile, as JSON."""
    from companion.rules.roll import judge_roll

    judged = judge_roll(reading.observation.dice, side, law, opening=opening)
    return {"valid": judged.valid, "dice": list(judged.dice) if judged.dice else None, "reason": judged.reason}


def draw_reading(image: Image, reading: Reading, path: Path) -> None:
    from companion.vision import overlay

    write_picture(path, overlay.draw(image, reading.geometry, reading.observation))
