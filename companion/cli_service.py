"""The commands `install-service` and `doctor` (CONTRACT.md)."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click
import msgspec

from companion.errors import InputError
from companion.service import units
from companion.service.checks import Check

NEXT = """
Next:
  sudo systemctl daemon-reload
  sudo systemctl enable --now backgammon-companion
  systemctl status backgammon-companion      (STATUS says what it does)
  sudo {companion} pin --data /var/lib/backgammon-companion"""
NEXT_KIOSK = """
  sudo systemd-sysusers && sudo systemd-tmpfiles --create
  sudo systemctl enable --now backgammon-companion-kiosk"""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
@click.option("--data", help="Data directory; default the installed service's, else the user's.")
@click.option("--source", default="", metavar="SRC", help="Camera to look through; default the configuration's.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Configuration file (TOML).")
def doctor(as_json: bool, data: str | None, source: str, config_file: Path | None) -> None:
    """Check libraries, models, disk, heat, clock, camera, calibration, page, PIN. Exit 0: all is well, else 1."""
    from companion.config import data_dir, load_config
    from companion.service.doctor import SERVICE_DATA, Patient, examine

    folder = SERVICE_DATA if data is None and SERVICE_DATA.exists() else data_dir(data)
    patient = Patient(load_config(config_file), folder, source)
    found = []
    for check in examine(patient):
        found.append(check)
        if not as_json:
            click.echo(line_of(check))
    well = all(check.ok for check in found)
    if as_json:
        click.echo(msgspec.json.encode({"ok": well, "checks": found}).decode())
    sys.exit(0 if well else 1)


def line_of(check: Check) -> str:
    """`ok` or `!!`, what was found, and what to do."""
    mend = "" if check.ok else f"\n                -> {check.mend}"
    return f"{'ok' if check.ok else '!!'}  {check.name:<12}{check.found}{mend}"


@click.command("install-service")
@click.option("--write", is_flag=True, help="Write the files (as root); without it they are only printed.")
@click.option("--root", type=click.Path(path_type=Path), default=Path("/"), help="Write below this folder.")
@click.option("--kiosk", is_flag=True, help="Also the display on this machine's own screen.")
@click.option("--hotspot", is_flag=True, help="Also the script that makes this machine a Wi-Fi.")
@click.option("--source", default="picamera2", show_default=True, metavar="SRC", help="For a new configuration file.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the page; default: the configuration's.")
def install_service(write: bool, root: Path, kiosk: bool, hotspot: bool, source: str, port: int | None) -> None:
    """Print or write the systemd units, and say what each file is for. Starts and enables nothing."""
    from companion.config import load_config

    if any(c in source for c in '"\\\n'):
        raise InputError(f"--source {source!r}: quotes and backslashes do not belong in a source")
    companion = units.program()
    fill = partial(_filled, companion=companion, source=source, port=port or load_config().web.port)
    wanted = units.pieces(kiosk=kiosk, hotspot=hotspot)
    door = units.shut_door(companion) or units.shut_door(Path(sys.executable))
    if door:
        _closed(door, companion, refuse=write and root == Path("/"))
    if not write:
        _print(wanted, fill)
        return
    written = units.install(root, wanted, fill)
    for piece in wanted:
        path = root / piece.target
        click.echo(f"{'wrote' if path in written else 'kept '}  {path}: {piece.why}")
    click.echo(NEXT.format(companion=companion) + (NEXT_KIOSK if kiosk else ""))


def _filled(text: str, *, companion: Path, source: str, port: int) -> str:
    text = text.replace("@SOURCE@", source)
    python, video = Path(sys.executable).resolve(), units.has_group("video")
    return units.filled(text, companion=companion, python=python, port=port, video=video)


def _closed(door: Path, companion: Path, *, refuse: bool) -> None:
    """The service runs as a user of its own, which must be able to reach the program."""
    text = f"{companion}: the service's own user cannot enter {door}; install the program in /opt/backgammon-companion"
    if refuse:
        raise InputError(f"{text} (docs/raspberry-pi.md)")
    click.echo(f"companion install-service: {text}", err=True)


def _print(wanted: tuple[units.Piece, ...], fill: partial[str]) -> None:
    for piece in wanted:
        click.echo(f"##### /{piece.target}: {piece.why}\n{fill(units.template(piece.template))}")
    click.echo("companion install-service: only printed; --write writes these files", err=True)
