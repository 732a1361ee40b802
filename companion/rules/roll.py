"""Is this a valid roll? Judged from what was seen of each die, under the profile (RULES.md B1-B8, CONTRACT.md `roll`).

Which faults call for a re-roll and which only mean "look again" is `RollVerdict.reroll`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.rules.position import Side
from companion.rules.profile import Profile

FAULTS = ("off_board", "on_bar", "on_checker", "stacked", "cocked", "split", "wrong_half")
"""Physical faults in their order of precedence: both dice are thrown again (B4)."""
NO_FAULTS = ("no_dice", "one_die", "too_many", "moving", "unread")
"""Reasons that call no re-roll: there is nothing to judge yet, or not clearly."""
RULES = {
    "off_board": ("B3", "B4"),
    "on_bar": ("B3", "B4"),
    "on_checker": ("B3", "B4"),
    "stacked": ("B3", "B4"),
    "cocked": ("B4", "B5"),
    "split": ("B3", "B4"),
    "wrong_half": ("B3", "B4"),
}
ASIDE = ("off_board", "on_bar")
"""Where dice that are not being played lie."""


class SeenDie(Protocol):
    """What the referee has to know of a die; `companion.vision.types.DieObservation` is one.

    `state` and `half` as in CONTRACT.md (half: right | left as White sees it, None off the surface).
    """

    @property
    def state(self) -> str: ...
    @property
    def half(self) -> str | None: ...
    @property
    def value(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Die:
    """The plainest SeenDie."""

    state: str = "flat"
    half: str | None = "right"
    value: int | None = None


@dataclass(frozen=True, slots=True)
class RollVerdict:
    """`dice`: larger first (an opening: White's, Black's), None unless every value was read. `used`: indexes of the
    dice judged. `reason` is None exactly when the roll is valid."""

    valid: bool
    dice: tuple[int, int] | None
    reason: str | None
    rules: tuple[str, ...]
    used: tuple[int, ...] = ()

    @property
    def reroll(self) -> bool:
        """Both dice must be thrown again."""
        return self.reason in FAULTS


def right_half(side: Side) -> str:
    """The half at that side's right hand, as White sees it (B3)."""
    return "right" if side is Side.WHITE else "left"


def judge_roll(dice: Sequence[SeenDie], side: Side | None, profile: Profile, *, opening: bool = False) -> RollVerdict:
    """Judge the dice in view. `side`: who throws, None = not known (both dice must then share a half, B8).

    `opening`: one die a player, one in each half (B1). A second pair lying in a tray, a cup or the other side's half
    is not part of the roll when one pair is flat where it should be.
    """
    if not dice:
        return _refused("no_dice")
    if any(die.state == "moving" for die in dice):
        return _refused("moving")
    asked = None if opening or profile.half == "any" or side is None else right_half(side)
    chosen = _thrown(dice, asked, profile, opening)
    if len(chosen) != 2:
        return _refused("one_die" if len(chosen) == 1 else "too_many" if chosen else "no_dice")
    return _judged(dice, chosen, asked, profile, opening)


def _refused(reason: str, used: tuple[int, ...] = ()) -> RollVerdict:
    return RollVerdict(False, None, reason, RULES.get(reason, ()), used)


def _flat(die: SeenDie, profile: Profile) -> bool:
    """Lies as it must; a die whose state is unclear may still be flat and is refused later, not thrown again."""
    return die.state == "flat" or (die.state == "on_checker" and profile.on_checker == "valid")


def _thrown(dice: Sequence[SeenDie], asked: str | None, profile: Profile, opening: bool) -> tuple[int, ...]:
    """Which of the dice in view make up the throw."""
    everything = tuple(range(len(dice)))
    if len(dice) <= 2:
        return everything
    good = _pair_in_place(dice, asked, profile, opening)
    return good or _faulty_throw(dice, asked)


def _pair_in_place(dice: Sequence[SeenDie], asked: str | None, profile: Profile, opening: bool) -> tuple[int, ...]:
    """The one pair that is flat where it should be, the rest lying aside or in the other half; else ()."""
    surface = [i for i, die in enumerate(dice) if die.half is not None and die.state not in ASIDE]
    if opening or profile.half == "any":
        fits = _all_flat(dice, surface, profile) and len(surface) == 2
        return tuple(surface) if fits else ()
    pairs = []
    for half in ("right", "left") if asked is None else (asked,):
        here = [i for i in surface if dice[i].half == half]
        if len(here) == 2 and _all_flat(dice, here, profile):
            pairs.append(tuple(here))
    return pairs[0] if len(pairs) == 1 else ()


def _all_flat(dice: Sequence[SeenDie], chosen: Sequence[int], profile: Profile) -> bool:
    return all(_flat(dice[i], profile) for i in chosen)


def _faulty_throw(dice: Sequence[SeenDie], asked: str | None) -> tuple[int, ...]:
    """More than two dice and no good pair: those of the thrower's half, filled up with an odd one lying elsewhere."""
    mine = tuple(i for i, die in enumerate(dice) if asked is not None and die.half == asked and die.state not in ASIDE)
    if len(mine) >= 2:
        return mine
    surface = [i for i, die in enumerate(dice) if die.half is not None and die.state not in ASIDE and i not in mine]
    aside = [i for i in range(len(dice)) if i not in mine and i not in surface]
    odd = [group[0] for group in (aside, surface) if len(group) % 2]
    if mine:
        return (*mine, *odd[:1])
    return tuple(surface) if len(surface) == 2 else tuple(range(len(dice)))


def _judged(
    dice: Sequence[SeenDie], chosen: tuple[int, ...], asked: str | None, profile: Profile, opening: bool
) -> RollVerdict:
    pair = [dice[i] for i in chosen]
    values = _values(pair, opening)
    reason = _fault(pair, asked, profile, opening)
    if reason is None and (values is None or any(not _flat(die, profile) for die in pair)):
        reason = "unread"
    rules = RULES.get(reason, ()) if reason else ()
    return RollVerdict(reason is None, values, reason, rules, chosen)


def _fault(pair: Sequence[SeenDie], asked: str | None, profile: Profile, opening: bool) -> str | None:
    """The first physical fault in the order of precedence."""
    states = {die.state for die in pair if not _flat(die, profile)}
    for fault in FAULTS[:5]:
        if fault in states:
            return fault
    if profile.half == "any" or not all(die.half for die in pair):
        return None
    return _wrong_place({die.half for die in pair}, asked, opening)


def _wrong_place(halves: set[str | None], asked: str | None, opening: bool) -> str | None:
    if opening:
        return None if len(halves) == 2 else "wrong_half"
    if len(halves) == 2:
        return "split"
    return None if asked is None or halves == {asked} else "wrong_half"


def _values(pair: Sequence[SeenDie], opening: bool) -> tuple[int, int] | None:
    """Larger first; at the opening White's die (in White's right half) first."""
    first, second = pair
    if first.value is None or second.value is None:
        return None
    if opening and first.half != second.half:
        return (first.value, second.value) if first.half == "right" else (second.value, first.value)
    return max(first.value, second.value), min(first.value, second.value)
