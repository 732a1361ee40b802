"""Hit odds: the solver against a slow, obvious reference built on the rules engine's own legal plays."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from companion.errors import RuleError
from companion.rules.hitodds import answer, parse_men
from companion.rules.hitodds.question import Question, outcomes, question
from companion.rules.hitodds.solver import solve
from companion.rules.hitodds.states import other_side, pips, reachable
from companion.rules.hitodds.tables import table

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


@pytest.mark.parametrize("men", [1, 2])
def test_the_tables_are_right_to_1e_5(men: int) -> None:
    ready = table(men)
    if ready is None:
        pytest.skip(f"no table for {men} men in this installation: python -m companion.rules.hitodds.tables {men}")
    side = other_side(men)
    states = reachable((0, 1, 0, 1, 1, 0))
    for state, on_roll, against in solve(states, side):
        for number in range(0, side.size, 17):
            assert ready.look_up(state, number) == pytest.approx((on_roll[number], against[number]), abs=1e-5)


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
