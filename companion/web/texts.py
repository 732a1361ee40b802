"""The page's words: one flat JSON file a language in texts/. A new file is a new language; no code changes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from werkzeug.datastructures import LanguageAccept

FOLDER = Path(__file__).parent / "texts"
DEFAULT = "en"


@cache
def languages() -> dict[str, str]:
    """Language code -> its own name, the default first."""
    codes = sorted((path.stem for path in FOLDER.glob("*.json")), key=lambda code: (code != DEFAULT, code))
    return {code: texts(code)["language.name"] for code in codes}


@cache
def texts(code: str) -> dict[str, str]:
    """All texts of one language. The code must be one of `languages()` (or the default)."""
    loaded: dict[str, str] = json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    return loaded


def choose(wanted: str | None, accept: LanguageAccept, fallback: str) -> str:
    """The language to answer in: an explicit wish, else what the browser accepts, else the table's setting."""
    known = languages()
    if wanted in known:
        return str(wanted)
    spoken = (code.split("-")[0].lower() for code, _ in accept)
    return next((code for code in spoken if code in known), fallback if fallback in known else DEFAULT)
