"""The service's configuration: defaults < /etc/backgammon-companion.toml < --config FILE < a few environment variables.

An unknown key or a wrong type is an InputError that names file and key and the nearest known key.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from companion.errors import InputError

ETC = Path("/etc/backgammon-companion.toml")
ENVIRONMENT = {
    "COMPANION_SOURCE": ("camera", "source"),
    "COMPANION_HOST": ("web", "host"),
    "COMPANION_PORT": ("web", "port"),
}
"""Environment variable -> section and key."""


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the sections: every key known, every value of its type."""


class Web(Section, frozen=True, kw_only=True):
    """The page."""

    host: str = "0.0.0.0"
    port: int = 8000  # 0 … 65535; 0 = any free one
    max_streams: int = 100  # viewers at once; the unit's TasksMax must be above this + 32
    allowed_hosts: list[str] = []  # further names this machine is reached by
    language: str = "en"


class Match(Section, frozen=True, kw_only=True):
    """What a new match starts from."""

    profile: str = "classic"
    length: int = 5  # points, 0 = money
    white: str = "White"
    black: str = "Black"


class Camera(Section, frozen=True, kw_only=True):
    """Where pictures come from. source "": the camera that is there, else the demo."""

    source: str = ""
    board: str = ""  # a file of `companion calibrate`; "" = the one kept in the data directory


class Record(Section, frozen=True, kw_only=True):
    """What is kept."""

    keep_pictures_days: int = 7
    film_gb: float = 4.0  # cap of `--record`


class Hall(Section, frozen=True, kw_only=True):
    """The broker of several tables. broker "": off."""

    broker: str = ""
    port: int = 1883
    tls: bool = False
    user: str = ""
    password_file: str = ""
    table: str = ""  # name of this table; "" = host name
    ca_file: str = ""


class Config(Section, frozen=True, kw_only=True):
    """All of it."""

    web: Web = Web()
    match: Match = Match()
    camera: Camera = Camera()
    record: Record = Record()
    hall: Hall = Hall()


SECTIONS: dict[str, type[Section]] = {"web": Web, "match": Match, "camera": Camera, "record": Record, "hall": Hall}


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not TOML: {error}") from error


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"


def check_keys(values: Mapping[str, Any], where: str) -> None:
    """Every section and key must be known."""
    for section, keys in values.items():
        if section not in SECTIONS:
            raise InputError(f"{where}: unknown section [{section}]; {_nearest(section, list(SECTIONS))}")
        if not isinstance(keys, dict):
            raise InputError(f"{where}: {section}: write it as a section [{section}]")
        known = list(SECTIONS[section].__struct_fields__)
        for key in keys:
            if key not in known:
                raise InputError(f"{where}: unknown key {section}.{key}; {_nearest(key, known)}")


def _merge(base: dict[str, Any], more: Mapping[str, Any]) -> None:
    for section, keys in more.items():
        base.setdefault(section, {}).update(keys)


def _environment(variables: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, (section, key) in ENVIRONMENT.items():
        text = variables.get(name, "")
        if text:
            yield name, {section: {key: int(text) if key == "port" and text.isdigit() else text}}


def to_config(values: Mapping[str, Any], where: str) -> Config:
    """Checked and typed."""
    try:
        config = msgspec.convert(values, Config)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {error}") from error
    if not 0 <= config.web.port <= 65535:
        raise InputError(f"{where}: web.port: {config.web.port} is no port (0 to 65535)")
    if not 1 <= config.web.max_streams <= 1000:
        raise InputError(f"{where}: web.max_streams: {config.web.max_streams} (1 to 1000)")
    return config


def load_config(path: Path | None = None, variables: Mapping[str, str] | None = None, etc: Path = ETC) -> Config:
    """The configuration in force. `path`: --config; `variables`: the environment (default: this process's)."""
    values: dict[str, Any] = {}
    sources = [
        (str(file), read_toml(file)) for file in (etc, path) if file is not None and (file is path or file.exists())
    ]
    sources += _environment(os.environ if variables is None else variables)
    for where, more in sources:
        check_keys(more, where)
        _merge(values, more)
        to_config(values, where)
    return to_config(values, "configuration")


def data_dir(wanted: str | None, variables: Mapping[str, str] | None = None) -> Path:
    """Where matches, calibration and PIN live: --data, systemd's STATE_DIRECTORY, or the user's state directory."""
    env = os.environ if variables is None else variables
    state = env.get("STATE_DIRECTORY", "").split(":")[0]
    if wanted or state:
        return Path(wanted or state).expanduser()
    base = env.get("XDG_STATE_HOME") or str(Path(env.get("HOME") or Path.home()) / ".local/state")
    return Path(base) / "backgammon-companion"
