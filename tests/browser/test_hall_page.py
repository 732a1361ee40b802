"""The director's page in a real browser: fifty tables, who needs somebody, a lost companion, a lost server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.hall.card import ROOT, Card, TableHealth, encode, topic_name
from companion.hall.page import HallServer, create_app
from companion.hall.tables import Tables
from companion.table.view import Message
from companion.web.serve import listen

NAMES = ("Ada", "Grace", "Emmy", "Alan", "Kurt", "Sofja", "Carl Friedrich", "Leonhard")


def tell(tables: Tables, card: Card, online: bytes = b"1") -> None:
    name = topic_name(card.table)
    tables.hear(f"{ROOT}/{name}/card", encode(card))
    tables.hear(f"{ROOT}/{name}/online", online)


def table(number: int, **more: object) -> Card:
    shown: dict[str, object] = {
        "status": "rolled",
        "status_text": Message("status.rolled", {"side": "white", "dice": "6-4"}),
        "on_roll": "white",
        "score": (number % 6, number % 5),
        **more,
    }
    return Card(
        table=f"Table {number}", address=f"http://10.0.0.{number}:8000/", match_id=f"m{number}",
        white=NAMES[number % 8], black=NAMES[(number * 3 + 1) % 8], length=7, game=3,
        last_side="black", last_play="24/18 13/11", camera_ok=True, seq=number,
        health=TableHealth(free_gb=21.4, temperature_c=52.0), **shown,
    )  # fmt: skip


@pytest.fixture
def hall() -> Iterator[tuple[Tables, HallServer]]:
    tables = Tables()
    tables.set_connected(True)
    sock = listen("127.0.0.1", 0, search=False)
    server = HallServer(create_app(tables, "broker:1883"), sock)
    server.start()
    yield tables, server
    server.stop()


@pytest.fixture
def page(browser, hall):  # type: ignore[no-untyped-def]
    page = browser.new_page(viewport={"width": 1280, "height": 860}, locale="en-GB")
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"http://127.0.0.1:{hall[1].port}/")
    yield page
    assert faults == []
    page.close()


def test_a_hall_without_tables_says_what_is_missing(page) -> None:  # type: ignore[no-untyped-def]
    page.get_by_text("No table has told of itself yet").wait_for()


def test_a_table_that_needs_somebody_is_named_on_top_and_again_calm_afterwards(page, hall) -> None:  # type: ignore[no-untyped-def]
    tables, _ = hall
    for number in range(1, 51):
        tell(tables, table(number))
    page.get_by_text("50 tables").wait_for()
    page.get_by_text("No table needs you.").wait_for()
    tell(tables, table(17, needs_you=True, status="doubt", status_text=Message("status.doubt")))
    page.locator("#needs a", has_text="Table 17").wait_for()
    assert page.locator(".hall-card.needs").count() == 1
    tell(tables, table(17, score=(6, 2)))
    page.get_by_text("No table needs you.").wait_for()
    assert page.locator("#table-Table_17 .points").first.inner_text() == "6"


def test_a_lost_companion_keeps_its_last_known_score_and_is_marked(page, hall) -> None:  # type: ignore[no-untyped-def]
    tables, _ = hall
    tell(tables, table(1))
    tell(tables, table(2), online=b"0")
    card = page.locator(".hall-card.offline")
    card.get_by_text("Companion not connected").wait_for()
    assert card.locator(".points").first.inner_text() == "2"


def test_names_are_text_never_markup(page, hall) -> None:  # type: ignore[no-untyped-def]
    tables, _ = hall
    evil = "<img src=x onerror=alert(1)>"
    tell(tables, Card(table=evil, address="javascript:alert(1)", match_id="m", white=evil, black="B"))
    page.get_by_text(evil).first.wait_for()
    assert page.locator(".hall-card a").count() == 0


def test_a_broker_or_server_out_of_reach_is_told_and_forgotten_when_it_is_back(page, hall) -> None:  # type: ignore[no-untyped-def]
    tables, server = hall
    tell(tables, table(1))
    tables.set_connected(False)
    page.get_by_text("No connection to the broker broker:1883").wait_for()
    tables.set_connected(True)
    page.locator("#trouble").wait_for(state="hidden")
    server.stop()
    page.get_by_text("No connection to this page's server").wait_for()


def test_axe_finds_nothing_and_a_phone_shows_it_without_scrolling_sideways(browser, hall) -> None:  # type: ignore[no-untyped-def]
    found = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    tables, server = hall
    for number in range(1, 9):
        tell(tables, table(number, needs_you=number == 3, status_text=Message("status.doubt")))
    tell(tables, table(9), online=b"0")
    for width, scheme in ((390, "light"), (1280, "dark")):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
        page.goto(f"http://127.0.0.1:{server.port}/")
        page.get_by_text("9 tables").wait_for()
        page.evaluate((Path(found.__file__).parent / "axe.min.js").read_text())
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        assert result["passes"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in result["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
