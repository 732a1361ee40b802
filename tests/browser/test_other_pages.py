"""The other pages in a real browser: set-up by touch, a match begun, clock, replay, photo, odds; axe on all of them."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from conftest import until_commands
from webfakes import DOUBT, ILLEGAL, MIDDLE, OPENING, TEACHER

from companion.table import commands as cmd
from companion.table.view import ClockView
from companion.web import pages

PATHS = [*pages.PAGES, "/matches/m1", "/matches/m1/sheet", "/nothing"]
SIZES = [(390, 844), (1024, 768), (1920, 1080)]


def picture() -> bytes:
    ok, jpeg = cv2.imencode(".jpg", np.full((480, 640, 3), 90, np.uint8))
    assert ok
    return jpeg.tobytes()


def axe() -> str:
    found = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return (Path(found.__file__).parent / "axe.min.js").read_text()


def violations(page) -> list[str]:
    page.evaluate(axe())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert found["passes"], "axe looked at nothing"
    return [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in found["violations"]]


def until(page, true: str, seconds: float = 8.0) -> None:
    """Wait for a script's condition; Playwright's own way would need `eval`, which our policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(true):
        assert time.monotonic() < end, f"waited in vain for {true}"
        page.wait_for_timeout(50)


def settled(page) -> None:
    page.wait_for_load_state("networkidle") if "/clock" in page.url else None
    page.wait_for_selector("#app > *", state="attached")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_on_any_page(server, open_page, dark: bool) -> None:
    server.table.picture = picture()
    server.fakes.rules.built = True
    page = open_page("/", operator=True, dark=dark, csp=False)
    wrong = {}
    for path in PATHS:
        page.goto(server.url + path)
        settled(page)
        if found := violations(page):
            wrong[path] = found
    for name, view in {"illegal": ILLEGAL, "doubt": DOUBT, "teacher": TEACHER}.items():
        server.table.show(view)
        page.goto(server.url + "/")
        settled(page)
        if found := violations(page):
            wrong[name] = found
    assert wrong == {}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_no_page_is_wider_than_the_screen(server, open_page, size: tuple[int, int]) -> None:
    page = open_page("/", operator=True, size=size, lang="de")
    wide = {}
    for path in PATHS:
        page.goto(server.url + path)
        settled(page)
        if (width := page.evaluate("document.documentElement.scrollWidth")) > size[0]:
            wide[path] = width
    assert wide == {}


def test_a_phone_gets_a_light_page_soon(server, open_page) -> None:
    page = open_page("/", size=(390, 844))
    client = page.context.new_cdp_session(page)
    client.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    client.send("Network.enable")
    loaded: list[float] = []
    client.on("Network.loadingFinished", lambda event: loaded.append(event["encodedDataLength"]))
    client.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.reload()
    page.wait_for_selector(".board .checker")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert sum(loaded) < 300_000
    assert paint < 5000, "a page that paints nothing for seconds; the figure for phones is in docs/page.md"


def test_the_camera_is_set_up_by_touch(server, open_page) -> None:
    server.table.picture = picture()
    page = open_page("/calibrate", operator=True, size=(1024, 768), touch=True)
    until(page, "document.querySelector('.cal-picture').naturalWidth > 1")
    server.fakes.vision.fails = True
    page.tap("text=Find the board by itself")
    page.wait_for_selector("text=This is not the starting position.")
    server.fakes.vision.fails = False
    handle = page.locator(".cal-handle >> nth=0")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    for kind, dx in (("touchStart", 0), ("touchMove", 10), ("touchMove", 20)):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x + dx, "y": y + dx}]})
    assert page.locator(".cal-glass image").count() == 1
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    for _ in range(2):  # a nervous finger
        page.tap(".seat.left")
        page.wait_for_selector('.seat.left[aria-pressed="true"]')
    page.tap("text=Use these corners")
    page.wait_for_selector("text=The board is found")
    corners, white_side, _ = server.fakes.vision.asked[-1]
    assert white_side == "left"
    assert corners[0][0] > 100
    page.tap("text=Keep it")
    page.wait_for_selector("text=The camera knows the board.")
    assert server.fakes.vision.kept == 1


def test_a_corner_moves_by_keyboard(server, open_page) -> None:
    server.table.picture = picture()
    page = open_page("/calibrate", operator=True)
    page.click("text=Find the board by itself")
    page.wait_for_selector("text=The board is found")
    page.focus(".cal-handle >> nth=2")
    page.keyboard.press("Shift+ArrowLeft")
    page.click("text=Use these corners")
    until(page, "document.querySelectorAll('.cal-grid polyline').length > 0")
    assert server.fakes.vision.asked[-1][0][2] == (550.0, 420.0)


def test_a_match_is_begun_with_names_length_and_changed_rules(server, open_page) -> None:
    page = open_page("/match", operator=True)
    page.wait_for_selector("text=is still running")
    page.fill("#white", "Ada")
    page.fill("#black", "Grace")
    page.fill("#length", "7")
    page.click("text=Change single rules")
    page.select_option("#half", "any")
    page.select_option("#jacoby", "yes")
    page.click("text=Start from a position")
    page.fill("#from_id", "4HPwATDgc/ABMA")
    page.select_option("#on_roll", "black")
    page.click('button:has-text("Start the match")')
    page.click('.sheet button:has-text("Abandon")')
    page.wait_for_url(server.url + "/")
    assert server.table.commands == [
        cmd.Abandon(),
        cmd.NewMatch(
            white="Ada", black="Grace", length=7, profile="classic", overrides={"half": "any", "jacoby": True},
            from_id="4HPwATDgc/ABMA", on_roll="black",
        )
    ]  # fmt: skip


