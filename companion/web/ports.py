"""What the page needs from the rest of the product: small protocols, wired to real objects in `companion.app` alone.

The web package knows the table's view and commands, nothing of cameras, logs or the rules engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from companion.table.commands import Command, CommandResult
from companion.table.view import TableView

Json = dict[str, Any]
"""A JSON object as it goes to the page."""
Corner = tuple[float, float]
"""A pixel of the picture: x right, y down."""


class TablePort(Protocol):
    """The running table. All calls are safe from any thread and quick, except `wait`."""

    def view(self) -> TableView:
        """The newest snapshot."""

    def submit(self, command: Command) -> CommandResult:
        """Queue a command for the table thread and wait for its answer."""

    def wait(self, revision: int, timeout: float) -> TableView:
        """Block until the view's revision differs from `revision`, at most `timeout` seconds; the newest view."""

    def latest_jpeg(self) -> bytes | None:
        """The newest picture of the camera, None before the first one."""


class RecordsPort(Protocol):
    """Stored matches. Ids and names come from requests: an implementation looks them up, it never builds paths."""

    def matches(self) -> list[Json]:
        """One summary a match, newest first: id, white, black, length, score, winner, date, games, turns."""

    def replay(self, match_id: str) -> Json | None:
        """The whole match as positions, one step a log event: {…summary, steps: […]}."""

    def export(self, match_id: str, form: str) -> tuple[bytes, str] | None:
        """The match as mat, sgf, json or html: bytes and file name."""

    def evidence(self, match_id: str, name: str) -> bytes | None:
        """A kept JPEG."""

    def delete(self, match_id: str) -> bool:
        """Remove a match with its pictures; False when there is none."""


class RulesPort(Protocol):
    """Questions about the law that a correction needs."""

    def legal(self, position: str, dice: tuple[int, int]) -> Json:
        """The JSON of `companion legal`."""

    def describe(self, white: list[int], black: list[int], on_roll: str | None) -> Json:
        """Ids of a position: {xgid, gnuid, problems: […]}."""

    def parse(self, text: str) -> Json:
        """A position id to {white, black, on_roll}; raises RuleError or InputError."""

    def profiles(self) -> list[Json]:
        """The profiles with their fields."""

    def hit_odds(self, question: Json) -> Json:
        """The JSON of `companion hitodds`; NotBuiltError while there is no solver."""


class VisionPort(Protocol):
    """Calibration and photographs. Slow calls: at most one at a time reaches here."""

    def find(self, corners: list[Corner] | None, white_side: str | None, home: str | None) -> Json:
        """Try to calibrate on the newest frame: {ok, reason, corners, grid, meters, advice, reading, …}."""

    def keep(self) -> Json:
        """Use the last good calibration from now on and store it."""

    def discard(self) -> None:
        """Forget the trial."""

    def read_photo(self, jpeg: bytes, options: Json) -> Json:
        """The JSON of `companion read` for one picture."""


class HealthPort(Protocol):
    """The facts of /health."""

    def report(self) -> Json:
        """{camera: …, disk: …, temperature: …, versions: …, errors: […]}."""


class SettingsPort(Protocol):
    """Settings that belong to the table, not to one device."""

    def current(self) -> Settings: ...

    def change(self, settings: Settings) -> None:
        """Store them, atomically."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the operator sets for the table (sounds, colours and language are each viewer's own)."""

    profile: str = "classic"
    length: int = 5
    white: str = "White"
    black: str = "Black"
    language: str = "en"
    keep_pictures_days: int = 7
    keep_film: bool = False
    show_evidence: bool = True


class NotBuiltError(Exception):
    """A part of the product that does not exist in this version; the page says so."""


@dataclass(frozen=True, slots=True)
class Services:
    """All that stands behind the page."""

    table: TablePort
    records: RecordsPort
    rules: RulesPort
    vision: VisionPort
    health: HealthPort
    settings: SettingsPort
