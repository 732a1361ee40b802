"""The JSON API of the running table: session, view, stream, commands, settings, health."""

from __future__ import annotations

import hmac
from typing import Any

import msgspec
from flask import Blueprint, Response, request

from companion.table.commands import AnyCommand, PressClock
from companion.web import auth, texts
from companion.web.ports import Settings
from companion.web.site import body, operator_only, operator_session, refuse, reply, site

blueprint = Blueprint("api", __name__, url_prefix="/api")
LONGEST_NAME = 31


class Login(msgspec.Struct, forbid_unknown_fields=True):
    """The PIN as typed."""

    pin: str


def session_json(sid: str | None) -> dict[str, Any]:
    """What the page knows about its own rights."""
    return {"operator": sid is not None, "csrf": auth.csrf_token(site().keys(), sid) if sid else None}


@blueprint.get("/session")
def session() -> Response:
    return reply(session_json(operator_session()))


@blueprint.post("/login")
def login() -> Response:
    """Trade the PIN for a session cookie; wrong ones cost a doubling wait."""
    here, address = site(), request.remote_addr or "?"
    pin = body(Login).pin.strip()
    wait = here.back_off.wait_s(address)
    if wait > 0:
        answer = refuse(429, "wait", seconds=int(wait) + 1)
        answer.headers["Retry-After"] = str(int(wait) + 1)
        return answer
    if not hmac.compare_digest(pin.encode(), here.keys().pin.encode()):
        here.back_off.failed(address)
        return refuse(403, "wrong_pin")
    here.back_off.succeeded(address)
    cookie = auth.new_session(here.keys(), here.clock())
    answer = reply(session_json(auth.session_id(here.keys(), cookie, here.clock())))
    answer.set_cookie(auth.COOKIE, cookie, max_age=auth.SESSION_S, httponly=True, samesite="Strict", path="/")
    return answer


@blueprint.post("/logout")
def logout() -> Response:
    answer = reply(session_json(None))
    answer.delete_cookie(auth.COOKIE, path="/", samesite="Strict", httponly=True)
    return answer


@blueprint.get("/view")
def view() -> Response:
    return reply(site().services.table.view())


@blueprint.get("/stream")
def stream() -> Response:
    """Server-sent events: `hello`, `view`, then `patch` after each change; comments as heartbeat."""
    events = site().hub.open()
    if events is None:
        answer = refuse(503, "too_many_viewers")
        answer.headers["Retry-After"] = "10"
        return answer
    answer = Response(events, mimetype="text/event-stream")
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Accel-Buffering"] = "no"
    answer.call_on_close(events.close)
    return answer


@blueprint.post("/command")
@operator_only
def command() -> Response:
    """A command of the operator, or a press of the clock, to the table."""
    wanted = body(AnyCommand)
    who = "clock" if isinstance(wanted, PressClock) else "operator"
    result = site().services.table.submit(msgspec.structs.replace(wanted, who=who))
    return reply(result, 200 if result.ok else 409)


@blueprint.get("/camera.jpg")
@operator_only
def camera() -> Response:
    """The newest picture; for the operator alone, it shows people."""
    picture = site().services.table.latest_jpeg()
    if picture is None:
        return refuse(404, "no_picture")
    answer = Response(picture, mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "no-store"
    return answer


@blueprint.get("/health")
def health() -> Response:
    report = site().services.health.report()
    return reply({**report, "viewers": site().hub.viewers, "viewers_most": site().hub.cap})


@blueprint.get("/settings")
def settings() -> Response:
    return reply(site().services.settings.current())


@blueprint.put("/settings")
@operator_only
def change_settings() -> Response:
    wanted: Settings = body(Settings)
    problem = settings_problem(wanted, {profile["name"] for profile in site().services.rules.profiles()})
    if problem:
        return refuse(422, "unusable", problem)
    site().services.settings.change(wanted)
    return reply(wanted)


def settings_problem(wanted: Settings, profiles: set[str]) -> str:
    """Why these settings cannot be, "" when they can."""
    names = (wanted.white, wanted.black)
    if any(not name.strip() or ":" in name or len(name.encode()) > LONGEST_NAME for name in names):
        return f"names: 1 to {LONGEST_NAME} bytes, no colon"
    if wanted.profile not in profiles:
        return f"profile: one of {', '.join(sorted(profiles))}"
    if wanted.language not in texts.languages():
        return f"language: one of {', '.join(texts.languages())}"
    if not 0 <= wanted.length <= 99 or not 0 <= wanted.keep_pictures_days <= 3650:
        return "length: 0 to 99; keep_pictures_days: 0 to 3650"
    return ""


@blueprint.get("/texts/<code>")
def language_texts(code: str) -> Response:
    if code not in texts.languages():
        return refuse(404, "http_404", "no such language")
    return reply(texts.texts(code))
