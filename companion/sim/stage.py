"""The stage: what rests on the table, and the primitives that move it, written down as timed segments."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.rules.position import Position, Side
from companion.sim.motion import CheckerMove, CubeMove, DieMove, HandLook, HandMove, Leg, Tumble
from companion.sim.places import DicePlan, Habits, position_of, right_sign, slot
from companion.sim.scene import Checker, Cube, Die, DieStyle, Hand, Layout, Prop, Vec3

Dice = tuple[int, int]
SetUpMove = tuple[Side, int, int]
"""Whose checker goes from where to where (own numbering)."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds things take at this table."""

    reach: float = 0.42
    carry: float = 0.5
    leave: float = 0.42
    settle: float = 1.0  # dice or checkers lie still and nobody moves
    think: float = 0.5
    tumble: float = 0.9
    set_up: float = 4.0


@dataclass(frozen=True, slots=True)
class Outlook:
    """What changed about camera and light since the beginning: degrees, cm, and the state of the lamp."""

    azimuth: float = 0.0
    roll: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)
    lamp: float = 1.0  # factor on the first lamp's power


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true of the game during a segment."""

    game: int = 0
    turn: int = -1
    on_roll: Side | None = None
    roll: Dice | None = None
    phase: str = "start"
    scenario: str = ""


@dataclass(frozen=True, slots=True)
class Things:
    """All movable things at one moment."""

    checkers: tuple[Checker, ...]
    dice: tuple[Die, ...]
    cube: Cube | None
    hands: tuple[Hand, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time with one set of movements; `rest` holds still meanwhile."""

    t0: float
    t1: float
    rest: Things
    facts: Facts
    props: tuple[Prop, ...] = ()
    outlook: Outlook = field(default_factory=Outlook)
    hands: tuple[HandMove, ...] = ()
    checkers: tuple[CheckerMove, ...] = ()
    dice: tuple[Tumble | DieMove, ...] = ()
    cube: CubeMove | None = None

    @property
    def still(self) -> bool:
        """Does nothing move in it?"""
        return not (self.hands or self.checkers or self.dice or self.cube)

    def at(self, t: float) -> Things:
        """Where all things are at time t (t0 … t1)."""
        u = (t - self.t0) / max(1e-9, self.t1 - self.t0)
        return Things(
            checkers=(*self.rest.checkers, *(m.at(u) for m in self.checkers)),
            dice=(*self.rest.dice, *(m.at(u) for m in self.dice)),
            cube=self.cube.at(u) if self.cube is not None else self.rest.cube,
            hands=tuple(m.at(u) for m in self.hands),
        )

    @property
    def position(self) -> Position:
        """The checkers that lie in the game; those in a hand or fallen are missing."""
        return position_of(self.rest.checkers)


@dataclass(frozen=True, slots=True)
class Props:
    """The looks of what moves."""

    hands: dict[Side, Hand]
    dice: dict[Side, DieStyle]
    cube: Cube
    throw_pose: dict[Side, str]


