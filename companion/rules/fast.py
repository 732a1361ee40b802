"""Resulting positions without notation, fast: the same law as `companion.rules.plays`, built for speed.

Design. A position is one integer (`packed`), so a checker moved is one addition, a play is a sum of additions, and
equal positions are equal integers. Beside it stand two bit boards of 26 bits (bit p = the mover's point p): where
the mover has checkers, and which points are open. Open points do not change during a turn, so of two different
numbers nearly every play is a pair of moves that do not touch each other: all sums of one addition for the higher
and one for the lower number. The additions of a whole set of starting points are looked up by quadrant (64 sets each).
What is left is done one by one: one checker making both moves, hits, one checker that both numbers want. With at most
one point outside the home board, where a first move may allow or forbid bearing off, the moves are made in turn.

Of a double, moves are made from the highest point down, which makes every set of moves once (see `plays`).
"""

from __future__ import annotations

from functools import cache

from companion.errors import RuleError
from companion.rules.packed import KEY_BYTES, PLACES, THEIRS, TO_THEIR_BAR
from companion.rules.position import BAR, Position, Side

_TWO_OR_MORE = bytes([48, 48, *[49] * 254])
_ONE_OR_MORE = bytes([48, *[49] * 255])
"""Translate counts to the digits 0 and 1, which `int(…, 2)` reads as a bit board."""

BAR_BIT = 1 << BAR
POINT_BITS = (1 << BAR) - 2
OUTSIDE = 7
"""Shift that leaves only places outside the home board."""
_QUADRANT = 63

_OWN_BYTE = {1 << p: 0xFF << 8 * p for p in range(PLACES)}
_THEIR_BYTE = {1 << p: 0xFF << THEIRS + 8 * p for p in range(PLACES)}
_OWN_FROM = [sum(0xFF << 8 * q for q in range(p, PLACES)) for p in range(8)]
"""Bytes of the mover from point p up to the bar."""
_HIT = {1 << p: TO_THEIR_BAR - (1 << THEIRS + 8 * p) for p in range(PLACES)}
_PLACE = {1 << p: 1 << 8 * p for p in range(PLACES)}
"""By bit of the place: masks of its byte, what a hit there adds, one own checker there."""

Lists = tuple[list[int], ...]


@cache
def _additions(distance: int) -> tuple[Lists, Lists, Lists, Lists]:
    """For each quadrant, by set of starting points in it: what moving one checker by `distance` adds to the key."""
    return tuple(  # type: ignore[return-value]
        tuple([_addition(first + i, distance) for i in range(6) if chosen >> i & 1] for chosen in range(64))
        for first in (1, 7, 13, 19)
    )


def _addition(start: int, distance: int) -> int:
    return (1 << 8 * max(start - distance, 0)) - (1 << 8 * start)


_ADDITIONS = [_additions(distance) for distance in range(12)]


def _all_additions(starts: int, distance: int) -> list[int]:
    """What each checker of a set of points adds when it moves by `distance`."""
    home, outer, far_outer, far_home = _ADDITIONS[distance]
    return [
        *home[starts >> 1 & _QUADRANT],
        *outer[starts >> 7 & _QUADRANT],
        *far_outer[starts >> 13 & _QUADRANT],
        *far_home[starts >> 19 & _QUADRANT],
    ]


def resulting_positions(position: Position, side: Side, dice: tuple[int, int]) -> list[bytes]:
    """Every position the legal plays lead to, each once; the unchanged one if nothing can be played.

    52 counts each, seen by the mover: own off, 1 … 24, bar, then the other side by the mover's points (`packed`);
    `packed.unpack` makes a Position of them. Order has no meaning. Counts must be possible ones (`validity`).
    """
    own, theirs = (position.white, position.black) if side is Side.WHITE else (position.black, position.white)
    board = bytes(own + theirs[::-1])
    return [key.to_bytes(KEY_BYTES, "little") for key in _results(board, dice)]


