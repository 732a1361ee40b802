"""The page's routes: what viewers may see, what only the operator may change, and what nobody may do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from webfakes import JPEG, Fakes

from companion.rules.position import START
from companion.table import commands
from companion.web import auth, pages


@pytest.fixture
def fakes() -> Fakes:
    return Fakes()


@pytest.fixture
def app(fakes: Fakes, tmp_path: Path):
    app = fakes.app(tmp_path, max_streams=1, heartbeat_s=0.05)
    yield app
    app.extensions["companion"].hub.close()


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def pin(app) -> str:
    return app.extensions["companion"].keys().pin


@pytest.fixture
def operator(client, pin: str):
    """A client that is logged in and sends its CSRF token."""
    token = client.post("/api/login", json={"pin": pin}).json["csrf"]
    client.environ_base["HTTP_X_CSRF_TOKEN"] = token
    return client


@pytest.mark.parametrize("path", [*pages.PAGES, "/matches/m1", "/matches/m1/sheet"])
def test_every_page_is_open_to_viewers(client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in answer.headers["Content-Security-Policy"]
    assert b'id="boot"' in answer.data


def test_the_boot_values_cannot_end_their_script(client, fakes: Fakes) -> None:
    fakes.table.change(white="</script><script>alert(1)</script>")
    text = client.get("/").text
    boot = text.split('id="boot">')[1].split("</script>")[0]
    assert json.loads(boot)["view"]["white"] == "</script><script>alert(1)</script>"


def test_a_page_that_is_not_there_says_so_to_people_and_programs(client) -> None:
    assert client.get("/nothing").mimetype == "text/html"
    assert client.get("/nothing").status_code == 404
    assert client.get("/api/nothing").json["error"] == "http_404"


def test_nobody_changes_anything_without_the_pin(client, fakes: Fakes) -> None:
    for method, path in [
        ("post", "/api/command"),
        ("put", "/api/settings"),
        ("delete", "/api/matches/m1"),
        ("post", "/api/calibration/try"),
        ("post", "/api/calibration/keep"),
        ("get", "/api/camera.jpg"),
    ]:
        assert getattr(client, method)(path, json={}).status_code == 401, path
    assert fakes.table.commands == []
    assert len(fakes.records.stored) == 2


def test_a_command_needs_the_csrf_token(operator, fakes: Fakes) -> None:
    del operator.environ_base["HTTP_X_CSRF_TOKEN"]
    assert operator.post("/api/command", json={"command": "undo"}).json["error"] == "csrf"
    assert fakes.table.commands == []


COMMANDS = [
    commands.NewMatch(length=3, white="A", black="B"),
    commands.Pause(),
    commands.Resume(),
    commands.Abandon(),
    commands.SetDice(side="white", dice=(3, 1)),
    commands.SetPosition(position="4HPwATDgc/ABMA"),
    commands.ChoosePlay(play="8/5 6/5"),
    commands.AddTurn(side="black", dice=(6, 1), play="13/7 8/7"),
    commands.Rule(choice="stand"),
    commands.SolveDoubt(doubt_id="d1", choice="6-4"),
    commands.Undo(),
    commands.Redo(),
    commands.SetScore(white=1, black=2),
    commands.SetCube(value=2, owner="white"),
    commands.Double(side="white"),
    commands.Take(side="black"),
    commands.Pass(side="black"),
    commands.Resign(side="white", points=2),
    commands.NextGame(),
    commands.SwapSides(),
    commands.SetMode(mode="teacher"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: type(c).__name__)
def test_every_command_reaches_the_table_as_the_operators(operator, fakes: Fakes, command: commands.Command) -> None:
    import msgspec

    answer = operator.post("/api/command", json=msgspec.to_builtins(command) | {"who": "camera"})
    assert answer.status_code == 200
    assert fakes.table.commands == [command]


def test_a_press_of_the_clock_is_the_clocks(operator, fakes: Fakes) -> None:
    operator.post("/api/command", json={"command": "press_clock", "side": "white"})
    assert fakes.table.commands[0].who == "clock"


def test_a_refused_command_says_why(operator, fakes: Fakes) -> None:
    fakes.table.refusal = "there is nothing to undo"
    answer = operator.post("/api/command", json={"command": "undo"})
    assert (answer.status_code, answer.json["message"]) == (409, "there is nothing to undo")


@pytest.mark.parametrize(
    "data",
    ["{", "[]", '{"command":"fly"}', '{"command":"undo","x":1}', '{"command":"set_score","white":"a","black":0}'],
)
def test_bad_json_is_refused_with_the_reason(operator, data: str) -> None:
    answer = operator.post("/api/command", data=data, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json["detail"]


def test_wrong_pins_cost_time(client) -> None:
    for _ in range(auth.FREE_TRIES):
        assert client.post("/api/login", json={"pin": "0"}).status_code == 403
    answer = client.post("/api/login", json={"pin": "0"})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1


def test_the_session_cookie_is_hidden_from_scripts_and_other_sites(client, pin: str) -> None:
    cookie = client.post("/api/login", json={"pin": pin}).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_a_renewed_pin_locks_the_running_page(app, operator, tmp_path: Path) -> None:
    auth.store_keys(tmp_path / "operator.json", auth.Keys("999999", b"n" * 32))
    assert operator.post("/api/command", json={"command": "undo"}).status_code == 401


def test_logging_out_ends_the_session(operator) -> None:
    assert operator.post("/api/logout").json == {"operator": False, "csrf": None}
    assert operator.get("/api/camera.jpg").status_code == 401


def test_a_strangers_host_name_is_refused(client) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_a_change_from_another_page_is_refused(operator) -> None:
    answer = operator.post("/api/command", json={"command": "undo"}, headers={"Origin": "http://evil.example"})
    assert answer.json["error"] == "origin"


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "..", "a/../b", "%00", ".hidden"])
def test_no_path_reaches_the_store(client, name: str) -> None:
    assert client.get(f"/api/matches/m1/evidence/{name}").status_code == 404
    assert client.get(f"/api/matches/{name}").status_code in (404, 308)


def test_evidence_may_be_kept_from_viewers(client, fakes: Fakes) -> None:
    import msgspec

    assert client.get("/api/matches/m1/evidence/a.jpg").data == JPEG
    fakes.settings.change(msgspec.structs.replace(fakes.settings.value, show_evidence=False))
    assert client.get("/api/matches/m1/evidence/a.jpg").status_code == 401


def test_a_match_that_runs_is_not_deleted_but_another_is(operator, fakes: Fakes) -> None:
    assert operator.delete("/api/matches/m1").json["error"] == "match_running"
    assert operator.delete("/api/matches/m0").status_code == 200
    assert operator.delete("/api/matches/m0").status_code == 404


@pytest.mark.parametrize("form", ["mat", "sgf", "json", "html"])
def test_downloads_come_as_attachments(client, form: str) -> None:
    answer = client.get(f"/api/matches/m1/export/{form}")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="m1.{form}"'


def test_an_unknown_form_of_download_is_not_there(client) -> None:
    assert client.get("/api/matches/m1/export/exe").status_code == 404


def test_settings_are_checked_before_they_are_kept(operator, fakes: Fakes) -> None:
    good = operator.get("/api/settings").json
    assert operator.put("/api/settings", json=good | {"white": "Ada"}).status_code == 200
    assert fakes.settings.value.white == "Ada"
    for bad in ({"white": "a:b"}, {"profile": "chess"}, {"language": "xx"}, {"length": 1000}, {"white": "ü" * 16}):
        assert operator.put("/api/settings", json=good | bad).status_code == 422


def test_only_pictures_are_read(client) -> None:
    assert client.post("/api/photo", data=b"GIF89a").status_code == 415
    assert client.post("/api/photo", data=JPEG).json["board"]["found"]


def test_too_large_a_picture_is_refused(client) -> None:
    assert client.post("/api/photo", data=b"\xff\xd8\xff" + b"0" * 12 * 1024 * 1024).status_code == 413


def test_what_is_not_built_says_so(client, fakes: Fakes) -> None:
    question = {"bearing": {"6": 3}, "against": {"bar": 1}}
    assert client.post("/api/hitodds", json=question).status_code == 501
    fakes.rules.built = True
    assert client.post("/api/hitodds", json=question).json["method"] == "exact"


def test_a_bad_position_id_is_unusable_input(client) -> None:
    assert client.post("/api/parse-id", json={"id": "nonsense"}).status_code == 422
    assert client.post("/api/position", json={"white": list(START.white), "black": [0] * 25}).status_code == 400


def test_streams_beyond_the_cap_are_sent_away(client) -> None:
    first = client.get("/api/stream", buffered=False)
    assert first.status_code == 200
    assert client.get("/api/stream").status_code == 503
    first.close()
    again = client.get("/api/stream", buffered=False)
    assert again.status_code == 200
    again.close()


def test_static_files_may_be_kept_for_ever(client) -> None:
    path = client.get("/").text.split('stylesheet" href="')[1].split('"')[0]
    assert "immutable" in client.get(path).headers["Cache-Control"]


def test_german_is_spoken_to_german_browsers(client) -> None:
    assert '<html lang="de"' in client.get("/", headers={"Accept-Language": "de"}).text
    assert '<html lang="en"' in client.get("/?lang=en", headers={"Accept-Language": "de"}).text
