"""Profiles: where rule books differ, a data file decides (RULES.md "Profiles"). The engine holds no single law."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import Any, Literal

import msgspec

from companion.errors import InputError

FieldValue = str | int | float | bool
DEFAULT = "classic"


class ClockRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the clock runs. Minutes and seconds; `less_per_point_scored` is taken off a player's time at the start."""

    type: Literal["none", "simple_delay", "bronstein"] = "none"
    minutes_per_point: float = 2.0
    less_per_point_scored: float = 1.0
    delay_s: float = 0.0
    reset_after_cocked: bool = True
    cocked_stops_clock: bool = False


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One law. Every field is documented in docs/profiles.md; `as_reported`: fields not read in the original text."""

    name: str
    title: str = ""
    on_checker: Literal["reroll", "valid"] = "reroll"
    half: Literal["right", "any"] = "right"
    premature: Literal["void", "stands", "opponent_choice"] = "void"
    illegal_play: Literal["legal", "responsible"] = "responsible"
    objection_until: Literal["roll_or_double", "next_roll", "next_play"] = "roll_or_double"
    turn_end: Literal["dice_lift", "clock"] = "dice_lift"
    clock: ClockRule = ClockRule()
    automatic_doubles: bool = False
    jacoby: bool = False
    beavers: bool = False
    crawford: bool = True
    mode: Literal["monitor", "recorder", "teacher"] = "monitor"
    as_reported: tuple[str, ...] = ()


def profile_names() -> tuple[str, ...]:
    """The profiles that come with the product, the default first."""
    names = [entry.name[:-5] for entry in resources.files(__package__).joinpath("profiles").iterdir()]
    return tuple(sorted((name for name in names if name), key=lambda name: (name != DEFAULT, name)))


def load_profile(name_or_path: str = DEFAULT, overrides: Mapping[str, FieldValue] | None = None) -> Profile:
    """A profile by name, or by the path of a TOML file, with single fields overridden for one match.

    Overrides may be text (`"yes"`, `"12"`); fields of the clock are named `clock.delay_s`. Raises InputError naming
    the nearest known name.
    """
    if name_or_path.endswith(".toml"):
        profile = parse_profile(_read_file(name_or_path), name_or_path, PurePath(name_or_path).stem)
    else:
        profile = _built_in(name_or_path)
    return overridden(profile, overrides) if overrides else profile


def parse_profile(text: str, source: str, name: str) -> Profile:
    """A profile from TOML text. `source`: what to call it in an error."""
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: not TOML: {error}") from error
    return _checked({"name": name, **fields}, source)


def overridden(profile: Profile, overrides: Mapping[str, FieldValue]) -> Profile:
    """The profile with single fields changed."""
    fields: dict[str, Any] = msgspec.to_builtins(profile)
    for key, value in overrides.items():
        head, dot, tail = key.partition(".")
        if dot and head == "clock":
            fields["clock"][tail] = _plain(value, _kind(ClockRule, tail))
        else:
            fields[key] = _plain(value, _kind(Profile, key))
    return _checked(fields, f"profile {profile.name}, override")


@cache
def _built_in(name: str) -> Profile:
    if name not in profile_names():
        raise InputError(f"no profile '{name}'{_nearest(name, profile_names())}; known: {', '.join(profile_names())}")
    text = resources.files(__package__).joinpath("profiles", f"{name}.toml").read_text(encoding="utf-8")
    return parse_profile(text, f"profile {name}", name)


def _read_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def _checked(fields: dict[str, Any], source: str) -> Profile:
    _known_keys(fields, Profile, source, "")
    clock = fields.get("clock")
    if isinstance(clock, dict):
        _known_keys(clock, ClockRule, source, "clock.")
    try:
        profile = msgspec.convert(fields, Profile)
    except msgspec.ValidationError as error:
        raise InputError(f"{source}: {_explained(str(error))}") from error
    for marked in profile.as_reported:
        if marked.partition(".")[0] not in Profile.__struct_fields__:
            raise InputError(f"{source}: as_reported names '{marked}'{_nearest(marked, Profile.__struct_fields__)}")
    return profile


def _known_keys(fields: Mapping[str, Any], struct: type[msgspec.Struct], source: str, prefix: str) -> None:
    known = struct.__struct_fields__
    for key in fields:
        if key not in known:
            hint = _nearest(key, known, prefix) or f"; known: {', '.join(known)}"
            raise InputError(f"{source}: unknown key '{prefix}{key}'{hint}")


def _nearest(wrong: str, known: Iterable[str], prefix: str = "") -> str:
    found = difflib.get_close_matches(wrong.lower(), list(known), n=1, cutoff=0.5)
    return f": did you mean '{prefix}{found[0]}'?" if found else ""


def _explained(message: str) -> str:
    """msgspec's message with the field first: `on_checker: Invalid enum value 'maybe'`."""
    what, _, place = message.partition(" - at `$.")
    field = place.rstrip("`")
    return f"{field}: {what}{_choices(field)}" if field else what


def _choices(field: str) -> str:
    struct: type[msgspec.Struct] = ClockRule if field.startswith("clock.") else Profile
    kind = _kind(struct, field.rpartition(".")[2])
    if isinstance(kind, msgspec.inspect.LiteralType):
        return f"; one of {', '.join(str(value) for value in kind.values)}"
    return ""


def _kind(struct: type[msgspec.Struct], key: str) -> msgspec.inspect.Type | None:
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    return next((field.type for field in info.fields if field.name == key), None)


def _plain(value: FieldValue, kind: msgspec.inspect.Type | None) -> FieldValue:
    """Text from a command line as the field's own type, where it is one."""
    if not isinstance(value, str):
        return value
    if isinstance(kind, msgspec.inspect.BoolType):
        words: dict[str, FieldValue] = dict.fromkeys(("yes", "true", "on"), True)
        words |= dict.fromkeys(("no", "false", "off"), False)
        return words.get(value.lower(), value)
    if isinstance(kind, msgspec.inspect.FloatType):
        try:
            return float(value)
        except ValueError:
            return value
    return value
