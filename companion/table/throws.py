"""Dice followed from look to look: which of them are the throw, whether it is valid, and what it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.rules.position import Side
from companion.table.evidence_model import Dice, any_roll, die_chances, roll_chances
from companion.vision.types import DieObservation, Point2

NEAR = 0.022
"""Board units a die's centre may seem to wander while it lies still (a die is 0.025 … 0.06 wide)."""
LATER_WEIGHT = 0.6
"""A second reading of the same die tells less than the first: the same cause may mislead both."""
FAULTS = ("off_board", "on_bar", "on_checker", "stacked", "cocked", "split", "wrong_half")
RULE_OF_FAULT = {"off_board": "B4", "on_bar": "B4", "on_checker": "B4", "stacked": "B4", "cocked": "B5"}
OPENING = "opening"


@dataclass(frozen=True, slots=True)
class Die:
    """One die, all looks at it taken together. `log`: log-chance of the values 1 … 6."""

    x: float
    y: float
    board: Point2 | None
    edge: float
    state: str
    half: str | None
    log: tuple[float, ...]
    looks: int = 1

    @property
    def value(self) -> int:
        return max(range(6), key=lambda v: self.log[v]) + 1

    @property
    def read(self) -> bool:
        """Its value is clear: twenty times likelier than any other."""
        ranked = sorted(self.log)
        return ranked[-1] - ranked[-2] > 3.0

    def near(self, other: Die) -> bool:
        if self.board and other.board:
            return math.dist(self.board, other.board) < NEAR
        return math.hypot(self.x - other.x, self.y - other.y) < max(8.0, 0.7 * max(self.edge, other.edge))

    def seen_again(self, other: Die) -> Die:
        """This die after one more look at it."""
        weight = LATER_WEIGHT**self.looks
        log = tuple(a + weight * b for a, b in zip(self.log, other.log, strict=True))
        return replace(other, log=log, looks=self.looks + 1)


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice lying together. `reason`: None = valid, else as `roll.reason` in CONTRACT.md. `called`: already reported."""

    dice: tuple[Die, ...]
    t: float
    frame: int
    last_t: float
    looks: int = 1
    reason: str | None = None
    called: bool = False

    @property
    def faulty(self) -> bool:
        return self.reason in FAULTS

    @property
    def pair(self) -> tuple[Die, Die] | None:
        """The two dice of the roll."""
        return (self.dice[0], self.dice[1]) if len(self.dice) == 2 else None

    @property
    def states(self) -> tuple[str, ...]:
        return tuple(die.state for die in self.dice)

    def values(self) -> Dice:
        """The likeliest roll, larger die first."""
        rolls = self.rolls()
        return max(rolls, key=lambda roll: rolls[roll])

    def rolls(self) -> dict[Dice, float]:
        """Log-chance of all 21 rolls; even when the dice were not read."""
        pair = self.pair
        return roll_chances(pair[0].log, pair[1].log) if pair else any_roll()


def die_of(seen: DieObservation) -> Die:
    """A die as first seen."""
    log = tuple(math.log(p) for p in die_chances(seen))
    return Die(seen.x, seen.y, seen.board_xy, seen.edge_px, seen.state, seen.half, log)


def matched(known: Sequence[Die], seen: Sequence[Die]) -> tuple[list[tuple[Die, Die]], list[Die]]:
    """Pairs (known, seen) that lie in the same place, and the seen dice that lie elsewhere."""
    rest = list(seen)
    pairs = []
    for die in known:
        same = min((s for s in rest if s.near(die)), key=lambda s: math.hypot(s.x - die.x, s.y - die.y), default=None)
        if same is not None:
            rest.remove(same)
            pairs.append((die, same))
    return pairs, rest


def right_half(side: Side) -> str:
    """The half at that side's right hand, as White sees it (B3)."""
    return "right" if side is Side.WHITE else "left"


def judged(dice: Sequence[Die], asked: Side | str, *, on_checker_valid: bool, any_half: bool) -> Throw | None:
    """The throw these dice are, with its verdict; None when no throw can be told (no die, one die, dice moving).

    `asked`: the side on roll, or OPENING. Precedence of the reasons as in CONTRACT.md.
    """
    if any(die.state == "moving" for die in dice):
        return None
    pair = _pair(dice, asked, any_half)
    if len(pair) != 2:
        return None
    return Throw(tuple(pair), 0.0, 0, 0.0, reason=_reason(pair, asked, on_checker_valid, any_half))


def _pair(dice: Sequence[Die], asked: Side | str, any_half: bool) -> list[Die]:
    """The two dice thrown: a flat pair where it should be wins over others lying about."""
    on_board = [die for die in dice if die.half is not None and die.state != "off_board"]
    if isinstance(asked, Side) and not any_half:
        right = [die for die in on_board if die.half == right_half(asked) and die.state == "flat"]
        if len(right) == 2:
            return right
    if len(on_board) >= 2:
        return on_board if len(on_board) == 2 else []
    return list(dice) if on_board and len(dice) == 2 else []


def _reason(pair: Sequence[Die], asked: Side | str, on_checker_valid: bool, any_half: bool) -> str | None:
    states = [die.state for die in pair]
    for fault in ("off_board", "on_bar", "on_checker", "stacked", "cocked"):
        if fault in states and not (fault == "on_checker" and on_checker_valid):
            return fault
    halves = {die.half for die in pair}
    if isinstance(asked, Side) and not any_half:
        if len(halves) > 1:
            return "split"
        if halves != {right_half(asked)}:
            return "wrong_half"
    if "unsure" in states or not all(die.read for die in pair):
        return "unread"
    return None