def resulting_keys(key: int, dice: tuple[int, int]) -> frozenset[int]:
    """The same for a key: the keys of all resulting positions."""
    return frozenset(_results(key.to_bytes(KEY_BYTES, "little"), dice))


def _results(board: bytes, dice: tuple[int, int]) -> set[int] | list[int]:
    if not (len(dice) == 2 and 0 < dice[0] < 7 and 0 < dice[1] < 7):
        raise RuleError(f"dice {dice}: two numbers from 1 to 6 are needed, such as 31")
    key = int.from_bytes(board, "little")
    own, theirs = board[:PLACES], board[PLACES:]
    places = int(own[::-1].translate(_ONE_OR_MORE), 2)
    open_points = POINT_BITS & ~int(theirs[::-1].translate(_TWO_OR_MORE), 2)
    if dice[0] == dice[1]:
        return _double(key, places, own[BAR], open_points, dice[0])
    high, low = max(dice), min(dice)
    if places & BAR_BIT or not places >> OUTSIDE & (places >> OUTSIDE) - 1:
        return _one_by_one(key, places, open_points, high, low)
    blots = int(theirs[::-1].translate(_ONE_OR_MORE), 2) & open_points
    singles = places & ~int(own[::-1].translate(_TWO_OR_MORE), 2)
    return _pairs(key, places, singles, open_points, blots, high, low)


def _pairs(
    key: int, places: int, singles: int, open_points: int, blots: int, high: int, low: int
) -> set[int] | list[int]:
    """Two different numbers with nobody on the bar and no bearing off in sight."""
    from_high, from_low = places & open_points << high, places & open_points << low
    highs = _moved(key, from_high, high, blots)
    lows = _moved(0, from_low, low, blots)
    results = {first + second for first in highs for second in lows}
    lone = from_high & from_low & singles
    if lone:
        _drop_lone(results, key, lone, high, low, blots)
    twice_hit = from_high >> high & from_low >> low & blots
    if twice_hit:
        _hit_once(results, key, twice_hit, high, low)
    runners = (from_high | from_low) & open_points << high + low
    if runners:
        _add_runs(results, key, runners, from_high, from_low, high, low, blots)
    if results:
        return results
    return highs if from_high else _moved(key, from_low, low, blots) or [key]


def _moved(key: int, starts: int, distance: int, blots: int) -> list[int]:
    """`key` after each of the moves from `starts`, hits included."""
    hitting = starts & blots << distance
    moved = [key + addition for addition in _all_additions(starts ^ hitting, distance)]
    while hitting:
        start = hitting & -hitting
        hitting ^= start
        end = start >> distance
        moved.append(key - _PLACE[start] + _PLACE[end] + _HIT[end])
    return moved


def _drop_lone(results: set[int], key: int, lone: int, high: int, low: int, blots: int) -> None:
    """Take out the sums that move one lone checker twice from the same point."""
    for start in _bits(lone):
        by_high, by_low = start >> high, start >> low
        hits = sum(_HIT[end] for end in (by_high, by_low) if end & blots)
        results.discard(key - 2 * _PLACE[start] + _PLACE[by_high] + _PLACE[by_low] + hits)


def _hit_once(results: set[int], key: int, ends: int, high: int, low: int) -> None:
    """Two checkers that land on one blot hit it once: mend the sums that hit it twice."""
    for end in _bits(ends):
        moved = key - _PLACE[end << high] - _PLACE[end << low] + 2 * _PLACE[end] + _HIT[end]
        results.discard(moved + _HIT[end])
        results.add(moved)


def _add_runs(
    results: set[int], key: int, runners: int, from_high: int, from_low: int, high: int, low: int, blots: int
) -> None:
    """One checker makes both moves, touching down after either number (C1)."""
    both = high + low
    touching = runners & (blots << both | from_high & blots << high | from_low & blots << low)
    results.update([key + addition for addition in _all_additions(runners ^ touching, both)])
    for start in _bits(touching):
        end = start >> both
        moved = key - _PLACE[start] + _PLACE[end] + (_HIT[end] if end & blots else 0)
        for die, allowed in ((high, from_high), (low, from_low)):
            if start & allowed:
                stop = start >> die
                results.add(moved + _HIT[stop] if stop & blots else moved)


