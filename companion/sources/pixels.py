"""A camera's raw buffer to a picture: by the format and stride that were read back, never by what was asked for."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import SourceError
from companion.sources.base import Image

Buffer = NDArray[np.uint8]
_PLANAR = {"YUV420": cv2.COLOR_YUV2BGR_I420, "YVU420": cv2.COLOR_YUV2BGR_YV12}
_SEMI_PLANAR = {"NV12": cv2.COLOR_YUV2BGR_NV12, "NV21": cv2.COLOR_YUV2BGR_NV21}
_PACKED = {"YUYV": cv2.COLOR_YUV2BGR_YUY2, "UYVY": cv2.COLOR_YUV2BGR_UYVY}
_RGB: dict[str, tuple[int, int | None]] = {
    "RGB888": (3, None),  # libcamera names the order of a little-endian word: B, G, R in memory
    "BGR888": (3, cv2.COLOR_RGB2BGR),
    "XRGB8888": (4, cv2.COLOR_BGRA2BGR),
    "XBGR8888": (4, cv2.COLOR_RGBA2BGR),
}
FORMATS = frozenset({*_PLANAR, *_SEMI_PLANAR, *_PACKED, *_RGB})
"""The formats `to_bgr` understands, by libcamera's names."""


def _rows(flat: Buffer, start: int, rows: int, stride: int, used: int) -> Buffer:
    """`rows` lines of `stride` bytes from `start` on, cut to the `used` bytes of each."""
    return flat[start : start + rows * stride].reshape(rows, stride)[:, :used]


def _planar(flat: Buffer, width: int, height: int, stride: int, code: int) -> Image:
    """Y, then two quarter planes whose lines are half as long, padding included."""
    luma, quarter = height * stride, (height // 2) * (stride // 2)
    chroma = [_rows(flat, luma + i * quarter, height // 2, stride // 2, width // 2) for i in (0, 1)]
    parts = [_rows(flat, 0, height, stride, width).reshape(-1), *(plane.reshape(-1) for plane in chroma)]
    return _cvt(np.concatenate(parts).reshape(height * 3 // 2, width), code)


def _cvt(array: Buffer, code: int) -> Image:
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(array), code), np.uint8)


def _rgb(flat: Buffer, width: int, height: int, stride: int, name: str) -> Image:
    size, code = _RGB[name]
    array = _rows(flat, 0, height, stride, width * size).reshape(height, width, size)
    return np.ascontiguousarray(array) if code is None else _cvt(array, code)


def _needed(name: str, height: int, stride: int) -> int:
    """Bytes of a whole buffer; the last line's padding may be missing, so this is what the reshapes touch."""
    return stride * (height * 3 // 2 if name in _PLANAR or name in _SEMI_PLANAR else height)


def _converter(name: str) -> Callable[[Buffer, int, int, int], Image] | None:
    if name in _RGB:
        return lambda flat, w, h, stride: _rgb(flat, w, h, stride, name)
    if name in _PLANAR:
        return lambda flat, w, h, stride: _planar(flat, w, h, stride, _PLANAR[name])
    if name in _SEMI_PLANAR:
        return lambda flat, w, h, stride: _cvt(_rows(flat, 0, h * 3 // 2, stride, w), _SEMI_PLANAR[name])
    if name in _PACKED:
        return lambda flat, w, h, stride: _cvt(_rows(flat, 0, h, stride, w * 2).reshape(h, w, 2), _PACKED[name])
    return None


def to_bgr(buffer: Buffer, size: tuple[int, int], stride: int, name: str) -> Image:
    """uint8 BGR of `size` (width, height) from a flat `buffer` with lines of `stride` bytes (of the first plane).

    YUV is taken as BT.601 limited range (colour space Smpte170m). Raises SourceError, not temporary, for a format or
    buffer that does not fit.
    """
    width, height = size
    convert = _converter(name)
    if convert is None:
        raise SourceError(f"picamera2: the camera gives {name}, which cannot be read ({', '.join(sorted(FORMATS))})")
    flat = buffer.reshape(-1)
    if flat.size < (need := _needed(name, height, stride)):
        raise SourceError(
            f"picamera2: a {name} picture {width}x{height} with lines of {stride} bytes needs {need} bytes, "
            f"the camera gave {flat.size}"
        )
    return convert(flat, width, height, stride)
