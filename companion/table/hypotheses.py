"""What may have happened in a turn, and which of it fits what was seen (joint decoding).

Legal plays are favoured. An illegal one is believed only when the pixels clearly fit it and fit no legal one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from companion.rules.fast import resulting_keys
from companion.rules.movetext import format_steps
from companion.rules.packed import Step, pack, unpack
from companion.rules.plays import legal_paths, steps_with
from companion.rules.position import CHECKERS, Position, Side
from companion.table.evidence_model import (
    BLACK_BAR,
    BLACK_OFF,
    WHITE_BAR,
    WHITE_OFF,
    Dice,
    Look,
    Row,
    Rows,
    decode,
    encode,
    encode_keys,
    fit,
)

Looks = Sequence[tuple[Look, float]]
ROLL_REACH = 12.0
"""Rolls less likely than the best by this many nats are not thought of."""


class Kind(StrEnum):
    """What a hypothesis says about the position."""

    LEGAL = "legal"
    UNMOVED = "unmoved"  # nothing played though something can be
    PARTIAL = "partial"  # on the way to a legal result
    ILLEGAL = "illegal"


PRIOR = {Kind.LEGAL: 0.0, Kind.UNMOVED: -4.0, Kind.PARTIAL: -5.0, Kind.ILLEGAL: -6.0}


@dataclass(frozen=True, slots=True)
class Guess:
    """One hypothesis with its score (nats, higher is better)."""

    kind: Kind
    dice: Dice
    after: Position
    score: float


@dataclass(frozen=True, slots=True)
class Decoded:
    """The best hypothesis, its lead over the best other position, and over the same position by another roll."""

    best: Guess
    lead: float
    roll_lead: float
    rivals: tuple[Guess, ...]

    def best_of(self, *kinds: Kind) -> Guess | None:
        """The best hypothesis of these kinds."""
        return next((g for g in (self.best, *self.rivals) if g.kind in kinds), None)


@lru_cache(maxsize=512)
def results(key: int, side: Side, dice: Dice) -> tuple[tuple[int, ...], Rows]:
    """Packed legal results of a roll and their rows."""
    keys = tuple(resulting_keys(unpack(key, side), side, dice))
    return keys, encode_keys(keys, side)


@lru_cache(maxsize=64)
def on_the_way(key: int, side: Side, dice: Dice) -> Rows:
    """Rows of every position a hand may leave on the way to a play: any part of the roll moved, also in an order that
    leads nowhere, and with a hit checker still in the hand. The unmoved position comes first."""
    orders = [(dice[0],) * 4] if dice[0] == dice[1] else [dice, dice[::-1]]
    found: dict[int, bool] = {key: False}
    for order in orders:
        layer = {key: False}
        for die in order:
            layer = {
                after: hit or step.hit or layer.get(after, False)
                for at, hit in layer.items()
                for step, after in steps_with(at, die)
            }
            found.update(layer)
    rows = encode_keys(tuple(found), side)
    hits = rows[np.fromiter(found.values(), bool, len(found))].copy()
    bar = BLACK_BAR if side is Side.WHITE else WHITE_BAR
    hits[:, bar] += 1 if side is Side.WHITE else -1
    return np.concatenate([rows, hits])


def play_text(before: Position, side: Side, dice: Dice, after: Position) -> tuple[str, tuple[Step, ...]] | None:
    """Notation and steps of the legal play that leads to `after`, None when it is none."""
    path = legal_paths(pack(before, side), dice).get(pack(after, side))
    return None if path is None else (format_steps(path), path)


def decode_turn(before: Position, side: Side, rolls: Mapping[Dice, float], looks: Looks) -> Decoded:
    """Weigh everything the turn may have been against the looks at its end. `rolls`: log-chance of each roll."""
    key = pack(before, side)
    top = max(rolls, key=lambda roll: rolls[roll])
    guesses: list[Guess] = []
    for roll, chance in rolls.items():
        if chance > rolls[top] - ROLL_REACH:
            guesses += _legal_guesses(key, side, roll, chance, looks)
    guesses += _other_guesses(before, key, side, top, rolls[top], looks)
    guesses.sort(key=lambda g: -g.score)
    best = guesses[0]
    lead = min((best.score - g.score for g in guesses if g.after != best.after), default=99.0)
    roll_lead = min(
        (best.score - g.score for g in guesses if g.dice != best.dice and g.after == best.after), default=99.0
    )
    return Decoded(best, lead, roll_lead, tuple(guesses[1:24]))


def _legal_guesses(key: int, side: Side, roll: Dice, chance: float, looks: Looks, keep: int = 4) -> list[Guess]:
    keys, rows = results(key, side, roll)
    scores = fit(looks, rows)
    order = np.argsort(-scores)[:keep]
    return [Guess(Kind.LEGAL, roll, unpack(keys[i], side), float(scores[i]) + chance) for i in order]


def _other_guesses(before: Position, key: int, side: Side, roll: Dice, chance: float, looks: Looks) -> list[Guess]:
    """The unmoved position, the best half-finished one, and what the pixels say by themselves."""
    keys, _ = results(key, side, roll)
    found = []
    rows = on_the_way(key, side, roll)
    scores = fit(looks, rows) + chance
    if key not in keys:
        found.append(Guess(Kind.UNMOVED, roll, before, float(scores[0]) + PRIOR[Kind.UNMOVED]))
    legal = {unpack(k, side) for k in keys}
    best = decode(rows[1:][int(scores[1:].argmax())]) if len(rows) > 1 else before
    if best not in legal and best != before:
        found.append(Guess(Kind.PARTIAL, roll, best, float(scores[1:].max()) + PRIOR[Kind.PARTIAL]))
    seen = seen_position(looks, before, side)
    if seen is not None:
        row = encode(seen)
        if seen not in legal and seen != before and not (rows == row).all(axis=1).any():
            score = float(fit(looks, row[None])[0]) + chance + PRIOR[Kind.ILLEGAL]
            found.append(Guess(Kind.ILLEGAL, roll, seen, score))
    return found


def seen_position(looks: Looks, before: Position, mover: Side | None = None) -> Position | None:
    """The position the pixels show by themselves, if all 15 checkers of each side are accounted for.

    Borne-off checkers not seen are implied. A count one too many or too few is mended where that costs least.
    """
    table = sum((weight * look.table for look, weight in looks), np.zeros_like(looks[0][0].table))
    row = (table.argmax(axis=1) - CHECKERS).astype(np.int8)
    was = encode(before)
    for side, sign, off in ((Side.WHITE, 1, WHITE_OFF), (Side.BLACK, -1, BLACK_OFF)):
        seen_off = np.ptp(table[off]) > 0.5
        row[off] = row[off] if seen_off else was[off]
        if not _balanced(row, sign):
            row = _mended(row, table, sign, off, may_bear_off=not seen_off and side is mover)
    if not all(_balanced(row, sign) for sign in (1, -1)) or _impossible(row):
        return None
    return decode(row)


def _balanced(row: Row, sign: int) -> bool:
    return int(np.maximum(sign * row.astype(int), 0).sum()) == CHECKERS


def _mended(row: Row, table: NDArray[np.float32], sign: int, off: int, *, may_bear_off: bool) -> Row:
    """One or two counts changed by one so that the side has 15; else the missing ones are taken as borne off."""
    total = int(np.maximum(sign * row.astype(int), 0).sum())
    if may_bear_off and 0 < CHECKERS - total <= 4 and _all_home(row, sign):
        row = row.copy()
        row[off] += sign * (CHECKERS - total)
        return row
    if abs(CHECKERS - total) > 2:
        return row
    row = row.copy()
    towards = sign * (1 if total < CHECKERS else -1)
    for _ in range(abs(CHECKERS - total)):
        region = _cheapest(row, table, sign, towards)
        row[region] += towards
    return row


def _all_home(row: Row, sign: int) -> bool:
    outside = row[6:24] if sign > 0 else row[0:18]
    bar = row[WHITE_BAR] if sign > 0 else row[BLACK_BAR]
    return not (sign * outside.astype(int) > 0).any() and bar == 0


def _cheapest(row: Row, table: NDArray[np.float32], sign: int, towards: int) -> int:
    """The region of this side where one more or less costs least."""
    regions = np.arange(WHITE_OFF)
    now = table[regions, row[:WHITE_OFF].astype(int) + CHECKERS]
    changed = np.clip(row[:WHITE_OFF].astype(int) + towards, -CHECKERS, CHECKERS)
    cost = now - table[regions, changed + CHECKERS]
    mine = sign * row[:WHITE_OFF].astype(int) > 0
    allowed = mine | (row[:WHITE_OFF] == 0) if towards == sign else mine
    other_bar = BLACK_BAR if sign > 0 else WHITE_BAR
    allowed[other_bar] = False
    return int(np.where(allowed, cost, np.inf).argmin())


def _impossible(row: Row) -> bool:
    return bool(row[WHITE_BAR] < 0 or row[BLACK_BAR] > 0 or row[WHITE_OFF] < 0 or row[BLACK_OFF] > 0)
