"""The hall without a broker: what a table tells, what the director's side makes of it, the page's answers."""

from __future__ import annotations

import json

import msgspec
import pytest
from click.testing import CliRunner

from companion.cli_hall import broker_of, hall
from companion.config import Config, Hall
from companion.errors import InputError
from companion.hall import page as hall_page
from companion.hall.card import LARGEST, ROOT, Card, TableHealth, card_of, decode, encode, topic_name
from companion.hall.page import create_app
from companion.hall.publisher import health_of
from companion.hall.tables import MOST_TABLES, Tables
from companion.table.view import Banner, CameraView, CubeView, Message, TableView, TurnView

VIEW = TableView(
    seq=40, status="rolled", match_id="m1", white="Ada", black="Grace", length=7, score=(3, 5), game=4, on_roll="black",
    cube=CubeView(value=4, owner="white"), camera=CameraView(ok=True, problems=("glare",)),
    last_play=TurnView(seq=39, game=4, turn=8, side="white", kind="play", play="8/5 6/5"),
)  # fmt: skip


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tables(clock: Clock) -> Tables:
    return Tables(clock)


def tell(tables: Tables, card: Card, online: bytes = b"1") -> None:
    tables.hear(f"{ROOT}/{topic_name(card.table)}/online", online)
    tables.hear(f"{ROOT}/{topic_name(card.table)}/card", encode(card))


def test_a_card_says_what_a_director_asks() -> None:
    card = card_of(VIEW, "Table 3", "http://10.0.0.3:8000/", TableHealth(free_gb=9.0))
    assert (card.white, card.score, card.on_roll, card.cube, card.cube_owner) == ("Ada", (3, 5), "black", 4, "white")
    assert (card.last_side, card.last_play, card.camera_problems) == ("white", "8/5 6/5", ("glare",))
    assert not card.needs_you
    assert decode(encode(card)) == card


@pytest.mark.parametrize("status", ["doubt", "illegal", "camera_lost", "calibrate"])
def test_these_states_call_the_director(status: str) -> None:
    banner = Banner(kind="doubt", text=Message("banner.doubt"))
    card = card_of(msgspec.structs.replace(VIEW, status=status, banner=banner), "T", "", TableHealth())
    assert card.needs_you
    assert card.banner == Message("banner.doubt")


def test_what_is_no_card_or_too_large_is_passed_over(tables: Tables) -> None:
    assert decode(b"{") is None
    assert decode(b'{"table": 3}') is None
    assert decode(b'{"table": "' + b"x" * LARGEST + b'"}') is None
    tables.hear(f"{ROOT}/a/card", b"rubbish")
    tables.hear("something/else", b"1")
    tables.hear(f"{ROOT}/a/b/card", b"1")
    assert tables.report()["tables"] == []


def test_a_newer_companions_card_is_understood() -> None:
    newer = {**msgspec.to_builtins(Card(table="T")), "invented_later": [1, 2]}
    assert decode(json.dumps(newer).encode()) == Card(table="T")


def test_names_are_made_safe_for_topics() -> None:
    assert topic_name("Table #1/+") == "Table _1__"
    assert topic_name("  ") == "table"
    assert len(topic_name("x" * 500)) == 60


def test_tables_stand_in_natural_order_and_are_wiped_away_by_an_empty_message(tables: Tables) -> None:
    for name in ("Table 10", "Table 2", "bar"):
        tell(tables, Card(table=name))
    assert [card["table"] for card in tables.report()["tables"]] == ["bar", "Table 2", "Table 10"]
    tables.hear(f"{ROOT}/Table 2/card", b"")
    assert "Table 2" not in [card["table"] for card in tables.report()["tables"]]


def test_how_long_a_table_has_waited_for_somebody_is_told(tables: Tables, clock: Clock) -> None:
    tell(tables, Card(table="1", needs_you=True))
    clock.now += 30
    tell(tables, Card(table="1", needs_you=True, seq=5))
    assert tables.report()["tables"][0]["waiting_s"] == 30
    tell(tables, Card(table="1"))
    assert tables.report()["tables"][0]["waiting_s"] is None


def test_a_broker_full_of_nonsense_does_not_fill_the_memory(tables: Tables) -> None:
    for number in range(MOST_TABLES + 50):
        tables.hear(f"{ROOT}/{number}/online", b"1")
    assert len(tables.report()["tables"]) == MOST_TABLES


def test_the_page_and_its_answers(tables: Tables) -> None:
    tell(tables, card_of(VIEW, "</script><b>", "", TableHealth()))
    tables.set_connected(True)
    client = create_app(tables, "broker:1883").test_client()
    page = client.get("/", headers={"Host": "localhost"})
    assert page.status_code == 200
    assert b"</script><b>" not in page.data
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    report = client.get("/api/tables", headers={"Host": "localhost"}).json
    assert report["connected"]
    assert report["tables"][0]["white"] == "Ada"
    assert client.get("/api/tables", headers={"Host": "evil.example"}).status_code == 421
    for path in ("/hall/hall.js", "/hall/hall.css", "/static/js/dom.js", "/static/css/page.css"):
        assert client.get(path, headers={"Host": "localhost"}).status_code == 200
    assert client.get("/hall/../page.py", headers={"Host": "localhost"}).status_code == 404


def test_news_are_waited_for(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall_page, "LONG_POLL_S", 0.05)
    client = create_app(tables, "b").test_client()
    seen = tables.revision
    assert client.get(f"/api/tables?seen={seen}", headers={"Host": "localhost"}).json["revision"] == seen
    tell(tables, Card(table="1"))
    assert client.get(f"/api/tables?seen={seen}", headers={"Host": "localhost"}).json["revision"] > seen


def test_every_language_of_the_hall_has_the_same_texts() -> None:
    first, *others = (set(hall_page.words(code)) for code in hall_page.languages())
    assert all(other == first for other in others)
    assert set(hall_page.languages()) >= {"en", "de"}


def test_health_as_the_table_measures_it() -> None:
    found = health_of({"disk": {"free_gb": 3, "total_gb": 9}, "uptime_s": 60, "temperature_c": None, "errors": []})
    assert found == TableHealth(temperature_c=None, free_gb=3.0, uptime_s=60)


def test_the_command_line_goes_before_the_configuration() -> None:
    configured = Hall(broker="a", user="u", port=1)
    wanted = broker_of(configured, {"broker": "b", "broker_port": None, "tls": None, "user": None})
    assert (wanted.broker, wanted.port, wanted.user) == ("b", 1, "u")
    assert Config().hall.broker == "", "off unless asked for"


def test_without_a_broker_the_command_names_the_mend() -> None:
    done = CliRunner().invoke(hall, [])
    assert isinstance(done.exception, InputError)
    assert "[hall] broker" in str(done.exception)
