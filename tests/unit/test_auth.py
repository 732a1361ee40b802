"""Who may change things: PIN file, sessions, CSRF, Host and Origin, back-off."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.errors import InputError
from companion.web import auth

KEYS = auth.Keys("123456", b"k" * 32)
NOW = 1_000_000.0


def test_the_pin_is_made_once_and_only_the_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "operator.json"
    first = auth.load_keys(path)
    assert auth.load_keys(path) == first
    assert len(first.pin) == auth.PIN_DIGITS
    assert os.stat(path).st_mode & 0o077 == 0


def test_a_broken_pin_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "operator.json"
    path.write_text("{")
    with pytest.raises(InputError, match=r"operator\.json"):
        auth.load_keys(path)


def test_a_session_is_known_until_it_is_too_old() -> None:
    cookie = auth.new_session(KEYS, NOW)
    assert auth.session_id(KEYS, cookie, NOW + auth.SESSION_S - 1)
    assert auth.session_id(KEYS, cookie, NOW + auth.SESSION_S) is None


@pytest.mark.parametrize(
    "change", [lambda c: c[:-1] + "0", lambda c: "0" + c[1:], lambda c: "", lambda c: "a.b.c", lambda c: "ä" + c]
)
def test_a_forged_cookie_is_nobody(change) -> None:
    cookie = auth.new_session(KEYS, NOW)
    forged = change(cookie)
    assert forged == cookie or auth.session_id(KEYS, forged, NOW) is None


def test_a_new_pin_ends_old_sessions() -> None:
    cookie = auth.new_session(KEYS, NOW)
    assert auth.session_id(auth.Keys("654321", b"n" * 32), cookie, NOW) is None


def test_a_csrf_token_belongs_to_one_session() -> None:
    assert auth.csrf_ok(KEYS, "one", auth.csrf_token(KEYS, "one"))
    assert not auth.csrf_ok(KEYS, "two", auth.csrf_token(KEYS, "one"))
    assert not auth.csrf_ok(KEYS, "one", None)
    assert not auth.csrf_ok(KEYS, "one", "ä")


def test_waits_double_after_three_free_tries_and_end_with_success() -> None:
    now = [0.0]
    back_off = auth.BackOff(lambda: now[0])
    waits = []
    for _ in range(6):
        waits.append(back_off.wait_s("a"))
        back_off.failed("a")
    assert waits == [0.0, 0.0, 0.0, 2.0, 4.0, 8.0]
    assert back_off.wait_s("b") == 0.0
    now[0] = 16.0
    assert back_off.wait_s("a") == 0.0
    back_off.succeeded("a")
    back_off.failed("a")
    assert back_off.wait_s("a") == 0.0


def test_many_addresses_are_forgotten_oldest_first() -> None:
    back_off = auth.BackOff(lambda: 0.0)
    for _ in range(5):
        back_off.failed("old")
    for i in range(auth.REMEMBERED):
        back_off.failed(str(i))
    assert back_off.wait_s("old") == 0.0


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "[::1]:8000", "localhost", "table1.local:80", "board.fritz.box", "club.example"]
)
def test_own_names_are_answered(host: str) -> None:
    assert auth.host_ok(host, frozenset({"club.example"}))


@pytest.mark.parametrize("host", ["evil.example", "", "localhost.evil.example", "[", "a b"])
def test_strange_names_are_not(host: str) -> None:
    assert not auth.host_ok(host, frozenset())


def test_changes_come_from_our_own_page_or_from_no_browser() -> None:
    assert auth.origin_ok(None, None, "h:1")
    assert auth.origin_ok("http://h:1", "same-origin", "h:1")
    assert not auth.origin_ok("http://evil", None, "h:1")
    assert not auth.origin_ok(None, "cross-site", "h:1")
    assert not auth.origin_ok("null", None, "h:1")
