"""The HTML pages: one shell each, with everything the first paint needs inside; the rest is JavaScript."""

from __future__ import annotations

import io
import json
from typing import Any

import msgspec
import segno
from flask import Blueprint, Response, render_template, request

from companion import __version__
from companion.web import texts
from companion.web.api import session_json
from companion.web.site import LANGUAGE_COOKIE, language, operator_session, site

blueprint = Blueprint("pages", __name__)
PAGES = {
    "/": "table",
    "/screen": "screen",
    "/match": "match",
    "/clock": "clock",
    "/calibrate": "calibrate",
    "/matches": "matches",
    "/photo": "photo",
    "/hit-odds": "hitodds",
    "/health": "health",
    "/settings": "settings",
    "/join": "join",
}
"""Path -> page: its module is static/js/page_<page>.js, its title the text `page.<page>`."""
NAVIGATION = ("/", "/match", "/matches", "/photo", "/hit-odds", "/calibrate", "/settings", "/health", "/join")
MODULES = ("app", "board", "dom", "store", "texts")
"""Modules that every page loads: fetched at once instead of one after the other."""


def boot(page: str, code: str, **more: Any) -> str:
    """The page's start values as JSON that cannot end its script element."""
    here = site()
    values = {
        "page": page,
        "language": code,
        "languages": texts.languages(),
        "texts": texts.texts(code),
        "session": session_json(operator_session()),
        "settings": msgspec.to_builtins(here.services.settings.current()),
        "view": msgspec.to_builtins(here.services.table.view()),
        "boot": here.hub.boot,
        "addresses": list(here.addresses),
        "version": __version__,
        **more,
    }
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def page(name: str, status: int = 200, **more: Any) -> Response:
    code = language()
    html = render_template(
        "page.html",
        page=name,
        code=code,
        words=texts.texts(code),
        boot=boot(name, code, **more),
        navigation=[(path, PAGES[path]) for path in NAVIGATION],
        modules=MODULES,
    )
    answer = Response(html, status, mimetype="text/html")
    answer.headers["Cache-Control"] = "no-store"
    if request.args.get("lang") == code:
        answer.set_cookie(LANGUAGE_COOKIE, code, max_age=31_536_000, samesite="Strict", path="/")
    return answer


def error_page(status: int) -> Response:
    return page("error", status, error_status=status)


def _add_pages() -> None:
    for path, name in PAGES.items():
        blueprint.add_url_rule(path, name, page, defaults={"name": name})


_add_pages()


@blueprint.get("/matches/<match_id>")
def replay(match_id: str) -> Response:
    return page("replay", match_id=match_id)


@blueprint.get("/matches/<match_id>/sheet")
def sheet(match_id: str) -> Response:
    return page("sheet", match_id=match_id)


@blueprint.get("/join.svg")
def join_code() -> Response:
    """The page's address as a QR code."""
    address = site().addresses[0] if site().addresses else request.host_url
    picture = io.BytesIO()
    segno.make(address, error="m").save(
        picture, kind="svg", scale=8, border=3, dark="#000", light="#fff", xmldecl=False
    )
    return Response(picture.getvalue(), mimetype="image/svg+xml", headers={"Cache-Control": "no-store"})


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """What the JSON API takes and gives."""
    data = (texts.FOLDER.parent / "openapi.json").read_bytes()
    return Response(data, mimetype="application/json")


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    return Response(status=204)
