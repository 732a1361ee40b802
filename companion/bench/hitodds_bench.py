"""`companion bench hitodds`: time and memory of the answers, by the men of both sides, each in a fresh process."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from time import perf_counter, process_time

import click
import msgspec

from companion.rules.hitodds import answer
from companion.rules.hitodds.odds import SECONDS_A_STATE
from companion.rules.hitodds.solver import solve
from companion.rules.hitodds.states import all_bearing, other_side, reachable

BEARING = {5: {6: 1, 5: 1, 4: 1, 3: 1, 2: 1}, 10: {6: 2, 5: 2, 4: 2, 3: 2, 2: 2}, 15: {6: 4, 5: 4, 4: 3, 3: 2, 2: 2}}
AGAINST = {1: {25: 1}, 2: {25: 1, 24: 1}, 3: {25: 1, 24: 1, 13: 1}, 4: {25: 1, 24: 1, 13: 1, 8: 1}}
RATE_S = 20.0
"""So long the solver runs to tell its time a state."""


class Case(msgspec.Struct, frozen=True):
    """What one question took: wall time in seconds, peak memory of the process in MB."""

    men: int
    bearing_men: int
    model: str
    method: str
    seconds: float
    memory_mb: int
    bearing_states: int


class Rate(msgspec.Struct, frozen=True):
    """Processor time of the solver a bearing state; `expected`: what `odds` reckons with."""

    men: int
    seconds_a_state: float
    expected: float


def _memory_mb() -> int:
    """Peak of this process."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1 << 20) if sys.platform == "darwin" else peak // 1024


def measured(men: int, bearing_men: int, spare_moves: bool, exact: bool) -> Case:
    """One question, answered in this process without a cache."""
    bearing, start = BEARING[bearing_men], perf_counter()
    found = answer(bearing, AGAINST[men], spare_moves=spare_moves, exact=exact)
    seconds = perf_counter() - start
    counts = tuple(bearing.get(point, 0) for point in range(1, 7))
    states = len(reachable(counts))
    return Case(men, bearing_men, found.model, found.method, round(seconds, 2), _memory_mb(), states)


def rate(men: int) -> Rate:
    """Solver speed on states of up to eight men, lightest first."""
    start, done = process_time(), 0
    for _ in solve(all_bearing(8), other_side(men)):
        done += 1
        if process_time() - start > RATE_S:
            break
    return Rate(men, round((process_time() - start) / done, 5), SECONDS_A_STATE[men])


def in_fresh_process(*words: str) -> bytes:
    """The JSON line that this module prints for these words."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "companion.bench.hitodds_bench", *words]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout


@click.command("hitodds")
@click.option("--men", multiple=True, type=click.IntRange(1, 4), help="The other side's men (default: 1 to 4).")
@click.option("--bearing-men", multiple=True, type=click.Choice(["5", "10", "15"]), help="Default: all three.")
@click.option("--spare-moves", is_flag=True, help="The other model.")
@click.option("--exact", is_flag=True, help="Solve, however long it takes.")
@click.option("--rates", is_flag=True, help="Only the solver's time a state.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    men: tuple[int, ...],
    bearing_men: tuple[str, ...],
    spare_moves: bool,
    exact: bool,
    rates: bool,
    as_json: bool,
) -> None:
    """Time and memory of `companion hitodds`, each answer in a fresh process and without its cache."""
    for number in men or (1, 2, 3, 4):
        if rates:
            _show(msgspec.json.decode(in_fresh_process("rate", str(number)), type=Rate), as_json)
            continue
        for size in bearing_men or ("5", "10", "15"):
            words = ("case", str(number), size, *(["spare"] if spare_moves else []), *(["exact"] if exact else []))
            _show(msgspec.json.decode(in_fresh_process(*words), type=Case), as_json)


def _show(found: Case | Rate, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
    elif isinstance(found, Rate):
        click.echo(f"{found.men} men: {found.seconds_a_state:.4f} s a state (reckoned with {found.expected})")
    else:
        click.echo(
            f"{found.men} men against {found.bearing_men:2d}, {found.model}: {found.method:8s} "
            f"{found.seconds:8.2f} s {found.memory_mb:5d} MB  ({found.bearing_states} bearing states)"
        )


def _main(words: list[str]) -> None:
    if words[0] == "rate":
        found: Case | Rate = rate(int(words[1]))
    else:
        found = measured(int(words[1]), int(words[2]), "spare" in words, "exact" in words)
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    _main(sys.argv[1:])
