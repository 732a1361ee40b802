"""A second, naive implementation of the law of moving, for the tests alone: plain lists, every order, no cleverness.

Shares no code with `companion.rules` but the meaning of 26 integers `[off, p1 … p24, bar]`.
"""

from __future__ import annotations

Board = tuple[tuple[int, ...], tuple[int, ...]]
"""The mover's 26 integers, then the other side's, each in the own numbering."""


def naive_results(mover: tuple[int, ...], other: tuple[int, ...], dice: tuple[int, int]) -> set[Board]:
    """Every position a legal play can lead to; the unchanged one when nothing can be moved."""
    start = (tuple(mover), tuple(other))
    first, second = dice
    if first == second:
        return _deepest(start, [first] * 4)[1]
    orders = [_deepest(start, [first, second]), _deepest(start, [second, first])]
    if any(count == 2 for count, _ in orders):
        return set().union(*(boards for count, boards in orders if count == 2))
    single = {die: _deepest(start, [die]) for die in dice}
    for die in sorted(dice, reverse=True):
        if single[die][0] == 1:
            return single[die][1]
    return {start}


def _deepest(start: Board, numbers: list[int]) -> tuple[int, set[Board]]:
    """Play the numbers in this order as far as it goes: how many could be played, and all boards there."""
    boards = {start}
    for count, die in enumerate(numbers):
        tries = {naive_move(*board, place, die) for board in boards for place in range(1, 26)} - {None}
        if not tries:
            return count, boards
        boards = tries
    return len(numbers), boards


def naive_move(mover, other, start, die):
    """The board after one checker moves, None if the law forbids it."""
    if mover[start] == 0 or (mover[25] > 0 and start != 25):
        return None
    mover, other = list(mover), list(other)
    end = start - die
    if end <= 0:
        if any(mover[p] for p in range(7, 26)):
            return None
        if end < 0 and any(mover[p] for p in range(start + 1, 7)):
            return None
        end = 0
    elif other[25 - end] >= 2:
        return None
    elif other[25 - end] == 1:
        other[25 - end] = 0
        other[25] += 1
    mover[start] -= 1
    mover[end] += 1
    return tuple(mover), tuple(other)
