"""What given movements break: the faults of a turn whose result is not legal (for `companion.rules.check`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, product

from companion.rules.explain import HOME, Shifts
from companion.rules.faults import Fault, fault, move_name, roll_name, title, where
from companion.rules.packed import pack
from companion.rules.plays import Play, check_dice, steps_with
from companion.rules.position import BAR, OFF, Counts, Position, Side

MOST_PAIRED = 5
"""Up to this many moved checkers every pairing of origins and ends is tried."""


def shifts_faults(
    before: Position, side: Side, dice: tuple[int, int], after: Position, shifts: Shifts, likely: Play
) -> tuple[Fault, ...]:
    """The faults when the mover's checkers went as `shifts`, all with numbers of the roll."""
    theirs = before.of(side.other)
    moved, hits = _law_faults(before, side, shifts)
    handled = _other_side_faults(theirs, after.of(side.other), hits, side)
    unplayed = _unplayed_faults(before, side, dice, shifts, likely, law_kept=not moved)
    shared = _shared_faults(before, after, side, {shift.end for shift in shifts})
    faults = (*moved, *handled, *unplayed, *shared)
    return faults or (fault("no_legal_way", roll=roll_name(dice)),)


def _law_faults(before: Position, side: Side, shifts: Shifts) -> tuple[list[Fault], list[int]]:
    """Faults of the single moves (C2, D1, E1, E2), and the points where a blot was hit."""
    own, theirs = list(before.of(side)), before.of(side.other)
    faults: list[Fault] = []
    hits: list[int] = []
    for shift in shifts:
        faults.extend(_shift_faults(own, theirs, side, shift.start, shift.end, shift.die))
        if shift.end != OFF and theirs[BAR - shift.end] == 1 and shift.end not in hits:
            hits.append(shift.end)
        own[shift.start] -= 1
        own[shift.end] += 1
    return list(dict.fromkeys(faults)), hits


def _shift_faults(own: Sequence[int], theirs: Counts, side: Side, start: int, end: int, die: int) -> Iterator[Fault]:
    if own[BAR] and start != BAR:
        yield fault("bar_first", side=title(side))
    if end != OFF:
        yield from _closed_faults(theirs, side, start, end)
        return
    highest = max(place for place in range(1, BAR + 1) if own[place])
    if highest > HOME:
        yield fault("early_off", side=title(side), where=where(highest))
    elif start < die and highest > start:
        yield fault("higher_first", die=die, point=start, where=where(highest))


def _closed_faults(theirs: Counts, side: Side, start: int, end: int) -> Iterator[Fault]:
    count = theirs[BAR - end]
    if count > 1:
        yield fault("closed", move=move_name(start, end), other=title(side.other), point=end, count=count)


def _unplayed_faults(
    before: Position, side: Side, dice: tuple[int, int], shifts: Shifts, likely: Play, law_kept: bool
) -> list[Fault]:
    """C4, C5 and D3: numbers of the roll that were not played though they could be."""
    most = len(likely.steps)
    if len(shifts) >= most:
        return _lower_number(before, side, dice, shifts, likely) if law_kept else []
    left = list((dice[0],) * 4 if dice[0] == dice[1] else dice)
    for shift in shifts:
        left.remove(shift.die)
    onward = _onward(before, side, shifts, sorted(set(left), reverse=True))
    if onward and onward[1].startswith("bar") and not shifts:
        return [fault("bar_left", side=title(side), play=onward[1])]
    if not shifts:
        return [fault("nothing_moved", play=likely.text)]
    if onward:
        return [fault("not_played", die=onward[0], play=onward[1])]
    if not law_kept:
        return []
    if dice[0] == dice[1]:
        return [fault("more_of_double", count=len(shifts), play=likely.text)]
    return [fault("both_playable", play=likely.text)]


def _lower_number(before: Position, side: Side, dice: tuple[int, int], shifts: Shifts, likely: Play) -> list[Fault]:
    """C5: one number was played, the lower one, where the higher could be."""
    high, low = max(dice), min(dice)
    if len(shifts) == 1 and high != low and shifts[0].die == low and any(steps_with(pack(before, side), high)):
        return [fault("higher_number", die=high, play=likely.text)]
    return []


