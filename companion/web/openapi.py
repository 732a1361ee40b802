"""What the JSON API takes and gives, as an OpenAPI document: `python -m companion.web.openapi` writes openapi.json.

The schemas come from the structs themselves; a test compares the file with what this makes and with the app's routes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from companion import __version__
from companion.table.commands import AnyCommand, CommandResult
from companion.table.view import TableView
from companion.web.api import Login
from companion.web.api_tools import CalibrationTrial, IdQuestion, LegalQuestion, OddsQuestion, PositionQuestion
from companion.web.ports import Settings

FILE = Path(__file__).parent / "openapi.json"
JSON = "application/json"
STRUCTS: tuple[Any, ...] = (
    AnyCommand,
    CommandResult,
    TableView,
    Login,
    CalibrationTrial,
    IdQuestion,
    LegalQuestion,
    OddsQuestion,
    PositionQuestion,
    Settings,
)
ERROR = {
    "type": "object",
    "required": ["error", "detail"],
    "properties": {
        "error": {"type": "string"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "args": {"type": "object"},
    },
}
SESSION = {
    "type": "object",
    "required": ["operator", "csrf"],
    "properties": {"operator": {"type": "boolean"}, "csrf": {"type": ["string", "null"]}},
}
ANY: dict[str, Any] = {"type": "object"}
LIST = {"type": "array", "items": {"type": "object"}}
MATCH_ID = {"name": "match_id", "in": "path", "required": True, "schema": {"type": "string"}}
OPERATOR: list[dict[str, list[str]]] = [{"session": [], "csrf": []}]
GET_OPERATOR: list[dict[str, list[str]]] = [{"session": []}]


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def answer(text: str, schema: dict[str, Any] | None = None, kind: str = JSON) -> dict[str, Any]:
    return {"description": text, "content": {kind: {"schema": schema or ANY}}}


def operation(summary: str, ok: dict[str, Any], *errors: int, **more: Any) -> dict[str, Any]:
    """One method of a path; `errors`: the statuses it may answer besides 200 (404, 405, 421 and 403 always)."""
    reasons = {str(status): answer("refused: the code says why", ref("Error")) for status in (403, 404, 421, *errors)}
    return {"summary": summary, "responses": {"200": ok, **dict(sorted(reasons.items()))}, **more}


def takes(schema: dict[str, Any], kind: str = JSON) -> dict[str, Any]:
    return {"required": True, "content": {kind: {"schema": schema}}}


def question(summary: str, name: str, *errors: int) -> dict[str, Any]:
    return {"post": operation(summary, answer("the answer"), 400, 422, *errors, requestBody=takes(ref(name)))}


def command_schema(parts: dict[str, Any]) -> dict[str, Any]:
    return {"oneOf": [ref(name) for name in parts if "command" in parts[name].get("properties", {})]}


def table_paths() -> dict[str, Any]:
    view = answer("the table now", ref("TableView"))
    stream = answer("events: hello, view, patch, here", {"type": "string"}, "text/event-stream")
    sent = answer("taken", ref("CommandResult"))
    refused = answer("the table refuses it: the message says why", ref("CommandResult"))
    command = operation(
        "Send a command to the table", sent, 400, 401, security=OPERATOR, requestBody=takes(ref("Command"))
    )
    command["responses"]["409"] = refused
    return {
        "/api/view": {"get": operation("The whole table as one value", view)},
        "/api/stream": {"get": operation("The table, live (server-sent events)", stream, 503)},
        "/api/command": {"post": command},
        "/api/camera.jpg": {
            "get": operation(
                "The newest picture", answer("JPEG", {"type": "string", "format": "binary"}, "image/jpeg"), 401,
                security=GET_OPERATOR,
            )
        },
    }  # fmt: skip


def session_paths() -> dict[str, Any]:
    session = answer("your rights", SESSION)
    settings = answer("the settings", ref("Settings"))
    return {
        "/api/session": {"get": operation("Am I the operator?", session)},
        "/api/login": {
            "post": operation("Trade the PIN for a session", session, 400, 429, requestBody=takes(ref("Login")))
        },
        "/api/logout": {"post": operation("End the session", session)},
        "/api/health": {"get": operation("Camera, disk, temperature, versions, errors", answer("facts"))},
        "/api/settings": {
            "get": operation("The table's settings", settings),
            "put": operation(
                "Change them", settings, 400, 401, 422, security=OPERATOR, requestBody=takes(ref("Settings"))
            ),
        },
        "/api/texts/{code}": {
            "get": operation("All texts of a language", answer("key to text")),
            "parameters": [{"name": "code", "in": "path", "required": True, "schema": {"type": "string"}}],
        },
    }


def match_paths() -> dict[str, Any]:
    form = {"name": "form", "in": "path", "required": True, "schema": {"enum": ["mat", "sgf", "json", "html"]}}
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    file = {"description": "the file", "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
    return {
        "/api/matches": {"get": operation("Stored matches, newest first", answer("summaries", LIST))},
        "/api/matches/{match_id}": {
            "get": operation("A match as positions, step by step", answer("the match")),
            "delete": operation("Remove a match with its pictures", answer("gone"), 401, 409, security=OPERATOR),
            "parameters": [MATCH_ID],
        },
        "/api/matches/{match_id}/export/{form}": {
            "get": operation("Download a match", file),
            "parameters": [MATCH_ID, form],
        },
        "/api/matches/{match_id}/evidence/{name}": {
            "get": operation("A kept picture", file, 401),
            "parameters": [MATCH_ID, name],
        },
    }


def tool_paths() -> dict[str, Any]:
    picture = {"type": "string", "format": "binary"}
    photo = operation("Read a photograph", answer("the JSON of `companion read`"), 413, 415, 422, 429)
    photo["requestBody"] = takes(picture, "image/jpeg")
    trial = question("Try to calibrate on the newest picture", "CalibrationTrial", 401, 429)
    trial["post"]["security"] = OPERATOR
    paths: dict[str, Any] = {
        "/api/profiles": {"get": operation("The rule profiles", answer("profiles", LIST))},
        "/api/legal": question("All legal plays of a roll", "LegalQuestion"),
        "/api/position": question("The ids of a position", "PositionQuestion"),
        "/api/parse-id": question("The position of an id", "IdQuestion"),
        "/api/hitodds": question("Chance to be hit while bearing off", "OddsQuestion", 429, 501),
        "/api/photo": {"post": photo},
        "/api/calibration/try": trial,
    }
    for word in ("keep", "discard"):
        done = operation(f"{word.capitalize()} the trial", answer("done"), 401, 422, security=OPERATOR)
        paths[f"/api/calibration/{word}"] = {"post": done}
    return paths


def free_value(kind: type) -> dict[str, Any]:
    """The schema of `object`: any JSON value."""
    if kind is object:
        return {"description": "any JSON value"}
    raise NotImplementedError(kind)


def document() -> dict[str, Any]:
    """The whole OpenAPI 3.1 document."""
    where = "#/components/schemas/{name}"
    _, parts = msgspec.json.schema_components(STRUCTS, schema_hook=free_value, ref_template=where)
    schemas = {**parts, "Error": ERROR, "Command": command_schema(parts)}
    security = {
        "session": {"type": "apiKey", "in": "cookie", "name": "companion_operator"},
        "csrf": {"type": "apiKey", "in": "header", "name": "X-CSRF-Token"},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Backgammon Companion",
            "version": __version__,
            "description": "Viewing is open; changes need the operator's session and CSRF token.",
        },
        "paths": {**table_paths(), **session_paths(), **match_paths(), **tool_paths()},
        "components": {"schemas": schemas, "securitySchemes": security},
    }


def text() -> str:
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
