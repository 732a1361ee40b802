"""Resulting positions without notation, fast: the same law as `companion.rules.plays`, built for speed.

Design. A position is one integer (`packed`), so a checker moved is one addition, a play is a sum of additions, and
equal positions are equal integers. Beside it stand bit boards with the mover's place p at bit 2p: where the mover has
checkers (one, several), and which points are open or hold a blot. Open points do not change during a turn, so of two
different numbers nearly every play is a pair of moves that do not touch each other: all sums of one addition for the
higher and one for the lower number. The additions of a whole set of starting points are looked up by quadrant (64
sets each). What is left is done one by one: one checker making both moves, one checker that both numbers want, a blot
both hit. Where a first move may allow or forbid a second (the bar, the last checker to come home, the last ones far
enough for the higher number) the two numbers are played in turn.

Of a double, moves are made from the highest point down, which makes every set of moves exactly once (see `plays`).
"""

from __future__ import annotations

from collections.abc import Collection

from companion.errors import RuleError
from companion.rules.packed import KEY_BYTES, OWN_FROM, PLACES, THEIRS, TO_THEIR_BAR
from companion.rules.position import BAR, Position, Side

_DIGITS = bytes([48, 49, *[50] * 254])
"""Translates counts to the digits 0 none, 1 one, 2 several; read in base 4 they are bit boards, two bits a place."""
_OWN_BITS = (1 << 2 * PLACES) - 1
_PLACE_BITS = _OWN_BITS // 3
_OFF_BIT = 1
_BAR_BIT = 1 << 2 * BAR
_POINT_BITS = _PLACE_BITS & ~_OFF_BIT & ~_BAR_BIT
_OUTSIDE_HOME = 7
_OUTSIDE = 2 * _OUTSIDE_HOME
"""Shift that leaves only the places outside the home board."""
_QUADRANT = (1 << 12) - 1

_PLACE = {1 << 2 * p: 1 << 8 * p for p in range(PLACES)}
_OWN_BYTE = {1 << 2 * p: 0xFF << 8 * p for p in range(PLACES)}
_THEIR_BYTE = {1 << 2 * p: 0xFF << THEIRS + 8 * p for p in range(PLACES)}
_HIT = {1 << 2 * p: TO_THEIR_BAR - (1 << THEIRS + 8 * p) for p in range(PLACES)}
"""By the bit of a place: one own checker there, the bytes of that place, what a hit there adds."""

Sums = list[int]
Table = dict[int, Sums]
Layer = list[tuple[int, int]]


def _addition(start: int, distance: int) -> int:
    """What moving a checker of place `start` adds to the key."""
    return (1 << 8 * max(start - distance, 0)) - (1 << 8 * start)


def _quadrant_table(first: int, distance: int) -> Table:
    """By set of starting points (bit 0: the point `first`, bit 2: the next …): the addition of each."""
    tables: Table = {0: []}
    for i in range(6):
        one_more = [_addition(first + i, distance)]
        tables.update({chosen | 1 << 2 * i: sums + one_more for chosen, sums in list(tables.items())})
    return tables


_ADDITIONS = [tuple(_quadrant_table(first, distance) for first in (1, 7, 13, 19)) for distance in range(12)]
_CHECKER_ADDITIONS = [{1 << 2 * start: _addition(start, distance) for start in range(PLACES)} for distance in range(7)]
"""By distance and bit of a place: the addition of one checker there."""
_BOTH_WANT = {
    (high, low): {1 << 2 * start: _addition(start, high) + _addition(start, low) for start in range(high, BAR)}
    for high in range(2, 7)
    for low in range(1, high)
}
"""By roll and bit of a point: the sum for a lone checker that both numbers would move, which is no play."""


def resulting_keys(position: Position, side: Side, dice: tuple[int, int]) -> Collection[int]:
    """Every position the legal plays lead to, each once, packed; the unchanged one if nothing can be played.

    A key holds all 52 counts; `packed.unpack(key, side)` makes a Position of it. The order has no meaning.
    The position must be a possible one (`validity`).
    """
    if side is Side.WHITE:
        board = bytearray(position.black + position.white[::-1])
    else:
        board = bytearray(position.white + position.black[::-1])
    return _results(board, dice)


def keys_from(key: int, dice: tuple[int, int]) -> Collection[int]:
    """The same for a packed position, as seen by the mover."""
    return _results(key.to_bytes(KEY_BYTES, "big"), dice)


