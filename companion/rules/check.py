"""Is the position after a turn the result of a legal play; if not, what is wrong with it (RULES.md C, D, E, F4)?

Only the final position counts (C7). The judge looks for the moves behind it: first moves with the numbers rolled,
whatever the law says of them, then any other movement. What those moves break is told, several faults at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

from companion.rules.explain import explanations
from companion.rules.fast import resulting_keys
from companion.rules.faults import Arg, Fault, joined
from companion.rules.judge import other_movement_faults, shifts_faults
from companion.rules.packed import PLACES, THEIRS, TO_THEIR_BAR, Step, pack, their_points
from companion.rules.plays import Play, all_ways, legal_plays
from companion.rules.position import Position, Side

ROLLS = tuple(combinations_with_replacement(range(1, 7), 2))
"""The 21 rolls."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee says of a turn.

    `rules`: ids of RULES.md that are broken; `why`: one sentence; `why_code` and `why_args`: the gravest fault for
    translation, `faults` all of them; `play`: the play made, if legal; `likely`: the legal play probably meant;
    `partial`: half of a legal play; `legal_plays`: all that would be legal.
    """

    legal: bool
    rules: tuple[str, ...]
    why: str
    why_code: str
    why_args: tuple[tuple[str, Arg], ...]
    faults: tuple[Fault, ...]
    play: Play | None
    likely: Play | None
    partial: bool
    legal_plays: tuple[Play, ...]


def check_play(before: Position, side: Side, dice: tuple[int, int], after: Position) -> Verdict:
    """Judge the position `after` a turn of `side`. `before` must be possible (`validity`); `after` may be anything.

    Raises RuleError only for impossible dice.
    """
    plays = legal_plays(before, side, dice)
    made = next((play for play in plays if play.after == after), None)
    if made:
        return _legal(made, plays)
    likely = likeliest_play(before, side, after, plays)
    faults = _faults(before, side, dice, after, likely)
    rules = tuple(dict.fromkeys(rule for fault in faults for rule in fault.rules))
    partial = is_on_the_way(before, side, dice, after)
    return Verdict(False, rules, joined(faults), faults[0].code, faults[0].args, faults, None, likely, partial, plays)


def _legal(play: Play, plays: tuple[Play, ...]) -> Verdict:
    code, why = ("legal", f"Legal: {play.text}.") if play.steps else ("no_play", "No number can be played (C6).")
    args = (("play", play.text),)
    return Verdict(True, (), why, code, args, (), play, play, False, plays)


def _faults(before: Position, side: Side, dice: tuple[int, int], after: Position, likely: Play) -> tuple[Fault, ...]:
    """The faults of the mildest reading of what was done."""
    numbers = (dice[0],) * 4 if dice[0] == dice[1] else dice
    readings = [
        shifts_faults(before, side, dice, after, shifts, likely)
        for shifts in explanations(before.of(side), after.of(side), numbers)
    ]
    if readings:
        return min(readings, key=_gravity)
    explained_by = rolls_explaining(before, side, after)
    return other_movement_faults(before, side, dice, after, explained_by)


MILD = {"not_lifted": 2, "not_played": 1, "both_playable": 1, "more_of_double": 1, "nothing_moved": 1, "bar_left": 1}
"""Weight of faults that happen by forgetting; a move against the law weighs 3."""


def _gravity(faults: tuple[Fault, ...]) -> tuple[int, int]:
    """How far-fetched a reading is: its faults, and what kind they are."""
    return len(faults), sum(MILD.get(fault.code, 3) for fault in faults)


def likeliest_play(before: Position, side: Side, after: Position, plays: tuple[Play, ...]) -> Play:
    """The legal play whose result differs least from `after`: checkers out of place, then pips."""
    return min(plays, key=lambda play: _difference(play.after, after))


def _difference(meant: Position, seen: Position) -> tuple[int, int]:
    out_of_place = sum(abs(a - b) for side in Side for a, b in zip(meant.of(side), seen.of(side), strict=False))
    return out_of_place, sum(abs(meant.pips(side) - seen.pips(side)) for side in Side)


def is_on_the_way(before: Position, side: Side, dice: tuple[int, int], position: Position) -> bool:
    """Is `position` a legal result or part of a legal play: some of its steps done, in whatever order (C7)?

    Hits go with their step: a checker hit must have been lifted.
    """
    if not _packable(position):
        return False
    key, wanted = pack(before, side), pack(position, side)
    return any(wanted in _parts(key, path) for path in all_ways(key, dice)) or wanted == key


def _packable(position: Position) -> bool:
    """Can the position be a key: 26 counts that fit in seven bits."""
    return all(len(counts) == PLACES and min(counts) >= 0 and max(counts) < 128 for counts in map(position.of, Side))


def _parts(key: int, path: tuple[Step, ...]) -> set[int]:
    """The keys after every selection of the steps; impossible selections give keys no real position has."""
    return {_after_some(key, chosen) for size in range(1, len(path) + 1) for chosen in combinations(path, size)}


def _after_some(key: int, steps: tuple[Step, ...]) -> int:
    blots = their_points(key)
    for end in {step.end for step in steps}:
        if end and blots >> 8 * end & 1:
            key += TO_THEIR_BAR - (1 << THEIRS + 8 * end)
    return key + sum((1 << 8 * step.end) - (1 << 8 * step.start) for step in steps)


def rolls_explaining(before: Position, side: Side, after: Position) -> tuple[tuple[int, int], ...]:
    """The rolls (higher number first) for which `after` is the result of a legal play; a dance explains nothing new."""
    if not _packable(after):
        return ()
    wanted = pack(after, side)
    return tuple((high, low) for low, high in ROLLS if wanted in resulting_keys(before, side, (high, low)))
