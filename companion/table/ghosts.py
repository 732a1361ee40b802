"""Things taken for dice again and again in the same place, turn after turn: a part of the board, no die."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from companion.table.referee_state import Ghost, Step
from companion.vision.types import DieObservation

SAME = 6.0
"""Pixels within which a thing lies in the same place, at least."""
TURNS = 2
"""A thing seen there in more turns than this is no die: dice are lifted at the end of every turn."""
KEPT = 40


def without_ghosts(work: Step, dice: Sequence[DieObservation]) -> list[DieObservation]:
    """The dice that may be some. Dice whose value is read always stay; the others are remembered by their place."""
    turn = work.match.seq if work.match.game is None else 1000 * work.match.game.number + work.match.game.turns
    kept = []
    for die in dice:
        if die.value is not None or len(_remembered(work, die, turn).turns) <= TURNS:
            kept.append(die)
    return kept


def _remembered(work: Step, die: DieObservation, turn: int) -> Ghost:
    """What is known of that place, this look included."""
    reach = max(SAME, 0.3 * die.edge_px)
    ghosts = work.seen.ghosts
    same = next((g for g in ghosts if math.hypot(g.x - die.x, g.y - die.y) < reach), None)
    now = Ghost(die.x, die.y, frozenset([turn])) if same is None else replace(same, turns=same.turns | {turn})
    work.look_back(ghosts=(now, *(g for g in ghosts if g is not same))[:KEPT])
    return now
