"""A folded log as .mat, .sgf, JSON and page: the same match in each."""

from __future__ import annotations

import random

import pytest
from tablebench import Refereed, Table, film

from companion.errors import InputError
from companion.record.export import export, match_record
from companion.rules.notation.mat import read_mat
from companion.rules.notation.sgf_read import read_sgf
from companion.rules.position import START
from companion.rules.record import GameRecord, MatchRecord, Play, moments, record_from_json
from companion.sim.table import DEMO
from companion.table.referee import referee
from companion.table.state import MatchState


@pytest.fixture(scope="module")
def played() -> tuple[MatchRecord, MatchState]:
    """The demo match, refereed without noise."""
    record = read_mat(DEMO.read_text())
    ref = Refereed.of(record.length)
    for event, _ in film(Table(random.Random(3)), record):
        ref.state, _ = referee(ref.state, event)
    return record, ref.state.match


def plays(game: GameRecord) -> list[tuple[object, ...]]:
    return [(a.side, tuple(sorted(a.dice)), a.after) for a in game.actions if isinstance(a, Play)]


def test_the_record_holds_every_play_of_the_match(played: tuple[MatchRecord, MatchState]) -> None:
    record, state = played
    made = match_record(state)
    assert [plays(game) for game in made.games] == [plays(game) for game in record.games]


@pytest.mark.parametrize(("form", "read"), [("mat", read_mat), ("sgf", read_sgf), ("json", record_from_json)])
def test_what_is_written_reads_back_as_the_same_plays(played, form, read) -> None:  # type: ignore[no-untyped-def]
    _, state = played
    back = read(export(state, form))
    assert [plays(game) for game in back.games] == [plays(game) for game in match_record(state).games]
    assert back.length == state.length


def test_positions_follow_from_each_other(played: tuple[MatchRecord, MatchState]) -> None:
    for game in match_record(played[1]).games:
        assert next(iter(moments(game))).before == START


def test_the_page_is_whole_and_escapes_names(played: tuple[MatchRecord, MatchState]) -> None:
    from dataclasses import replace

    text = export(replace(played[1], white="<b>Ada"), "html")
    assert text.startswith("<!doctype html>")
    assert "&lt;b&gt;Ada" in text
    assert "http" not in text


def test_another_format_is_refused(played: tuple[MatchRecord, MatchState]) -> None:
    with pytest.raises(InputError, match="mat, sgf, json, html"):
        export(played[1], "pdf")
