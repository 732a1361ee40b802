"""The director's page: read-only, every table a card; and the server that serves it."""

from __future__ import annotations

import json
import socket
import threading
from functools import cache
from pathlib import Path
from typing import Any

import waitress
from flask import Flask, Response, abort, render_template, request, send_from_directory

from companion.hall.tables import Tables
from companion.web import auth, texts
from companion.web.factory import HEADERS
from companion.web.site import STATIC

HERE = Path(__file__).parent
THREADS = 40
LONG_POLL_S = 10.0


@cache
def words(code: str) -> dict[str, str]:
    """The page's texts and the hall's own."""
    own: dict[str, str] = json.loads((HERE / "texts" / f"{code}.json").read_text(encoding="utf-8"))
    return texts.texts(code) | own


def languages() -> list[str]:
    return sorted(path.stem for path in (HERE / "texts").glob("*.json") if path.stem in texts.languages())


def language() -> str:
    code = texts.choose(request.args.get("lang"), request.accept_languages, texts.DEFAULT)
    return code if code in languages() else texts.DEFAULT


def create_app(tables: Tables, broker: str, allowed_hosts: frozenset[str] = frozenset()) -> Flask:
    """The application over `tables`. `broker`: its name, for the page."""
    app = Flask(__name__, static_folder=None, template_folder="templates")
    app.extensions["hall"] = tables

    @app.before_request
    def guard() -> None:
        if not auth.host_ok(request.host, allowed_hosts):
            abort(421)

    @app.after_request
    def add_headers(answer: Response) -> Response:
        for name, value in HEADERS.items():
            answer.headers.setdefault(name, value)
        answer.headers.setdefault("Cache-Control", "no-store")
        return answer

    app.add_url_rule("/", "page", lambda: page(tables, broker))
    app.add_url_rule("/api/tables", "tables", lambda: answer_tables(tables))
    app.add_url_rule("/hall/<path:name>", "own", lambda name: send_from_directory(HERE / "static", name))
    app.add_url_rule("/static/<path:name>", "shared", lambda name: send_from_directory(STATIC, name))
    return app


def page(tables: Tables, broker: str) -> str:
    code = language()
    boot = {"language": code, "texts": words(code), "report": tables.report(), "broker": broker}
    text = json.dumps(boot, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return render_template("hall.html", code=code, words=words(code), boot=text)


def answer_tables(tables: Tables) -> Response:
    """All tables; with `?seen=REVISION` the answer waits until there is something new, ten seconds at most."""
    seen = request.args.get("seen", "")
    if seen.isdigit():
        tables.wait(int(seen), LONG_POLL_S)
    body = json.dumps(tables.report(), ensure_ascii=False, separators=(",", ":"))
    return Response(body, mimetype="application/json")


class HallServer:
    """Serves the page on `sock` in threads of its own until `stop`."""

    def __init__(self, app: Flask, sock: socket.socket) -> None:
        self._tables: Tables = app.extensions["hall"]
        self._stopped = False
        self._server: Any = waitress.create_server(app, sockets=[sock], threads=THREADS, ident=None)
        self.port: int = sock.getsockname()[1]
        self._thread = threading.Thread(target=self._server.run, name="hall-page", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the waiting answers, then the sockets; about a second. A second call does nothing."""
        if self._stopped:
            return
        self._stopped = True
        self._tables.close()
        self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=1.0)
        self._server.trigger.pull_trigger(self._close_sockets)
        self._thread.join(1.0)

    def _close_sockets(self) -> None:
        """Runs in the server's own thread, the only one that may touch its channels."""
        for channel in list(self._server.active_channels.values()):
            channel.handle_close()
        self._server.close()
