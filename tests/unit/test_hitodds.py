"""Hit odds: the solver against a slow, obvious reference built on the rules engine's own legal plays."""

from __future__ import annotations

import os
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.errors import RuleError
from companion.hitodds_store import DiskStore, cache_dir
from companion.rules.hitodds import answer, parse_men
from companion.rules.hitodds.estimate import is_hit
from companion.rules.hitodds.question import Question, outcomes, partial_outcomes, question
from companion.rules.hitodds.solver import solve
from companion.rules.hitodds.states import other_side, pips, reachable
from companion.rules.hitodds.tables import MODELS, Table, table

ROLLS = [((a, b), 1 / 36 if a == b else 2 / 36) for a, b in combinations_with_replacement(range(1, 7), 2)]


@cache
def reference(asked: Question) -> tuple[float, float]:
    """(bearing side on roll, other side on roll), straight from FORMATS.md "Hit odds"."""
    if not asked.has_contact:
        return 0.0, 0.0
    stuck = [0.0, 0.0]
    moved = [0.0, 0.0]
    for turn, bearing in ((0, True), (1, False)):
        for dice, chance in ROLLS:
            plays = outcomes(asked, dice, bearing)
            if [p.text for p in plays] == [""]:
                stuck[turn] += chance
                continue
            values = [1.0 if p.hit else reference(p.after)[1 if bearing else 0] for p in plays]
            moved[turn] += chance * (min(values) if bearing else max(values))
    rest = 1 - stuck[0] * stuck[1]
    on_roll = (moved[0] + stuck[0] * moved[1]) / rest if rest > 1e-12 else 0.0
    return on_roll, moved[1] + stuck[1] * on_roll


def small_positions(count: int, seed: int) -> list[Question]:
    """Few pips of the bearing side, one or two men against it, in contact, on different points."""
    rng = np.random.default_rng(seed)
    found: list[Question] = []
    while len(found) < count:
        bearing = tuple(int(n) for n in rng.multinomial(rng.integers(1, 4), [1 / 6] * 6))
        men = int(rng.integers(1, 3))
        places = tuple(sorted(int(p) for p in rng.integers(0, 9, men)))
        asked = Question(bearing, places)
        if pips(bearing) <= 8 and asked.has_contact and all(not 1 <= p <= 6 or not bearing[p - 1] for p in places):
            found.append(asked)
    return found


def solved(asked: Question) -> tuple[float, float]:
    side = other_side(len(asked.places))
    number = side.find(asked.places)
    for state, on_roll, against in solve(reachable(asked.bearing), side):
        if state == asked.bearing:
            return float(on_roll[number]), float(against[number])
    raise AssertionError("the asked state is reachable from itself")


@pytest.mark.parametrize("asked", small_positions(6, 5), ids=str)
def test_the_solver_equals_the_obvious_reference(asked: Question) -> None:
    assert solved(asked) == pytest.approx(reference(asked), abs=1e-9)


@pytest.mark.acceptance
@pytest.mark.parametrize("asked", small_positions(200, 11), ids=str)
def test_the_solver_equals_the_obvious_reference_200(asked: Question) -> None:
    assert solved(asked) == pytest.approx(reference(asked), abs=1e-9)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("men", [1, 2])
def test_the_tables_are_right_to_1e_5(men: int, model: str) -> None:
    ready, side = shipped(model), other_side(men)
    for state, on_roll, against in solve(reachable((0, 1, 0, 1, 1, 0)), side, spare_moves=model == "spare_moves"):
        for number in range(0, len(on_roll), 7):
            places = tuple(side.places[number].tolist())
            if not any(state[p - 1] for p in places if 1 <= p <= 6):
                expected = pytest.approx((on_roll[number], against[number]), abs=1e-5)
                assert ready.look_up(state, places) == expected


def shipped(model: str) -> Table:
    ready = table(model)
    assert ready is not None, f"missing: python -m companion.rules.hitodds.tables {model}"
    return ready


def large_positions(count: int, seed: int) -> list[Question]:
    """Up to fifteen men against one or two anywhere, in contact."""
    rng = np.random.default_rng(seed)
    found: list[Question] = []
    while len(found) < count:
        bearing = tuple(int(n) for n in rng.multinomial(rng.integers(4, 16), rng.dirichlet([0.7] * 6)))
        places = tuple(sorted(int(p) for p in rng.integers(0, 25, rng.integers(1, 3))))
        asked = Question(bearing, places)
        if asked.has_contact and all(not 1 <= p <= 6 or not bearing[p - 1] for p in places):
            found.append(asked)
    return found


@pytest.mark.parametrize("model", MODELS)
def test_the_tables_agree_with_the_legal_plays_from_any_position(model: str) -> None:
    """Either value is that of the best play of every roll, by the rules engine, one roll deep."""
    ready, spare = shipped(model), model == "spare_moves"
    for asked in large_positions(30, 3):
        for bearing in (True, False):
            total = 0.0
            for dice, chance in ROLLS:
                partial = spare and not bearing
                plays = partial_outcomes(asked, dice) if partial else outcomes(asked, dice, bearing)
                worths = [1.0 if p.hit else ready.look_up(p.after.bearing, p.after.places)[bearing] for p in plays]
                total += chance * (min(worths) if bearing else max(worths))
            assert ready.look_up(asked.bearing, asked.places)[not bearing] == pytest.approx(total, abs=1.6e-5), asked


def test_games_under_the_computed_policy_come_out_as_computed() -> None:
    """Against one or two men the player of `estimate` plays by the tables: perfectly."""
    games = 1000
    for spare_moves in (False, True):
        for asked, bearing in zip(large_positions(4, 8), (True, False, True, False), strict=True):
            rng = np.random.default_rng(21)
            share = sum(is_hit(asked, bearing, spare_moves, rng) for _ in range(games)) / games
            p = shipped("spare_moves" if spare_moves else "ordinary").look_up(asked.bearing, asked.places)[not bearing]
            assert abs(share - p) <= 3 * (p * (1 - p) / games) ** 0.5 + 1 / games, (asked, spare_moves)


