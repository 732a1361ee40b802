"""What `companion install-service` writes: systemd units, avahi's service file and their small companions.

The texts lie in systemd/ and are filled in here; nothing is started or enabled.
"""

from __future__ import annotations

import grp
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from companion.config import ETC
from companion.errors import InputError

UNITS = "etc/systemd/system"
HIDDEN_BY_PROTECT_HOME = ("home", "root", "run/user")


@dataclass(frozen=True, slots=True)
class Piece:
    """One file: its template in systemd/, where it goes, what it is for."""

    template: str
    target: str
    why: str
    mode: int = 0o644


SERVICE = Piece(
    "backgammon-companion.service",
    f"{UNITS}/backgammon-companion.service",
    "the service: starts with the machine, comes back after a fault, shut in as far as a camera program can be",
)
CONFIG = Piece("backgammon-companion.toml", str(ETC).lstrip("/"), "its configuration; never overwritten")
JOURNAL = Piece(
    "backgammon-companion-journald.conf",
    "etc/systemd/journald.conf.d/backgammon-companion.conf",
    "a small journal: memory cards wear out",
)
AVAHI = Piece(
    "backgammon-companion-avahi.xml",
    "etc/avahi/services/backgammon-companion.service",
    "tells the network of the page (needs avahi-daemon)",
)
KIOSK = (
    Piece(
        "backgammon-companion-kiosk.service",
        f"{UNITS}/backgammon-companion-kiosk.service",
        "the display page on a screen at this machine (needs cage and chromium)",
    ),
    Piece("backgammon-companion-kiosk.sysusers", "etc/sysusers.d/backgammon-companion-kiosk.conf", "its user"),
    Piece("backgammon-companion-kiosk.tmpfiles", "etc/tmpfiles.d/backgammon-companion-kiosk.conf", "that user's home"),
)
HOTSPOT = Piece(
    "backgammon-companion-hotspot",
    "usr/local/sbin/backgammon-companion-hotspot",
    "makes this machine its own Wi-Fi when you call it (needs NetworkManager)",
    0o755,
)


def pieces(*, kiosk: bool, hotspot: bool) -> tuple[Piece, ...]:
    """The files asked for; the first four always."""
    return (SERVICE, CONFIG, JOURNAL, AVAHI, *(KIOSK if kiosk else ()), *((HOTSPOT,) if hotspot else ()))


def template(name: str) -> str:
    """A text of systemd/: beside the code, or installed under PREFIX/share. Raises InputError."""
    places = (
        Path(__file__).resolve().parents[2] / "systemd",
        Path(sys.prefix) / "share" / "backgammon-companion" / "systemd",
    )
    for place in places:
        if (place / name).is_file():
            return (place / name).read_text(encoding="utf-8")
    raise InputError(f"{name}: not found in {' or '.join(map(str, places))}; install the package again")


def quoted(path: Path) -> str:
    """A path as one word of an ExecStart= line."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if any(c in text for c in " \t;'\"\\") else text


def program() -> Path:
    """The console script that runs now."""
    return Path(sys.prefix) / "bin" / "companion"


def behind_home(path: Path) -> bool:
    """Would ProtectHome=yes hide it?"""
    return any(path.is_relative_to(f"/{top}") for top in HIDDEN_BY_PROTECT_HOME)


def shut_door(path: Path) -> Path | None:
    """The first folder on the way to `path` that a foreign user cannot enter; None when the way is open."""
    for folder in reversed([parent for place in {path, path.resolve()} for parent in place.parents]):
        if folder.is_dir() and not folder.stat().st_mode & 0o001:
            return folder
    return None


def has_group(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True


def filled(text: str, *, companion: Path, python: Path, port: int, video: bool) -> str:
    """A template with this machine's values."""
    home = "read-only" if behind_home(companion) or behind_home(python) else "yes"
    values = {"@COMPANION@": quoted(companion), "@PORT@": str(port), "@PROTECTHOME@": home}
    for name, value in values.items():
        text = text.replace(name, value)
    if not video:  # a group that does not exist keeps the unit from starting
        text = text.replace("SupplementaryGroups=video", "# SupplementaryGroups=video   (no such group here)")
    return text


def write(path: Path, text: str, mode: int) -> None:
    """Atomically. Raises InputError that names the mend."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".companion")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except OSError as error:
        mend = "run it with sudo" if isinstance(error, PermissionError) else "make the disk writable"
        raise InputError(f"{path}: cannot be written ({error.strerror}); {mend}") from error


def install(
    root: Path, wanted: tuple[Piece, ...], fill: Callable[[str], str], texts: Mapping[str, str] | None = None
) -> tuple[Path, ...]:
    """Write the files below `root`; the configuration only where there is none. Returns what was written."""
    written = []
    for piece in wanted:
        path = root / piece.target
        if piece is CONFIG and path.exists():
            continue
        write(path, (texts or {}).get(piece.template) or fill(template(piece.template)), piece.mode)
        written.append(path)
    return tuple(written)
