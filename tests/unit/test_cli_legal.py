"""`companion legal` and `companion check`: JSON and exit codes of CONTRACT.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from boards import board

from companion.cli import main
from companion.rules.ids import gnu_position_id, xgid
from companion.rules.position import START, Position, Side

START_ID = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
BLACK_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10"
MADE = board("24:2 13:5 8:2 6:4 5:2")


def run(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as stopped:
        main(list(args))
    out, err = capfd.readouterr()
    return int(stopped.value.code or 0), out, err


def test_legal_lists_every_result_once_with_ids_in_the_movers_view(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, "legal", "--id", START_ID, "--dice", "31", "--json")
    answer = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (answer["dice"], answer["forced"], answer["on_roll"]) == ([3, 1], False, "white")
    assert answer["xgid"].startswith("XGID=-b----E-C---eE---c-e----B-:")
    assert answer["gnuid"].startswith(START_ID + ":")
    results = {result["play"]: result for result in answer["results"]}
    assert len(results) == len(answer["results"]) == len({result["after"] for result in answer["results"]}) == 16
    assert results["8/5 6/5"]["after"] == gnu_position_id(MADE, Side.WHITE)
    assert results["8/5 6/5"]["position"] == {"white": list(MADE.white), "black": list(MADE.black)}


def test_the_roll_and_the_mover_may_come_from_the_id(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "legal", "--id", BLACK_XGID, "--json")
    answer = json.loads(out)
    assert (code, answer["on_roll"], answer["dice"]) == (0, "black", [3, 1])
    made = Position(white=START.white, black=MADE.white)
    results = {result["play"]: result for result in answer["results"]}
    assert results["8/5 6/5"]["position"]["black"] == list(MADE.white)
    assert results["8/5 6/5"]["after"] == gnu_position_id(made, Side.BLACK)


def test_no_legal_move_is_one_entry_with_an_empty_play(capfd: pytest.CaptureFixture[str]) -> None:
    closed = board("bar:1 13:2", "6:2 5:2 4:2 3:2 2:2 1:2")
    code, out, _ = run(capfd, "legal", "--id", xgid(closed, Side.WHITE), "--dice", "6-5", "--json")
    answer = json.loads(out)
    (only,) = answer["results"]
    assert (code, answer["forced"], only["play"]) == (0, True, "")
    assert only["position"] == {"white": list(closed.white), "black": list(closed.black)}


def test_a_batch_gets_one_line_each_in_order_and_names_bad_lines(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = [
        {"id": START_ID, "dice": [3, 1]},
        {"id": "nonsense", "dice": [3, 1]},
        {"id": START_XGID, "dice": "66"},
        {"id": START_ID, "dice": [7, 1]},
        {"id": START_ID},
    ]
    batch = tmp_path / "rolls.jsonl"
    batch.write_text("".join(json.dumps(line) + "\n" for line in lines) + "not json\n")
    code, out, err = run(capfd, "legal", "--batch", str(batch))
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 2
    assert [len(answer.get("results", [])) for answer in answers] == [16, 0, 11, 0, 0, 0]
    assert [answer.get("line") for answer in answers] == [None, 2, None, 4, 5, 6]
    assert len(err.splitlines()) == 4


def test_check_says_legal_and_names_the_play(capfd: pytest.CaptureFixture[str]) -> None:
    after = gnu_position_id(MADE, Side.WHITE)
    code, out, _ = run(capfd, "check", "--id", START_ID, "--dice", "31", "--after", after, "--json")
    answer = json.loads(out)
    assert (code, answer["legal"], answer["rules"], answer["play"]) == (0, True, [], "8/5 6/5")


def test_check_says_which_rule_is_broken_and_what_would_be_legal(capfd: pytest.CaptureFixture[str]) -> None:
    half = board("24:2 13:5 8:2 6:5 5:1")
    after = gnu_position_id(half, Side.WHITE)
    code, out, _ = run(capfd, "check", "--id", START_ID, "--dice", "31", "--after", after, "--json")
    answer = json.loads(out)
    assert (code, answer["legal"], answer["rules"], answer["partial"]) == (0, False, ["C4"], True)
    assert "The 1 could have been played" in answer["why"]
    assert len(answer["legal_plays"]) == 16


@pytest.mark.parametrize("form", ["gnu", "gnu with match id", "xgid"])
def test_after_a_gnu_id_is_in_the_movers_view_and_an_xgid_absolute(
    capfd: pytest.CaptureFixture[str], form: str
) -> None:
    made = Position(white=START.white, black=MADE.white)
    after = {
        "gnu": gnu_position_id(made, Side.BLACK),
        "gnu with match id": gnu_position_id(made, Side.BLACK) + ":cAgAAAAAAAAE",
        "xgid": xgid(made, Side.WHITE),
    }[form]
    code, out, _ = run(capfd, "check", "--id", BLACK_XGID, "--after", after, "--json")
    assert (code, json.loads(out)["play"]) == (0, "8/5 6/5")


def test_check_in_batch(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    batch = tmp_path / "checks.jsonl"
    batch.write_text(json.dumps({"id": START_ID, "dice": [3, 1], "after": START_ID}) + "\n")
    code, out, _ = run(capfd, "check", "--batch", str(batch))
    assert (code, json.loads(out)["rules"]) == (0, ["C4"])


BAD = [
    (["legal", "--id", START_ID], "no dice"),
    (["legal", "--dice", "31"], "--id is missing"),
    (["legal", "--id", "xx", "--dice", "31"], "14 characters"),
    (["legal", "--id", START_ID, "--dice", "38"], "two numbers from 1 to 6"),
    (["legal", "--id", START_ID, "--dice", "3"], "two numbers from 1 to 6"),
    (["legal", "--batch", "no such file"], "no such file"),
    (["legal", "--batch", "-", "--id", START_ID], "do not go together"),
    (["check", "--id", START_ID, "--dice", "31"], "--after is missing"),
    (["check", "--id", START_ID, "--dice", "31", "--after", "?"], "14 characters"),
    (["legal", "--id", "XGID=-b----P-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"], "impossible position: white has 26"),
]


@pytest.mark.parametrize(("args", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_input_is_one_line_and_exit_code_2(capfd: pytest.CaptureFixture[str], args: list[str], words: str) -> None:
    code, out, err = run(capfd, *args)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert words in err


def test_without_json_people_can_read_it(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "legal", "--id", START_ID, "--dice", "31")
    assert code == 0
    assert "8/5 6/5" in out
    code, out, _ = run(capfd, "check", "--id", START_ID, "--dice", "31", "--after", START_ID)
    assert code == 0
    assert "Rules: C4." in out
    assert "Probably meant" in out
