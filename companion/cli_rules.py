"""`companion legal` and `companion check`: the law of moving on the command line (JSON as in CONTRACT.md)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import click
import msgspec

from companion.errors import InputError, RuleError
from companion.rules.check import Verdict, check_play
from companion.rules.ids import ParsedId, gnu_position_id, parse_id, with_roll
from companion.rules.plays import Play, legal_plays
from companion.rules.position import Position, Side
from companion.rules.validity import require_possible

Dice = tuple[int, int]
Line = TypeVar("Line", bound=msgspec.Struct)


class LegalLine(msgspec.Struct, forbid_unknown_fields=True):
    """One line of `legal --batch`."""

    id: str
    dice: tuple[int, int] | str | None = None


class CheckLine(msgspec.Struct, forbid_unknown_fields=True):
    """One line of `check --batch`."""

    id: str
    after: str
    dice: tuple[int, int] | str | None = None


class Turn(NamedTuple):
    """A roll to be played: all the id says, and the three things the law needs."""

    parsed: ParsedId
    position: Position
    side: Side
    dice: Dice


_ID = click.option("--id", "id_", metavar="ID", help="XGID, GNU position id (White on roll) or positionid:matchid.")
_DICE = click.option("--dice", metavar="31", help="The roll; may be left out when the id holds it.")
_BATCH = click.option("--batch", type=click.File("rb"), metavar="FILE|-", help="One JSON object a line instead.")
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON to stdout (always so with --batch).")


@click.command()
@_ID
@_DICE
@_BATCH
@_JSON
def legal(id_: str | None, dice: str | None, batch: Iterable[bytes] | None, as_json: bool) -> None:
    """All legal plays of a roll, one per distinct resulting position.

    A batch has lines {"id": "…", "dice": [3,1]} and gets one JSON object a line, in order.
    """
    if batch is not None:
        _forbid_with_batch({"--id": id_, "--dice": dice})
        _run_batch(batch, LegalLine, lambda line: legal_json(turn_of(line.id, line.dice)))
        return
    answer = legal_json(turn_of(_needed(id_, "--id"), dice))
    if as_json:
        _print_json(answer)
        return
    for result in answer["results"]:
        click.echo(f"{result['play'] or '(cannot move)':<28}{result['after']}")


@click.command()
@_ID
@_DICE
@click.option("--after", metavar="ID", help="The position after the play: XGID, or a GNU id in the mover's view.")
@_BATCH
@_JSON
def check(id_: str | None, dice: str | None, after: str | None, batch: Iterable[bytes] | None, as_json: bool) -> None:
    """Is this the result of a legal play; if not, which rules are broken and what would be legal.

    A batch has lines {"id": "…", "dice": [3,1], "after": "…"} and gets one JSON object a line, in order.
    """
    if batch is not None:
        _forbid_with_batch({"--id": id_, "--dice": dice, "--after": after})
        _run_batch(batch, CheckLine, lambda line: _checked(line.id, line.dice, line.after))
        return
    answer = _checked(_needed(id_, "--id"), dice, _needed(after, "--after"))
    if as_json:
        _print_json(answer)
        return
    click.echo(answer["why"] + (f" Rules: {', '.join(answer['rules'])}." if answer["rules"] else ""))
    if not answer["legal"]:
        click.echo(f"Probably meant: {answer['likely'] or '(cannot move)'}")


def turn_of(text: str, dice: Dice | str | None) -> Turn:
    """The turn an id and a roll name. RuleError for an impossible position, InputError for a missing roll."""
    parsed = parse_id(text)
    require_possible(parsed.position)
    roll = parsed.dice if dice is None else parse_dice(dice)
    if roll is None:
        raise InputError("no dice: give --dice 31 (or an id that holds the roll)")
    side = parsed.on_roll or Side.WHITE
    return Turn(with_roll(parsed, side, roll), parsed.position, side, roll)


def parse_dice(dice: Dice | str) -> Dice:
    """`31`, `3-1`, `3 1`, `3,1` or two numbers. RuleError for anything else."""
    if isinstance(dice, str):
        found = re.fullmatch(r"\s*(\d)\s*[-, /]?\s*(\d)\s*", dice)
        numbers = (int(found[1]), int(found[2])) if found else (0, 0)
    else:
        numbers = dice
    if not all(1 <= number <= 6 for number in numbers):
        raise RuleError(f"dice {dice!r}: two numbers from 1 to 6 are needed, such as 31")
    return numbers


def parse_after(text: str, side: Side) -> Position:
    """The position after a play of `side`: an XGID is absolute, a GNU id is in the mover's view (CONTRACT.md)."""
    body = text.strip()
    if body.upper().startswith("XGID=") or body.count(":") > 1:
        return parse_id(body).position
    seen = parse_id(body.partition(":")[0]).position
    return seen if side is Side.WHITE else Position(white=seen.black, black=seen.white)


def legal_json(turn: Turn) -> dict[str, Any]:
    """The JSON of `legal`."""
    plays = legal_plays(turn.position, turn.side, turn.dice)
    return {
        "dice": list(turn.dice),
        "on_roll": turn.side.value,
        "forced": len(plays) == 1,
        "xgid": turn.parsed.xgid(),
        "gnuid": turn.parsed.gnu_id(),
        "results": [_play_json(play, turn.side) for play in plays],
    }


def _play_json(play: Play, side: Side) -> dict[str, Any]:
    return {
        "play": play.text,
        "after": gnu_position_id(play.after, side),
        "position": {"white": list(play.after.white), "black": list(play.after.black)},
    }


def _checked(text: str, dice: Dice | str | None, after: str) -> dict[str, Any]:
    turn = turn_of(text, dice)
    verdict = check_play(turn.position, turn.side, turn.dice, parse_after(after, turn.side))
    return check_json(turn, verdict)


def check_json(turn: Turn, verdict: Verdict) -> dict[str, Any]:
    """The JSON of `check`."""
    return {
        "legal": verdict.legal,
        "rules": list(verdict.rules),
        "why": verdict.why,
        "faults": [{"code": fault.code, "rules": list(fault.rules), **dict(fault.args)} for fault in verdict.faults],
        "play": verdict.play.text if verdict.play else None,
        "likely": verdict.likely.text if verdict.likely else None,
        "partial": verdict.partial,
        "dice": list(turn.dice),
        "on_roll": turn.side.value,
        "xgid": turn.parsed.xgid(),
        "gnuid": turn.parsed.gnu_id(),
        "legal_plays": [_play_json(play, turn.side) for play in verdict.legal_plays],
    }


def _run_batch(lines: Iterable[bytes], shape: type[Line], answer: Callable[[Line], dict[str, Any]]) -> None:
    """One JSON line for each line; a bad one gets `{"line": n, "error": …}` in its place and exit code 2 at the end."""
    bad = 0
    for number, result in _answers(lines, shape, answer):
        bad += "error" in result
        _print_json(result)
        if "error" in result:
            click.echo(f"line {number}: {result['error']}", err=True)
    if bad:
        sys.exit(2)


def _answers(
    lines: Iterable[bytes], shape: type[Line], answer: Callable[[Line], dict[str, Any]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, answer(msgspec.json.decode(line, type=shape))
        except (RuleError, InputError, msgspec.DecodeError, UnicodeDecodeError) as error:
            yield number, {"line": number, "error": str(error)}


def _print_json(value: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def _needed(value: str | None, option: str) -> str:
    if value is None:
        raise InputError(f"{option} is missing (or give --batch FILE)")
    return value


def _forbid_with_batch(options: dict[str, str | None]) -> None:
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} and --batch do not go together: the batch lines hold it")
