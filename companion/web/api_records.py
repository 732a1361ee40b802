"""The JSON API of stored matches: list, replay, downloads, evidence pictures, deletion."""

from __future__ import annotations

import re

from flask import Blueprint, Response

from companion.web.site import operator_only, operator_session, refuse, reply, site

blueprint = Blueprint("records", __name__, url_prefix="/api")
TYPES = {
    "mat": "text/plain; charset=utf-8",
    "sgf": "application/x-go-sgf; charset=utf-8",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
"""Ids and picture names: nothing else reaches the store, so no path can."""


def plain(*names: str) -> bool:
    return all(NAME.fullmatch(name) and ".." not in name for name in names)


@blueprint.get("/matches")
def matches() -> Response:
    return reply(site().services.records.matches())


@blueprint.get("/matches/<match_id>")
def replay(match_id: str) -> Response:
    found = site().services.records.replay(match_id) if plain(match_id) else None
    return refuse(404, "no_match") if found is None else reply(found)


@blueprint.delete("/matches/<match_id>")
@operator_only
def delete(match_id: str) -> Response:
    if not plain(match_id):
        return refuse(404, "no_match")
    if site().services.table.view().match_id == match_id:
        return refuse(409, "match_running")
    return reply({"deleted": True}) if site().services.records.delete(match_id) else refuse(404, "no_match")


@blueprint.get("/matches/<match_id>/export/<form>")
def export(match_id: str, form: str) -> Response:
    """Download as mat, sgf, json or html. HTML comes as a download too: it is no page of ours."""
    found = site().services.records.export(match_id, form) if plain(match_id) and form in TYPES else None
    if found is None:
        return refuse(404, "no_match")
    data, name = found
    answer = Response(data, content_type=TYPES[form])
    answer.headers["Content-Disposition"] = f'attachment; filename="{re.sub(r"[^A-Za-z0-9_.-]", "_", name)}"'
    return answer


@blueprint.get("/matches/<match_id>/evidence/<name>")
def evidence(match_id: str, name: str) -> Response:
    """A kept picture; open to viewers only where the settings say so."""
    if not site().services.settings.current().show_evidence and operator_session() is None:
        return refuse(401, "pin_needed")
    picture = site().services.records.evidence(match_id, name) if plain(match_id, name) else None
    if picture is None:
        return refuse(404, "no_picture")
    answer = Response(picture, mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "private, max-age=86400"
    return answer
