"""Where things lie on the simulated board: slots of checkers, the cube's places, free spots for dice."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.rules.position import Position, Side
from companion.sim.motion import die_quat, resting_height
from companion.sim.scene import Checker, Cube, Die, DieStyle, Layout, Vec3

_GAP = 0.06  # cm between checkers of a stack


@dataclass(frozen=True, slots=True)
class Habits:
    """How this table's players put things: seeded once a match."""

    bar_white_far: bool  # White's hit checkers lie on the far half of the bar
    off_on_edge: bool  # borne-off men stand on edge in the tray
    jitter: float  # cm, how carelessly checkers are put down
    cube_side: str  # bar | table: where a centred cube lies
    top_on_base: bool  # the sixth checker lies on the one at the base (else on the fifth)


def home_sign(layout: Layout) -> int:
    """+1 if both home boards lie at x > 0."""
    return 1 if layout.home == "R" else -1


def right_sign(side: Side) -> int:
    """+1 if that player's right-hand half lies at x > 0."""
    return 1 if side is Side.WHITE else -1


def own_to_white(side: Side, point: int) -> int:
    """Own point 1 … 24 -> White's point."""
    return point if side is Side.WHITE else 25 - point


def stack_capacity(layout: Layout) -> int:
    """Checkers side by side on one point before the next layer starts."""
    return max(3, min(5, int((layout.height / 2 - 0.4) / (layout.checker + _GAP))))


def _point_slot(layout: Layout, habits: Habits, white_point: int, k: int) -> tuple[float, float, float, int]:
    column, far = layout.point_column(white_point)
    cap = stack_capacity(layout)
    layer, index = divmod(k, cap)
    if layer and not habits.top_on_base:
        index = cap - 1 - index
    step = layout.checker + _GAP
    depth = 0.12 + layout.checker / 2 + index * step + (0.2 * layout.checker if layer else 0.0)
    y = layout.height / 2 - depth
    return layout.column_x(column), y if far else -y, layer * layout.thick, layer


def _bar_slot(layout: Layout, habits: Habits, side: Side, k: int) -> tuple[float, float, float, int]:
    far = (side is Side.WHITE) == habits.bar_white_far
    places = max(2, int((layout.height / 2 - 5.0) / layout.checker))
    layer, index = divmod(k, places)
    y = 4.6 + layout.checker / 2 + index * (layout.checker + _GAP)
    base = layout.bar_height if layout.bar > 1.0 else 0.0
    return 0.0, y if far else -y, base + layer * layout.thick, layer


def _off_slot(layout: Layout, side: Side, k: int) -> tuple[float, float, float, int]:
    """In the tray at the home side, else on the table there; each side at its own end."""
    sign = -1 if side is Side.WHITE else 1
    home = home_sign(layout)
    if layout.home in layout.tray:
        layer, index = divmod(k, max(1, int(layout.height / 2 / layout.checker)))
        x, base = layout.tray_x(layout.home), 0.0
    else:
        layer, index = divmod(k, 5)
        edge = layout.outer()[2] if home > 0 else -layout.outer()[0]
        x, base = home * (edge + 1.5 + layout.checker / 2), -layout.base
    y = sign * (layout.height / 2 - layout.checker / 2 - index * (layout.checker + _GAP))
    return x, y, base + layer * layout.thick, layer


def slot(layout: Layout, habits: Habits, side: Side, place: int, k: int, seed: int) -> Checker:
    """The k-th checker of `side` at its own place (0 off, 1 … 24, 25 bar), put down by hand (jitter from `seed`)."""
    if place == 25:
        x, y, z, layer = _bar_slot(layout, habits, side, k)
        loc = "bar"
    elif place == 0:
        x, y, z, layer = _off_slot(layout, side, k)
        loc = "off"
    else:
        x, y, z, layer = _point_slot(layout, habits, own_to_white(side, place), k)
        loc = f"p{place}"
    rng = random.Random(f"{seed} {side} {place} {k}")
    spare = max(0.0, layout.pitch - layout.checker) / 2
    x += max(-spare, min(spare, rng.gauss(0, habits.jitter)))
    y += rng.uniform(-_GAP, _GAP) * 0.5
    return Checker(side=side, x=x, y=y, z=z, loc=loc, layer=layer, k=k, yaw=rng.uniform(0, math.tau), seed=seed)


def place_of(checker: Checker) -> int | None:
    """0 off, 1 … 24, 25 bar; None when it lies nowhere in the game (in the hand, fallen)."""
    if checker.loc in ("bar", "off"):
        return 25 if checker.loc == "bar" else 0
    return int(checker.loc[1:]) if checker.loc[1:].isdigit() else None


def position_of(checkers: Iterable[Checker]) -> Position:
    """The position these checkers show; those in the hand or fallen are missing from it."""
    counts = {side: [0] * 26 for side in Side}
    for checker in checkers:
        place = place_of(checker)
        if place is not None:
            counts[checker.side][place] += 1
    return Position(tuple(counts[Side.WHITE]), tuple(counts[Side.BLACK]))


