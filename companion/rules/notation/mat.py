"""`.mat` text both ways: `read_mat(text) -> MatchRecord` (tolerant), `write_mat(record) -> str` (strict)."""

from companion.rules.notation.mat_read import read_mat
from companion.rules.notation.mat_write import mat_name, write_mat

__all__ = ["mat_name", "read_mat", "write_mat"]