def _bits(places: int) -> list[int]:
    """The single bits of a bit board, lowest first."""
    found = []
    while places:
        bit = places & -places
        found.append(bit)
        places ^= bit
    return found


def _one_by_one(key: int, places: int, open_points: int, high: int, low: int) -> set[int] | list[int]:
    """Two different numbers, one after the other in both orders."""
    first_high = _steps(key, places, open_points, high)
    first_low = _steps(key, places, open_points, low)
    results = {end for after, now in first_high for end, _ in _steps(after, now, open_points, low)}
    results.update([end for after, now in first_low for end, _ in _steps(after, now, open_points, high)])
    return results or [after for after, _ in first_high or first_low] or [key]


def _steps(key: int, places: int, open_points: int, die: int) -> list[tuple[int, int]]:
    """Every legal move of one checker by `die`: the key and the bit board of the mover's places after it."""
    starts = places & open_points << die
    if places & BAR_BIT:
        starts &= BAR_BIT
    found = []
    while starts:
        start = starts & -starts
        starts ^= start
        end = start >> die
        after = key - _PLACE[start] + _PLACE[end]
        if after & _THEIR_BYTE[end]:
            after += _HIT[end]
        found.append((after, (places if after & _OWN_BYTE[start] else places ^ start) | end))
    if not places >> OUTSIDE:
        start = _bearing_off(places, die)
        if start:
            after = key - _PLACE[start] + 1
            found.append((after, places if after & _OWN_BYTE[start] else places ^ start))
    return found


def _bearing_off(places: int, die: int) -> int:
    """The bit of the point from which `die` bears off when all are at home, 0 if it cannot (E2)."""
    points = places & POINT_BITS
    if points >> die:
        return points & 1 << die
    return 1 << points.bit_length() - 1 if points else 0


def _double(key: int, places: int, on_bar: int, open_points: int, die: int) -> list[int]:
    """A double: the bar first, then every set of moves from the highest point down."""
    left = 4
    if on_bar:
        end = 1 << BAR - die
        if not open_points & end:
            return [key]
        entering = min(on_bar, left)
        hit = _HIT[end] if key & _THEIR_BYTE[end] else 0
        key += entering * (_PLACE[end] - _PLACE[BAR_BIT]) + hit
        left -= entering
        if entering < on_bar:
            return [key]
        places = places ^ BAR_BIT | end
    may_bear_off = (places >> OUTSIDE).bit_count() <= 3
    layer = [(key, places & POINT_BITS)]
    for _ in range(left):
        following = _next_layer(layer, open_points, die, may_bear_off)
        if not following:
            break
        layer = following
    return [after for after, _ in layer]


def _next_layer(layer: list[tuple[int, int]], open_points: int, die: int, may_bear_off: bool) -> list[tuple[int, int]]:
    """Every key of `layer` after one more move; beside it the occupied points from the one just left downwards."""
    movable = open_points << die
    following = []
    for key, places in layer:
        starts = places & movable
        while starts:
            start = starts & -starts
            starts ^= start
            end = start >> die
            after = key - _PLACE[start] + _PLACE[end]
            if after & _THEIR_BYTE[end]:
                after += _HIT[end]
            rest = places & start - 1 | end
            following.append((after, rest | start if after & _OWN_BYTE[start] else rest))
        if may_bear_off and not key & _OWN_FROM[OUTSIDE]:
            following.extend(_borne_off(key, places, die))
    return following


def _borne_off(key: int, places: int, die: int) -> list[tuple[int, int]]:
    """The one way to bear off with `die` when all are at home, as `_next_layer` notes it (E2)."""
    start = places & 1 << die
    if not start:
        if key & _OWN_FROM[die] or not places:
            return []
        start = 1 << places.bit_length() - 1
    after = key - _PLACE[start] + 1
    rest = places & start - 1
    return [(after, rest | start if after & _OWN_BYTE[start] else rest)]
