"""Checks of `companion doctor` on what is installed: libraries that fit each other, model files as they were made."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

import cv2

from companion.errors import InputError
from companion.service.checks import Check, bad, good
from companion.vision.infer import load, model_file

LIBRARIES = ("numpy", "cv2", "flask", "waitress", "msgspec", "segno")
SUMS = "SHA256SUMS"
IMPORT_S = 60.0
NUMPY_2_FROM = (4, 12)
"""OpenCV from here on wants NumPy 2."""
ABI_SIGNS = ("numpy.dtype size changed", "numpy.core.multiarray failed to import", "_ARRAY_API not found", "ABI")
ABI_MEND = (
    "two builds of NumPy clash: on Trixie keep the system's NumPy (pip uninstall numpy in the venv), on Bookworm "
    "install with the constraints of docs/raspberry-pi.md"
)


def importing(module: str, timeout_s: float = IMPORT_S) -> str | None:
    """Why a module cannot be imported; None when it can. Asked in a process of its own: a clash may crash it."""
    command = [sys.executable, "-c", f"import {module}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return f"does not import within {timeout_s:g} s"
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"crashes at import (status {done.returncode})"


def version(*packages: str) -> str:
    """The version of the first of `packages` that is installed, "" when none is."""
    for name in packages:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return ""


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


def clash(opencv: str, numpy: str) -> bool:
    """The pair known not to go together."""
    return bool(opencv and numpy) and numbers(opencv) >= NUMPY_2_FROM and numbers(numpy) < (2,)


def libraries() -> Check:
    """OpenCV, NumPy and the page's libraries import, and the first two are a pair."""
    opencv, numpy = version("opencv-python", "opencv-python-headless"), version("numpy")
    for module in LIBRARIES:
        why = importing(module)
        if why:
            mend = ABI_MEND if any(sign in why for sign in ABI_SIGNS) else "run scripts/setup again"
            return bad("libraries", f"{module}: {why}", mend)
    found = f"Python {sys.version.split()[0]}, OpenCV {opencv}, NumPy {numpy}"
    if clash(opencv, numpy):
        return bad("libraries", found, ABI_MEND)
    return good("libraries", found)


def picamera2(wanted: bool) -> Check:
    """The Pi camera's library. `wanted`: the source in use is such a camera."""
    why = importing("picamera2")
    if why is None:
        return good("picamera2", version("picamera2") or "installed")
    if any(sign in why for sign in ABI_SIGNS):
        return bad("picamera2", why, ABI_MEND)
    if not wanted:
        return good("picamera2", "not installed, not needed for this source")
    mend = "sudo apt install python3-picamera2, and a venv made with VENV_FLAGS=--system-site-packages"
    return bad("picamera2", why, mend)


def sums(folder: Path) -> dict[str, str]:
    """File name -> sha256 of the list beside the models. Raises InputError."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{folder / SUMS}: cannot be read ({error.strerror})") from error
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def faults(folder: Path, known: Mapping[str, str]) -> Iterator[str]:
    for name, digest in known.items():
        path = folder / name
        if not path.is_file():
            yield f"{name} is missing"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            yield f"{name} is not as it was made"


def models(folder: Path | None = None) -> Check:
    """Are the nets there, whole, and does the runtime load them?"""
    mend = "git checkout models/ (or install the package again)"
    try:
        place = folder or model_file("board_reader").parent
        known = sums(place)
        wrong = list(faults(place, known))
        if wrong:
            return bad("models", "; ".join(wrong), mend)
        for name in known:
            load(Path(name).stem)
    except (InputError, cv2.error) as error:
        return bad("models", " ".join(str(error).split()), mend)
    return good("models", f"{len(known)} nets, whole and loadable")
