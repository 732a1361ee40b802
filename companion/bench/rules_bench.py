"""`companion bench rules`: speed of the legal plays, beside bgsage's compiled generator on the same positions."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import msgspec
import numpy as np

from companion.bench.positions import Roll, random_rolls, real_rolls
from companion.rules.fast import keys_from, resulting_keys
from companion.rules.packed import pack, unpack
from companion.rules.plays import legal_plays
from companion.rules.position import BAR, Position, Side

LIMIT = 1.5
"""Ratio to bgsage that passes, at the median and at the 95th percentile (issue 3)."""
WARM_UP = 200
SHARED_MATCHES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "matches"

Board = list[int]
Seconds = Sequence[float]
Call = Callable[[Roll], Callable[[], object]]
"""Makes a contender's call for a roll ready, so that only the call itself is timed."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Times of one round in microseconds."""

    median: float
    p95: float


def figures(seconds: Seconds) -> Figures:
    """Median and 95th percentile."""
    median, p95 = np.percentile(np.asarray(seconds) * 1e6, (50, 95))
    return Figures(round(float(median), 2), round(float(p95), 2))


def bgsage_board(position: Position, side: Side) -> Board:
    """26 numbers as bgsage has them: own checkers positive, the other side's negative, 25 own bar, 0 their bar."""
    own, theirs = position.of(side), position.of(side.other)
    points = [own[point] - theirs[BAR - point] for point in range(1, BAR)]
    return [theirs[BAR], *points, own[BAR]]


def time_round(rolls: list[Roll], calls: Sequence[Call]) -> list[list[float]]:
    """Seconds of each contender on each roll: one call a position, one contender after the other."""
    return [[_seconds(prepared) for prepared in [call(roll) for roll in rolls]] for call in calls]


def _seconds(prepared: Callable[[], object]) -> float:
    start = perf_counter()
    prepared()
    return perf_counter() - start


def packed(roll: Roll) -> Callable[[], object]:
    """Our generator on our own form of a board, one integer in, integers out."""
    return partial(keys_from, pack(roll.position, roll.side), roll.dice)


def compiled(roll: Roll) -> Callable[[], object]:
    """bgsage's generator on its own form of a board, a list of 26 numbers in, such lists out."""
    import bgsage

    board, (high, low) = bgsage_board(roll.position, roll.side), roll.dice
    return partial(bgsage.possible_moves, board, high, low)


def from_position(roll: Roll) -> Callable[[], object]:
    """Our generator called with a Position, which it has to pack first."""
    return partial(resulting_keys, *roll)


def with_notation(roll: Roll) -> Callable[[], object]:
    """Our plays with notation, for information."""
    return partial(legal_plays, *roll)


def same_as_bgsage(roll: Roll) -> bool:
    """Do both generators list the same positions?"""
    import bgsage

    side = roll.side
    found = {tuple(bgsage_board(unpack(key, side), side)) for key in resulting_keys(*roll)}
    listed = {tuple(board) for board in bgsage.possible_moves(bgsage_board(roll.position, side), *roll.dice)}
    return found == (listed or {tuple(bgsage_board(roll.position, side))})


def measure(rolls: list[Roll], rounds: int, seed: int) -> dict[str, Any]:
    """The report: times, and where bgsage is installed the ratios to it (of each round; the middle one counts)."""
    contenders: dict[str, Call] = {"packed": packed, "from_position": from_position}
    if find_spec("bgsage"):
        contenders["bgsage"] = compiled
    results = _rounds(rolls, contenders, rounds, random.Random(seed))
    notation = figures(time_round(rolls, [with_notation])[0])
    report: dict[str, Any] = {
        "positions": len(rolls),
        "rounds": rounds,
        **{f"{name}_us": _middle(values) for name, values in results.items()},
        "with_notation_us": {"median": notation.median, "p95": notation.p95},
        "ratio": None,
    }
    if "bgsage" in results:
        report |= _comparison(rolls, results)
    return report


