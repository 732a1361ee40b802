"""Who may change things: the operator PIN, signed session cookies, CSRF tokens, Host and Origin checks, back-off.

Flask's session is not used: a cookie is `id.expiry.signature`, so a restarted service still knows its operator.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import os
import secrets
import socket
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from companion.errors import InputError

COOKIE = "companion_operator"
SESSION_S = 14 * 3600
"""A session lasts a club day, seconds."""
PIN_DIGITS = 6
FREE_TRIES = 3
"""Wrong PINs before the wait begins; then 2, 4, 8 … seconds."""
LONGEST_WAIT_S = 300.0
REMEMBERED = 1024
"""Addresses whose failures are remembered; the one seen longest ago goes first."""
LOCAL_SUFFIXES = (".local", ".lan", ".home", ".home.arpa", ".internal", ".fritz.box")


@dataclass(frozen=True, slots=True)
class Keys:
    """The PIN and the secret that signs sessions. A new PIN comes with a new secret: old sessions end."""

    pin: str
    secret: bytes


def fresh_keys() -> Keys:
    return Keys("".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS)), secrets.token_bytes(32))


def store_keys(path: Path, keys: Keys) -> None:
    """Atomic, readable by the owner alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".operator")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"pin": keys.pin, "secret": keys.secret.hex()}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(name, path)


def load_keys(path: Path) -> Keys:
    """The stored keys, made at the first start."""
    if not path.exists():
        store_keys(path, fresh_keys())
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Keys(str(data["pin"]), bytes.fromhex(data["secret"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a PIN file ({error}); delete it to get a new PIN") from error


def _sign(secret: bytes, text: str) -> str:
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()


def new_session(keys: Keys, now: float) -> str:
    """A cookie value. `now`: seconds, wall clock."""
    body = f"{secrets.token_hex(12)}.{int(now) + SESSION_S}"
    return f"{body}.{_sign(keys.secret, 'session:' + body)}"


def session_id(keys: Keys, cookie: str | None, now: float) -> str | None:
    """The session's id when the cookie is ours and not too old."""
    if not cookie or cookie.count(".") != 2 or not cookie.isascii():
        return None
    body, _, mac = cookie.rpartition(".")
    if not hmac.compare_digest(mac, _sign(keys.secret, "session:" + body)):
        return None
    sid, _, expiry = body.partition(".")
    return sid if int(expiry) > now else None


def csrf_token(keys: Keys, sid: str) -> str:
    return _sign(keys.secret, "csrf:" + sid)


def csrf_ok(keys: Keys, sid: str, token: str | None) -> bool:
    return token is not None and token.isascii() and hmac.compare_digest(token, csrf_token(keys, sid))


class BackOff:
    """Waits that double with every wrong PIN of one address. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    def wait_s(self, address: str) -> float:
        """Seconds this address has still to wait; 0 = may try."""
        with self._lock:
            count, since = self._failures.get(address, (0, 0.0))
        if count < FREE_TRIES:
            return 0.0
        return max(0.0, since + min(2.0 ** (count - FREE_TRIES + 1), LONGEST_WAIT_S) - self._clock())

    def failed(self, address: str) -> None:
        with self._lock:
            count, _ = self._failures.pop(address, (0, 0.0))
            self._failures[address] = (count + 1, self._clock())
            while len(self._failures) > REMEMBERED:
                del self._failures[next(iter(self._failures))]

    def succeeded(self, address: str) -> None:
        with self._lock:
            self._failures.pop(address, None)


def host_name(host_header: str) -> str:
    """The name in a Host header, without port and brackets, lower case; "" when it is malformed."""
    try:
        return (urlsplit(f"//{host_header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def host_ok(host_header: str, allowed: frozenset[str]) -> bool:
    """Is this a name of ours? Addresses and local names are; a stranger's domain pointing here (rebinding) is not."""
    name = host_name(host_header)
    if not name:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in allowed or name in ("localhost", socket.gethostname().lower()) or name.endswith(LOCAL_SUFFIXES)
    return True


def origin_ok(origin: str | None, fetch_site: str | None, host_header: str) -> bool:
    """Does a changing request come from our own page? A program without a browser sends neither header."""
    if fetch_site not in (None, "same-origin", "none"):
        return False
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == host_header.lower()
    except ValueError:
        return False
