"""A hit-odds question: checked, in words and numbers, and the plays of a roll."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from companion.errors import RuleError
from companion.rules.fast import resulting_keys
from companion.rules.hitodds.states import OTHER_BAR, OTHER_OFF, Bearing, top_point
from companion.rules.movetext import format_steps
from companion.rules.packed import Step, unpack
from companion.rules.plays import Play, legal_plays
from companion.rules.position import BAR, OFF, Position, Side, side_counts

MAX_BEARING, MAX_AGAINST = 15, 4
Dice = tuple[int, int]
Way = tuple["Question", int]
"""Where some moves of the other side lead, and how many men they hit."""
Ways = dict[Way, tuple[Step, ...]]


@dataclass(frozen=True, slots=True)
class Question:
    """Men of the bearing side on its points 1 … 6, the other side's as sorted places (see `states`)."""

    bearing: Bearing
    places: tuple[int, ...]

    @property
    def has_contact(self) -> bool:
        """Some man of the other side still stands behind a bearing man."""
        return self.places[0] < top_point(self.bearing)

    def position(self) -> Position:
        """Both sides as a position: White bears off."""
        white = side_counts({i + 1: n for i, n in enumerate(self.bearing)})
        black = [0] * 26
        for place in self.places:
            black[OFF if place == OTHER_OFF else 25 - place] += 1
        return Position(white, tuple(black))


def question(bearing: dict[int, int], against: dict[int, int]) -> Question:
    """From {own point: men} of both sides (25 = bar); RuleError with the reason when outside the domain."""
    wrong = [point for point, n in bearing.items() if n and not 1 <= point <= 6]
    if wrong:
        raise RuleError(
            f"bearing: point {wrong[0]} is not in the home board: all its men must stand on points 1 to 6",
            code="odds_not_home",
            point=wrong[0],
        )
    wrong = [point for point, n in against.items() if n and not 1 <= point <= 25]
    if wrong:
        raise RuleError(f"against: point {wrong[0]} does not exist: give 1 to 24, or bar")
    if min([*bearing.values(), *against.values()], default=0) < 0:
        raise RuleError("bearing and against: a point cannot hold fewer than 0 men")
    men, others = sum(bearing.values()), sum(against.values())
    if not 1 <= men <= MAX_BEARING:
        raise RuleError(f"bearing: {men} men; 1 to {MAX_BEARING} are possible", code="odds_bearing_men", count=men)
    if not 1 <= others <= MAX_AGAINST:
        raise RuleError(
            f"against: {others} men in all; 1 to {MAX_AGAINST} are possible", code="odds_against_men", count=others
        )
    both = [point for point, n in bearing.items() if n and against.get(25 - point)]
    if both:
        raise RuleError(
            f"both sides stand on the bearing side's {both[0]}-point (the other's {25 - both[0]}-point)",
            code="odds_shared",
            point=both[0],
        )
    counts = tuple(bearing.get(point, 0) for point in range(1, 7))
    places = sorted(25 - point for point, n in against.items() for _ in range(n))
    return Question(counts, tuple(places))


def parse_men(text: str, name: str) -> dict[int, int]:
    """`6:3 5:2 bar:1` to {6: 3, 5: 2, 25: 1}; RuleError naming the piece that is wrong."""
    men: dict[int, int] = {}
    for piece in text.replace(",", " ").split():
        found = re.fullmatch(r"(\d{1,2}|bar)(?::(\d{1,2}))?", piece, re.IGNORECASE)
        if not found:
            raise RuleError(f"{name}: {piece!r} is not point:men, such as 6:3 or bar:1")
        point = BAR if found[1].lower() == "bar" else int(found[1])
        men[point] = men.get(point, 0) + int(found[2] or 1)
    return men


@dataclass(frozen=True, slots=True)
class Outcome:
    """One play: its text, where it leads, and how many men of the bearing side the other side hit with it."""

    text: str
    after: Question
    hits: int = 0

    @property
    def hit(self) -> bool:
        """The question is decided."""
        return self.hits > 0


