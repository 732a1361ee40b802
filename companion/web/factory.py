"""`create_app`: the page as a Flask application, with nothing real behind it but the ports."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from companion.errors import CompanionError
from companion.web import api, api_records, api_tools, auth, pages
from companion.web.ports import NotBuiltError, Services
from companion.web.serve import MAX_BODY
from companion.web.site import Site, refuse, site, static_version
from companion.web.stream import StreamHub

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "connect-src 'self'",
        "media-src 'self' blob:",
        "font-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How the page is served. `addresses`: where people reach it, best first (QR)."""

    keys_path: Path
    max_streams: int = 100
    heartbeat_s: float = 5.0
    allowed_hosts: frozenset[str] = frozenset()
    addresses: tuple[str, ...] = ()


def create_app(services: Services, options: PageOptions) -> Flask:
    """The application. Its StreamHub, a running thread, is `app.extensions["companion"].hub`: close it at the end."""
    version = static_version()
    app = Flask(__name__, static_folder="static", static_url_path=f"/static/{version}", template_folder="templates")
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 31_536_000
    hub = StreamHub(services.table, options.max_streams, f"{version}-{secrets.token_hex(4)}", options.heartbeat_s)
    app.extensions["companion"] = Site(services, hub, options.keys_path, options.allowed_hosts, options.addresses)
    for part in (pages.blueprint, api.blueprint, api_records.blueprint, api_tools.blueprint):
        app.register_blueprint(part)
    app.before_request(guard)
    app.after_request(add_headers)
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(msgspec.ValidationError, bad_json)
    app.register_error_handler(msgspec.DecodeError, bad_json)
    app.register_error_handler(CompanionError, unusable)
    app.register_error_handler(NotBuiltError, not_built)
    return app


def guard() -> Response | None:
    """Refuse strangers' host names (DNS rebinding) and changing requests from other pages."""
    if not auth.host_ok(request.host, site().allowed_hosts):
        return refuse(421, "host", f"{request.host[:100]!r} is not a name of this companion")
    headers = request.headers
    if request.method not in SAFE and not auth.origin_ok(
        headers.get("Origin"), headers.get("Sec-Fetch-Site"), request.host
    ):
        return refuse(403, "origin")
    return None


def add_headers(answer: Response) -> Response:
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)
    if request.path.startswith("/static/") and answer.status_code == 200:
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer


def http_error(error: HTTPException) -> Response:
    """404, 405, 413 …: a page for people, JSON for programs."""
    status = error.code or 500
    if request.path.startswith(("/api/", "/static/")) or request.method not in SAFE:
        answer = refuse(status, f"http_{status}", error.name)
        answer.headers.extend([(k, v) for k, v in error.get_headers() if k.lower() == "allow"])
        return answer
    return pages.error_page(status)


def bad_json(error: Exception) -> Response:
    return refuse(400, "bad_request", str(error))


def unusable(error: CompanionError) -> Response:
    return refuse(422, "unusable", str(error), error.code, **error.facts)


def not_built(error: NotBuiltError) -> Response:
    return refuse(501, "not_built", str(error))
