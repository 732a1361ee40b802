"""The answer to a hit-odds question: tables, exact solution, or an honest estimate."""

from __future__ import annotations

import msgspec
import numpy as np

from companion.rules.hitodds.estimate import estimate
from companion.rules.hitodds.kept import Solutions, Store, name_of, one_roll_on, packed, unpacked
from companion.rules.hitodds.question import Dice, Outcome, Question, men_text, outcomes, partial_outcomes, question
from companion.rules.hitodds.solver import Progress, solve
from companion.rules.hitodds.states import OtherSide, other_side, reachable, top_point
from companion.rules.hitodds.tables import MEN, table

Both = tuple[float, float]
"""Chances with the bearing side on roll, with the other side on roll."""

Values = dict[Question, tuple[float, Both | None]]
"""Chance after each play, with its interval where it is an estimate."""

SECONDS_A_STATE = {1: 0.0015, 2: 0.003, 3: 0.011, 4: 0.065}
"""Solver time a bearing state on one x86 core, by the other side's men: decides between solving and estimating.

Measured with `companion bench hitodds`.
"""
PATIENCE_S = 60.0
ESTIMATED = "played out under a good policy, not solved"


class PlayOdds(msgspec.Struct, frozen=True, omit_defaults=True):
    """One play of the roll asked about: `after` in the words of the command line, `hit` = chance of a hit, with its
    interval where it is an estimate."""

    play: str
    after: dict[str, str]
    hit: float
    interval: Both | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The JSON of `companion hitodds` (CONTRACT.md)."""

    bearing_on_roll: float
    against_on_roll: float
    method: str
    interval: tuple[tuple[float, float], tuple[float, float]] | None = msgspec.field(default_factory=lambda: None)
    model: str = msgspec.field(default_factory=lambda: "ordinary")  # ordinary | spare_moves
    note: str = ""
    plays: tuple[PlayOdds, ...] | None = None
    solvable: bool = False  # an estimate that a minute's solving would replace


def answer(
    bearing: dict[int, int],
    against: dict[int, int],
    *,
    spare_moves: bool = False,
    dice: Dice | None = None,
    on_roll: str | None = None,
    exact: bool = False,
    patience: float = PATIENCE_S,
    progress: Progress | None = None,
    store: Store | None = None,
) -> Answer:
    """Both chances, and the ranked plays of a roll. Men by own point, 25 = bar. RuleError outside the domain.

    `exact` solves however long it takes; else what is expected beyond `patience` seconds is estimated with its
    interval. `store` keeps what was solved.
    """
    asked = question(bearing, against)
    model = "spare_moves" if spare_moves else "ordinary"
    plays = _plays_of(asked, dice, on_roll, spare_moves)
    wanted = [asked, *(o.after for o in plays or () if not o.hit)]
    if not any(q.has_contact for q in wanted):
        return _answer_of((0.0, 0.0), None, model, plays, {}, on_roll, "no contact")
    found = _at_hand(wanted, spare_moves, store)
    if found is None and (exact or _quick(asked, patience)):
        found = _solved(wanted, spare_moves, progress, store)
    if found is None:
        guessed = estimate(asked, wanted[1:], spare_moves, on_roll)
        answered = _answer_of(guessed.both, guessed.interval, model, plays, {**guessed.plays}, on_roll, ESTIMATED)
        return msgspec.structs.replace(answered, solvable=_quick(asked, PATIENCE_S))
    values: Values = {q: (found[q][1 if on_roll == "bearing" else 0], None) for q in wanted[1:]}
    return _answer_of(found[asked], None, model, plays, values, on_roll, "" if asked.has_contact else "no contact")


def _plays_of(asked: Question, dice: Dice | None, on_roll: str | None, spare_moves: bool) -> list[Outcome] | None:
    if dice is None or on_roll is None:
        return None
    if on_roll == "against" and spare_moves:
        return partial_outcomes(asked, dice)
    return outcomes(asked, dice, on_roll == "bearing")


def _quick(asked: Question, patience: float) -> bool:
    limit = int(patience / SECONDS_A_STATE[len(asked.places)])
    return len(reachable(asked.bearing, limit)) <= limit


def _at_hand(wanted: list[Question], spare_moves: bool, store: Store | None) -> dict[Question, Both] | None:
    """The exact values of all questions without solving anything: from the tables, or from earlier runs."""
    men = len(wanted[0].places)
    ready = table("spare_moves" if spare_moves else "ordinary") if men <= MEN else None
    if ready is not None:
        return {q: ready.look_up(q.bearing, q.places) for q in wanted}
    if store is None:
        return None
    data = store.load(name_of(wanted[0].bearing, men, spare_moves))
    if data is None:
        return None
    side = other_side(men)
    solutions = unpacked(data, side, top_point(wanted[0].bearing))
    if not all(q.bearing in solutions for q in wanted):
        return None
    return {q: _value_in(solutions, side, q) for q in wanted}


def _solved(
    wanted: list[Question], spare_moves: bool, progress: Progress | None, store: Store | None
) -> dict[Question, Both]:
    """The exact values of all questions; the first one's bearing side can come to all others' in one roll."""
    start = wanted[0].bearing
    side = other_side(len(wanted[0].places))
    near = one_roll_on(start)
    solutions: Solutions = {}
    for state, *values in solve(reachable(start), side, spare_moves=spare_moves, progress=progress):
        if state in near:
            solutions[state] = np.stack(values).astype(np.float32)
    if store is not None:
        store.save(name_of(start, side.men, spare_moves), packed(solutions))
    return {q: _value_in(solutions, side, q) for q in wanted}


def _value_in(solutions: Solutions, side: OtherSide, asked: Question) -> Both:
    values, number = solutions[asked.bearing], side.find(asked.places)
    if number >= values.shape[1]:
        return 0.0, 0.0
    return float(values[0, number]), float(values[1, number])


def _answer_of(
    both: Both,
    interval: tuple[Both, Both] | None,
    model: str,
    plays: list[Outcome] | None,
    values: Values,
    on_roll: str | None,
    note: str,
) -> Answer:
    return Answer(
        bearing_on_roll=both[0],
        against_on_roll=both[1],
        method="exact" if interval is None else "estimate",
        interval=interval,
        model=model,
        note=note,
        plays=None if plays is None else _ranked(plays, values, on_roll == "bearing"),
    )


def _ranked(plays: list[Outcome], values: Values, bearing_on_roll: bool) -> tuple[PlayOdds, ...]:
    """Best first for the side on roll."""
    certain = (1.0, None)
    odds = [PlayOdds(o.text, men_text(o), *(certain if o.hit else values.get(o.after, (0.0, None)))) for o in plays]
    return tuple(sorted(odds, key=lambda p: p.hit if bearing_on_roll else -p.hit))
