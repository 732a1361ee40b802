"""What players do again and again: carrying checkers through a play, taking it back, throwing fair dice."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.position import Position, Side
from companion.sim.places import flat_die, right_sign
from companion.sim.scene import Die
from companion.sim.script import Hop, carries_between
from companion.sim.stage import Stage


def carry_out(stage: Stage, side: Side, hops: Sequence[Hop]) -> list[bool]:
    """Carry the checkers one by one; which of the hops hit a blot."""
    hits = []
    for move in hops:
        hits.append(0 < move.end < 25 and bool(stage.stack(side.other, 25 - move.end)))
        stage.hop(side, move.start, move.end, hit_first=stage.rng.random() < 0.8)
    return hits


def carry_anyhow(stage: Stage, side: Side, after: Position) -> None:
    """Carry checkers of both colours until `after` stands there, whatever the rules say (an illegal play)."""
    before = stage.position
    for owner in (side.other, side):
        for move in carries_between(before, after, owner):
            stage.carry(side, owner, move.start, move.end)


def take_back(stage: Stage, side: Side, hops: Sequence[Hop], hits: Sequence[bool]) -> None:
    """Undo a play, last hop first."""
    for move, hit in zip(reversed(hops), reversed(hits), strict=True):
        stage.unhop(side, move.start, move.end, hit)


def fair_dice(stage: Stage, side: Side, dice: Sequence[int], after: Position | None) -> list[Die]:
    """Dice flat in that side's right-hand half, in the order thrown (either)."""
    plan = stage.plan(side, after)
    values = list(dice)
    stage.rng.shuffle(values)
    found: list[Die] = []
    for value in values:
        found.append(flat_die(plan, stage.rng, value, right_sign(side), [*stage.dice, *stage.extra_dice, *found]))
    return found
