"""The lines of a .mat text cut into pieces, each with its place; tolerant of how programs lay them out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from companion.rules.notation.fault import line_fault
from companion.rules.position import Side

RIGHT_COLUMN = 20
"""A cell that starts further right than this (after tabs are spread) is the right player's."""

_TAG = re.compile(r"\s*;\s*\[\s*([^\"\]]*?)\s*\"(.*)\"\s*\]\s*$")
_LENGTH = re.compile(r"\s*(\d{1,5})\s*-?\s*points?\s+match\b[^:]*$", re.I)
_GAME = re.compile(r"\s*Game\s+(\d{1,5})\s*$", re.I)
_SCORE = re.compile(r"\s*(.*?)\s*:\s*(\d{1,5})(?=\s)\s+(.*?)\s*:\s*(\d{1,5})\s*$")
_ROW = re.compile(r"\s*\d{1,5}\)")
_CELL = re.compile(
    r"(?P<dice>[1-6][1-6])\s*:\s*(?:illegal\s+play\s*\((?P<snowie>.*?;[^;)]*;\s*-?\d+\s*;\s*\d+\s*;\s*\d+\s*;?)\s*\))?"
    r"|\b(?P<cube>redoubles?|doubles?|beavers?)\b\s*(?:=>)?\s*(?P<value>\d{1,5})?"
    r"|\b(?P<answer>takes?|accepts?|drops?|passes|pass|rejects?|declines?)\b"
    r"|\b(?P<end>wins?|losses|loses|lost|concedes?|resigns?)\b"
    r"(?:\s*(?P<points>\d{1,5})\s*(?:points?)?)?(?:\s*and the match)?",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that means something. `kind`: tag | length | game | score | row; `words` as the kind has it."""

    number: int
    kind: str
    text: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One player's entry. `kind`: dice | double | beaver | take | drop | win | lose; `text` follows the dice."""

    line: int
    column: int
    side: Side
    kind: str
    dice: tuple[int, int] = (0, 0)
    text: str = ""
    snowie: str | None = None
    number: int | None = None


def lines_of(text: str) -> Iterator[Line]:
    """Every line with a meaning, in order. RuleError at the first one that has none."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    for number, raw in enumerate(plain.split("\n"), 1):
        line = raw.expandtabs(8).rstrip()
        if line:
            yield from _line(number, line)


def _line(number: int, line: str) -> Iterator[Line]:
    if line.lstrip().startswith(";"):
        tag = _TAG.match(line)
        if tag:
            yield Line(number, "tag", line, tag.groups())
        return
    for kind, pattern in (("length", _LENGTH), ("game", _GAME), ("score", _SCORE)):
        found = pattern.match(line)
        if found and not _ROW.match(line):
            yield Line(number, kind, line, found.groups())
            return
    yield Line(number, "row", line)


def cells_of(line: Line) -> Iterator[Cell]:
    """The entries of a numbered row or of a line such as `Wins 2 points`."""
    row = _ROW.match(line.text)
    start = row.end() if row else 0
    found = list(_CELL.finditer(line.text, start))
    first = found[0].start() if found else len(line.text)
    _only_blank(line, start, first)
    for index, match in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(line.text)
        yield _cell(line, match, end, numbered=row is not None)


def _only_blank(line: Line, start: int, end: int) -> None:
    piece = line.text[start:end].strip()
    if piece:
        column = line.text.index(piece, start) + 1
        raise line_fault(line.number, column, piece, "neither a roll such as 31: nor a word such as Doubles or Wins")


def _cell(line: Line, match: re.Match[str], end: int, *, numbered: bool) -> Cell:
    rest = line.text[match.end() : end].strip()
    column = match.start() + 1
    side = Side.BLACK if match.start() >= RIGHT_COLUMN else Side.WHITE
    if match["dice"]:
        dice = int(match["dice"][0]), int(match["dice"][1])
        if not numbered:
            raise line_fault(line.number, column, match["dice"], "a roll stands in a numbered row such as '  1) 31: …'")
        if match["snowie"] is None:
            return Cell(line.number, column, side, "dice", dice, rest)
        _only_blank(line, match.end(), end)
        return Cell(line.number, column, side, "dice", dice, "", match["snowie"])
    _only_blank(line, match.end(), end)
    kind, number = _word(match)
    return Cell(line.number, column, side, kind, number=number)


def _word(match: re.Match[str]) -> tuple[str, int | None]:
    if match["cube"]:
        kind = "beaver" if match["cube"].lower().startswith("beaver") else "double"
        return kind, int(match["value"]) if match["value"] else None
    if match["answer"]:
        return ("take" if match["answer"].lower()[0] in "ta" else "drop"), None
    kind = "win" if match["end"].lower().startswith("win") else "lose"
    return kind, int(match["points"]) if match["points"] else None
