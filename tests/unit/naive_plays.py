"""A second, naive implementation of the law of moving, for the tests alone: plain lists, every order, no cleverness.

Shares no code with `companion.rules` but the meaning of 26 integers `[off, p1 … p24, bar]`.
"""

from __future__ import annotations

Board = tuple[tuple[int, ...], tuple[int, ...]]
"""The mover's 26 integers, then the other side's, each in the own numbering."""


def naive_results(mover: tuple[int, ...], other: tuple[int, ...], dice: tuple[int, int]) -> set[Board]:
    """Every position a legal play can lead to; the unchanged one when nothing can be moved."""
    first, second = dice
    orders = [[first] * 4] if first == second else [[first, second], [second, first]]
    ends: list[tuple[int, int, Board]] = []
    for order in orders:
        _play(mover, other, order, 0, 0, ends)
    most = max(count for count, _, _ in ends)
    ends = [end for end in ends if end[0] == most]
    if most == 1 and first != second:
        best = max(die for _, die, _ in ends)
        ends = [end for end in ends if end[1] == best]
    return {board for _, _, board in ends}


def _play(mover, other, numbers, count, last, ends):
    ends.append((count, last, (tuple(mover), tuple(other))))
    if not numbers:
        return
    for start in range(1, 26):
        moved = naive_move(mover, other, start, numbers[0])
        if moved:
            _play(*moved, numbers[1:], count + 1, numbers[0], ends)


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