def _results(board: bytes | bytearray, dice: tuple[int, int]) -> Collection[int]:
    high, low = dice if dice[0] > dice[1] else (dice[1], dice[0])
    if high > 6 or low < 1:
        raise RuleError(f"dice {dice}: two numbers from 1 to 6 are needed, such as 31")
    key = int.from_bytes(board, "big")
    bits = int(board.translate(_DIGITS), 4)
    own, theirs = bits & _OWN_BITS, bits >> 2 * PLACES
    lone = own & _PLACE_BITS
    places = lone | own >> 1 & _PLACE_BITS
    open_points = _POINT_BITS & ~(theirs >> 1)
    blots = theirs & _POINT_BITS
    if high == low:
        return _double(key, places, open_points, blots, high)
    outside = places >> _OUTSIDE
    if not outside and _two(places >> 2 * high, lone >> 2 * high):
        return _pairs(key, places, lone, open_points | _OFF_BIT, blots, high, low)
    if _two(outside, lone >> _OUTSIDE) and not places & _BAR_BIT:
        return _pairs(key, places, lone, open_points, blots, high, low)
    return _in_turn(key, places, open_points, blots, high, low)


def _two(places: int, lone: int) -> int:
    """Are there two checkers on these places?"""
    return places & (places - 1) or places ^ lone


def _pairs(key: int, places: int, lone: int, open_points: int, blots: int, high: int, low: int) -> Collection[int]:
    """Two different numbers with nobody on the bar, where no move allows or forbids another checker's move.

    All pairs of a move with the higher and one with the lower number, mended where both want the same lone checker or
    hit the same blot; and the runs of one checker with both.

    `open_points` has the place 0 too when all are at home and two checkers are no nearer than the higher number: then
    each number bears off exactly from its own point, whatever the other does (E2).
    """
    by_high, by_low = 2 * high, 2 * low
    from_high, from_low = places & open_points << by_high, places & open_points << by_low
    highs = [key + addition for addition in _sums(from_high, high, blots)]
    lows = _sums(from_low, low, blots)
    results = [first + second for first in highs for second in lows]
    wanted_twice = from_high & from_low & lone
    if wanted_twice:
        _drop_impossible(results, key, wanted_twice, blots, high, low)
    hit_twice = from_high >> by_high & from_low >> by_low & blots
    if hit_twice:
        _hit_once(results, key, hit_twice, by_high, by_low)
    runners = (from_high | from_low) & open_points << by_high + by_low
    if runners:
        _mend_runs(results, key, runners, places, blots, open_points, high, low)
    return results or highs or [key + addition for addition in lows] or [key]


def _sums(starts: int, distance: int, blots: int) -> Sums:
    """What each checker of a set of points adds when it moves by `distance`, hits included."""
    home, outer, far_outer, far_home = _ADDITIONS[distance]
    sums = [
        *home[starts >> 2 & _QUADRANT],
        *outer[starts >> 14 & _QUADRANT],
        *far_outer[starts >> 26 & _QUADRANT],
        *far_home[starts >> 38 & _QUADRANT],
    ]
    hitting = starts & blots << 2 * distance
    if hitting:
        for start in _bits(hitting):
            end = start >> 2 * distance
            quiet = _PLACE[end] - _PLACE[start]
            sums[sums.index(quiet)] = quiet + _HIT[end]
    return sums


def _drop_impossible(results: Sums, key: int, starts: int, blots: int, high: int, low: int) -> None:
    """Take out the sums that move one lone checker twice from the same point."""
    sums = _BOTH_WANT[high, low]
    while starts:
        start = starts & -starts
        starts ^= start
        impossible = key + sums[start]
        if blots:
            for end in (start >> 2 * high, start >> 2 * low):
                if end & blots:
                    impossible += _HIT[end]
        results.remove(impossible)


def _hit_once(results: Sums, key: int, ends: int, by_high: int, by_low: int) -> None:
    """Two checkers that land on one blot hit it once: mend the sums that hit it twice."""
    for end in _bits(ends):
        moved = key - _PLACE[end << by_high] - _PLACE[end << by_low] + 2 * _PLACE[end] + _HIT[end]
        results.remove(moved + _HIT[end])
        results.append(moved)


