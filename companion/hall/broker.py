"""The way to the broker: an MQTT client as configured, which connects again by itself. paho is imported only here."""

from __future__ import annotations

import logging
import secrets
import socket
import ssl
from pathlib import Path
from typing import Any

from companion.config import Hall
from companion.errors import InputError

log = logging.getLogger(__name__)
KEEPALIVE_S = 20
"""A vanished client is noticed, and its last will told, after one and a half times this."""
SLOWEST_RETRY_S = 15
QOS = 1


def password(hall: Hall) -> str | None:
    """The password from its file. Raises InputError."""
    if not hall.password_file:
        return None
    try:
        return Path(hall.password_file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"hall.password_file {hall.password_file}: cannot be read ({error})") from error


def client(hall: Hall, role: str) -> Any:
    """A paho client, not yet connecting. Raises InputError when the configuration cannot be used."""
    try:
        import paho.mqtt.client as mqtt
        from paho.mqtt.enums import CallbackAPIVersion
    except ImportError:
        raise InputError("hall: paho-mqtt is not installed; pip install 'backgammon-companion[hall]'") from None
    name = f"{role}-{secrets.token_hex(6)}"
    made = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv311)
    if hall.user:
        made.username_pw_set(hall.user, password(hall))
    if hall.tls:
        _encrypt(made, hall)
    made.reconnect_delay_set(1, SLOWEST_RETRY_S)
    made.max_queued_messages_set(100)
    return made


def _encrypt(made: Any, hall: Hall) -> None:
    try:
        made.tls_set(ca_certs=hall.ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise InputError(f"hall.ca_file {hall.ca_file}: cannot be used ({error})") from error


def connect(made: Any, hall: Hall) -> None:
    """Begin to connect; the client's own thread goes on trying for ever."""
    made.connect_async(hall.broker, hall.port, keepalive=KEEPALIVE_S)
    made.loop_start()


def table_name(hall: Hall) -> str:
    return hall.table or socket.gethostname()


class Complaints:
    """Says once that the broker is out of reach, and once that it is back."""

    def __init__(self, hall: Hall) -> None:
        self._where = f"broker {hall.broker}:{hall.port}"
        self._said = ""

    def say(self, why: str) -> None:
        """`why`: what is wrong; "" = all is well."""
        if why == self._said:
            return
        if why:
            log.warning("%s: %s; trying again", self._where, why)
        else:
            log.info("%s: connected", self._where)
        self._said = why
