"""The Snowie position of `DD: Illegal play (…)`: the only way a .mat text can say that an illegal play stood.

Forty fields parted by `;` (FORMATS.md ".mat text"). Field 4 is 1 when the left player (our White) is on roll: that is
how GNU Backgammon reads it; the points are those of the player on roll, the other side's men negative.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.errors import RuleError
from companion.rules.position import BAR, CHECKERS, Counts, Position, Side

FIELDS = 40
ON_ROLL, OTHER_BAR, FIRST_POINT, OWN_BAR = 4, 12, 13, 37


@dataclass(frozen=True, slots=True)
class SnowieFacts:
    """What stands beside the position: length (0 = money), names, score, Crawford, cube and owner."""

    length: int
    white: str
    black: str
    score_white: int
    score_black: int
    crawford: bool
    cube: int
    owner: Side | None


def snowie_text(position: Position, on_roll: Side, facts: SnowieFacts) -> str:
    """The forty fields, each ended by `;`."""
    own, other = position.of(on_roll), position.of(on_roll.other)
    owner = 0 if facts.owner is None else (1 if facts.owner is on_roll else -1)
    fields: list[int | str] = [facts.length, 0, 0, int(facts.length == 0), int(on_roll is Side.WHITE)]
    fields += [facts.white, facts.black, int(facts.crawford), facts.score_white, facts.score_black]
    fields += [facts.cube, owner, -other[BAR], *(own[p] - other[25 - p] for p in range(1, 25)), own[BAR], 0, 0]
    return "".join(f"{field};" for field in fields)


def parse_snowie(text: str) -> tuple[Position, Side]:
    """The position and who is on roll. RuleError says which field is wrong."""
    fields = text.strip().rstrip(";").split(";")
    if len(fields) != FIELDS:
        raise RuleError(f"a Snowie position has {FIELDS} fields parted by ';', this has {len(fields)}")
    on_roll = Side.WHITE if _number(fields, ON_ROLL) else Side.BLACK
    own, other = [0] * 26, [0] * 26
    own[BAR], other[BAR] = abs(_number(fields, OWN_BAR)), abs(_number(fields, OTHER_BAR))
    for point in range(1, 25):
        men = _number(fields, FIRST_POINT + point - 1)
        own[point], other[25 - point] = max(0, men), max(0, -men)
    mine, theirs = _with_off(own), _with_off(other)
    return (Position(mine, theirs) if on_roll is Side.WHITE else Position(theirs, mine)), on_roll


def _number(fields: list[str], index: int) -> int:
    value = fields[index].strip()
    if not value.removeprefix("-").isascii() or not value.removeprefix("-").isdigit() or len(value) > 3:
        raise RuleError(f"field {index + 1} of a Snowie position is a small number, this is '{value[:20]}'")
    return int(value)


def _with_off(counts: list[int]) -> Counts:
    men = sum(counts)
    if men > 2 * CHECKERS:
        raise RuleError(f"a Snowie position with {men} checkers of one side: there are {CHECKERS}")
    return (max(0, CHECKERS - men), *counts[1:])
