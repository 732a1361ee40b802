"""What one running page consists of, and how requests reach it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, cast

import msgspec
from flask import Response, current_app, request

from companion.web import auth, texts
from companion.web.ports import Services
from companion.web.stream import StreamHub

P = ParamSpec("P")
STATIC = Path(__file__).parent / "static"
LANGUAGE_COOKIE = "companion_language"
CSRF_HEADER = "X-CSRF-Token"


@dataclass(slots=True)
class Site:
    """Everything behind the routes. `keys_path`: the PIN file, read again when it changes (`companion pin --renew`)."""

    services: Services
    hub: StreamHub
    keys_path: Path
    allowed_hosts: frozenset[str] = frozenset()
    addresses: tuple[str, ...] = ()
    clock: Callable[[], float] = time.time
    back_off: auth.BackOff = field(default_factory=lambda: auth.BackOff(time.monotonic))
    _keys: auth.Keys | None = None
    _keys_stamp: int = -1

    def keys(self) -> auth.Keys:
        """The PIN and secret as they stand on disk now."""
        stamp = self.keys_path.stat().st_mtime_ns if self.keys_path.exists() else -1
        if self._keys is None or stamp != self._keys_stamp:
            self._keys = auth.load_keys(self.keys_path)
            self._keys_stamp = self.keys_path.stat().st_mtime_ns
        return self._keys


def site() -> Site:
    """The Site of the app that answers this request."""
    return cast(Site, current_app.extensions["companion"])


def static_version() -> str:
    """A short hash of every static file: part of their address, so a browser may keep them for ever."""
    digest = hashlib.sha256()
    for path in sorted(p for p in STATIC.rglob("*") if p.is_file()):
        digest.update(path.relative_to(STATIC).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def reply(value: Any, status: int = 200) -> Response:
    """JSON of any struct, dict or list."""
    answer = Response(msgspec.json.encode(value), status, mimetype="application/json")
    answer.headers["Cache-Control"] = "no-store"
    return answer


def refuse(status: int, error: str, detail: str = "", code: str = "", **args: Any) -> Response:
    """An error: `error` names a text in the language files (`error.<error>`), `detail` is for logs and programs.

    `code`: a closer text, `refused.<code>`, where there is one.
    """
    return reply({"error": error, "detail": detail, "code": code, "args": args}, status)


def operator_session() -> str | None:
    """The session id when this request carries a good cookie."""
    here = site()
    return auth.session_id(here.keys(), request.cookies.get(auth.COOKIE), here.clock())


def language() -> str:
    wanted = request.args.get("lang") or request.cookies.get(LANGUAGE_COOKIE)
    return texts.choose(wanted, request.accept_languages, site().services.settings.current().language)


def operator_only(view: Callable[P, Response]) -> Callable[P, Response]:
    """Only with the operator's cookie; a changing method needs the CSRF token too."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Response:
        sid = operator_session()
        if sid is None:
            return refuse(401, "pin_needed")
        safe = request.method in ("GET", "HEAD")
        if not safe and not auth.csrf_ok(site().keys(), sid, request.headers.get(CSRF_HEADER)):
            return refuse(403, "csrf")
        return view(*args, **kwargs)

    return guarded


def body(kind: type[Any] | Any) -> Any:
    """The request's JSON as `kind`; msgspec.ValidationError or DecodeError otherwise (answered 400)."""
    if request.mimetype != "application/json":
        raise msgspec.ValidationError("send JSON with Content-Type: application/json")
    return msgspec.json.decode(request.get_data(cache=False), type=kind)
