"""The facts of the page Health, and the settings kept in the data directory."""

from __future__ import annotations

import json
import logging
import os
import platform
import shutil
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import msgspec

from companion import __version__
from companion.errors import InputError
from companion.table.view import TableView
from companion.web.ports import Json, Settings

ERRORS_KEPT = 30
TEMPERATURE = Path("/sys/class/thermal/thermal_zone0/temp")
SHOWN_VERSIONS = ("opencv-python", "numpy", "flask", "waitress", "msgspec", "onnxruntime")
_GB = 1e9


class ErrorMemory(logging.Handler):
    """Keeps the last warnings and errors of the whole program."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._kept: deque[Json] = deque(maxlen=ERRORS_KEPT)

    def emit(self, record: logging.LogRecord) -> None:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="seconds")
        self._kept.append({"t": at, "text": f"{record.name}: {record.getMessage()}"[:300]})

    def last(self) -> list[Json]:
        return list(self._kept)


def temperature_c(path: Path = TEMPERATURE) -> float | None:
    """Of the processor; None where it is not measured."""
    try:
        return int(path.read_text()) / 1000
    except (OSError, ValueError):
        return None


def versions() -> dict[str, str]:
    """The program's and its main libraries'."""
    found = {"companion": __version__, "python": platform.python_version()}
    for name in SHOWN_VERSIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


class Health:
    """`HealthPort`."""

    def __init__(self, view: Callable[[], TableView], data: Path, errors: ErrorMemory) -> None:
        self._view = view
        self._data = data
        self._errors = errors
        self._began = time.monotonic()
        self._versions = versions()

    def report(self) -> Json:
        disk = shutil.disk_usage(self._data)
        return {
            "camera": msgspec.to_builtins(self._view().camera),
            "disk": {"free_gb": round(disk.free / _GB, 2), "total_gb": round(disk.total / _GB, 2)},
            "temperature_c": temperature_c(),
            "versions": self._versions,
            "uptime_s": int(time.monotonic() - self._began),
            "errors": self._errors.last(),
        }


class SettingsFile:
    """`SettingsPort` as a JSON file, written atomically."""

    def __init__(self, path: Path, first: Settings) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._value = self._load(first)

    def _load(self, first: Settings) -> Settings:
        if not self._path.exists():
            return first
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Settings)
        except (msgspec.DecodeError, OSError) as error:
            raise InputError(f"{self._path}: not a settings file ({error}); delete it to start afresh") from error

    def current(self) -> Settings:
        return self._value

    def change(self, settings: Settings) -> None:
        with self._lock:
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=".settings")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(msgspec.to_builtins(settings), file, ensure_ascii=False, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self._path)
            self._value = settings
