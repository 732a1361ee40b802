"""Checks of `companion doctor` on this table: camera, calibration, page, PIN."""

from __future__ import annotations

import http.client
import itertools
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from companion.errors import InputError, SourceError
from companion.service.checks import Check, bad, good
from companion.sources.base import Frame, Image, Source
from companion.sources.open import open_source
from companion.vision import problems
from companion.vision.calibrate import load
from companion.vision.types import Calibration
from companion.web.auth import load_keys

FRAMES = 20
"""Frames looked at: two seconds of a camera."""
LONGEST_S = 20.0
LEAST_FPS = 4.0
OLD_DAYS = 60
DRIFT = "the camera or board was moved: calibrate again (page: camera set-up)"
MENDS = {
    "dark": "put on a lamp over the board",
    "glare": "move the lamp or shade the window: light mirrors in the board",
    "blurred": "focus the lens on the board's surface, clean it",
    "exposure": "the camera does not hold its exposure: update the camera's software (sudo apt full-upgrade)",
}
PAGE_S = 3.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What a short look at a source gave: the last frame and how fast they came, frames a second."""

    frame: Frame
    fps: float
    live: bool


def look(spec: str, opener: Callable[[str], Source] = open_source, clock: Callable[[], float] = time.monotonic) -> Seen:
    """Some frames of a source. Raises InputError or SourceError."""
    source = opener(spec)
    began = clock()
    times: list[float] = []
    last: Frame | None = None
    try:
        for frame in itertools.islice(source.frames(), FRAMES):
            last = frame
            times.append(clock())
            if clock() - began > LONGEST_S:
                break
    finally:
        source.close()
    if last is None:
        raise SourceError(f"{spec}: gives no picture")
    span = times[-1] - times[0]
    return Seen(last, (len(times) - 1) / span if span > 0 else 0.0, source.live)


def faults_of(image: Image, meta: dict[str, Any], board: Calibration | None) -> list[str]:
    """dark, glare, blurred, exposure: over the board where it is known, else over the whole picture."""
    shown = image
    if board is not None:
        corners = np.array(board.corners) * (image.shape[1] / board.image_size[0])
        (x0, y0), (x1, y1) = corners.min(axis=0).clip(0).astype(int), corners.max(axis=0).astype(int)
        shown = image[y0 : y1 + 1, x0 : x1 + 1]
    found = problems.of_picture(shown) if shown.size else ["dark"]
    return [*found, "exposure"] if meta.get("problem") == "exposure" else found


def camera(spec: str, seen: Seen | Exception, board: Calibration | None) -> Check:
    """Present, giving pictures, sharp, its exposure held, fast enough."""
    if isinstance(seen, Exception):
        return bad("camera", str(seen), "see that it is plugged in and that no other program has it")
    height, width = seen.frame.image.shape[:2]
    found = f"{spec}: {width}x{height}, {seen.fps:.0f} frames a second{light(seen.frame.meta)}"
    wrong = faults_of(seen.frame.image, dict(seen.frame.meta), board)
    if wrong:
        return bad("camera", f"{found}: {', '.join(wrong)}", "; ".join(MENDS[name] for name in wrong))
    if seen.live and seen.fps < LEAST_FPS:
        return bad("camera", found, "too slow: take a smaller picture size, or a quicker machine")
    return good("camera", found)


def light(meta: Any) -> str:
    """The exposure held, where the source tells of one."""
    held = meta.get("exposure") or {}
    return f", exposure held at {held['ExposureTime'] / 1000:.1f} ms" if "ExposureTime" in held else ""


def running_camera(view: dict[str, Any]) -> Check:
    """The camera as the running service sees it (it has the camera to itself)."""
    state = view.get("camera", {})
    found = f"{state.get('source') or 'no source'}, {state.get('fps', 0):.0f} frames a second, as the service sees it"
    if not state.get("ok"):
        return bad("camera", f"{found}: no picture", "see the page Health, and that the camera is plugged in")
    wrong = [name for name in state.get("problems", ()) if name != "fault"]
    if wrong:
        mend = "; ".join(MENDS.get(name, DRIFT) for name in wrong)
        return bad("camera", f"{found}: {', '.join(wrong)}", mend)
    return good("camera", found)


def calibration(path: Path, seen: Seen | Exception | None, now: float) -> Check:
    """Is the board learned, how long ago, and does it still lie there? `now`: wall clock, seconds."""
    if not path.exists():
        return bad("calibration", f"{path}: none yet", "set up the starting position: the service learns it by itself")
    try:
        board = load(path)
        days = (now - path.stat().st_mtime) / 86400
    except (InputError, OSError) as error:
        return bad("calibration", str(error), "calibrate again (page: camera set-up)")
    age = f"{days:.0f} days old" if days >= 0 else "its date lies in the future"
    found = f"{path}: sure {board.confidence:.2f}, {age}"
    if isinstance(seen, Seen):
        wrong = sorted({"moved", "no_board"} & set(drift(board, seen.frame)))
        if wrong:
            return bad("calibration", f"{found}: {', '.join(wrong)}", DRIFT)
    if days > OLD_DAYS:
        return bad("calibration", found, "calibrate again (page: camera set-up): lamps and boards change")
    return good("calibration", found)


def drift(board: Calibration, frame: Frame) -> Iterator[str]:
    """The reader's own complaints about the view."""
    from companion.vision.read import BoardReader

    yield from BoardReader(board).read(frame.image, frame.seq, frame.t).problems


def ask(host: str, port: int, path: str) -> dict[str, Any]:
    """A JSON object of the running page. Raises OSError when it does not answer with one."""
    connection = http.client.HTTPConnection(host, port, timeout=PAGE_S)
    try:
        connection.request("GET", path, headers={"Host": f"localhost:{port}"})
        answer = connection.getresponse()
        found = json.loads(answer.read())
    except (http.client.HTTPException, ValueError) as error:
        raise OSError(f"no proper answer ({error})") from error
    finally:
        connection.close()
    if answer.status != 200 or not isinstance(found, dict):
        raise OSError(f"answers with status {answer.status}")
    return found


def page(host: str, port: int, view: dict[str, Any] | None) -> Check:
    """Reachable from this machine. `view`: its answer to /api/view, None when there is none."""
    where = f"http://{host}:{port}/"
    if view is None:
        return bad("page", f"{where} does not answer", "start it: sudo systemctl start backgammon-companion")
    return good("page", f"{where} answers, table {view.get('status', '?')}")


def pin(path: Path) -> Check:
    """Is there an operator PIN? Never made here."""
    try:
        if not path.exists():
            return bad("pin", f"{path}: none yet", "start the service once, it makes one; `companion pin` shows it")
        load_keys(path)
    except PermissionError:
        return bad("pin", f"{path}: cannot be read", "run it with sudo")
    except (InputError, OSError) as error:
        return bad("pin", str(error), "companion pin --renew")
    return good("pin", "set; `companion pin` shows it")