def test_settings_need_the_pin_and_are_kept(server, open_page) -> None:
    page = open_page("/settings")
    page.fill("#keep_pictures_days", "3")
    page.click('button:has-text("Save")')
    page.fill("#pin", "123456")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Saved.")
    assert server.fakes.settings.value.keep_pictures_days == 3


def test_the_language_of_a_device_is_its_own(server, open_page) -> None:
    page = open_page("/settings")
    page.select_option("#own-language", "de")
    page.wait_for_selector("h1:has-text('Einstellungen')")
    page.goto(server.url + "/matches")
    assert page.locator("html").get_attribute("lang") == "de"


def test_the_clock_is_pressed_by_touch_and_by_key(server, open_page) -> None:
    clock = ClockView(kind="simple_delay", left=(120.0, 95.0), delay_s=12.0, running="white")
    server.table.show(msgspec.structs.replace(OPENING, clock=clock))
    page = open_page("/clock", operator=True, touch=True)
    pressed = [cmd.PressClock(side=side, action="press", who="clock") for side in ("white", "black")]
    page.tap(".clock-half.white")
    until_commands(page, server, pressed[:1])  # two requests at once may arrive in either order
    page.keyboard.press("l")
    until_commands(page, server, pressed)
    assert page.locator(".clock-half.black .clock-time").inner_text() == "1:35"
    server.table.change(clock=msgspec.structs.replace(clock, running=None, flag="white", left=(0.0, 95.0)))
    page.wait_for_selector("text=Time is up")


def test_a_match_is_watched_again_with_slider_and_keys(server, open_page) -> None:
    page = open_page("/matches/m1")
    page.wait_for_selector("text=Step 1 of 4")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Step 2 of 4")
    page.fill('input[type="range"]', "3")
    page.wait_for_selector("text=Step 4 of 4")
    assert page.locator('.spot[data-place="5"]').get_attribute("aria-label") == "Point 5: 2 checkers, White"


def test_a_match_is_deleted_only_after_a_question(server, open_page) -> None:
    server.table.change(match_id="other")
    page = open_page("/matches", operator=True)
    page.click(".match-row >> nth=1 >> text=Delete")
    page.click('.sheet button:has-text("Delete")')
    until(page, "document.querySelectorAll('.match-row').length === 1")
    assert list(server.fakes.records.stored) == ["m1"]


def test_a_photo_becomes_an_id_and_is_corrected(server, open_page) -> None:
    page = open_page("/photo")
    page.set_input_files("#choose", {"name": "b.jpg", "mimeType": "image/jpeg", "buffer": picture()})
    page.wait_for_selector("text=XGID=-b----E-C---eE---c-e----B-")
    page.locator('.spot[data-place="6"]').click()
    page.locator('.spot[data-place="5"]').click()
    page.wait_for_selector("code")
    assert page.locator('.spot[data-place="5"]').get_attribute("aria-label") == "Point 5: 1 checker, White"


def test_what_is_no_picture_is_told(server, open_page) -> None:
    page = open_page("/photo")
    page.set_input_files("#choose", {"name": "b.jpg", "mimeType": "image/jpeg", "buffer": b"text"})
    page.wait_for_selector("text=This is not a JPEG, PNG or WebP picture.")


def test_hit_odds_are_asked_by_tapping(server, open_page) -> None:
    page = open_page("/hit-odds")
    page.locator('.spot[data-place="6"]').click()
    page.click("text=Black, waiting")
    page.locator('.spot[data-place="bar.black"]').click()
    page.click('button:has-text("Calculate")')
    page.wait_for_selector("text=not built yet in this version")
    server.fakes.rules.built = True
    page.click('button:has-text("Calculate")')
    page.wait_for_selector("text=12.340%")
    assert page.locator("text=up to a minute").count() == 0


def test_hit_odds_that_take_time_are_estimated_until_they_are_solved(server, open_page) -> None:
    solved = threading.Event()
    server.fakes.rules.built, server.fakes.rules.slow = True, solved
    page = open_page("/hit-odds")
    page.locator('.spot[data-place="6"]').click()
    page.click("text=Black, waiting")
    page.locator('.spot[data-place="bar.black"]').click()
    page.click('button:has-text("Calculate")')
    page.wait_for_selector("text=up to a minute")
    shown = page.locator("body").inner_text()
    assert "10.0% (8.0% – 12.0%)" in shown
    assert "Estimate by simulation, with its 95 % interval." in shown
    solved.set()
    page.wait_for_selector("text=12.340%")
    assert "up to a minute" not in page.locator("body").inner_text()


def test_names_are_text_and_never_markup(server, open_page) -> None:
    server.table.show(msgspec.structs.replace(MIDDLE, white="<img src=x onerror=alert(1)>"))
    page = open_page("/")
    assert page.locator(".plate.white .name").inner_text() == "<img src=x onerror=alert(1)>"
