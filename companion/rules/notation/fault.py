"""One way to say where a text is wrong: line, column, the offending piece."""

from __future__ import annotations

from companion.errors import RuleError


def text_fault(text: str, offset: int, piece: str, why: str) -> RuleError:
    """A RuleError "line L, column C: 'piece': why". `offset`: index into `text` (0-based)."""
    before = text[:offset]
    line = before.count("\n") + 1
    column = offset - (before.rfind("\n") + 1) + 1
    return RuleError(f"line {line}, column {column}: {shown(piece)}: {why}")


def line_fault(line: int, column: int, piece: str, why: str) -> RuleError:
    """The same for a reader that works line by line; both numbers count from 1."""
    return RuleError(f"line {line}, column {column}: {shown(piece)}: {why}")


def shown(piece: str, limit: int = 40) -> str:
    """The piece in quotes, cut where it is long, control characters made visible."""
    cut = piece if len(piece) <= limit else piece[:limit] + "…"
    return repr(cut)
