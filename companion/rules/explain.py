"""How a mover's checkers may have come from one place to another: the moves behind a physical result, legal or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.rules.position import BAR, OFF, Counts

HOME = 6


@dataclass(frozen=True, slots=True)
class Shift:
    """One checker moved with one die, whatever the law says; `end` 0 is off."""

    start: int
    end: int
    die: int


Shifts = tuple[Shift, ...]


def explanations(before: Counts, after: Counts, numbers: tuple[int, ...]) -> list[Shifts]:
    """All ways to get the mover's checkers from `before` to `after` with some or all of `numbers`, from the top down.

    Only distances count here, not the other side nor the order demanded by the law; off is reached from the home
    board alone. Moving from the highest place down loses nothing: what is legal in any order is legal in this one.
    """
    return list(dict.fromkeys(_explain(list(before), after, numbers, BAR)))


def _explain(own: list[int], after: Counts, numbers: tuple[int, ...], place: int) -> Iterator[Shifts]:
    while place > OFF and own[place] == after[place]:
        place -= 1
    if place == OFF:
        if own[OFF] == after[OFF]:
            yield ()
        return
    if own[place] < after[place]:
        return
    for die in sorted(set(numbers), reverse=True):
        shift = Shift(place, max(place - die, OFF), die)
        if shift.end == OFF and place > HOME:
            continue
        yield from _after_shift(own, after, numbers, shift)


def _after_shift(own: list[int], after: Counts, numbers: tuple[int, ...], shift: Shift) -> Iterator[Shifts]:
    rest = list(numbers)
    rest.remove(shift.die)
    own[shift.start] -= 1
    own[shift.end] += 1
    for following in _explain(own, after, tuple(rest), shift.start):
        yield (shift, *following)
    own[shift.start] += 1
    own[shift.end] -= 1


def moved_pairs(before: Counts, after: Counts) -> list[tuple[int, int]]:
    """(from, to) of every checker that left a place, highest to highest: the plainest reading of any change.

    A checker that left with no place to be found again is not listed, nor one that came from nowhere.
    """
    left = [place for place in range(BAR, -1, -1) for _ in range(before[place] - after[place])]
    came = [place for place in range(BAR, -1, -1) for _ in range(after[place] - before[place])]
    return list(zip(left, came, strict=False))
