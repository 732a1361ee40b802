"""Lets the real picamera2 run on libcamera's virtual camera, on machines without a Pi's kernel. For tests only.

picamera2's own configuration, request, control and capture code stays as it is. Replaced are only leaves it reaches
down to: the DRM preview's and the DNG writer's imports (never used here), the kernel's dma-heap (a memfd holds the
buffer as well), the one-plane layout of a Pi's buffers (this camera fills two), and the question for raw modes.
"""

from __future__ import annotations

import fcntl
import os
import sys
import types
from typing import Any


class _AnyName:
    """Stands for a namespace of which nobody needs a particular member."""

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return name


def _absent_modules() -> None:
    kms = types.ModuleType("pykms")
    kms.PixelFormat = _AnyName()  # type: ignore[attr-defined]
    sys.modules.setdefault("pykms", kms)
    for name, member in (("pidng", None), ("pidng.camdefs", "Picamera2Camera"), ("pidng.core", "PICAM2DNG")):
        module = types.ModuleType(name)
        if member:
            setattr(module, member, object)
        sys.modules.setdefault(name, module)


def _buffers(libcamera: Any) -> None:
    from picamera2 import dma_heap
    from picamera2.allocators import dmaallocator

    class Heap:
        isValid = True

        def alloc(self, name: str, size: int) -> Any:
            file = os.memfd_create(name, os.MFD_CLOEXEC)
            os.ftruncate(file, size)
            return dma_heap.UniqueFD(file)

        def close(self) -> None:
            """Nothing is held."""

    def ioctl(file: Any, request: int, argument: Any = 0, *more: Any) -> Any:
        if request == dma_heap.DMA_BUF_IOCTL_SYNC:  # ordinary memory needs no syncing
            return 0
        return fcntl.ioctl(file, request, argument, *more)

    def two_planes(planes: list[Any]) -> Any:
        (luma,) = planes
        whole = luma.length
        luma.length = whole * 2 // 3
        chroma = libcamera.FrameBuffer.Plane()
        chroma.fd, chroma.offset, chroma.length = luma.fd, luma.length, whole - luma.length
        return libcamera.FrameBuffer([luma, chroma])

    two_planes.Plane = libcamera.FrameBuffer.Plane  # type: ignore[attr-defined]
    dmaallocator.DmaHeap = Heap
    dmaallocator.fcntl = types.SimpleNamespace(ioctl=ioctl)
    dmaallocator.libcamera = types.SimpleNamespace(FrameBuffer=two_planes)


def install() -> Any:
    """The class Picamera2, ready for the virtual camera."""
    _absent_modules()
    import libcamera
    from picamera2 import Picamera2

    _buffers(libcamera)

    def raw_modes(self: Any) -> list[dict[str, Any]]:
        roles = libcamera.StreamRole
        found = self.camera.generate_configuration([roles.Raw]) or self.camera.generate_configuration(
            [roles.VideoRecording]
        )
        formats = found.at(0).formats
        return [
            {"format": str(pixel), "size": (size.width, size.height)}
            for pixel in formats.pixel_formats
            for size in formats.sizes(pixel)
        ]

    Picamera2._get_raw_modes = raw_modes
    return Picamera2
