"""The text of plays: `8/5* 6/5(2) bar/22 3/off`, moves of one checker joined (`24/23*/18`). Both ways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from companion.errors import RuleError
from companion.rules.packed import Step
from companion.rules.position import BAR, OFF, Position, Side

_PLACE_NAMES = ("off", *map(str, range(1, BAR)), "bar")
Run = tuple[Step, ...]
"""The consecutive steps of one checker."""


@dataclass(frozen=True, slots=True)
class Move:
    """One written move: the points a checker visits (25 bar … 0 off), where a `*` stands, how many checkers do so."""

    points: tuple[int, ...]
    hits: tuple[bool, ...]
    times: int = 1


def runs_of(steps: Sequence[Step]) -> list[Run]:
    """The steps joined by checker: a step goes on from the last run that ended where it starts."""
    runs: list[Run] = []
    for step in steps:
        going_on = next((i for i, run in enumerate(runs) if run[-1].end == step.start), None)
        if going_on is None:
            runs.append((step,))
        else:
            runs[going_on] = (*runs[going_on], step)
    return runs


def format_steps(steps: Sequence[Step]) -> str:
    """Standard notation, highest start first; a point in between is named only when a checker was hit there."""
    runs = sorted(runs_of(steps), key=lambda run: (-run[0].start, run[-1].end))
    texts = [_run_text(run) for run in runs]
    plain = [text.replace("*", "") for text in texts]
    written: dict[str, tuple[str, int]] = {}
    for text, same in zip(texts, plain, strict=True):
        known, times = written.get(same, (text, 0))
        written[same] = (max(known, text, key=len), times + 1)
    return " ".join(text if times == 1 else f"{text}({times})" for text, times in written.values())


def _run_text(run: Run) -> str:
    """One checker's way: start, the hits in between, end."""
    stops = [step for step in run[:-1] if step.hit] + [run[-1]]
    return place_name(run[0].start) + "".join(f"/{place_name(step.end)}{'*' if step.hit else ''}" for step in stops)


def place_name(place: int) -> str:
    """`bar`, `off` or the number of the point."""
    return _PLACE_NAMES[place]


_MOVE = re.compile(
    r"(?P<way>(?:bar|25|2[0-4]|1\d|[1-9])(?:\*?/(?:off|2[0-4]|1\d|\d))+)(?P<hit>\*?)(?:\((?P<times>[1-4])\))?\Z", re.I
)


def parse_play(text: str) -> tuple[Move, ...]:
    """The moves of a written play. Tolerant: any case, 25 and 0 for bar and off, stars left out, one entry a man.

    Raises RuleError naming the piece that is not a move.
    """
    return tuple(_parse_move(piece) for piece in text.split())


def _parse_move(piece: str) -> Move:
    found = _MOVE.match(piece)
    if not found:
        raise RuleError(f"'{piece}' is not a move: write from/to such as 8/5*, bar/22, 3/off or 6/5(2)")
    stops = (found["way"] + found["hit"]).split("/")
    points = tuple(_place(stop.rstrip("*")) for stop in stops)
    if any(end >= start for start, end in pairwise(points)):
        raise RuleError(f"'{piece}' goes the wrong way: checkers move from higher to lower points (A3)")
    hits = tuple(stop.endswith("*") for stop in stops[1:])
    return Move(points, hits, int(found["times"] or 1))


def _place(name: str) -> int:
    return {"bar": BAR, "off": OFF}[name.lower()] if name.isalpha() else int(name)


def apply_moves(position: Position, side: Side, moves: Iterable[Move]) -> Position:
    """The position after written moves, whether legal or not; a lone checker met on a named point is hit (C3).

    Raises RuleError where there is no checker to move or the other side holds the point: those cannot be carried out.
    """
    own, theirs = list(position.of(side)), list(position.of(side.other))
    for move in moves:
        for _ in range(move.times):
            _carry_out(own, theirs, move)
    return position.replace(side, tuple(own)).replace(side.other, tuple(theirs))


def _carry_out(own: list[int], theirs: list[int], move: Move) -> None:
    """Move one checker along the named points, in place."""
    if not own[move.points[0]]:
        raise RuleError(f"{_way(move)}: there is no checker on {place_name(move.points[0])}")
    for point in move.points[1:]:
        if point != OFF and theirs[25 - point] > 1:
            raise RuleError(f"{_way(move)}: the other side holds the {point}-point")
        if point != OFF and theirs[25 - point]:
            theirs[25 - point] -= 1
            theirs[BAR] += 1
    own[move.points[0]] -= 1
    own[move.points[-1]] += 1


def _way(move: Move) -> str:
    return "/".join(place_name(point) for point in move.points)
