"""What can be wrong with a play (RULES.md F4): stable code, rule ids, and one sentence a beginner understands.

A `Fault` names no language: pages translate by `code` and `args`; `sentence` gives the English text.
Points are always in the mover's own numbering.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.movetext import place_name
from companion.rules.position import BAR, Side

Arg = int | str
NAMES = tuple(side.value.capitalize() for side in Side)
SENTENCES: dict[str, tuple[tuple[str, ...], str]] = {
    "bar_first": (("D1",), "{side} has a checker on the bar: it must enter first"),
    "bar_left": (("D3", "C4"), "{side} still has a checker on the bar that can enter: {play}"),
    "closed": (("C2",), "{move} is not possible: {other} holds the {point}-point with {count} checkers"),
    "shared": (("C3",), "White and Black checkers stand together on {side}'s {point}-point"),
    "not_lifted": (("C3",), "The checker hit on {side}'s {point}-point must be put on the bar"),
    "hit_not_on_bar": (
        ("C3",),
        "The checker hit on {side}'s {point}-point belongs on the bar, it is not there",
    ),
    "early_off": (("E1",), "{side} may not bear off yet: a checker still stands {where}"),
    "higher_first": (("E2",), "The {die} does not bear off from the {point}-point while a checker stands {where}"),
    "not_played": (("C4",), "The {die} could have been played: {play}"),
    "both_playable": (("C4",), "Both numbers can be played: {play}"),
    "more_of_double": (
        ("C4",),
        "A double is played four times if possible, {count} were played: {play} would be right",
    ),
    "nothing_moved": (("C4",), "No checker was moved, but the roll can be played: {play}"),
    "higher_number": (
        ("C5",),
        "Only one of the two numbers can be played, so it must be the higher, the {die}: {play}",
    ),
    "wrong_distance": (("C1",), "{move} is a move of {count}: the roll is {roll}"),
    "other_roll": (("C1",), "This would be right for {other_roll}, but the roll is {roll}"),
    "too_many_moves": (("C1",), "More was moved than the roll of {roll} allows"),
    "backwards": (("A3",), "{move} goes backwards: checkers move only towards the own home board"),
    "to_own_bar": (("C3", "F4"), "{side} put an own checker on the bar: only hit checkers go there"),
    "came_back": (("E4",), "A checker {side} had borne off is back on the board"),
    "missing": (("A1", "F4"), "A {whose} checker is missing: it stood {where}"),
    "added": (("A1", "F4"), "There is a {whose} checker too many {where}"),
    "other_moved": (("F4",), "A {other} checker was moved (it stood {start}, now {end}): only {this} moves now"),
    "not_hit": (("C3", "F4"), "A {other} checker was put on the bar but it was not hit"),
    "no_legal_way": (("C1",), "No legal play of {roll} leads to this position"),
}
"""Code -> (rule ids, English sentence without full stop)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a play."""

    code: str
    args: tuple[tuple[str, Arg], ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules broken (RULES.md ids)."""
        return SENTENCES[self.code][0]

    @property
    def sentence(self) -> str:
        """English, no full stop."""
        return SENTENCES[self.code][1].format_map(dict(self.args))


def fault(code: str, **args: Arg) -> Fault:
    """A fault with its arguments."""
    return Fault(code, tuple(args.items()))


def joined(faults: tuple[Fault, ...]) -> str:
    """All faults as one sentence, full stop included."""
    first, *others = (fault.sentence for fault in faults)
    return "; ".join([first, *map(_not_first, others)]) + "."


def _not_first(sentence: str) -> str:
    """The sentence as it goes on after a semicolon."""
    return sentence if sentence.startswith(NAMES) else sentence[0].lower() + sentence[1:]


def where(place: int) -> str:
    """`on the 8-point` or `on the bar`."""
    return "on the bar" if place == BAR else f"on the {place}-point"


def move_name(start: int, end: int) -> str:
    """`8/5`, `bar/22`, `3/off`."""
    return f"{place_name(start)}/{place_name(end)}"


def roll_name(dice: tuple[int, int]) -> str:
    """`3-1`, the higher number first."""
    return f"{max(dice)}-{min(dice)}"


def title(side: Side) -> str:
    """`White` or `Black`, as sentences begin."""
    return side.value.capitalize()