def _mend_runs(
    results: Sums, key: int, runners: int, places: int, blots: int, open_points: int, high: int, low: int
) -> None:
    """One checker makes both moves, touching down after either number (C1).

    Where it touches down on an own checker, the other one moving on is the same position, found as a pair already; and
    found twice if there are own checkers on both points to touch down on.
    """
    by_high, by_low = 2 * high, 2 * low
    over_high, over_low = places << by_high, places << by_low
    touching = runners & (blots << by_high | blots << by_low)
    quiet = runners & ~(touching | over_high | over_low)
    if quiet:
        results += [key + addition for addition in _sums(quiet, high + low, blots)]
    for start in _bits(touching):
        end = start >> by_high + by_low
        moved = key - _PLACE[start] + _PLACE[end] + (_HIT[end] if end & blots else 0)
        for stop in (start >> by_high, start >> by_low):
            if stop & open_points & ~places:
                results.append(moved + _HIT[stop] if stop & blots else moved)
    twice = runners & over_high & over_low
    if twice:
        for addition in _sums(twice, high + low, blots):
            results.remove(key + addition)


def _bits(places: int) -> list[int]:
    """The single bits of a bit board, lowest first."""
    found = []
    while places:
        bit = places & -places
        found.append(bit)
        places ^= bit
    return found


def _in_turn(key: int, places: int, open_points: int, blots: int, high: int, low: int) -> Collection[int]:
    """Two different numbers, one after the other, either first; each time from the higher place to the lower.

    What is legal in any order is so in that one: a checker on the bar is the highest, one outside the home board comes
    before those borne off, and with a larger number than its point only the highest checker is borne off.
    """
    start = [(key, places)]
    first_high = _next_layer(start, open_points, blots, high)
    first_low = _next_layer(start, open_points, blots, low)
    results = set(_last_layer(first_high, open_points, blots, low))
    results.update(_last_layer(first_low, open_points, blots, high))
    return results or [after for after, _ in first_high or first_low] or [key]


def _double(key: int, places: int, open_points: int, blots: int, die: int) -> Sums:
    """A double: as many of the four as possible, every set of moves once, from the highest place down."""
    layer = [(key, places)]
    for _ in range(3):
        following = _next_layer(layer, open_points, blots, die)
        if not following:
            return [after for after, _ in layer]
        layer = following
    return _last_layer(layer, open_points, blots, die) or [after for after, _ in layer]


def _next_layer(layer: Layer, open_points: int, blots: int, die: int) -> Layer:
    """Every key of `layer` after one more move; beside it the occupied places from the one just left downwards."""
    by_die = 2 * die
    movable, hitting = open_points << by_die, blots << by_die
    additions = _CHECKER_ADDITIONS[die]
    following = []
    for key, places in layer:
        starts = places & movable if places < _BAR_BIT else _BAR_BIT & movable
        while starts:
            start = starts & -starts
            starts ^= start
            after = key + additions[start]
            end = start >> by_die
            if start & hitting and key & _THEIR_BYTE[end]:
                after += _HIT[end]
            rest = places & start - 1 | end
            following.append((after, rest | start if after & _OWN_BYTE[start] else rest))
        if not (places >> _OUTSIDE or key & OWN_FROM[_OUTSIDE_HOME]):
            following += _borne_off(key, places & _POINT_BITS, die)
    return following


def _last_layer(layer: Layer, open_points: int, blots: int, die: int) -> Sums:
    """The keys of `_next_layer` alone: after the last move nobody asks what may move."""
    by_die = 2 * die
    movable, hitting = open_points << by_die, blots << by_die
    additions = _CHECKER_ADDITIONS[die]
    following = []
    for key, places in layer:
        starts = places & movable if places < _BAR_BIT else _BAR_BIT & movable
        while starts:
            start = starts & -starts
            starts ^= start
            after = key + additions[start]
            if start & hitting and key & _THEIR_BYTE[start >> by_die]:
                after += _HIT[start >> by_die]
            following.append(after)
        if not (places >> _OUTSIDE or key & OWN_FROM[_OUTSIDE_HOME]):
            following += [after for after, _ in _borne_off(key, places & _POINT_BITS, die)]
    return following


def _borne_off(key: int, points: int, die: int) -> Layer:
    """The one way to bear off with `die` when all are at home, as `_next_layer` notes it (E2)."""
    start = points & 1 << 2 * die
    if not start:
        highest = points.bit_length() >> 1
        if not points or highest > die or key & OWN_FROM[highest + 1]:
            return []
        start = 1 << points.bit_length() - 1
    after = key + 1 - _PLACE[start]
    rest = points & start - 1
    return [(after, rest | start if after & _OWN_BYTE[start] else rest)]