def _onward(before: Position, side: Side, shifts: Shifts, numbers: list[int]) -> tuple[int, str] | None:
    """A number that could still be played from where `shifts` led, and a move that plays it."""
    own, theirs = list(before.of(side)), list(before.of(side.other))
    for shift in shifts:
        own[shift.start] -= 1
        own[shift.end] += 1
        if shift.end != OFF and theirs[BAR - shift.end] == 1:
            theirs[BAR - shift.end] -= 1
            theirs[BAR] += 1
    key = pack(before.replace(side, tuple(own)).replace(side.other, tuple(theirs)), side)
    for die in numbers:
        for step, _ in steps_with(key, die):
            return die, move_name(step.start, step.end) + ("*" if step.hit else "")
    return None


def _other_side_faults(before: Counts, after: Counts, hits: list[int], side: Side) -> list[Fault]:
    """What was done wrongly with the other side's checkers; `hits` are the mover's points where one was hit."""
    expected = list(before)
    faults = []
    for point in hits:
        if after[BAR - point]:
            faults.append(fault("not_lifted", other=title(side.other), side=title(side), point=point))
        else:
            expected[BAR - point] -= 1
            expected[BAR] += 1
    left = [place for place in range(BAR, 0, -1) for _ in range(expected[place] - after[place])]
    came = [place for place in range(BAR, 0, -1) for _ in range(after[place] - expected[place])]
    for start, end in zip(left, came, strict=False):
        faults.append(_their_move(side, start, end))
    for place in left[len(came) :]:
        faults.append(_their_loss(side, place, hits))
    for place in came[len(left) :]:
        faults.append(fault("added", whose=side.other.value, where=_seen_by(side, place)))
    return list(dict.fromkeys(faults))


def _their_move(side: Side, start: int, end: int) -> Fault:
    if end == BAR:
        return fault("not_hit", other=side.other.value)
    names = {"start": _seen_by(side, start), "end": _seen_by(side, end)}
    return fault("other_moved", other=side.other.value, this=title(side), **names)


def _their_loss(side: Side, place: int, hits: list[int]) -> Fault:
    if place == BAR and hits:
        return fault("hit_not_on_bar", other=side.other.value, side=title(side), point=hits[-1])
    return fault("missing", whose=side.other.value, where=_seen_by(side, place))


def _seen_by(side: Side, their_place: int) -> str:
    """A place of the other side as the mover counts it."""
    return "on the bar" if their_place == BAR else f"on {title(side)}'s {BAR - their_place}-point"


def _shared_faults(before: Position, after: Position, side: Side, landed: set[int]) -> list[Fault]:
    """C3: points where both colours stand, but for those where landing on the other side is told already."""
    own, theirs, met = after.of(side), after.of(side.other), before.of(side.other)
    told = {end for end in landed if end and met[BAR - end]}
    shared = [point for point in range(1, BAR) if own[point] and theirs[BAR - point] and point not in told]
    return [fault("shared", side=title(side), point=point) for point in shared]


def other_movement_faults(
    before: Position,
    side: Side,
    dice: tuple[int, int],
    after: Position,
    explained_by: tuple[tuple[int, int], ...],
) -> tuple[Fault, ...]:
    """The faults when the numbers rolled do not explain where the mover's checkers are."""
    check_dice(dice)
    own, theirs = before.of(side), before.of(side.other)
    left, came = _changes(own, after.of(side))
    pairs, gone, new = _likeliest_pairs(left, came, dice)
    faults = _pair_faults(pairs, dice, side)
    for start, end in pairs:
        if 0 < end < BAR:
            faults.extend(_closed_faults(theirs, side, start, end))
    if own[BAR] and after.of(side)[BAR] and any(start != BAR for start, _ in pairs):
        faults.insert(0, fault("bar_first", side=title(side)))
    faults.extend(_unpaired_faults(gone, new, own, after.of(side), side, dice))
    hits = _hits(pairs, dice, theirs, after.of(side.other))
    faults.extend(_other_side_faults(theirs, after.of(side.other), hits, side))
    faults.extend(_shared_faults(before, after, side, {end for _, end in pairs}))
    if not faults and explained_by:
        named = " or ".join(roll_name(roll) for roll in explained_by)
        faults.append(fault("other_roll", other_roll=named, roll=roll_name(dice)))
    return tuple(dict.fromkeys(faults)) or (fault("too_many_moves", roll=roll_name(dice)),)


