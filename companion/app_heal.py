"""After a power cut: files that cannot be read any more are set aside, so that the table starts by itself.

Nothing is deleted: `NAME.broken-N` keeps what there was. Only files the service made itself are treated so; a file a
person named (--board, --config) is an error as ever.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from companion.errors import InputError
from companion.vision.calibrate import load as load_board
from companion.web.auth import load_keys
from companion.web.ports import Settings

log = logging.getLogger(__name__)
SQLITE_SIDES = ("-wal", "-shm")


def set_aside(path: Path) -> Path:
    """Rename to the first free `NAME.broken-N`; sqlite's side files go along."""
    number = 1
    while (target := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    path.rename(target)
    for side in SQLITE_SIDES:
        beside = path.with_name(path.name + side)
        if beside.exists():
            beside.rename(target.with_name(target.name + side))
    return target


def log_fault(path: Path) -> str:
    """Why the match log is broken, "" when it is whole or merely cannot be used now (full, read-only, no rights)."""
    try:
        db = sqlite3.connect(path, timeout=5.0)
        try:
            (answer,) = db.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            db.close()
    except sqlite3.OperationalError as error:
        return str(error) if error.sqlite_errorname == "SQLITE_IOERR_SHORT_READ" else ""
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if answer == "ok" else str(answer)


def settings_fault(path: Path) -> str:
    try:
        msgspec.json.decode(path.read_bytes(), type=Settings)
    except msgspec.DecodeError as error:
        return str(error)
    return ""


def board_fault(path: Path) -> str:
    try:
        load_board(path)
    except InputError as error:
        return str(error)
    return ""


def keys_fault(path: Path) -> str:
    try:
        load_keys(path)
    except InputError as error:
        return str(error)
    return ""


def heal(files: dict[Path, Callable[[Path], str]]) -> Iterator[str]:
    """Set aside what is broken of `files` (path -> what finds the fault); one line each on what that means."""
    for path, fault in files.items():
        try:
            why = fault(path) if path.is_file() else ""
            if why:
                yield f"{path.name} was broken: kept as {set_aside(path).name}, begun afresh ({why})"
        except OSError as error:
            log.warning("%s: cannot be looked at (%s)", path, error)
