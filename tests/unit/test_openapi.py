"""The API's document: as generated, complete, and true of the app (schemathesis sends what it allows and more)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from webfakes import Fakes

from companion.web import auth, openapi

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

DOCUMENT = openapi.document()
DOCUMENT_PATHS = set(DOCUMENT["paths"])


def test_the_file_is_what_the_structs_say() -> None:
    assert openapi.FILE.read_text(encoding="utf-8") == openapi.text(), "run: python -m companion.web.openapi"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("state")
    fakes = Fakes()
    fakes.rules.built = True
    app = fakes.app(folder, max_streams=2, heartbeat_s=0.02)
    app.extensions["fakes"] = fakes
    yield app
    app.extensions["companion"].hub.close()


def test_every_route_of_the_api_is_documented_and_no_other(app) -> None:
    routes = {re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule) for rule in app.url_map.iter_rules()}
    assert {route for route in routes if route.startswith("/api/")} == DOCUMENT_PATHS


@pytest.fixture(scope="module")
def api(app):
    found = schemathesis.openapi.from_wsgi("/openapi.json", app)
    return found.exclude(path="/api/stream")  # it never ends


OPERATIONS = [
    (path, method)
    for path, methods in DOCUMENT["paths"].items()
    for method in methods
    if method != "parameters" and path != "/api/stream"
]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_the_app_keeps_to_its_document(app, api, path: str, method: str) -> None:
    """No 500 whatever comes; every answer is documented and has the form it promises."""
    here = app.extensions["companion"]
    cookie = auth.new_session(here.keys(), here.clock())
    headers = {"X-CSRF-Token": auth.csrf_token(here.keys(), cookie.split(".")[0])}

    @settings(max_examples=15, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(case=api[path][method.upper()].as_strategy())
    def all_answers(case) -> None:
        here.back_off.succeeded("127.0.0.1")
        response = case.call(headers=headers, cookies={auth.COOKIE: cookie})
        case.validate_response(response, checks=CHECKS)

    all_answers()
