"""The lens, from pictures of a printed ChArUco sheet (calibration/charuco_sheet.png): optional."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.errors import CalibrationError, InputError
from companion.sources.base import Image
from companion.vision.types import Lens

SQUARES = (9, 6)
"""Columns, rows of the sheet."""
SQUARE_MM, MARKER_MM = 28.0, 21.0
LEAST_PICTURES = 4
LEAST_CORNERS = 12
SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp")


class LensFile(msgspec.Struct, frozen=True, kw_only=True):
    """What `calibrate --lens` writes: the lens in pixels of `image_size`, and how well it fits."""

    schema: int = 1
    image_size: tuple[int, int]
    lens: Lens
    error_px: float
    pictures: int


def sheet() -> cv2.aruco.CharucoBoard:
    """The sheet's pattern."""
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, MARKER_MM, words)


def draw_sheet(px_per_mm: float = 4.0) -> NDArray[np.uint8]:
    """The sheet as a grey picture to print at 100 % on A4 landscape."""
    size = (round(SQUARES[0] * SQUARE_MM * px_per_mm), round(SQUARES[1] * SQUARE_MM * px_per_mm))
    return np.asarray(sheet().generateImage(size, marginSize=round(2 * px_per_mm)), np.uint8)


def pictures_of(paths: list[Path]) -> list[Path]:
    """Files as they are, folders as the pictures in them. Raises InputError for what does not exist."""
    out: list[Path] = []
    for path in paths:
        if path.is_dir():
            out += sorted(p for p in path.iterdir() if p.suffix.lower() in SUFFIXES)
        elif path.is_file():
            out.append(path)
        else:
            raise InputError(f"{path}: no such picture or folder")
    return out


def calibrate(images: list[Image]) -> tuple[Lens, float]:
    """The lens and the mean reprojection error in pixels. Raises CalibrationError with what is missing."""
    detector = cv2.aruco.CharucoDetector(sheet())
    board, points, pixels = sheet(), [], []
    size = (images[0].shape[1], images[0].shape[0]) if images else (0, 0)
    for image in images:
        if (image.shape[1], image.shape[0]) != size:
            raise CalibrationError("the lens pictures differ in size: take all with the same camera setting")
        corners, ids, _, _ = detector.detectBoard(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
        if ids is None or len(ids) < LEAST_CORNERS:
            continue
        world, seen = board.matchImagePoints(list(corners), ids)
        points.append(world)
        pixels.append(seen)
    if len(points) < LEAST_PICTURES:
        raise CalibrationError(
            f"the ChArUco sheet is seen well in {len(points)} of {len(images)} pictures, {LEAST_PICTURES} are needed: "
            "hold it flat, fill a third of the view or more, from several sides"
        )
    start = np.eye(3)
    error, matrix, distortion, _, _ = cv2.calibrateCamera(points, pixels, size, start, np.zeros(5))
    k = [float(v) for v in np.asarray(distortion).ravel()[:5]]
    lens = Lens(
        fx=float(matrix[0, 0]),
        fy=float(matrix[1, 1]),
        cx=float(matrix[0, 2]),
        cy=float(matrix[1, 2]),
        distortion=(k[0], k[1], k[2], k[3], k[4]),
    )
    return lens, float(error)


def calibrate_files(paths: list[Path]) -> tuple[LensFile, int, float]:
    """From picture files or folders: the lens file's content, pictures given, error in pixels."""
    files = pictures_of(paths)
    images: list[Image] = []
    for file in files:
        image = cv2.imread(str(file), cv2.IMREAD_COLOR)
        if image is None:
            raise InputError(f"{file}: not a picture")
        images.append(np.asarray(image, np.uint8))
    lens, error = calibrate(images)
    size = (images[0].shape[1], images[0].shape[0])
    return LensFile(image_size=size, lens=lens, error_px=error, pictures=len(images)), len(images), error


def save(found: LensFile, path: Path) -> None:
    """Write the lens file. Raises InputError when the place does not do."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def load(path: Path) -> Lens:
    """The lens of a lens file. Raises InputError naming what is wrong."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=LensFile).lens
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: not a lens file: {error}; make one with `companion calibrate --lens`") from None
