"""The error classes: each message is one clear line that names the thing and the mend."""

from __future__ import annotations

Fact = str | int


class CompanionError(Exception):
    """Base of all errors this product raises on purpose.

    `code`, `facts`: what the page says in the reader's language, text `refused.<code>` with these values; without a
    code the page shows the message as it is.
    """

    def __init__(self, message: str, *, code: str = "", **facts: Fact) -> None:
        super().__init__(message)
        self.code, self.facts = code, facts


class InputError(CompanionError):
    """A bad argument, file or text: the command ends with exit code 2."""


class SourceError(CompanionError):
    """A source cannot give frames. `temporary`: trying again may help (camera unplugged), else it never will."""

    def __init__(self, message: str, *, temporary: bool = False) -> None:
        super().__init__(message)
        self.temporary = temporary


class CalibrationError(CompanionError):
    """The board cannot be learned from this picture; the message says why and what to do."""


class RuleError(CompanionError):
    """A position, roll, play or notation that cannot be."""
