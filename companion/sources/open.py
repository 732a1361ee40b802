"""From the text a user types (`demo`, `frames:DIR` …) to a Source: the one list of all kinds."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

from companion.errors import InputError, SourceError
from companion.sources.base import Source
from companion.sources.decode import PICTURE_SUFFIXES
from companion.sources.frames import FramesSource
from companion.sources.mjpeg import mjpeg_source
from companion.sources.simulated import Place, demo_source, match_source
from companion.sources.video import VideoSource
from companion.sources.webcam import webcam_source

SCHEMES = ("demo", "picamera2", "v4l2", "video", "frames", "http", "https", "match")
USAGE = "demo, picamera2[:N], v4l2:/dev/videoN, video:FILE, frames:DIR, http://…, match:FILE.mat"


def open_source(
    spec: str,
    *,
    fps: float | None = None,
    live: bool = False,
    seed: int | None = None,
    timeout_s: float = 10.0,
    resume: Place | None = None,
) -> Source:
    """The source that `spec` names.

    `fps`: frames a second of a folder without times (default 4) and of the simulated table; a video is thinned to it.
    `live`: the simulated table keeps real time and drops frames (cameras always do). `seed`: of the simulated table.
    `timeout_s`: silence after which a network camera counts as hung. `resume`: the simulated table starts where so
    many turns (second) of a game (first, from 0) are over, so that a match goes on after a restart.
    Raises InputError for a spec that names nothing, SourceError when the thing named cannot be read.
    """
    if fps is not None and not 0 < fps <= 1000:
        raise InputError(f"--fps {fps:g}: must be above 0 and at most 1000")
    scheme, colon, rest = spec.partition(":")
    if scheme == "demo" and not rest:
        return demo_source(live=live, seed=seed, fps=fps, resume=resume)
    if scheme == "picamera2":
        return _picamera(rest)
    if not colon or scheme not in SCHEMES:
        return _bare_path(spec, fps)
    if not rest:
        raise InputError(f"source {spec!r}: nothing after the colon; write one of {USAGE}")
    if scheme == "match":
        return match_source(Path(rest).expanduser(), live=live, seed=seed, fps=fps, resume=resume)
    return _named(scheme, rest, spec, fps=fps, timeout_s=timeout_s)


def _named(scheme: str, rest: str, spec: str, *, fps: float | None, timeout_s: float) -> Source:
    path = Path(rest).expanduser()
    match scheme:
        case "frames":
            return FramesSource(path, fps=fps)
        case "video":
            return VideoSource(path, fps=fps)
        case "v4l2":
            return webcam_source(path, fps=fps)
        case "http" | "https":
            return mjpeg_source(spec, timeout_s=timeout_s)
        case _:
            raise InputError(f"source {spec!r}: write one of {USAGE}")


def _picamera(rest: str) -> Source:
    """The Raspberry Pi camera module; its own module is the only one that imports picamera2."""
    if rest and not rest.isdigit():
        raise InputError(f"source 'picamera2:{rest}': the camera's number must be 0, 1 …")
    try:
        picamera = importlib.import_module("companion.sources.picamera")
    except ImportError:
        raise SourceError("picamera2: not to be had here; see docs/raspberry-pi.md") from None
    source: Source = picamera.picamera_source(int(rest or 0))
    return source


def _bare_path(spec: str, fps: float | None) -> Source:
    """A path without a scheme: a video file, or a device, or a folder named by mistake."""
    path = Path(spec).expanduser()
    if spec.startswith("/dev/video"):
        return webcam_source(path, fps=fps)
    if path.is_dir():
        raise InputError(f"source {spec!r} is a folder; for a folder of pictures write frames:{spec}")
    if path.suffix.lower() == ".mat":
        raise InputError(f"source {spec!r} is a match file; to play it on the simulated table write match:{spec}")
    if path.suffix.lower() in PICTURE_SUFFIXES:
        raise InputError(f"source {spec!r} is one picture; put pictures in a folder and write frames:FOLDER")
    if path.exists() or "/" in spec or (path.suffix and ":" not in spec):
        return VideoSource(path, fps=fps)
    word = spec.partition(":")[0]
    near = difflib.get_close_matches(word.lower(), SCHEMES, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}? " if near else ""
    raise InputError(f"source {spec!r}: no such kind and no such file; {hint}Known: {USAGE}")