class Memory(dict[str, bytes]):
    """A store that forgets at the end of the test."""

    def load(self, name: str) -> bytes | None:
        return self.get(name)

    def save(self, name: str, data: bytes) -> None:
        self[name] = data


THREE: dict[str, Any] = {"bearing": {2: 1, 4: 1}, "against": {25: 1, 24: 1, 20: 1}}


def test_what_was_solved_is_not_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Memory()
    first = answer(**THREE, dice=(6, 1), on_roll="bearing", store=store)
    monkeypatch.setattr("companion.rules.hitodds.odds.solve", None)
    assert answer(**THREE, dice=(6, 1), on_roll="bearing", store=store) == first
    assert answer(**THREE, dice=(5, 5), on_roll="bearing", store=store).plays
    assert answer(**THREE, dice=(4, 3), on_roll="against", store=store).plays


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"nothing"])
def test_a_damaged_store_is_as_none(damage: bytes) -> None:
    store = Memory()
    whole = answer(**THREE, store=store)
    (name, data), *_ = store.items()
    store[name] = damage + data[len(damage) : len(data) // 2]
    assert answer(**THREE, store=store) == whole
    assert store[name] == data


def test_the_store_on_disk_keeps_whole_files_within_its_limit(tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "new", limit=1000)
    store.save("a", b"1" * 600)
    os.utime(tmp_path / "new" / "a.npz", (1, 1))
    store.save("b", b"2" * 600)
    assert (store.load("a"), store.load("b")) == (None, b"2" * 600)
    (tmp_path / "file").touch()
    DiskStore(tmp_path / "file").save("a", b"1")  # no folder can be made there: nothing is kept
    assert DiskStore(tmp_path / "file").load("a") is None


def test_the_cache_is_where_the_system_says() -> None:
    assert cache_dir({"CACHE_DIRECTORY": "/c"}) == Path("/c/hitodds")
    assert cache_dir({"XDG_CACHE_HOME": "/x"}) == Path("/x/backgammon-companion/hitodds")
    assert cache_dir({"HOME": "/h"}) == Path("/h/.cache/backgammon-companion/hitodds")


def test_what_would_take_too_long_is_estimated_and_says_so() -> None:
    exact = answer(**THREE)
    guess = answer(**THREE, patience=0.0, dice=(6, 5), on_roll="bearing")
    assert (exact.method, exact.interval, guess.method) == ("exact", None, "estimate")
    assert guess.interval
    assert guess.plays
    for value, (low, high) in zip((exact.bearing_on_roll, exact.against_on_roll), guess.interval, strict=True):
        assert low <= value <= high
    assert all(play.interval for play in guess.plays if 0 < play.hit < 1)


def test_three_men_solved_in_a_scratch_file_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = answer(**THREE)
    monkeypatch.setattr("companion.rules.hitodds.solver.WINDOW_BYTES", 0)
    assert answer(**THREE).against_on_roll == pytest.approx(exact.against_on_roll, abs=1e-6)


def test_one_blot_six_away_is_hit_by_17_of_36() -> None:
    """A man on the bar against a lone man on the 6-point and an otherwise empty board, other side to roll once."""
    direct = sum(
        1 for a, b in product(range(1, 7), repeat=2) if 6 in (a, b) or a + b == 6 or (a, b) in {(2, 2), (3, 3)}
    )
    assert direct == 17
    # The bearing side's man may yet be hit later: never less than the direct shots.
    assert answer({6: 1}, {25: 1}).against_on_roll >= direct / 36


def test_spare_moves_never_lower_the_other_sides_chance() -> None:
    bearing, against = {4: 1, 2: 1}, {25: 1, 24: 1}
    ordinary = answer(bearing, against)
    spare = answer(bearing, against, spare_moves=True)
    assert spare.model == "spare_moves"
    assert spare.against_on_roll >= ordinary.against_on_roll - 1e-5
    assert spare.bearing_on_roll >= ordinary.bearing_on_roll - 1e-5


def test_without_contact_the_chance_is_nothing_and_it_says_so() -> None:
    found = answer({3: 2}, {5: 1})
    assert (found.bearing_on_roll, found.against_on_roll, found.note) == (0.0, 0.0, "no contact")


def test_plays_are_ranked_for_the_side_on_roll() -> None:
    for on_roll, sign in (("bearing", 1), ("against", -1)):
        plays = answer({6: 2, 4: 1}, {25: 1}, dice=(6, 1), on_roll=on_roll).plays
        assert plays
        hits = [sign * p.hit for p in plays]
        assert hits == sorted(hits)


@pytest.mark.parametrize(
    ("bearing", "against", "reason"),
    [
        ({7: 1}, {25: 1}, "not in the home board"),
        ({6: 16}, {25: 1}, "16 men"),
        ({6: 1}, {25: 5}, "5 men"),
        ({6: 1}, {19: 1}, "both sides stand"),
        ({}, {25: 1}, "0 men"),
    ],
)
def test_what_is_outside_the_domain_is_refused_with_the_reason(
    bearing: dict[int, int], against: dict[int, int], reason: str
) -> None:
    with pytest.raises(RuleError, match=reason):
        question(bearing, against)


def test_men_are_written_point_colon_men() -> None:
    assert parse_men("6:3 5:2 bar:1", "x") == {6: 3, 5: 2, 25: 1}
    with pytest.raises(RuleError, match="'six' is not"):
        parse_men("six", "x")
