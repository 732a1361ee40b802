"""Dice followed from look to look: which of them are the throw, whether it is valid, and what it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.rules.position import Side
from companion.rules.profile import Profile
from companion.rules.roll import FAULTS, judge_roll
from companion.table.evidence_model import Dice, any_roll, die_chances, roll_chances
from companion.vision.types import DieObservation, Point2

NEAR = 0.022
"""Board units a die's centre may seem to wander while it lies still (a die is 0.025 … 0.06 wide)."""
LATER_WEIGHT = 0.6
"""A second reading of the same die tells less than the first: the same cause may mislead both."""
OPENING = "opening"
UNSURE_DIE = 0.8
FAINT_DIE = 0.3
CLEAR_FAULT = 0.75
SPOILING = FAULTS[:5]
"""States of a die that spoil the throw whatever the other one does."""
FAULTY_DIE = 0.6
"""Confidence below which a thing without a value is not taken for a die (reflections, pips of the decoration)."""


@dataclass(frozen=True, slots=True)
class Die:
    """One die, all looks at it taken together. `log`: log-chance of the values 1 … 6.

    `sure`: chance that it is a die lying as said, in the last look; `fault`: the last state seen that spoils a throw.
    """

    x: float
    y: float
    board: Point2 | None
    edge: float
    state: str
    half: str | None
    log: tuple[float, ...]
    looks: int = 1
    sure: float = 1.0
    fault: str = ""

    @property
    def best(self) -> int:
        """The likeliest value."""
        return max(range(6), key=lambda v: self.log[v]) + 1

    @property
    def value(self) -> int | None:
        """The value, if it is clear."""
        return self.best if self.read else None

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
        telling = max(other.log) - min(other.log) > 1.0
        return replace(other, log=log, looks=self.looks + telling, fault=other.fault or self.fault)


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
    def clear(self) -> bool:
        """A fault beyond doubt: every die that spoils the throw was surely seen to, or both lie in plain sight."""
        spoiling = [die for die in self.dice if die.state in SPOILING] or list(self.dice)
        return self.faulty and self.looks >= 2 and all(die.sure >= CLEAR_FAULT for die in spoiling)

    @property
    def rested(self) -> bool:
        """It lay still: seen twice, or so plainly that it was not just rolling by."""
        return self.looks >= 2 or all(die.sure >= CLEAR_FAULT for die in self.dice)

    @property
    def fault(self) -> str:
        """Why it had to be thrown again, now that it was: the fault seen, else the likeliest one."""
        seen = [die.fault for die in self.dice if die.fault]
        return self.reason if self.reason in FAULTS and self.reason else seen[0] if seen else "cocked"

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


def dice_of(seen: Sequence[DieObservation]) -> list[DieObservation]:
    """The credible dice; one die alone lends credit to a faint one in its half, for dice are thrown in pairs."""
    dice = [die for die in seen if credible(die)]
    if len(dice) != 1 or dice[0].half is None:
        return dice
    faint = [d for d in seen if d is not dice[0] and d.half == dice[0].half and die_likeness(d) >= FAINT_DIE]
    return [*dice, *sorted(faint, key=lambda d: -die_likeness(d))[:1]]


def credible(seen: DieObservation) -> bool:
    """Enough of a die to be thought of: its value is read, or it is said with confidence to be one."""
    if seen.value is not None:
        return True
    return seen.confidence >= (UNSURE_DIE if seen.state == "unsure" else FAULTY_DIE)


def die_likeness(seen: DieObservation) -> float:
    """The chance that it is a die at all: its confidence is that times the chance of its value (or of none)."""
    if seen.value is not None or len(seen.values) != 6:
        return seen.confidence
    return min(1.0, seen.confidence / max(1e-3, 1.0 - max(seen.values)))


def die_of(seen: DieObservation) -> Die:
    """A die as first seen."""
    log = tuple(math.log(p) for p in die_chances(seen))
    telling = max(log) - min(log) > 1.0
    fault = seen.state if seen.state in SPOILING else ""
    return Die(
        seen.x, seen.y, seen.board_xy, seen.edge_px, seen.state, seen.half, log,
        looks=int(telling), sure=die_likeness(seen), fault=fault,
    )  # fmt: skip


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


def judged(dice: Sequence[Die], asked: Side | str, profile: Profile) -> Throw | None:
    """The throw these dice are, with its verdict; None when there is nothing to judge yet.

    `asked`: the side on roll, or OPENING (one die each, or both of the starter in one half). Dice that all lie off the
    board were put there, not thrown.
    """
    if not any(die.state != "off_board" for die in dice):
        return None
    if isinstance(asked, Side):
        verdict = judge_roll(dice, asked, profile)
    else:
        verdict = judge_roll(dice, None, profile, opening=True)
        if verdict.reason == "wrong_half":
            verdict = judge_roll(dice, None, profile)
    if len(verdict.used) != 2:
        return None
    return Throw(tuple(dice[i] for i in verdict.used), 0.0, 0, 0.0, reason=verdict.reason)
