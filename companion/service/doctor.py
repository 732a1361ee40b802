"""`companion doctor`: every check once, each with its finding and, where needed, the mend."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.app import PIN_FILE
from companion.app_sources import CAMERAS, SIMULATED, found_camera
from companion.config import Config
from companion.errors import InputError, SourceError
from companion.service import checks, checks_software, checks_table
from companion.service.checks import Check
from companion.service.sdnotify import probe_host
from companion.vision.calibrate import load
from companion.vision.types import Calibration

SERVICE_DATA = Path("/var/lib/backgammon-companion")


@dataclass(frozen=True, slots=True)
class Patient:
    """What is examined."""

    config: Config
    data: Path
    source: str = ""

    @property
    def spec(self) -> str:
        return self.source or self.config.camera.source or found_camera()

    @property
    def kind(self) -> str:
        return self.spec.partition(":")[0]

    @property
    def board(self) -> Path:
        """The calibration in use, as `companion run` chooses it."""
        given = self.config.camera.board
        kept = "board-simulated.json" if self.kind in SIMULATED else "board.json"
        return Path(given) if given else self.data / kept


def in_use(data: Path) -> bool:
    """Does a service run with this folder? Its lock is asked for and given back at once."""
    try:
        file = os.open(data / "lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def view_of(patient: Patient) -> dict[str, Any] | None:
    """The running page's view, None when nothing answers."""
    host, port = probe_host(patient.config.web.host), patient.config.web.port
    try:
        return checks_table.ask(host, port, "/api/view")
    except OSError:
        return None


def known_board(path: Path) -> Calibration | None:
    try:
        return load(path)
    except InputError:
        return None


def look(patient: Patient) -> checks_table.Seen | Exception:
    """Some frames, or why there are none."""
    try:
        return checks_table.look(patient.spec)
    except (InputError, SourceError) as error:
        return error


def of_table(patient: Patient) -> Iterator[Check]:
    """Camera and calibration. A running service has the camera to itself: then it is asked."""
    view = view_of(patient)
    running = in_use(patient.data) or (view is not None and not patient.source and patient.kind in CAMERAS)
    seen = None if running else look(patient)
    if seen is None:
        yield checks_table.running_camera(view or {})
    else:
        yield checks_table.camera(patient.spec, seen, known_board(patient.board))
    yield checks_table.calibration(patient.board, seen, time.time())
    yield checks_table.page(probe_host(patient.config.web.host), patient.config.web.port, view)
    yield checks_table.pin(patient.data / PIN_FILE)


def examine(patient: Patient) -> Iterator[Check]:
    """All checks in the order in which a fault explains the next ones."""
    first: tuple[Callable[[], Check], ...] = (
        checks_software.libraries,
        lambda: checks_software.picamera2(patient.kind == "picamera2"),
        checks_software.models,
        lambda: checks.disk(patient.data),
        checks.temperature,
        checks.power,
        checks.clock,
    )
    for check in first:
        yield check()
    yield from of_table(patient)
