"""What can go wrong at a real table, by name: each is planted at a place of the script and told in the truth."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from companion.errors import InputError

if TYPE_CHECKING:
    from companion.sim.script import MatchScript

FAULTY_THROWS = {
    "cocked": "cocked",
    "on_checker": "on_checker",
    "on_bar": "on_bar",
    "off_board": "off_board",
    "stacked": "stacked",
    "split": "split",
    "wrong_half": "wrong_half",
}
"""Throws that must be repeated, with the reason of CONTRACT.md."""

PLAYS = ("illegal_corrected", "illegal_stands", "illegal_replayed", "tryout", "premature")
TABLE = ("bump", "lamp", "covered", "cup", "second_dice", "knocked", "fallen", "dice_shifted")
FILM = ("dropped_frames", "duplicated_frames")
KINDS = (*FAULTY_THROWS, *PLAYS, *TABLE, *FILM)


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident: which kind, in which turn (both counted from 0); `amount`: seconds, repeats or strength."""

    kind: str
    game: int
    turn: int
    amount: float = 1.0
    play: str = ""  # for illegal plays and try-outs: what is played, notation of the mover ("" = chosen by the seed)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"incident {self.kind!r} is unknown; known: {', '.join(KINDS)}")


def parse_incidents(text: bytes | str, name: str) -> tuple[Incident, ...]:
    """Incidents from JSON: a list of {kind, game, turn, amount?, play?}. Raises InputError naming the file."""
    try:
        return tuple(msgspec.json.decode(text, type=list[Incident]))
    except msgspec.DecodeError as error:
        raise InputError(f"{name}: not a list of incidents ({error})") from None


def read_incidents(path: Path) -> tuple[Incident, ...]:
    """Incidents of a JSON file."""
    return parse_incidents(path.read_bytes(), str(path))


def format_incidents(incidents: tuple[Incident, ...]) -> str:
    """JSON text, one incident a line; the inverse of `parse_incidents`."""
    rows = [json.dumps(msgspec.to_builtins(incident)) for incident in incidents]
    return "[\n  " + ",\n  ".join(rows) + "\n]\n" if rows else "[]\n"


def random_incidents(rng: random.Random, script: MatchScript, share: float = 0.12) -> tuple[Incident, ...]:
    """Plant incidents in about that share of the turns; only such as leave the record of the match as it is."""
    kinds = [*FAULTY_THROWS, "illegal_corrected", "illegal_replayed", "tryout", "premature", *TABLE, *FILM]
    planted = []
    for game, number, turn in script.turns():
        if rng.random() >= share or turn.dice is None:
            continue
        kind = rng.choice(kinds)
        last = number == len(script.games[game].turns) - 1
        if (turn.opening and kind in (*FAULTY_THROWS, "second_dice")) or (last and kind == "premature"):
            continue
        planted.append(Incident(kind, game, number, amount=_amount(rng, kind)))
    return tuple(planted)


def _amount(rng: random.Random, kind: str) -> float:
    spans = {"bump": (0.2, 1.0), "covered": (20.0, 120.0), "cup": (1.0, 4.0), "lamp": (0.3, 1.0)}
    low, high = spans.get(kind, (1.0, 1.0))
    return round(rng.uniform(low, high), 2)
