"""The choreography of what goes wrong: one function a moment of the turn, one small scene a kind of incident."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.rules.position import Side
from companion.sim.acts import carry_out, fair_dice, take_back
from companion.sim.from_record import written_hops
from companion.sim.illegal import illegal_hops, other_play
from companion.sim.incidents import Incident
from companion.sim.places import DicePlan, cocked_die, die_at, flat_die, place_of, right_sign
from companion.sim.scene import Checker, Die, Prop
from companion.sim.script import Turn
from companion.sim.stage import Stage

# Before the turn -----------------------------------------------------------------------------------------------------


def before_turn(stage: Stage, incident: Incident) -> None:
    """Things that happen to the table between two turns."""
    match incident.kind:
        case "bump":
            _bump(stage, incident.amount)
        case "lamp":
            lamp = 1.0 if stage.outlook.lamp != 1.0 else 1.0 - 0.6 * incident.amount
            stage.outlook = replace(stage.outlook, lamp=lamp)
            stage.tell("lamp", factor=lamp)
        case "covered":
            _cover(stage, incident.amount)
        case "cup":
            _put_cup(stage)
        case "second_dice":
            _second_dice(stage)
        case _:
            return
    stage.note(scenario=incident.kind)


def after_turn(stage: Stage, incident: Incident) -> None:
    """Cups and second dice are taken away again."""
    if incident.kind == "cup":
        stage.props = tuple(p for p in stage.props if p.kind != "cup" or p.z < 0)
    if incident.kind == "second_dice":
        stage.extra_dice = ()


def _bump(stage: Stage, amount: float) -> None:
    """The board is pushed a little: the whole view shifts and stays so."""
    rng = stage.rng
    old = stage.outlook
    new = replace(
        old,
        azimuth=old.azimuth + rng.choice((-1, 1)) * (0.5 + 1.5 * amount),
        shift=(old.shift[0] + rng.uniform(-1, 1) * amount, old.shift[1] + rng.uniform(-1, 1) * amount),
    )
    middle = replace(new, azimuth=(old.azimuth + 2 * new.azimuth) / 3)
    for outlook in (middle, new):
        stage.outlook = outlook
        stage.wait(0.2, "bumped")
    stage.tell("bump", azimuth=new.azimuth, shift=new.shift)


def _cover(stage: Stage, seconds: float) -> None:
    """A newspaper on the board for a while."""
    kept = stage.props
    stage.tell("covered", seconds=seconds)
    paper = Prop(
        "paper", 0.0, 0.0, 2.5, stage.rng.uniform(-15, 15), 2.2, (0.9, 0.9, 0.88), seed=stage.rng.randrange(99)
    )
    stage.props = (*kept, paper)
    stage.wait(seconds, "covered")
    stage.props = kept
    stage.wait(stage.pace.settle, "uncovered")


def _put_cup(stage: Stage) -> None:
    """A coffee cup stands on a free spot of the playing surface."""
    rng, layout = stage.rng, stage.layout
    far = max(
        ((rng.uniform(-1, 1) * layout.width * 0.42, rng.uniform(-1, 1) * layout.height * 0.3) for _ in range(80)),
        key=lambda xy: min(abs(xy[0] - c.x) + abs(xy[1] - c.y) for c in stage.checkers),
    )
    stage.props = (*stage.props, Prop("cup", far[0], far[1], 0.0, yaw=rng.uniform(0, 360), seed=rng.randrange(99)))
    stage.tell("cup", x=far[0], y=far[1])


def _second_dice(stage: Stage) -> None:
    """The other player's own pair lies ready in the other half."""
    on_roll = stage.facts.on_roll or Side.WHITE
    plan = stage.plan(on_roll.other)
    values = (stage.rng.randint(1, 6), stage.rng.randint(1, 6))
    lying: list[Die] = []
    for value in values:
        lying.append(flat_die(plan, stage.rng, value, right_sign(on_roll.other), lying))
    stage.extra_dice = tuple(lying)
    stage.tell("second_dice", dice=values)


# The throw -----------------------------------------------------------------------------------------------------------


def faulty_throw(stage: Stage, turn: Turn, kind: str) -> None:
    """A throw that must be repeated: it lies for a while, then the dice are picked up again."""
    stage.note(scenario=kind)
    values = (stage.rng.randint(1, 6), stage.rng.randint(1, 6))
    dice = faulty_dice(stage, turn.side, values, kind)
    stage.throw([(turn.side, dice)])
    stage.tell("reroll", side=turn.side, reason=kind, dice_states=[_state(d) for d in dice])
    stage.wait(1.6 * stage.pace.settle, "rolled_invalid")
    stage.lift_dice(turn.side, phase="picking_invalid")
    stage.wait(0.3 * stage.pace.settle, "before_roll")


