"""A real server on the scripted table, and a real Chromium; skipped with a reason where there is none."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))

from webfakes import Fakes

from companion.web import auth
from companion.web.serve import PageServer, listen

PIN = "123456"
KEYS = auth.Keys(PIN, b"k" * 32)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    return next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder is a browser test."""
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.path).parents:
            item.add_marker(pytest.mark.browser)


def until(page: Any, holds: Callable[[], bool], what: str = "a condition", seconds: float = 15.0) -> None:
    """Wait until `holds()`; the page goes on meanwhile."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited in vain for {what}"
        page.wait_for_timeout(25)


def until_commands(page: Any, server: Server, expected: list[Any]) -> None:
    """Wait until the table has got exactly these commands."""
    end = time.monotonic() + 15
    while len(server.table.commands) < len(expected) and time.monotonic() < end:
        page.wait_for_timeout(25)
    assert server.table.commands == expected


class Server:
    """The page on fakes, which can be stopped and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self.fakes = Fakes()
        self.folder = folder
        auth.store_keys(folder / "operator.json", KEYS)
        self.port = 0
        self.start()

    def start(self) -> None:
        sock = listen("127.0.0.1", self.port, search=False)
        self.app = self.fakes.app(self.folder, heartbeat_s=1.0)
        self.server = PageServer(self.app, self.app.extensions["companion"].hub, sock)
        self.port = self.server.port
        self.server.start()

    def stop(self) -> None:
        self.server.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def table(self) -> Any:
        return self.fakes.table


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path)
    yield made
    made.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no Chromium here: apt install chromium")
    with sync_api.sync_playwright() as playwright:
        yield (started := playwright.chromium.launch(executable_path=path, args=FLAGS))
        started.close()


@pytest.fixture
def open_page(browser: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """open_page("/", operator=True, size=(390, 844), dark=True, lang="de", touch=True) -> a page without any error."""
    contexts = []
    faults: list[str] = []

    def opened(
        path: str = "/", *, operator: bool = False, size: tuple[int, int] = (1024, 768), dark: bool = False,
        lang: str = "en", touch: bool = False, csp: bool = True,
    ) -> Any:  # fmt: skip
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light", locale=lang,
            has_touch=touch, bypass_csp=not csp, reduced_motion="reduce",
        )  # fmt: skip
        context.set_default_timeout(15_000)  # a busy machine is slow, not wrong
        contexts.append(context)
        if operator:
            cookie = auth.new_session(KEYS, time.time())
            context.add_cookies([{"name": auth.COOKIE, "value": cookie, "url": server.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(f"{path}: {error}"))
        page.goto(server.url + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []
