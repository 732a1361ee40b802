"""The words: every language complete, every placeholder the same, every word the page asks for there."""

from __future__ import annotations

import ast
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


def raised_codes() -> set[str]:
    """The `code` of every refusal a page can meet, and those of the cube rules."""
    found = set()
    for path in Path(texts.__file__).parents[1].rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith("Error"):
                found |= {k.value.value for k in node.keywords if k.arg == "code" and isinstance(k.value, ast.Constant)}
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "CubeRefusal":
                found.add(node.args[1].value)  # type: ignore[attr-defined]
    return {code for code in found if not code.startswith("beaver")} | {"no_undo", "no_redo"}


def test_every_refusal_with_a_code_has_its_text_and_every_text_its_refusal() -> None:
    known = {key.removeprefix("refused.") for key in texts.texts("en") if key.startswith("refused.")}
    assert raised_codes() == known


def test_all_refusals_of_the_table_have_a_code() -> None:
    """Whatever the page's own buttons can run into is told in the page's language."""
    source = (Path(texts.__file__).parents[1] / "table" / "orders.py").read_text(encoding="utf-8")
    without = [
        ast.unparse(node.args[0])
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RuleError"
        if not any(keyword.arg == "code" for keyword in node.keywords)
    ]
    # What only a program can send: an unknown command, an unknown side.
    assert all("does not know that command" in text or "white or black" in text for text in without), without
