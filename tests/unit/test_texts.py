"""The words: every language complete, every placeholder the same, every word the page asks for there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from werkzeug.datastructures import LanguageAccept

from companion.web import pages, texts

JS = Path(texts.__file__).parent / "static" / "js"
CODES = [code for code in texts.languages() if code != texts.DEFAULT]


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("code", CODES)
def test_a_language_has_every_text_and_no_other(code: str) -> None:
    assert set(texts.texts(code)) == set(texts.texts("en"))


@pytest.mark.parametrize("code", CODES)
def test_a_translation_keeps_the_placeholders(code: str) -> None:
    other = texts.texts(code)
    allowed = {"fault.other_moved", "fault.not_lifted", "fault.hit_not_on_bar"}
    wrong = [key for key, text in texts.texts("en").items() if placeholders(text) != placeholders(other[key])]
    assert set(wrong) <= allowed


@pytest.mark.parametrize("code", texts.languages())
def test_no_text_is_empty(code: str) -> None:
    assert [key for key, text in texts.texts(code).items() if not text.strip()] == []


def test_every_text_named_in_a_script_exists() -> None:
    known = set(texts.texts("en"))
    missing = {
        (path.name, key)
        for path in JS.glob("*.js")
        for key in re.findall(r"""\bt\(["'`]([\w.]+)["'`]""", path.read_text())
        if key not in known
    }
    assert missing == set()


def test_every_page_has_a_title_and_its_script() -> None:
    for name in (*pages.PAGES.values(), "replay", "sheet", "error"):
        assert f"page.{name}" in texts.texts("en")
        assert (JS / f"page_{name}.js").exists()


def test_the_language_is_the_wish_then_the_browsers_then_the_tables() -> None:
    german = LanguageAccept([("de-AT", 1.0), ("en", 0.5)])
    nothing = LanguageAccept([])
    assert texts.choose("en", german, "de") == "en"
    assert texts.choose(None, german, "en") == "de"
    assert texts.choose("xx", nothing, "de") == "de"
    assert texts.choose(None, nothing, "xx") == "en"
