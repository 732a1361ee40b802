"""The answer to a hit-odds question: tables, exact solution, or an honest estimate."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from companion.rules.hitodds.estimate import estimate
from companion.rules.hitodds.question import Dice, Outcome, Question, men_text, outcomes, partial_outcomes, question
from companion.rules.hitodds.solver import Progress, solve
from companion.rules.hitodds.states import Bearing, OtherSide, other_side, reachable
from companion.rules.hitodds.tables import table

Both = tuple[float, float]
"""Chances with the bearing side on roll, with the other side on roll."""

SECONDS_A_STATE = {1: 0.0004, 2: 0.002, 3: 0.02, 4: 0.25}
"""Solver time a bearing state on one x86 core, by the other side's men: decides between solving and estimating."""
PATIENCE_S = 60.0


class PlayOdds(msgspec.Struct, frozen=True):
    """One play of the roll asked about: `after` in the words of the command line, `hit` = chance of a hit."""

    play: str
    after: dict[str, str]
    hit: float


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The JSON of `companion hitodds` (CONTRACT.md)."""

    bearing_on_roll: float
    against_on_roll: float
    method: str
    interval: tuple[tuple[float, float], tuple[float, float]] | None = msgspec.field(default_factory=lambda: None)
    model: str = msgspec.field(default_factory=lambda: "ordinary")  # ordinary | spare_moves
    note: str = ""
    plays: tuple[PlayOdds, ...] | None = None


def answer(
    bearing: dict[int, int],
    against: dict[int, int],
    *,
    spare_moves: bool = False,
    dice: Dice | None = None,
    on_roll: str | None = None,
    exact: bool = False,
    progress: Progress | None = None,
) -> Answer:
    """Both chances, and the ranked plays of a roll. Men by own point, 25 = bar. RuleError outside the domain.

    `exact` solves however long it takes; else what is expected beyond a minute is estimated with its interval.
    """
    asked = question(bearing, against)
    model = "spare_moves" if spare_moves else "ordinary"
    plays = _plays_of(asked, dice, on_roll, spare_moves)
    wanted = [asked, *(o.after for o in plays or () if not o.hit)]
    if not any(q.has_contact for q in wanted):
        return _answer_of((0.0, 0.0), "exact", None, model, plays, {}, on_roll, "no contact")
    if not exact and not _quick(asked, spare_moves):
        both, interval, of = estimate(asked, wanted[1:], spare_moves, on_roll)
        return _answer_of(both, "estimate", interval, model, plays, of, on_roll, "played out, not solved")
    found = _exact(wanted, spare_moves, progress)
    note = "" if asked.has_contact else "no contact"
    return _answer_of(found[asked], "exact", None, model, plays, found, on_roll, note)


def _plays_of(asked: Question, dice: Dice | None, on_roll: str | None, spare_moves: bool) -> list[Outcome] | None:
    if dice is None or on_roll is None:
        return None
    if on_roll == "against" and spare_moves:
        return partial_outcomes(asked, dice)
    return outcomes(asked, dice, on_roll == "bearing")


def _quick(asked: Question, spare_moves: bool) -> bool:
    men = len(asked.places)
    if not spare_moves and men <= 2 and table(men) is not None:
        return True
    limit = int(PATIENCE_S / SECONDS_A_STATE[men])
    return len(reachable(asked.bearing, limit)) <= limit


def _exact(wanted: Iterable[Question], spare_moves: bool, progress: Progress | None) -> dict[Question, Both]:
    """The exact values of all questions; the first one's bearing side can come to all others'."""
    questions = list(wanted)
    side = other_side(len(questions[0].places))
    ready = None if spare_moves else table(side.men)
    if ready is not None:
        return {q: ready.look_up(q.bearing, side.find(q.places)) for q in questions}
    return _solved(questions, side, spare_moves, progress)


def _solved(
    questions: list[Question], side: OtherSide, spare_moves: bool, progress: Progress | None
) -> dict[Question, Both]:
    by_state: dict[Bearing, list[Question]] = {}
    for q in questions:
        by_state.setdefault(q.bearing, []).append(q)
    found: dict[Question, Both] = {}
    for state, on_roll, against in solve(
        reachable(questions[0].bearing), side, spare_moves=spare_moves, progress=progress
    ):
        for q in by_state.get(state, ()):
            number = side.find(q.places)
            found[q] = float(on_roll[number]), float(against[number])
    return found


def _answer_of(
    both: Both,
    method: str,
    interval: tuple[Both, Both] | None,
    model: str,
    plays: list[Outcome] | None,
    values: dict[Question, Both],
    on_roll: str | None,
    note: str,
) -> Answer:
    ranked = None if plays is None else _ranked(plays, values, on_roll == "bearing")
    return Answer(
        bearing_on_roll=both[0],
        against_on_roll=both[1],
        method=method,
        interval=interval,
        model=model,
        note=note,
        plays=ranked,
    )


def _ranked(plays: list[Outcome], values: dict[Question, Both], bearing_on_roll: bool) -> tuple[PlayOdds, ...]:
    """Best first for the side on roll; after its play the other side rolls."""

    def chance(o: Outcome) -> float:
        return 1.0 if o.hit else values.get(o.after, (0.0, 0.0))[1 if bearing_on_roll else 0]

    odds = [PlayOdds(o.text, men_text(o.after), chance(o)) for o in plays]
    return tuple(sorted(odds, key=lambda p: p.hit if bearing_on_roll else -p.hit))
