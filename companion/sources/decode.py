"""Bytes to picture, with an honest no: OpenCV fills the missing half of a torn JPEG with grey and says nothing."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from companion.errors import InputError
from companion.sources.base import Image

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".ppm"})
_TAIL = 4096  # bytes a camera may append after the end mark


def _is_torn(data: bytes) -> bool:
    if data[:2] == b"\xff\xd8":
        return b"\xff\xd9" not in data[-_TAIL:]
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return b"IEND" not in data[-_TAIL:]
    return False


def decode_picture(data: bytes, name: str) -> Image:
    """Decode a whole JPEG, PNG … to uint8 BGR. Raises InputError naming `name` for empty, torn or foreign bytes."""
    if not data:
        raise InputError(f"{name}: the file is empty")
    if _is_torn(data):
        raise InputError(f"{name}: the picture is cut off (its end is missing); copy it again")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise InputError(f"{name}: not a picture this program can read (JPEG, PNG, BMP, WebP, TIFF)")
    return np.asarray(image, dtype=np.uint8)


def read_picture(path: Path) -> Image:
    """Read a picture file to uint8 BGR. Raises InputError naming the file and what is wrong with it."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    return decode_picture(data, str(path))
