"""The command `hall`: the director's page of all tables (CONTRACT.md)."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

import click
import msgspec

from companion.errors import InputError

PORT = 8100


@click.command()
@click.option("--broker", help="The MQTT broker's name or address; default the configuration's.")
@click.option("--broker-port", type=click.IntRange(1, 65535), help="Its port; default 1883.")
@click.option("--tls/--no-tls", default=None, help="Encrypted connection to the broker.")
@click.option("--ca-file", help="Certificate of the authority that signed the broker's, for --tls.")
@click.option("--user", help="User at the broker.")
@click.option("--password-file", help="File that holds the password.")
@click.option("--host", default="0.0.0.0", show_default=True, help="Address the page listens on.")
@click.option("--port", type=click.IntRange(0, 65535), help=f"Port of the page; default {PORT} or the next free one.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Configuration file (TOML).")
def hall(config_file: Path | None, host: str, port: int | None, **options: Any) -> None:
    """The director's page of all tables: score, whose turn, who needs you, lost cameras."""
    from companion.app import addresses
    from companion.config import load_config
    from companion.hall.page import HallServer, create_app
    from companion.hall.tables import Listener, Tables
    from companion.web.serve import listen

    config = load_config(config_file)
    wanted = broker_of(config.hall, options)
    tables = Tables()
    listener = Listener(wanted, tables)
    sock = listen(host, PORT if port is None else port, search=port is None)
    names = frozenset(name.lower() for name in config.web.allowed_hosts)
    server = HallServer(create_app(tables, f"{wanted.broker}:{wanted.port}", names), sock)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    listener.start()
    server.start()
    for address in addresses(host, server.port):
        click.echo(f"Page:  {address}")
    click.echo("Stop with Ctrl-C.")
    stop.wait()
    listener.stop()
    server.stop()


def broker_of(configured: Any, options: dict[str, Any]) -> Any:
    """The configuration's [hall] with what the command line says instead."""
    given = {("port" if name == "broker_port" else name): value for name, value in options.items() if value is not None}
    wanted = msgspec.structs.replace(configured, **given)
    if not wanted.broker:
        raise InputError("--broker: name the MQTT broker, here or as [hall] broker in the configuration")
    return wanted
