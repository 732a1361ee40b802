"""The error classes: each message is one clear line that names the thing and the mend."""

from __future__ import annotations


class CompanionError(Exception):
    """Base of all errors this product raises on purpose."""


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
