"""Every tool of the referee is one command to the table; by touch, by mouse, and all of it by keyboard alone."""

from __future__ import annotations

import msgspec
import pytest
from conftest import PIN, until, until_commands
from webfakes import DOUBT, ILLEGAL, MIDDLE, OPENING

from companion.table import commands as cmd
from companion.table.view import CubeView
from companion.web import pages, texts

WORDS = texts.texts("en")
RUNNING = msgspec.structs.replace(MIDDLE, can_undo=True, can_redo=True, on_roll="white", banner=None)


@pytest.mark.parametrize(
    ("taps", "expected"),
    [
        (["[data-key=undo]"], cmd.Undo()),
        (["[data-key=redo]"], cmd.Redo()),
        (["[data-key=pause]"], cmd.Pause()),
        (["[data-key=more]", "Single game"], cmd.Resign(side="white", points=1)),
        (["[data-key=more]", "Gammon"], cmd.Resign(side="white", points=2)),
        (["[data-key=more]", "Backgammon"], cmd.Resign(side="white", points=3)),
        (["[data-key=more]", "Next game"], cmd.NextGame()),
        (["[data-key=more]", "Swap sides"], cmd.SwapSides()),
        (["[data-key=more]", "Ada doubles|White doubles"], cmd.Double(side="white")),
        (["[data-key=more]", "Abandon the match", "Abandon"], cmd.Abandon()),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, cmd.Command) else None,
)
def test_each_tool_is_a_command(server, open_page, taps: list[str], expected: cmd.Command) -> None:
    server.table.show(RUNNING)
    page = open_page(operator=True, size=(390, 844), touch=True)
    for tap in taps:
        if tap.startswith("["):
            page.tap(f"button{tap}")
            continue
        if tap in ("Single game", "Gammon", "Backgammon"):
            page.tap(f'.sheet button:has-text("{WORDS["resign.title"]}")')
            page.tap(f'.sheet button:text-is("{tap}")')
            continue
        names = tap.split("|")
        found = page.locator(
            ", ".join(f'dialog button:has-text("{name}"), .sheet button:has-text("{name}")' for name in names)
        )
        found.last.tap()
    until_commands(page, server, [expected])


@pytest.mark.parametrize(("label", "kind"), [("do.take", cmd.Take), ("do.pass", cmd.Pass)])
def test_a_double_is_answered_from_the_tools(server, open_page, label: str, kind: type[cmd.Command]) -> None:
    server.table.show(msgspec.structs.replace(RUNNING, cube=CubeView(value=1, owner=None, offered_by="white")))
    page = open_page(operator=True)
    page.click('button[data-key="more"]')
    page.click(f'.sheet button:has-text("{WORDS[label]}")')
    until_commands(page, server, [kind(side="black")])


def tab_to(page, wanted: str) -> None:
    """Go on by Tab alone until the focus lies on what `wanted` selects."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({wanted!r})"):
            return
    raise AssertionError(f"Tab never comes to {wanted}")


def test_a_whole_run_goes_by_keyboard_alone(server, open_page) -> None:
    """The PIN, a ruling, a doubt, dice, and back to watching, without touching the mouse."""
    server.table.show(ILLEGAL)
    page = open_page()
    tab_to(page, 'button[data-key="lock"]')
    page.keyboard.press("Enter")
    page.wait_for_selector("#pin:focus")
    page.keyboard.type(PIN)
    page.keyboard.press("Enter")
    page.wait_for_selector(".banner button")
    tab_to(page, ".banner button:not(.thumb)")
    page.keyboard.press("Enter")
    until(page, lambda: len(server.table.commands) == 1, "the ruling")
    assert isinstance(server.table.commands[0], cmd.Rule)
    server.table.show(DOUBT)
    page.wait_for_selector("button.doubts")
    tab_to(page, "button.doubts")
    page.keyboard.press("Enter")
    tab_to(page, ".sheet .doubt .row button:not(.thumb)")
    page.keyboard.press("Enter")
    until(page, lambda: len(server.table.commands) == 2, "the answer to the doubt")
    assert isinstance(server.table.commands[1], cmd.SolveDoubt)
    page.wait_for_selector(".sheet", state="detached")
    server.table.show(OPENING)
    tab_to(page, 'button[data-key="more"]')
    page.keyboard.press("Enter")
    page.wait_for_selector(".sheet")
    page.keyboard.press("Escape")
    page.wait_for_selector(".sheet", state="detached")
    assert page.evaluate("document.activeElement.dataset.key") == "more", "the focus is back where it was"


def test_no_page_shows_a_bare_text_key_or_another_language_in_german(server, open_page) -> None:
    """Whatever a page says comes from the German file: no word of the English one that German has not too."""
    server.fakes.rules.built = True
    english = {
        text for key, text in WORDS.items() if text != texts.texts("de")[key] and len(text) > 12 and "{" not in text
    }
    page = open_page(lang="de-DE", operator=True)
    for path in [*pages.PAGES, "/matches/m1", "/matches/m1/sheet", "/nothing"]:
        page.goto(server.url + path)
        page.wait_for_selector("#app > *", state="attached")
        until(page, lambda: bool(page.evaluate("document.body.innerText.trim()")), f"any text on {path}")
        said = page.evaluate("document.body.innerText")
        assert page.locator("html").get_attribute("lang") == "de"
        lines = {line.strip() for line in said.splitlines()}
        assert not lines & english, path
        assert not {line for line in lines if line in WORDS}, path


def test_no_page_holds_the_keyboard_captive(server, open_page) -> None:
    """Tab always goes on to another place (WCAG 2.1.2)."""
    server.fakes.rules.built = True
    server.table.show(ILLEGAL)
    page = open_page(operator=True)
    stays = "window.before === document.activeElement && window.before !== document.body"
    for path in [*pages.PAGES, "/matches/m1", "/matches/m1/sheet"]:
        page.goto(server.url + path)
        page.wait_for_selector("#app > *", state="attached")
        for _ in range(30):
            page.evaluate("{ window.before = document.activeElement; }")
            page.keyboard.press("Tab")
            assert not page.evaluate(stays), (path, page.evaluate("document.activeElement.outerHTML.slice(0, 120)"))