def _state(die: Die) -> str:
    if die.detail == "on die":
        return "stacked"
    return "on_bar" if die.cls == "on_bar_or_rail" else die.cls


def faulty_dice(stage: Stage, side: Side, values: tuple[int, int], kind: str) -> list[Die]:
    """Two dice at rest, with that one fault."""
    plan, rng, sign = stage.plan(side), stage.rng, right_sign(side)
    others = [*stage.extra_dice]
    good = flat_die(plan, rng, values[0], sign, others)
    match kind:
        case "cocked":
            bad = cocked_die(plan, rng, values[1], stage.checkers, sign)
        case "wrong_half":
            good = flat_die(plan, rng, values[0], -sign, others)
            bad = flat_die(plan, rng, values[1], -sign, [*others, good])
        case "split":
            bad = flat_die(plan, rng, values[1], -sign, [*others, good])
        case "stacked":
            ground = (good.x + rng.uniform(-0.25, 0.25), good.y + rng.uniform(-0.25, 0.25), good.z + good.size / 2)
            bad = replace(die_at(plan, rng, values[1], ground, zone=good.zone, cls="on_checker"), detail="on die")
        case _:
            bad = _perched(stage, plan, kind, values[1])
    return [good, bad]


def _perched(stage: Stage, plan: DicePlan, kind: str, value: int) -> Die:
    """A die flat on a checker, on the bar or the rail, or beside the board."""
    layout, rng, sign = stage.layout, stage.rng, 1 if stage.facts.on_roll is Side.WHITE else -1
    if kind == "on_checker":
        top = rng.choice(_tops(stage.checkers, sign * layout.bar / 2, sign) or [stage.checkers[0]])
        ground = (top.x + rng.uniform(-0.5, 0.5), top.y + rng.uniform(-0.5, 0.5), top.z + layout.thick)
        return replace(die_at(plan, rng, value, ground, zone=_zone(sign), cls="on_checker"), detail="on checker")
    if kind == "on_bar":
        y = rng.choice((-1, 1)) * rng.uniform(3.2, 4.2)
        if layout.bar > layout.die:
            return die_at(plan, rng, value, (0.0, y, layout.bar_height), zone="bar", cls="on_bar_or_rail")
        edge = layout.height / 2 + layout.rail / 2
        ground = (sign * rng.uniform(0.2, 0.4) * layout.width, rng.choice((-edge, edge)), layout.rail_height)
        return die_at(plan, rng, value, ground, zone="rail", cls="on_bar_or_rail")
    x0, y0, x1, y1 = layout.outer()
    x = (x1 if sign > 0 else x0) + sign * rng.uniform(1.5, 2.5) * layout.die
    y = rng.uniform(0.5 * y0, 0.5 * y1)
    return die_at(plan, rng, value, (x, y, -layout.base), zone="table", cls="off_board")


def _zone(sign: int) -> str:
    return "R" if sign > 0 else "L"


def _tops(checkers: Sequence[Checker], edge: float, sign: int) -> list[Checker]:
    """The uppermost checkers lying on points of the half at that side of the bar."""
    here = [c for c in checkers if (c.x - edge) * sign > 0 and place_of(c) in range(1, 25)]
    layers = {(round(c.x), round(c.y)): c for c in sorted(here, key=lambda c: c.z)}
    return list(layers.values())


# Checkers ------------------------------------------------------------------------------------------------------------


def before_move(stage: Stage, turn: Turn, incident: Incident) -> None:
    """Trying out a play and taking it back; shifting a die aside."""
    if incident.kind == "dice_shifted":
        _shift(stage, turn)
    if incident.kind != "tryout":
        return
    hops = written_hops(incident.play) if incident.play else other_play(stage.rng, turn)
    if hops is None:
        return
    stage.note(phase="trying", scenario="tryout")
    hits = carry_out(stage, turn.side, hops)
    stage.leave(turn.side)
    stage.wait(stage.pace.settle, "tried")
    stage.note(phase="taking_back")
    take_back(stage, turn.side, hops, hits)
    stage.tell("tryout", side=turn.side)