def _rounds(
    rolls: list[Roll], contenders: dict[str, Call], rounds: int, rng: random.Random
) -> dict[str, list[Figures]]:
    """Every round in a new order of the rolls, the contenders in turn of who begins; after a round to warm up."""
    time_round(rolls[:WARM_UP], list(contenders.values()))
    results: dict[str, list[Figures]] = {name: [] for name in contenders}
    for turn in range(rounds):
        rng.shuffle(rolls)
        order = list(contenders)[:: -1 if turn % 2 else 1]
        times = time_round(rolls, [contenders[name] for name in order])
        for name, seconds in zip(order, times, strict=True):
            results[name].append(figures(seconds))
    return results


def _comparison(rolls: list[Roll], results: dict[str, list[Figures]]) -> dict[str, Any]:
    ratio = _ratio(results["packed"], results["bgsage"])
    return {
        "ratio": ratio,
        "ratio_from_position": _ratio(results["from_position"], results["bgsage"]),
        "same_positions": sum(same_as_bgsage(roll) for roll in rolls),
        "limit": LIMIT,
        "pass": max(ratio.values()) <= LIMIT,
    }


def _ratio(mine: list[Figures], other: list[Figures]) -> dict[str, float]:
    """Middle of the rounds' ratios, at the median and at the 95th percentile."""
    pairs = list(zip(mine, other, strict=True))
    medians, tails = sorted(a.median / b.median for a, b in pairs), sorted(a.p95 / b.p95 for a, b in pairs)
    return {"median": round(medians[len(pairs) // 2], 2), "p95": round(tails[len(pairs) // 2], 2)}


def _middle(rounds: list[Figures]) -> dict[str, float]:
    return {
        "median": sorted(figure.median for figure in rounds)[len(rounds) // 2],
        "p95": sorted(figure.p95 for figure in rounds)[len(rounds) // 2],
    }


def text_report(report: dict[str, Any]) -> str:
    """The report for people."""
    lines = [
        f"{report['positions']} positions ({report['source']}), {report['rounds']} rounds, one call a position",
        "microseconds                  median      p95",
        _row("resulting positions, packed", report["packed_us"]),
        _row("the same from a Position", report["from_position_us"]),
        _row("plays with notation", report["with_notation_us"]),
    ]
    if report["ratio"] is None:
        return "\n".join([*lines, "bgsage is not installed: pip install 'backgammon-companion[bench]' to compare"])
    verdict = "pass" if report["pass"] else "too slow"
    lines += [
        _row("bgsage possible_moves", report["bgsage_us"]),
        _row("ratio to bgsage, packed", report["ratio"], 2) + f"   limit {LIMIT}: {verdict}",
        _row("ratio from a Position", report["ratio_from_position"], 2),
        f"same positions as bgsage: {report['same_positions']} of {report['positions']}",
    ]
    return "\n".join(lines)


def _row(name: str, numbers: dict[str, float], digits: int = 1) -> str:
    return f"{name:<30}{numbers['median']:6.{digits}f}   {numbers['p95']:6.{digits}f}"


@click.command()
@click.option("--count", default=2000, show_default=True, type=click.IntRange(WARM_UP), help="Positions.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Rounds over all positions.")
@click.option("--seed", default=1, show_default=True, help="Choice and order of the positions.")
@click.option(
    "--matches",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of .mat files to take positions from (default: ../shared/data/matches, else random play).",
)
@click.option("--json", "as_json", is_flag=True, help="JSON to stdout.")
def command(count: int, rounds: int, seed: int, matches: Path | None, as_json: bool) -> None:
    """Time of listing all resulting positions of a roll, beside bgsage's compiled generator in the same run."""
    folder = matches or (SHARED_MATCHES if SHARED_MATCHES.is_dir() else None)
    rolls = real_rolls(folder, count, seed) if folder else []
    source = "real matches" if rolls else "random play"
    report = {"source": source, **measure(rolls or random_rolls(count, seed), rounds, seed)}
    if as_json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        click.echo(text_report(report))
