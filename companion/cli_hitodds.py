"""`companion hitodds`: the chance to be hit while bearing off (JSON as in CONTRACT.md)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Literal

import click
import msgspec

from companion.cli_rules import parse_dice
from companion.errors import InputError, RuleError
from companion.hitodds_store import DiskStore
from companion.rules.hitodds import Answer, answer, parse_men

OnRoll = Literal["bearing", "against"]


class OddsLine(msgspec.Struct, forbid_unknown_fields=True):
    """One line of `hitodds --batch`."""

    bearing: str
    against: str
    spare_moves: bool = False
    dice: tuple[int, int] | str | None = None
    on_roll: OnRoll | None = None


@click.command()
@click.option("--bearing", metavar="6:3 5:2", help="Men of the side bearing off, on its own points 1 to 6.")
@click.option("--against", metavar="bar:1 24:1", help="The other side's 1 to 4 men in all, on ITS OWN points.")
@click.option("--dice", metavar="31", help="Rank the plays of this roll too.")
@click.option("--on-roll", type=click.Choice(["bearing", "against"]), help="Who has thrown --dice.")
@click.option("--spare-moves", is_flag=True, help="The other side has further men: it may leave any part unplayed.")
@click.option("--exact", is_flag=True, help="Solve, however long it takes (3 and 4 men: minutes to hours).")
@click.option("--batch", type=click.File("rb"), metavar="FILE|-", help="One JSON object a line instead.")
@click.option("--json", "as_json", is_flag=True, help="JSON to stdout (always so with --batch).")
def hitodds(
    bearing: str | None,
    against: str | None,
    dice: str | None,
    on_roll: OnRoll | None,
    spare_moves: bool,
    exact: bool,
    batch: Iterable[bytes] | None,
    as_json: bool,
) -> None:
    """The chance that the side bearing off ever has a man hit, both sides playing best for this one goal."""
    if batch is not None:
        _run_batch(batch, exact)
        return
    if bearing is None or against is None:
        raise InputError(f"{'--bearing' if bearing is None else '--against'} is missing (or give --batch FILE)")
    found = odds_of(OddsLine(bearing, against, spare_moves, dice, on_roll), exact)
    if as_json:
        _print(msgspec.to_builtins(found))
    else:
        _tell(found)


def odds_of(line: OddsLine, exact: bool = False) -> Answer:
    """The answer to one question; RuleError or InputError says what is wrong with it."""
    roll = None if line.dice is None else parse_dice(line.dice)
    if (roll is None) != (line.on_roll is None):
        raise InputError("--dice and --on-roll belong together: give both, or none")
    return answer(
        parse_men(line.bearing, "bearing"),
        parse_men(line.against, "against"),
        spare_moves=line.spare_moves,
        dice=roll,
        on_roll=line.on_roll,
        exact=exact,
        progress=_progress if sys.stderr.isatty() else None,
        store=DiskStore(),
    )


def _progress(done: int, of: int) -> None:
    bar = "#" * (30 * done // of)
    click.echo(f"\rsolving [{bar:<30}] {done}/{of}", err=True, nl=done == of)


def _run_batch(lines: Iterable[bytes], exact: bool) -> None:
    bad = False
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            _print(msgspec.to_builtins(odds_of(msgspec.json.decode(text, type=OddsLine), exact)))
        except (RuleError, InputError, msgspec.DecodeError, UnicodeDecodeError) as error:
            bad = True
            _print({"line": number, "error": str(error)})
            click.echo(f"line {number}: {error}", err=True)
    if bad:
        sys.exit(2)


def _print(value: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def _tell(found: Answer) -> None:
    model = "the other side must play its whole roll" if found.model == "ordinary" else "the other side has spare moves"
    click.echo(f"hit with the bearing side on roll: {found.bearing_on_roll:.5f}")
    click.echo(f"hit with the other side on roll:   {found.against_on_roll:.5f}")
    click.echo(f"{found.method}; {model}{'; ' + found.note if found.note else ''}")
    if found.interval:
        click.echo("95 % intervals: " + ", ".join(f"{lo:.3f} to {hi:.3f}" for lo, hi in found.interval))
    for play in found.plays or ():
        click.echo(f"{play.hit:.5f}  {play.play or '(cannot move)'}")
