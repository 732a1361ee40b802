"""`companion hitodds`: JSON, batches and refusals of CONTRACT.md, and the words for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli import main

ASK = ("hitodds", "--bearing", "6:3 5:2", "--against", "bar:1 24:1")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as stopped:
        main(list(args))
    out, err = capfd.readouterr()
    return int(stopped.value.code or 0), out, err


def test_both_chances_and_the_method(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, *ASK, "--json")
    found = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert set(found) == {"bearing_on_roll", "against_on_roll", "method", "interval", "model"}
    assert (found["method"], found["interval"], found["model"]) == ("exact", None, "ordinary")
    assert 0 < found["bearing_on_roll"] < 1
    assert 0 < found["against_on_roll"] < 1


@pytest.mark.parametrize("model", [(), ("--spare-moves",)])
@pytest.mark.parametrize(("on_roll", "sign"), [("bearing", 1), ("against", -1)])
def test_the_plays_of_a_roll_best_first(
    capfd: pytest.CaptureFixture[str], on_roll: str, sign: int, model: tuple[str, ...]
) -> None:
    _, out, _ = run(capfd, *ASK, "--dice", "31", "--on-roll", on_roll, "--json", *model)
    plays = json.loads(out)["plays"]
    assert len(plays) > 1
    assert all(set(play) == {"play", "after", "hit"} and set(play["after"]) == {"bearing", "against"} for play in plays)
    assert [play["hit"] for play in plays] == sorted((play["hit"] for play in plays), key=lambda hit: sign * hit)


@pytest.mark.parametrize("model", [(), ("--spare-moves",)])
def test_a_man_hit_is_on_the_bar_and_moves_of_one_man_are_joined(
    capfd: pytest.CaptureFixture[str], model: tuple[str, ...]
) -> None:
    asked = ("hitodds", "--bearing", "6:1 1:2", "--against", "bar:1", "--dice", "65", "--on-roll", "against")
    _, out, _ = run(capfd, *asked, "--json", *model)
    plays = {play["play"]: play for play in json.loads(out)["plays"]}
    assert plays["bar/19*/14"]["after"] == {"bearing": "bar:1 1:2", "against": "14:1"}
    assert plays["bar/19*/14"]["hit"] == 1
    assert ("" in plays) == bool(model)


def test_a_batch_gets_a_line_for_a_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = [
        '{"bearing": "6:1", "against": "bar:1"}',
        '{"bearing": "7:1", "against": "bar:1"}',
        '{"bearing": "3:2", "against": "5:1"}',
        '{"bearing": "6:1", "against": "bar:1", "spare_moves": true, "dice": [3, 1], "on_roll": "bearing"}',
    ]
    (tmp_path / "batch").write_text("\n".join(lines))
    code, out, err = run(capfd, "hitodds", "--batch", str(tmp_path / "batch"))
    first, second, third, fourth = map(json.loads, out.splitlines())
    assert code == 2
    assert "line 2: bearing: point 7" in err
    assert first["method"] == "exact"
    assert second["line"] == 2
    assert (third["bearing_on_roll"], third["against_on_roll"], third["note"]) == (0.0, 0.0, "no contact")
    assert (fourth["model"], fourth["plays"][0]["play"]) == ("spare_moves", "6/2")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--bearing", "6:1"), "--against is missing"),
        (("--bearing", "6:1", "--against", "bar:5"), "5 men in all; 1 to 4"),
        (("--bearing", "6:16", "--against", "bar:1"), "16 men; 1 to 15"),
        (("--bearing", "8:1", "--against", "bar:1"), "point 8 is not in the home board"),
        (("--bearing", "6:1", "--against", "19:1"), "both sides stand on the bearing side's 6-point"),
        (("--bearing", "six", "--against", "bar:1"), "'six' is not point:men"),
        (("--bearing", "6:1", "--against", "bar:1", "--dice", "61"), "--dice and --on-roll belong together"),
        (("--bearing", "6:1", "--against", "bar:1", "--dice", "71", "--on-roll", "against"), "two numbers from 1 to 6"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(
    capfd: pytest.CaptureFixture[str], args: tuple[str, ...], said: str
) -> None:
    code, out, err = run(capfd, "hitodds", *args, "--json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_words_say_method_and_model(capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capfd, *ASK)
    assert "exact; the other side must play its whole roll" in out
    _, out, _ = run(capfd, *ASK, "--spare-moves", "--dice", "61", "--on-roll", "bearing")
    assert "exact; the other side has spare moves" in out