class Stage:
    """Builds the film: every method plays one movement and moves the clock on."""

    def __init__(self, layout: Layout, habits: Habits, looks: Props, pace: Pace, seed: int) -> None:
        self.layout = layout
        self.habits = habits
        self.looks = looks
        self.pace = pace
        self.rng = random.Random(seed)
        self.t = 0.0
        self.segments: list[Segment] = []
        self.events: list[dict[str, Any]] = []
        self.stacks: dict[tuple[Side, int], list[Checker]] = {}
        self.astray: list[Checker] = []
        self.dice: list[Die] = []
        self.extra_dice: tuple[Die, ...] = ()
        self.cube: Cube | None = None
        self.props: tuple[Prop, ...] = ()
        self.outlook = Outlook()
        self.facts = Facts()
        self._hands: dict[Side, tuple[Vec3, str]] = {}

    # What is there -----------------------------------------------------------------------------------------------

    def lay_out(self, position: Position) -> None:
        """Put all checkers where `position` says, at once."""
        self.astray.clear()
        for side in Side:
            seeds = iter(range(15 if side is Side.WHITE else 115, 1000))
            for place, n in enumerate(position.of(side)):
                self.stacks[side, place] = [self._slot(side, place, k, next(seeds)) for k in range(n)]

    def _slot(self, side: Side, place: int, k: int, seed: int) -> Checker:
        return slot(self.layout, self.habits, side, place, k, seed)

    @property
    def checkers(self) -> tuple[Checker, ...]:
        """All resting checkers."""
        return (*(c for stack in self.stacks.values() for c in stack), *self.astray)

    @property
    def position(self) -> Position:
        """What the resting checkers show."""
        return position_of(self.checkers)

    def stack(self, side: Side, place: int) -> list[Checker]:
        """That side's checkers at its own place, base first."""
        return self.stacks.setdefault((side, place), [])

    def plan(self, side: Side, after: Position | None = None) -> DicePlan:
        """Where that side's dice may lie: clear of all checkers now and in the position to come."""
        blocked = [(c.x, c.y) for c in self.checkers]
        for owner in Side if after is not None else ():
            assert after is not None
            counts = after.of(owner)
            slots = [self._slot(owner, p, k, 0) for p in range(1, 26) for k in range(counts[p])]
            blocked += [(c.x, c.y) for c in slots]
        cube = (self.cube.x, self.cube.y) if self.cube is not None else None
        blocked += [(p.x, p.y) for p in self.props if p.z >= 0]
        return DicePlan(self.layout, tuple(blocked), self.looks.dice[side], cube)

    # The clock ---------------------------------------------------------------------------------------------------

    def note(self, **changes: Any) -> None:
        """Change what is true from now on."""
        self.facts = replace(self.facts, **changes)

    def tell(self, event: str, **fields: Any) -> None:
        """Write an event into the truth, at this moment."""
        self.events.append({"t": round(self.t, 3), "type": event, "game": self.facts.game, **fields})

    def wait(self, seconds: float, phase: str | None = None) -> None:
        """Nothing moves (hands over the board hold still)."""
        if phase is not None:
            self.note(phase=phase)
        self._emit(seconds)

    def _emit(self, seconds: float, **moves: Any) -> None:
        held = tuple(
            HandMove(self._look(side), Leg(tip, tip), pose)
            for side, (tip, pose) in self._hands.items()
            if not any(h.look.hand is self.looks.hands[side] for h in moves.get("hands", ()))
        )
        moves["hands"] = (*moves.get("hands", ()), *held)
        rest = Things(self.checkers, (*self.dice, *self.extra_dice), None if moves.get("cube") else self.cube, ())
        end = self.t + seconds
        self.segments.append(Segment(self.t, end, rest, self.facts, self.props, self.outlook, **moves))
        self.t = end

    def _time(self, seconds: float) -> float:
        return seconds * self.rng.uniform(0.85, 1.2)

    # Hands -------------------------------------------------------------------------------------------------------

    def _look(self, side: Side) -> HandLook:
        sign = -1 if side is Side.WHITE else 1
        x = right_sign(side) * 14.0
        return HandLook((x, sign * (self.layout.height / 2 + 75.0), 14.0), self.looks.hands[side])

    def _away(self, side: Side, near: Vec3) -> Vec3:
        sign = -1 if side is Side.WHITE else 1
        return (near[0] * 0.6 + right_sign(side) * 6.0, sign * (self.layout.height / 2 + 40.0), 10.0)

    def hand_move(self, side: Side, target: Vec3, pose: str, lift: float = 2.0) -> HandMove:
        """The movement of that player's hand from where it is; the hand is remembered at the target."""
        start = self._hands[side][0] if side in self._hands else self._away(side, target)
        self._hands[side] = (target, pose)
        return HandMove(self._look(side), Leg(start, target, lift), pose)

    def reach(self, side: Side, target: Vec3, pose: str = "pinch") -> None:
        """The hand goes to `target`, from outside if it was away."""
        far = 1.0 if side in self._hands else 1.3
        self._emit(self._time(self.pace.reach * far), hands=(self.hand_move(side, target, pose),))

    def leave(self, side: Side) -> None:
        """The hand goes off the board, if it is there."""
        if side in self._hands:
            self._emit(self._time(self.pace.leave), hands=(self._leaving(side),))

    def _leaving(self, side: Side) -> HandMove:
        tip, pose = self._hands.pop(side)
        return HandMove(self._look(side), Leg(tip, self._away(side, tip), 3.0), pose)

    # Checkers ----------------------------------------------------------------------------------------------------

    def carry(self, hand: Side, owner: Side, start: int, end: int, at: int | None = None) -> None:
        """A hand takes the top checker of `owner` at `start` and puts it down at `end` (slot `at`, else on top)."""
        checker = self.stack(owner, start).pop()
        self.put(hand, checker, owner, end, at)

    def put(self, hand: Side, checker: Checker, owner: Side, end: int, at: int | None = None) -> None:
        """A hand grips `checker` (already taken out of its stack) and puts it down at `end`."""
        thick = self.layout.thick
        self.astray.append(checker)
        self.reach(hand, (checker.x, checker.y, checker.z + thick))
        self.astray.pop()
        k = len(self.stack(owner, end)) if at is None else at
        goal = replace(self._slot(owner, end, k, checker.seed), yaw=checker.yaw)
        self._carry_to(hand, checker, goal)
        self.stack(owner, end).append(goal)

    def _carry_to(self, hand: Side, checker: Checker, goal: Checker) -> None:
        thick = self.layout.thick
        way = Leg((checker.x, checker.y, checker.z), (goal.x, goal.y, goal.z), lift=3.5)
        far = math.dist(way.a, way.b)
        move = self.hand_move(hand, (goal.x, goal.y, goal.z + thick), "pinch", lift=3.5)
        seconds = self._time(self.pace.carry * (0.7 + far / 60.0))
        self._emit(seconds, hands=(move,), checkers=(CheckerMove(replace(goal, pose="flat"), way),))

    def hop(self, side: Side, start: int, end: int, hit_first: bool = True) -> None:
        """A checker is moved; a blot that stands at its goal is carried to the bar, before or after."""
        blot = 0 < end < 25 and self.stack(side.other, 25 - end)
        if blot and hit_first:
            self.carry(side, side.other, 25 - end, 25)
        self.carry(side, side, start, end, at=1 if blot and not hit_first else None)
        if blot and not hit_first:
            self.carry(side, side.other, 25 - end, 25)
            self.carry(side, side, end, end)

    def unhop(self, side: Side, start: int, end: int, was_hit: bool) -> None:
        """Take a hop back; a checker it had hit returns from the bar."""
        self.carry(side, side, end, start)
        if was_hit:
            self.carry(side, side.other, 25, 25 - end)

    def slide(self, checker: Checker, goal: Checker) -> None:
        """A checker (already taken out of its stack) slides to where it ends up, pushed by nobody's fingers."""
        way = Leg((checker.x, checker.y, checker.z), (goal.x, goal.y, goal.z), lift=abs(goal.z - checker.z) + 0.3)
        self._emit(0.3, checkers=(CheckerMove(goal, way),))

    def set_up_moves(self, moves: Sequence[SetUpMove], seconds: float) -> None:
        """Both hands go to and fro while the checkers are put back, four at a time."""
        groups = max(1, math.ceil(len(moves) / 4))
        left = list(moves)
        over = {side: (right_sign(side) * 8.0, right_sign(side) * -9.0, 4.0) for side in Side}
        self._emit(self._time(self.pace.reach), hands=tuple(self.hand_move(side, over[side], "flat") for side in Side))
        while left:
            group = [m for m in left if not self.stack(m[0].other, 25 - m[2])][:4] or left[:4]
            for move in group:
                left.remove(move)
            self._set_back(group, self._time(seconds / groups))
        for side in Side:
            self.leave(side)

    def _set_back(self, group: Sequence[SetUpMove], seconds: float) -> None:
        carried: list[CheckerMove] = []
        goals: list[tuple[Side, int, Checker]] = []
        for side, start, end in group:
            checker = self.stack(side, start).pop()
            k = len(self.stack(side, end)) + sum((s, e) == (side, end) for s, e, _ in goals)
            goal = self._slot(side, end, k, checker.seed)
            goals.append((side, end, goal))
            carried.append(CheckerMove(goal, Leg((checker.x, checker.y, checker.z), (goal.x, goal.y, goal.z), 3.0)))
        hands = tuple(self._hovering(side, carried) for side in Side)
        self._emit(seconds, hands=hands, checkers=tuple(carried))
        for side, end, goal in goals:
            self.stack(side, end).append(goal)

    def _hovering(self, side: Side, carried: Sequence[CheckerMove]) -> HandMove:
        near = -1 if side is Side.WHITE else 1
        goal = min(carried, key=lambda m: -m.checker.y * near).checker
        return self.hand_move(side, (goal.x, goal.y, goal.z + 2.0), "flat")

    # Dice and cube -----------------------------------------------------------------------------------------------

    def throw(self, throws: Sequence[tuple[Side, Sequence[Die]]]) -> None:
        """Players throw dice (both together at the opening): hands come in, dice tumble and come to rest as given."""
        self.note(phase="rolling")
        hands = [self.hand_move(side, self._fist(side), self.looks.throw_pose[side]) for side, _ in throws]
        self._emit(self._time(self.pace.reach * 1.2), hands=tuple(hands))
        seconds = self._time(self.pace.tumble)
        tumbles = [self._tumble(self._fist(side), die, seconds) for side, dice in throws for die in dice]
        leaving = tuple(self._leaving(side) for side, _ in throws)
        self._emit(seconds, hands=leaving, dice=tuple(tumbles))
        self.dice.extend(die for _, dice in throws for die in dice)

    def _fist(self, side: Side) -> Vec3:
        sign = -1 if side is Side.WHITE else 1
        return (right_sign(side) * self.layout.width * 0.27, sign * (self.layout.height / 2 - 2.0), 8.0)

    def _tumble(self, fist: Vec3, die: Die, seconds: float) -> Tumble:
        rng = self.rng
        start = (fist[0] + rng.uniform(-1, 1), fist[1] + rng.uniform(-1, 1), fist[2] - 1.5)
        across = (-(die.y - start[1]), die.x - start[0], rng.uniform(-4, 4))
        return Tumble(die, start, across, rng.uniform(1.2, 2.6), seconds, hop=rng.uniform(1.5, 4.0))

    def lift_dice(self, side: Side, dice: Sequence[Die] | None = None, phase: str = "picking_up") -> None:
        """A hand gathers these dice (else all of the throw) and takes them away."""
        self.note(phase=phase)
        held: list[Die] = []
        for die in list(self.dice if dice is None else dice):
            tip = (die.x, die.y, die.z + die.size / 2)
            self._move_with(side, held, tip, self.pace.reach)
            self.dice.remove(die)
            held.append(die)
        if held:
            tip = self._hands[side][0]
            out = self._away(side, tip)
            moves = tuple(DieMove(d, Leg((tip[0], tip[1], tip[2] - 0.7), out, 3.0)) for d in held)
            self._emit(self._time(self.pace.leave), hands=(self._leaving(side),), dice=moves)

    def _move_with(self, side: Side, held: Sequence[Die], tip: Vec3, seconds: float) -> None:
        start = self._hands[side][0] if side in self._hands else tip
        move = self.hand_move(side, tip, "pinch")
        below = [DieMove(d, Leg(_under(start, i), _under(tip, i), 2.0)) for i, d in enumerate(held)]
        self._emit(self._time(seconds), hands=(move,), dice=tuple(below))

    def shift_die(self, side: Side, die: Die, goal: Die) -> None:
        """A hand moves a lying die aside; its value stays (RULES.md B7)."""
        self.reach(side, (die.x, die.y, die.z + die.size / 2))
        self.dice.remove(die)
        move = self.hand_move(side, (goal.x, goal.y, goal.z + goal.size / 2), "pinch", lift=1.0)
        way = Leg((die.x, die.y, die.z), (goal.x, goal.y, goal.z), 1.0)
        self._emit(self._time(self.pace.carry), hands=(move,), dice=(DieMove(goal, way),))
        self.dice.append(goal)

    def move_cube(self, side: Side, goal: Cube) -> None:
        """A hand moves the cube to `goal`, where it shows its new face; the hand leaves."""
        cube = self.cube
        assert cube is not None
        self.reach(side, (cube.x, cube.y, cube.z + cube.size / 2))
        move = self.hand_move(side, (goal.x, goal.y, goal.z + goal.size / 2), "pinch", lift=4.0)
        way = Leg((cube.x, cube.y, cube.z), (goal.x, goal.y, goal.z), 4.0)
        self._emit(self._time(self.pace.carry * 1.4), hands=(move,), cube=CubeMove(cube, goal, way))
        self.cube = goal
        self.leave(side)


def _under(tip: Vec3, i: int) -> Vec3:
    return (tip[0] + 0.9 * i - 0.4, tip[1] + 0.3 * i, tip[2] - 0.7)