def cube_at(layout: Layout, habits: Habits, place: str, value: int, style: Cube, holder: Side | None = None) -> Cube:
    """The cube centred, at an owner's end (`light`, `dark`) or `offered` to `holder` on the playing surface."""
    size = style.size
    if place == "offered":
        toward = 1 if holder is Side.WHITE else -1
        x = toward * (layout.bar / 2 + 3 * layout.pitch)
        return replace(style, x=x, y=0.0, z=size / 2, face=value, place=place, where="surface", quat=None)
    y = {"centre": 0.0, "light": -1.0, "dark": 1.0}[place] * (layout.height / 2 - size)
    up = -90.0 if place == "dark" else 90.0
    face = 64 if place == "centre" and value == 1 else value
    if habits.cube_side == "bar" and layout.bar >= size:
        x, z, where = 0.0, layout.bar_height + size / 2, "bar"
    else:
        x0, _, x1, _ = layout.outer()
        x, z, where = (x0 - size if layout.home == "R" else x1 + size), -layout.base + size / 2, "side_table"
    return replace(style, x=x, y=y, z=z, face=face, digit_up=up, place=place, where=where, quat=None)


@dataclass(frozen=True, slots=True)
class DicePlan:
    """What the dice of a throw must respect: nothing may lie in the way, now or after the play."""

    layout: Layout
    blocked: tuple[tuple[float, float], ...]  # centres of checkers, now and where the play will put them
    style: DieStyle
    cube: tuple[float, float] | None = None

    def free(self, x: float, y: float, others: Sequence[Die]) -> bool:
        """May a flat die lie here without touching anything?"""
        die = self.layout.die
        near = self.layout.checker / 2 + 0.72 * die
        if any(math.dist((x, y), c) < near for c in self.blocked):
            return False
        if self.cube is not None and math.dist((x, y), self.cube) < 2.2 * die:
            return False
        return all(math.dist((x, y), (d.x, d.y)) > 1.6 * die for d in others)


def flat_die(plan: DicePlan, rng: random.Random, value: int, sign: int, others: Sequence[Die]) -> Die:
    """A die lying flat on a free spot of the half at x > 0 (sign 1) or x < 0 (sign -1)."""
    layout = plan.layout
    margin = layout.die * 0.9
    x0, x1 = layout.bar / 2 + margin, layout.width / 2 - margin
    x, y = sign * (x0 + x1) / 2, 0.0
    for attempt in range(300):
        reach = (layout.height / 2 - margin) * (0.3 if attempt < 40 or attempt > 200 else 0.9)
        x, y = sign * rng.uniform(x0, x1), rng.uniform(-reach, reach)
        if plan.free(x, y, others):
            break
    return die_at(plan, rng, value, (x, y, 0.0), zone="R" if sign > 0 else "L")


def die_at(plan: DicePlan, rng: random.Random, value: int, ground: Vec3, *, zone: str = "", cls: str = "flat") -> Die:
    """A die flat on something whose top is at `ground`."""
    x, y, z = ground
    quat = die_quat(value, rng.uniform(0, math.tau))
    size = plan.layout.die
    return Die(x=x, y=y, z=z + size / 2, quat=quat, size=size, style=plan.style, cls=cls, zone=zone)


def cocked_die(plan: DicePlan, rng: random.Random, value: int, checkers: Sequence[Checker], sign: int) -> Die:
    """A die leaning on the rim of a checker of that half (with none there: on the rail)."""
    layout = plan.layout
    near = [c for c in checkers if c.x * sign > layout.bar / 2 and c.layer == 0 and place_of(c) in range(1, 25)]
    rng.shuffle(near)
    for checker in sorted(near, key=lambda c: abs(c.y)):
        inward = -math.pi / 2 if checker.y > 0 else math.pi / 2
        for spread in (0.0, 0.5, -0.5, 0.9, -0.9):
            die = _leaning(plan, rng, value, (checker.x, checker.y), layout.checker / 2, inward + spread)
            if _clear(plan, die, checker, checkers):
                return replace(die, detail="on checker", zone="R" if sign > 0 else "L")
    wall = (sign * (layout.width / 2 + 10.0), 0.0)
    die = _leaning(plan, rng, value, wall, 10.0, math.pi if sign > 0 else 0.0)
    return replace(die, detail="on rail", zone="R" if sign > 0 else "L")


def _clear(plan: DicePlan, die: Die, leans_on: Checker, checkers: Sequence[Checker]) -> bool:
    layout = plan.layout
    near = layout.checker / 2 + 0.6 * layout.die
    inside = abs(die.y) < layout.height / 2 - layout.die and layout.bar / 2 + layout.die < abs(die.x)
    inside = inside and abs(die.x) < layout.width / 2 - layout.die
    return inside and all(c is leans_on or math.dist((die.x, die.y), (c.x, c.y)) > near for c in checkers)


def _leaning(
    plan: DicePlan, rng: random.Random, value: int, centre: tuple[float, float], radius: float, azimuth: float
) -> Die:
    """A die whose lower face lies on an edge `radius` from `centre` and whose foot stands on the surface."""
    layout, size = plan.layout, plan.layout.die
    steep = math.asin(min(0.8, layout.thick / size))
    tilt = rng.uniform(min(steep, 0.66), 0.72)
    # The foot stands away from the edge; the top leans outwards, the lower face rests on the rim.
    quat = die_quat(value, azimuth + rng.choice((0, 1, 2, 3)) * math.pi / 2, tilt, azimuth)
    foot = radius + layout.thick / math.tan(tilt)
    out = foot - size / 2 * (math.cos(tilt) - math.sin(tilt))
    x, y = centre[0] + math.cos(azimuth) * out, centre[1] + math.sin(azimuth) * out
    z = resting_height(quat, size)
    return Die(x=x, y=y, z=z, quat=quat, size=size, style=plan.style, cls="cocked")