def _shift(stage: Stage, turn: Turn) -> None:
    """The mover pushes a die aside to make room (B7): a short way, its face stays."""
    die = stage.rng.choice(stage.dice)
    plan = stage.plan(turn.side, turn.after)
    others = [d for d in stage.dice if d is not die]
    sign = 1 if die.x > 0 else -1
    spot = flat_die(plan, stage.rng, 1, sign, [*others, *stage.extra_dice])
    stage.note(phase="shifting", scenario="dice_shifted")
    stage.shift_die(turn.side, die, replace(die, x=spot.x, y=spot.y))
    stage.leave(turn.side)
    stage.tell("dice_shifted", side=turn.side)
    stage.wait(0.6 * stage.pace.settle, "rolled")


def illegal_first(stage: Stage, turn: Turn, incident: Incident) -> bool:
    """Play something illegal, hands away, then put it right (at once, or after the dice were lifted).

    False if no clearly illegal play of this roll is found: the turn is then played as it should be.
    """
    hops = written_hops(incident.play) if incident.play else illegal_hops(stage.rng, turn)
    if hops is None:
        return False
    stage.note(scenario=incident.kind)
    hits = carry_out(stage, turn.side, hops)
    stage.leave(turn.side)
    shown = {"side": turn.side, "dice": turn.dice, "before": turn.before, "after": stage.position}
    stage.wait(1.2 * stage.pace.settle, "moved_illegal")
    if incident.kind == "illegal_replayed":
        stage.lift_dice(turn.side)
        stage.tell("illegal", **shown, final=True)
        stage.wait(stage.pace.settle, "objection")
    else:
        stage.tell("illegal", **shown, final=False)
    stage.note(phase="correcting")
    take_back(stage, turn.side, hops, hits)
    carry_out(stage, turn.side, turn.hops)
    stage.tell("corrected", side=turn.side, after=turn.after)
    return True


def after_move(stage: Stage, turn: Turn, incident: Incident) -> None:
    """A sleeve knocks a checker aside, or off the board; it is put back."""
    if incident.kind not in ("knocked", "fallen"):
        return
    checker = _near_top(stage, turn.side)
    stack = stage.stack(checker.side, place_of(checker) or 0)
    stack.remove(checker)
    stage.note(scenario=incident.kind)
    lying = _fallen(stage, checker, turn.side) if incident.kind == "fallen" else _knocked(stage, checker)
    stage.slide(checker, lying)
    stage.astray.append(lying)
    stage.tell(incident.kind, side=checker.side, place=place_of(checker))
    stage.wait(0.8 * stage.pace.settle, "astray")
    stage.astray.remove(lying)
    stage.note(phase="putting_back")
    stage.put(turn.side, lying, checker.side, place_of(checker) or 0)
    stage.leave(turn.side)


def _near_top(stage: Stage, side: Side) -> Checker:
    """The outermost checker of some point on that player's near half."""
    near = -1 if side is Side.WHITE else 1
    tops = [s[-1] for (_, place), s in stage.stacks.items() if s and 0 < place < 25]
    return stage.rng.choice([c for c in tops if c.y * near > 0] or tops)


def _knocked(stage: Stage, checker: Checker) -> Checker:
    """Slid off its point towards the middle."""
    toward = -1 if checker.y > 0 else 1
    x = checker.x + stage.rng.choice((-1, 1)) * stage.layout.pitch * 0.5
    return replace(checker, x=x, y=checker.y + toward * stage.rng.uniform(1.0, 3.0), z=0.0, layer=0, loc="astray")


def _fallen(stage: Stage, checker: Checker, side: Side) -> Checker:
    """Lying on the table before the player."""
    layout, sign = stage.layout, -1 if side is Side.WHITE else 1
    y = sign * (layout.height / 2 + layout.rail + layout.checker)
    return replace(checker, x=checker.x * 0.8, y=y, z=-layout.base, layer=0, loc="astray")


# Before the dice are lifted ------------------------------------------------------------------------------------------


def before_lift(stage: Stage, turn: Turn, incident: Incident, *, last: bool) -> None:
    """The other player rolls although the turn is not over (B6): the throw is void and picked up again."""
    if incident.kind != "premature" or last:
        return
    other = turn.side.other
    mine = list(stage.dice)
    stage.note(scenario="premature")
    values = (stage.rng.randint(1, 6), stage.rng.randint(1, 6))
    early = fair_dice(stage, other, values, None)
    stage.throw([(other, early)])
    stage.tell("premature_roll", side=other, dice=values)
    stage.wait(1.2 * stage.pace.settle, "premature")
    stage.lift_dice(other, [d for d in stage.dice if d not in mine], phase="picking_invalid")
    stage.wait(0.5 * stage.pace.settle, "moved")
