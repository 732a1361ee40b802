"""GNU Backgammon's .sgf both ways: `read_sgf(text) -> MatchRecord`, `write_sgf(record) -> str`."""

from companion.rules.notation.sgf_read import read_sgf
from companion.rules.notation.sgf_write import write_sgf

__all__ = ["read_sgf", "write_sgf"]