def outcomes(asked: Question, dice: Dice, bearing_on_roll: bool) -> list[Outcome]:
    """Every legal play of the roll under the ordinary rules, one per resulting position."""
    side = Side.WHITE if bearing_on_roll else Side.BLACK
    return [_outcome(play, bearing_on_roll) for play in legal_plays(asked.position(), side, dice)]


def results(asked: Question, dice: Dice, bearing_on_roll: bool) -> tuple[set[Question], bool]:
    """The same without the texts, much faster: where the quiet plays lead, and whether some play hits."""
    side = Side.WHITE if bearing_on_roll else Side.BLACK
    after = [unpack(key, side) for key in resulting_keys(asked.position(), side, dice)]
    quiet = {_question_of(position) for position in after if bearing_on_roll or not position.white[BAR]}
    return quiet, not bearing_on_roll and any(position.white[BAR] for position in after)


def _outcome(play: Play, bearing_on_roll: bool) -> Outcome:
    return Outcome(play.text, _question_of(play.after), 0 if bearing_on_roll else play.after.white[BAR])


def _question_of(after: Position) -> Question:
    places = [OTHER_BAR] * after.black[BAR]
    places += [25 - p for p in range(24, 0, -1) for _ in range(after.black[p])]
    places += [OTHER_OFF] * after.black[OFF]
    return Question(after.white[1:7], tuple(places))


def partial_outcomes(asked: Question, dice: Dice) -> list[Outcome]:
    """What the other side can do when it may leave any part of the roll unplayed by these men (spare moves).

    These men still obey the bar and closed points, and never bear off: further men stand outside their home.
    """
    return [Outcome(format_steps(steps), after, hits) for (after, hits), steps in _partial_ways(asked, dice).items()]


def partial_results(asked: Question, dice: Dice) -> tuple[set[Question], bool]:
    """The same without the texts: where the quiet plays lead, and whether some play hits."""
    ways = _partial_ways(asked, dice)
    return {after for after, hits in ways if not hits}, any(hits for _, hits in ways)


def _partial_ways(asked: Question, dice: Dice) -> Ways:
    ways: Ways = {(asked, 0): ()}
    for roll in [dice, dice[::-1]] if dice[0] != dice[1] else [(dice[0],) * 4]:
        front: Ways = {(asked, 0): ()}
        for die in roll:
            front = {way: steps for start in front.items() for way, steps in _one_step(*start, die)}
            ways = {**front, **ways}
    return ways


def _one_step(start: tuple[Question, int], steps: tuple[Step, ...], die: int) -> Iterator[tuple[Way, tuple[Step, ...]]]:
    """Every single move of the other side with `die`."""
    asked, hits = start
    for place in {OTHER_BAR} if asked.places[0] == OTHER_BAR else set(asked.places):
        there = place + die
        held = asked.bearing[there - 1] if there <= 6 else 0
        if there < OTHER_OFF and held < 2:
            yield (_stepped(asked, place, there), hits + held), (*steps, Step(25 - place, 25 - there, held == 1))


def _stepped(asked: Question, place: int, there: int) -> Question:
    """One man of the other side moved; a man of the bearing side standing alone there is gone."""
    rest = list(asked.places)
    rest.remove(place)
    bearing = asked.bearing
    if there <= 6:
        bearing = tuple(0 if point == there else n for point, n in enumerate(bearing, start=1))
    return Question(bearing, tuple(sorted([*rest, there])))


def men_text(outcome: Outcome) -> dict[str, str]:
    """Both sides after a play in the words of the command line; men hit are on the bar."""
    asked = outcome.after
    bearing = [f"bar:{outcome.hits}"] if outcome.hits else []
    bearing += [f"{p}:{asked.bearing[p - 1]}" for p in range(6, 0, -1) if asked.bearing[p - 1]]
    counts: dict[int, int] = {}
    for place in asked.places:
        counts[place] = counts.get(place, 0) + 1
    names = {
        place: "bar" if place == OTHER_BAR else "off" if place == OTHER_OFF else str(25 - place) for place in counts
    }
    return {"bearing": " ".join(bearing), "against": " ".join(f"{names[p]}:{n}" for p, n in sorted(counts.items()))}