def _hits(pairs: list[tuple[int, int]], dice: tuple[int, int], theirs: Counts, after: Counts) -> list[int]:
    """Points where the moves hit: at their ends, and where one may have touched down and the blot is gone."""
    ends = {end for _, end in pairs if 0 < end < BAR}
    passed = {start - die for start, end in pairs for die in dice if 0 < end < start - die < BAR}
    return sorted(
        point for point in ends | passed if theirs[BAR - point] == 1 and (point in ends or not after[BAR - point])
    )


def _changes(before: Counts, after: Counts) -> tuple[list[int], list[int]]:
    """Places (bar and points) that checkers left and came to, highest first, one entry a checker."""
    left = [place for place in range(BAR, 0, -1) for _ in range(before[place] - after[place])]
    came = [place for place in range(BAR, 0, -1) for _ in range(after[place] - before[place])]
    return left, came


def _likeliest_pairs(
    left: list[int], came: list[int], dice: tuple[int, int]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Origins with ends so that as few as possible break the distances of the roll; origins and ends left over."""
    count = min(len(left), len(came))
    choices: Iterable[tuple[tuple[int, ...], tuple[int, ...]]] = [(tuple(left[:count]), tuple(came[:count]))]
    if max(len(left), len(came)) <= MOST_PAIRED:
        choices = product(permutations(left, count) if len(left) > count else [tuple(left)], permutations(came, count))
    starts, ends = min(choices, key=lambda choice: len(_pair_faults(list(zip(*choice, strict=True)), dice, Side.WHITE)))
    return list(zip(starts, ends, strict=True)), _without(left, starts), _without(came, ends)


def _without(places: list[int], taken: Iterable[int]) -> list[int]:
    return sorted((Counter(places) - Counter(taken)).elements(), reverse=True)


def _pair_faults(pairs: list[tuple[int, int]], dice: tuple[int, int], side: Side) -> list[Fault]:
    """Wrong ways and wrong distances."""
    numbers = Counter((dice[0],) * 4 if dice[0] == dice[1] else dice)
    faults = []
    for start, end in pairs:
        if end == BAR:
            faults.append(fault("to_own_bar", side=title(side)))
        elif end > start:
            faults.append(fault("backwards", move=move_name(start, end)))
        elif not _spend(numbers, start - end):
            distance = fault("wrong_distance", move=move_name(start, end), count=start - end, roll=roll_name(dice))
            faults.append(distance)
    return faults


def _spend(numbers: Counter[int], distance: int) -> bool:
    """Take numbers that add up to `distance` out of the roll; False if there are none."""
    left = list(numbers.elements())
    for size in range(1, len(left) + 1):
        for chosen in combinations(left, size):
            if sum(chosen) == distance:
                numbers.subtract(chosen)
                return True
    return False


def _unpaired_faults(
    gone: list[int], new: list[int], before: Counts, after: Counts, side: Side, dice: tuple[int, int]
) -> Iterator[Fault]:
    """Own checkers that left the board, or that came from nowhere."""
    highest = max((place for place in range(1, BAR + 1) if after[place]), default=0)
    borne_off = max(0, after[OFF] - before[OFF])
    lost = gone[: max(0, len(gone) - borne_off)]
    for place in lost:
        yield fault("missing", whose=side.value, where=where(place))
    for place in gone[len(lost) :]:
        if place > HOME:
            yield fault("missing", whose=side.value, where=where(place))
        elif highest > HOME:
            yield fault("early_off", side=title(side), where=where(highest))
        else:
            yield fault("wrong_distance", move=move_name(place, OFF), count=place, roll=roll_name(dice))
    for place in new:
        if before[OFF] > after[OFF]:
            yield fault("came_back", side=title(side))
        else:
            yield fault("added", whose=side.value, where=where(place))
