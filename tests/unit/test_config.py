"""Configuration: the order of its sources, and errors that name file, key and mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.config import Config, data_dir, load_config
from companion.errors import InputError

NOWHERE = Path("/nonexistent/etc.toml")


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_without_any_file_the_defaults_hold() -> None:
    assert load_config(None, {}, NOWHERE) == Config()


def test_the_given_file_wins_over_etc_and_the_environment_over_both(tmp_path: Path) -> None:
    etc = write(tmp_path, "etc.toml", '[web]\nport = 1\nhost = "::1"\n[match]\nlength = 7\n')
    own = write(tmp_path, "own.toml", "[web]\nport = 2\n")
    config = load_config(own, {"COMPANION_HOST": "127.0.0.1"}, etc)
    assert (config.web.port, config.web.host, config.match.length) == (2, "127.0.0.1", 7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[web]\nprot = 80\n", "web.prot; did you mean 'port'"),
        ("[wep]\nport = 80\n", "[wep]; did you mean 'web'"),
        ('[web]\nport = "eighty"\n', "web.port"),
        ("[web]\nport = 99999\n", "web.port: 99999"),
        ("web = 3\n", "write it as a section"),
        ("[web\n", "not TOML"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_file(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, "c.toml", text)
    with pytest.raises(InputError) as error:
        load_config(path, {}, NOWHERE)
    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_a_given_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_config(tmp_path / "none.toml", {}, NOWHERE)


def test_the_data_directory_is_the_option_then_systemds_then_the_users() -> None:
    env = {"STATE_DIRECTORY": "/var/lib/x:/var/lib/y", "HOME": "/home/u"}
    assert data_dir("/d", env) == Path("/d")
    assert data_dir(None, env) == Path("/var/lib/x")
    assert data_dir(None, {"HOME": "/home/u"}) == Path("/home/u/.local/state/backgammon-companion")
    assert data_dir(None, {"XDG_STATE_HOME": "/s"}) == Path("/s/backgammon-companion")
