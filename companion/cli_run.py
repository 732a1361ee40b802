"""The commands `run` and `pin` (CONTRACT.md)."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion import __version__
from companion.errors import InputError

if TYPE_CHECKING:
    from companion.app import Notifier, Service

DATA_HELP = "Data directory; default $STATE_DIRECTORY, else the user's state directory."


@click.command()
@click.option(
    "--source", metavar="SRC", help="demo, picamera2[:N], v4l2:DEV, video:FILE, frames:DIR, http://…, match:FILE."
)
@click.option("--board", type=click.Path(path_type=Path), help="Board file made by `companion calibrate`.")
@click.option("--profile", help="Rule profile of matches begun here.")
@click.option("--data", help=DATA_HELP)
@click.option("--host", help="Address to listen on; default all.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; default 8000 or the next free one.")
@click.option("--from-id", help="Join in mid-game: XGID, or GNU position id in White's view.")
@click.option("--on-roll", type=click.Choice(["white", "black"]), help="Who is on roll at --from-id.")
@click.option("--record", type=click.Path(path_type=Path), metavar="DIR", help="Keep the film here (size-capped).")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Configuration file (TOML).")
def run(**options: Any) -> None:
    """The service: camera -> referee -> page. Without camera and SRC it plays the bundled demo match."""
    from companion.app import build

    service = build(run_options(options))
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        service.start()
        click.echo(greeting(service))
        sys.stdout.flush()
        from companion.app import watch_over

        watch_over(service, stop, notifier())
    finally:
        clean = service.stop()
    if not clean:
        # A thread is still deep in a camera's or OpenCV's code: the interpreter's own end would abort it with a crash.
        sys.stdout.flush()
        logging.shutdown()
        os._exit(0)


def run_options(options: dict[str, Any]) -> Any:
    """The command line, checked."""
    from companion.app import RunOptions
    from companion.config import data_dir, load_config
    from companion.rules.ids import parse_id
    from companion.rules.profile import load_profile

    config = load_config(options["config_file"])
    load_profile(options["profile"] or config.match.profile)
    if options["on_roll"] and not options["from_id"]:
        raise InputError("--on-roll: only together with --from-id")
    if options["from_id"]:
        parse_id(options["from_id"])
    return RunOptions(
        config=config,
        data=data_dir(options["data"]),
        **{
            name: options[name]
            for name in ("source", "board", "profile", "host", "port", "from_id", "on_roll", "record")
        },
    )


def notifier() -> Notifier:
    """systemd's, when it watches, else nobody."""
    from companion.app import Silent
    from companion.service.sdnotify import from_environment

    return from_environment() or Silent()


def greeting(service: Service) -> str:
    """What the terminal shows: the page's address, its QR code, the PIN."""
    from companion.app import running_match

    lines = [
        f"Backgammon Companion {__version__} - source {service.source}, {running_match(service)}",
        *(f"Page:  {address}" for address in service.addresses),
        f"PIN of the operator:  {service.pin}   (also: companion pin)",
        "Stop with Ctrl-C.",
    ]
    code = "" if "JOURNAL_STREAM" in os.environ else terminal_qr(service.addresses[0]) + "\n"
    return code + "\n".join(lines)


def terminal_qr(text: str) -> str:
    """A QR code made of half blocks."""
    import io

    import segno

    out = io.StringIO()
    segno.make(text, error="l").terminal(out, compact=True, border=2)
    return out.getvalue().rstrip("\n")


@click.command()
@click.option("--data", help=DATA_HELP)
@click.option("--renew", is_flag=True, help="Make a new PIN; everybody has to enter it again.")
def pin(data: str | None, renew: bool) -> None:
    """Show (or renew) the operator PIN."""
    from companion.app import PIN_FILE
    from companion.config import data_dir
    from companion.web.auth import fresh_keys, load_keys, store_keys

    path = data_dir(data) / PIN_FILE
    try:
        if renew:
            store_keys(path, fresh_keys())
        click.echo(load_keys(path).pin)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; run it as the user of the service, or name --data") from error
