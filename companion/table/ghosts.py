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
REMEMBERED = 12
"""Turns after which a sighting is forgotten."""


def without_ghosts(work: Step, dice: Sequence[DieObservation]) -> list[DieObservation]:
    """The dice that may be some: not what keeps its place from turn to turn, nor what lies flat on no surface."""
    game = work.match.game
    turn = 1000 * (game.number if game else 0) + (game.turns if game else 0)
    return [die for die in dice if _placed(die) and not _haunting(die, _remembered(work, die, turn).turns, turn)]


def _placed(die: DieObservation) -> bool:
    return die.half is not None or die.state in ("off_board", "on_bar", "moving")


def _haunting(die: DieObservation, turns: frozenset[int], turn: int) -> bool:
    """Something without a value in more than a few turns, or the same die in as many turns without a break."""
    if die.value is None:
        return len(turns) > TURNS
    return all(turn - back in turns for back in range(TURNS + 1))


def _remembered(work: Step, die: DieObservation, turn: int) -> Ghost:
    """What is known of that place, this look included."""
    reach = max(SAME, 0.3 * die.edge_px)
    ghosts = work.seen.ghosts
    same = next((g for g in ghosts if math.hypot(g.x - die.x, g.y - die.y) < reach), None)
    now = Ghost(die.x, die.y, frozenset([turn]))
    if same is not None:
        now = replace(same, turns=frozenset(t for t in same.turns if t > turn - REMEMBERED) | {turn})
    work.look_back(ghosts=(now, *(g for g in ghosts if g is not same))[:KEPT])
    return now
