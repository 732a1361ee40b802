"""`companion install-service`: what it prints and writes; systemd itself finds the units sound and shut in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from companion import cli_service
from companion.config import check_keys, to_config
from companion.errors import InputError
from companion.service import units

MOST_EXPOSED = 20  # tenths: 2.0 of systemd-analyze security


def install(*args: str) -> Result:
    return CliRunner().invoke(cli_service.install_service, args)


def test_without_write_it_only_prints_every_file_and_what_it_is_for(tmp_path: Path) -> None:
    done = install("--root", str(tmp_path))
    assert done.exit_code == 0
    assert "Type=notify" in done.output
    assert "only printed" in done.output
    assert list(tmp_path.iterdir()) == []


def test_written_files_have_no_place_left_unfilled_and_say_what_comes_next(tmp_path: Path) -> None:
    done = install("--write", "--root", str(tmp_path), "--kiosk", "--hotspot", "--port", "8123", "--source", "demo")
    assert done.exit_code == 0, done.output
    assert "systemctl enable --now backgammon-companion" in done.output
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == len(units.pieces(kiosk=True, hotspot=True))
    assert not [path for path in written if re.search(r"@[A-Z]+@", path.read_text())]
    avahi = ElementTree.parse(tmp_path / units.AVAHI.target)
    assert avahi.find("service/port").text == "8123"
    assert os.access(tmp_path / units.HOTSPOT.target, os.X_OK)


def test_the_configuration_is_one_the_program_reads_and_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / units.CONFIG.target
    install("--write", "--root", str(tmp_path), "--source", "picamera2:1")
    values = tomllib.loads(path.read_text())
    check_keys(values, str(path))
    assert to_config(values, str(path)).camera.source == "picamera2:1"
    path.write_text("# mine")
    assert "kept" in install("--write", "--root", str(tmp_path)).output
    assert path.read_text() == "# mine"


def test_the_commented_settings_are_known_keys_too() -> None:
    text = units.template(units.CONFIG.template).replace("@SOURCE@", "demo")
    shown = re.sub(r"^# (?=\w+ = |\[)", "", text, flags=re.MULTILINE)
    check_keys(tomllib.loads(shown), "the template")


@pytest.mark.parametrize(
    ("place", "home"),
    [("/opt/c/bin/companion", "yes"), ("/home/pi/c/companion", "read-only"), ("/root/c", "read-only")],
)
def test_homes_are_hidden_unless_the_program_lives_there(place: str, home: str) -> None:
    text = units.filled(
        "ProtectHome=@PROTECTHOME@", companion=Path(place), python=Path("/usr/bin/x"), port=1, video=True
    )
    assert text == f"ProtectHome={home}"


def test_a_missing_group_does_not_keep_the_unit_from_starting() -> None:
    text = units.template(units.SERVICE.template)
    without = units.filled(text, companion=Path("/opt/c"), python=Path("/usr/bin/x"), port=1, video=False)
    assert not [line for line in without.splitlines() if line.startswith("SupplementaryGroups")]


def test_a_path_with_spaces_and_signs_is_one_word() -> None:
    assert units.quoted(Path("/opt/my table/100%/bin/$x")) == '"/opt/my table/100%%/bin/$$x"'


def test_a_folder_others_cannot_enter_is_named(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir(mode=0o700)
    assert units.shut_door(tmp_path / "private" / "bin" / "companion") is not None
    assert units.shut_door(Path("/usr/bin/env")) is None


def test_a_service_that_could_not_reach_its_program_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "shut_door", lambda path: Path("/home/pi"))
    done = install("--write")
    assert isinstance(done.exception, InputError)
    assert "cannot enter /home/pi" in str(done.exception)


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "etc").write_text("a file where a folder should be")
    done = install("--write", "--root", str(tmp_path))
    assert isinstance(done.exception, InputError)
    assert str(tmp_path) in str(done.exception)


# --- judged by systemd itself ------------------------------------------------------------------------------------

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The units as written, with programs where they name them."""
    install("--write", "--root", str(tmp_path), "--kiosk")
    service = tmp_path / units.SERVICE.target
    service.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", service.read_text(), flags=re.MULTILINE))
    kiosk = tmp_path / units.KIOSK[0].target
    kiosk.write_text(kiosk.read_text().replace("/usr/bin/cage", "/bin/true"))
    return tmp_path


@needs_systemd
def test_systemd_finds_no_fault_in_the_units(root: Path) -> None:
    names = [str(root / units.SERVICE.target), str(root / units.KIOSK[0].target)]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *names], capture_output=True, text=True
    )
    ours = [line for line in done.stderr.splitlines() if "backgammon" in line]
    assert (done.returncode, ours) == (0, [])


@needs_systemd
def test_systemd_finds_a_typo(root: Path) -> None:
    unit = root / units.SERVICE.target
    unit.write_text(unit.read_text().replace("PrivateTmp=", "PrivatTmp="))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit)], capture_output=True, text=True
    )
    assert "PrivatTmp" in done.stderr


@needs_systemd
def test_the_service_is_shut_in(root: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager",
         str(root / units.SERVICE.target)], capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-200:] + done.stderr
