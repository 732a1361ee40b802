"""Doubles as the cube shows them: offered on the board, taken by a move to the other side (RULES.md G)."""

from __future__ import annotations

from companion.rules.position import Side
from companion.table import events as ev
from companion.table.referee_state import Step
from companion.table.state import Phase
from companion.vision.types import CubeObservation

SURE = 0.5
FAINT = 0.15
LASTING = 0.75
"""Confidences added up by which a cube is believed to lie somewhere, though its value is not read."""
LOOKS = 2
"""Looks at a cube that has changed hands without an offer seen before it is believed."""


def watch_cube(work: Step, cube: CubeObservation | None, *, dice_lie: bool = False) -> None:
    """Double and take, from where the cube lies. `dice_lie`: dice in view, of which one may be taken for the cube."""
    if cube is None or cube.confidence < FAINT or not work.match.started:
        return
    shown = (cube.value, cube.place, cube.offered_by)
    same = work.seen.cube is not None and work.seen.cube[1] == shown[1]
    seen = work.seen
    came_from_home = seen.cube is not None and seen.cube[1] != "offered"
    work.look_back(
        cube=shown,
        cube_looks=seen.cube_looks + 1 if same else 1,
        cube_weight=cube.confidence + (seen.cube_weight if same else 0.0),
    )
    match work.match.phase:
        case Phase.TO_ROLL:
            _before_roll(work, cube, believed=cube.confidence >= SURE or (came_from_home and not dice_lie))
        case Phase.OFFERED:
            _offered(work, cube)
        case Phase.ROLLED:
            _after_roll(work, cube)


def _before_roll(work: Step, cube: CubeObservation, *, believed: bool) -> None:
    """`believed`: it is surely the cube, though its value may be unclear."""
    side = work.match.on_roll
    if side is None or work.seen.throw is not None or not may_double(work, side):
        return
    if cube.place == "offered":
        if believed:
            double(work, side)
    elif cube.place == side.other and _changed_hands(work, cube, side):
        double(work, side)
        take(work, side.other)


def _after_roll(work: Step, cube: CubeObservation) -> None:
    """The offer was missed: the cube lies at the other side when the roll is already there."""
    side = work.match.on_roll
    if side is None or not may_double(work, side) or cube.place != side.other or not _changed_hands(work, cube, side):
        return
    double(work, side)
    take(work, side.other)


def _changed_hands(work: Step, cube: CubeObservation, side: Side) -> bool:
    """It lies at the other side: at two clear looks with the right value, or for long enough whatever it shows."""
    if work.match.cube_owner is side.other:
        return False
    seen = work.seen
    clear = cube.value == 2 * work.match.cube and cube.confidence >= 0.7
    return seen.cube_looks >= LOOKS and (clear or (seen.cube_looks > LOOKS and seen.cube_weight >= LASTING))


def _offered(work: Step, cube: CubeObservation) -> None:
    doubler = work.match.offered_by
    if doubler is not None and cube.place == doubler.other:
        take(work, doubler.other)


def may_double(work: Step, side: Side) -> bool:
    """Access to the cube, no Crawford game, not after a re-roll has begun the roll (G1, G5)."""
    match = work.match
    return match.cube_owner in (None, side) and not match.crawford and match.reroll is None


def double(work: Step, side: Side) -> None:
    work.emit(ev.Doubled(t=work.seen.t, frame=work.seen.frame, side=side, value=2 * work.match.cube))


def take(work: Step, side: Side) -> None:
    work.emit(ev.Taken(t=work.seen.t, frame=work.seen.frame, side=side))
