"""Doubles as the cube shows them: offered on the board, taken by a move to the other side (RULES.md G).

The cube's value comes from the record, never from its face; what is asked of the picture is only where it lies. One
look is never enough: an offer seen faintly waits until the cube lies with the other side, or the game is given up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from companion.rules.position import Side
from companion.table import events as ev
from companion.table.referee_state import CubeMark, Step
from companion.table.state import Phase
from companion.table.throws import Die
from companion.vision.types import BoardObservation, CubeObservation

SURE = 0.5
"""Confidence from which it is surely the cube."""
PLAIN = 0.85
"""Confidence from which one look at an offered cube is enough, as in time lapse there may be no other."""
FAINT = 0.12
LOOKS = 2
FAINT_LOOKS = 3
"""Looks at a cube that has changed hands, and was not surely read, before it is believed: after an offer only."""
HOME_LOOKS = 3
NEAR = 0.025
"""Share of the picture's width within which a cube lies in the same place."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The cube in one look. `doubtful`: a die lies there too, one of the two readings is wrong."""

    cube: CubeObservation
    doubtful: bool


def told_apart(work: Step, seen: BoardObservation, dice: Sequence[Die]) -> tuple[list[Die], Sight | None]:
    """One thing may be taken for a die and for the cube: it is the cube where the cube is known to lie, else a die."""
    cube = seen.cube
    if cube is None or cube.confidence < FAINT:
        return list(dice), None
    rest = [die for die in dice if math.hypot(die.x - cube.x, die.y - cube.y) > max(8.0, 0.8 * die.edge)]
    if len(rest) == len(dice):
        return rest, Sight(cube, doubtful=False)
    home = work.seen.cube_home
    known = home is not None and _same_place(home, cube, seen.size[0])
    if known or cube.confidence >= PLAIN:
        return rest, Sight(cube, doubtful=False)
    if cube.place != "offered" and cube.confidence >= max(die.sure for die in dice if die not in rest):
        return rest, Sight(cube, doubtful=False)
    alone = len(rest) == 0
    return list(dice), Sight(cube, doubtful=True) if alone else None


def _same_place(mark: CubeMark, cube: CubeObservation, width: int) -> bool:
    return mark.place == cube.place and math.hypot(mark.x - cube.x, mark.y - cube.y) < NEAR * width


def watch_cube(
    work: Step,
    sight: Sight | None,
    *,
    dice_lie: bool = False,
    play_unseen: Callable[[], bool] = lambda: False,
) -> None:
    """Double and take, from where the cube lies; `sight` must have been followed (`follow_cube`).

    `dice_lie`: dice in view. `play_unseen`: called before a double; it ends a turn whose play lies there though its
    roll was not seen, and tells whether the table cannot be explained.
    """
    mark = work.seen.cube
    if sight is None or mark is None or not work.match.started:
        return
    match work.match.phase:
        case Phase.TO_ROLL:
            _before_roll(work, sight, mark, dice_lie=dice_lie, play_unseen=play_unseen)
        case Phase.OFFERED:
            _offered(work, sight, mark)
        case Phase.ROLLED:
            _after_roll(work, sight, mark)


def follow_cube(work: Step, sight: Sight | None, width: int) -> None:
    """The place the cube is seen in, with the looks before this one that saw it there. `width`: of the picture."""
    if sight is None:
        return
    seen, cube = work.seen, sight.cube
    before = seen.cube
    if before is not None and _same_place(before, cube, width):
        mark = replace(before, looks=before.looks + 1, sure=max(before.sure, cube.confidence))
    else:
        mark = CubeMark(cube.place, cube.x, cube.y, cube.offered_by, seen.t, seen.frame, 1, cube.confidence)
    home = mark if mark.place != "offered" and mark.looks >= HOME_LOOKS else seen.cube_home
    work.look_back(cube=mark, cube_home=home)


def _before_roll(work: Step, sight: Sight, mark: CubeMark, *, dice_lie: bool, play_unseen: Callable[[], bool]) -> None:
    away = mark.place not in ("centre", work.match.cube_owner)
    hidden = dice_lie and mark.place == "offered" and not sight.doubtful
    thrown = work.seen.throw is not None or work.seen.fresh is not None
    if thrown or not away or hidden or play_unseen() or not _rollers_cube(work):
        return
    if mark.place != "offered":
        _changed_hands(work, mark)
        return
    _remember_offer(work, sight, mark)
    side = work.match.on_roll
    if side is not None and _believed_offer(work, sight, mark):
        double(work, side)


def _rollers_cube(work: Step) -> bool:
    side = work.match.on_roll
    return side is not None and may_double(work, side)


def _remember_offer(work: Step, sight: Sight, mark: CubeMark) -> None:
    """Perhaps a double: kept until what follows tells, if the side on roll may have offered it."""
    side = work.match.on_roll
    if side is not None and (mark.by in (None, side) or sight.cube.confidence >= SURE):
        work.look_back(offer=mark)


def _believed_offer(work: Step, sight: Sight, mark: CubeMark) -> bool:
    if sight.doubtful or sight.cube.confidence < SURE:
        return False
    return mark.looks >= LOOKS or sight.cube.confidence >= PLAIN


def _after_roll(work: Step, sight: Sight, mark: CubeMark) -> None:
    """The offer was missed: the cube lies at the other side when the roll is already there."""
    if not sight.doubtful and _rollers_cube(work):
        _changed_hands(work, mark)


def _changed_hands(work: Step, mark: CubeMark) -> None:
    """The cube lies at the other side: it was offered and taken, if that is seen well enough."""
    side = work.match.on_roll
    if side is None or mark.place != side.other or work.match.cube_owner is side.other:
        return
    offered = work.seen.offer is not None
    needed = LOOKS if mark.sure >= SURE else FAINT_LOOKS
    if offered and mark.sure >= PLAIN:
        needed = 1
    if mark.looks < needed or (not offered and mark.sure < SURE):
        return
    double(work, side)
    take(work, side.other)


def _offered(work: Step, sight: Sight, mark: CubeMark) -> None:
    doubler = work.match.offered_by
    if doubler is not None and not sight.doubtful and mark.place == doubler.other:
        take(work, doubler.other)


def may_double(work: Step, side: Side) -> bool:
    """Access to the cube, no Crawford game, not after a re-roll has begun the roll (G1, G5)."""
    match = work.match
    return match.cube_owner in (None, side) and not match.crawford and match.reroll is None


def double(work: Step, side: Side) -> None:
    """The side on roll doubled, when it was seen to offer the cube or now."""
    offer = work.seen.offer
    t, frame = (offer.t, offer.frame) if offer is not None else (work.seen.t, work.seen.frame)
    work.emit(ev.Doubled(t=t, frame=frame, side=side, value=2 * work.match.cube))
    work.look_back(offer=None)


def take(work: Step, side: Side) -> None:
    work.emit(ev.Taken(t=work.seen.t, frame=work.seen.frame, side=side))
