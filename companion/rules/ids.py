"""Position ids, both ways: XGID (all fields), GNU position id and match id (FORMATS.md "Ids").

White is X in an XGID and, as in GNU Backgammon's own XGIDs, player 1 of a GNU match id. A bare GNU position id means
White is on roll (CONTRACT.md). Both formats imply the men borne off: 15 less the men seen. Parsing judges the text
only; `companion.rules.validity` judges the position.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode, b64encode
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from companion.errors import RuleError
from companion.rules.notation.fault import text_fault
from companion.rules.position import BAR, CHECKERS, Counts, Position, Side

Dice = tuple[int, int]
POSITION_BITS = 80
MATCH_BITS = 67
CENTRED, NO_DIE = 3, 0
PLAYING = 1
PENDING = {"D": "double", "B": "beaver", "R": "raccoon"}
"""XGID letters in the place of the dice: a cube decision is awaited."""
PENDING_LETTER = {word: letter for letter, word in PENDING.items()}


class IdFields(TypedDict, total=False):
    """What an id may say beside position and side on roll; the meaning is that of `ParsedId`'s fields."""

    dice: Dice | None
    cube: int
    owner: Side | None
    score_white: int
    score_black: int
    length: int
    crawford: bool
    jacoby: bool
    beavers: bool
    max_cube: int
    pending: str | None


@dataclass(frozen=True, slots=True)
class ParsedId:
    """All that an id says. Defaults are those of a money game before the roll.

    `dice`: None = still to roll. `cube`: points (1, 2, 4 …), `owner` None = centred. `score_*`: points.
    `length`: points of the match, 0 = money. `max_cube`: log2 of the largest cube (XGID). `pending`: a cube decision
    is awaited: double | beaver | raccoon. `on_roll`: the mover; with `pending` the side that doubled.
    """

    position: Position
    on_roll: Side | None = Side.WHITE
    dice: Dice | None = None
    cube: int = 1
    owner: Side | None = None
    score_white: int = 0
    score_black: int = 0
    length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    max_cube: int = 10
    pending: str | None = None
    resigned: int = 0

    def score(self, side: Side) -> int:
        """Points that side has."""
        return self.score_white if side is Side.WHITE else self.score_black

    def xgid(self) -> str:
        """The XGID of this (nobody on roll: written with White on roll)."""
        return _xgid(self)

    def gnu_position_id(self) -> str:
        """The 14 characters in the view of the side on roll."""
        return gnu_position_id(self.position, self.on_roll or Side.WHITE)

    def gnu_id(self) -> str:
        """`positionid:matchid`."""
        return f"{self.gnu_position_id()}:{_match_id(self)}"


def parse_id(text: str) -> ParsedId:
    """XGID (with or without `XGID=`), GNU position id, or `positionid:matchid`.

    Raises RuleError with line, column and the offending piece.
    """
    start = len(text) - len(text.lstrip())
    body = text.strip()
    if body.upper().startswith("XGID="):
        return _parse_xgid(text, start + 5, body[5:])
    if body.count(":") >= 2:
        return _parse_xgid(text, start, body)
    head, colon, tail = body.partition(":")
    parsed = ParsedId(_parse_position_id(text, start, head, Side.WHITE))
    return _parse_match_id(text, start + len(head) + 1, tail, head, start) if colon else parsed


def gnu_position_id(position: Position, on_roll: Side = Side.WHITE) -> str:
    """14 characters: the bits of the side not on roll first, then those of the side on roll."""
    bits, at = 0, 0
    for side in (on_roll.other, on_roll):
        for count in position.of(side)[1:]:
            bits |= ((1 << count) - 1) << at
            at += count + 1
    if bits.bit_length() > POSITION_BITS:
        raise RuleError("more than 15 checkers a side: a GNU position id cannot hold them; take the extra ones off")
    return b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def gnu_id(position: Position, on_roll: Side | None = None, **fields: Unpack[IdFields]) -> str:
    """`positionid:matchid` for these facts (nobody on roll: White)."""
    return ParsedId(position, on_roll or Side.WHITE, **fields).gnu_id()


def gnu_match_id(position: Position, on_roll: Side | None = None, **fields: Unpack[IdFields]) -> str:
    """Only the 12 characters of the match id."""
    return _match_id(ParsedId(position, on_roll or Side.WHITE, **fields))


def xgid(position: Position, on_roll: Side | None = None, **fields: Unpack[IdFields]) -> str:
    """`XGID=…` for these facts (nobody on roll: White)."""
    return ParsedId(position, on_roll or Side.WHITE, **fields).xgid()


# --- GNU position id ---------------------------------------------------------------------------------------------


def _parse_position_id(text: str, start: int, piece: str, on_roll: Side) -> Position:
    if len(piece) != 14:
        raise text_fault(text, start, piece, f"a GNU position id has 14 characters, this has {len(piece)}")
    bits = int.from_bytes(_decoded(text, start, piece + "==", 10), "little")
    sides: list[Counts] = []
    for _ in range(2):
        counts, bits = _take_counts(bits)
        sides.append(_with_off(counts))
    if bits or sum(sum(counts[1:]) for counts in sides) > 2 * CHECKERS:
        raise text_fault(text, start, piece, "holds more checkers or points than a board has")
    other, mover = sides
    return Position(mover, other) if on_roll is Side.WHITE else Position(other, mover)


def _take_counts(bits: int) -> tuple[list[int], int]:
    """25 runs of ones, each ended by a zero, from the low end; and what is left."""
    counts = []
    for _ in range(25):
        run = (~bits & (bits + 1)).bit_length() - 1
        counts.append(run)
        bits >>= run + 1
    return counts, bits


def _with_off(counts: list[int]) -> Counts:
    return (max(0, CHECKERS - sum(counts)), *counts)


def _decoded(text: str, start: int, padded: str, size: int) -> bytes:
    piece = padded.rstrip("=")
    bad = re.search(r"[^A-Za-z0-9+/]", piece)
    if bad:
        raise text_fault(text, start + bad.start(), bad.group(), "not a character of a GNU id (A-Z a-z 0-9 + /)")
    try:
        data = b64decode(padded, validate=True)
    except binascii.Error as error:
        raise text_fault(text, start, piece, f"not a GNU id: {error}") from error
    if len(data) != size or b64encode(data).decode() != padded:
        raise text_fault(text, start + len(piece) - 1, piece[-1], "the last character of this GNU id cannot be")
    return data


# --- GNU match id ------------------------------------------------------------------------------------------------

_MATCH_FIELDS = (
    ("cube", 4),
    ("owner", 2),
    ("move", 1),
    ("crawford", 1),
    ("state", 3),
    ("turn", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("high", 3),
    ("low", 3),
    ("length", 15),
    ("score0", 15),
    ("score1", 15),
    ("not_jacoby", 1),
)
_PLAYER = {Side.BLACK: 0, Side.WHITE: 1}
_SIDE = {0: Side.BLACK, 1: Side.WHITE}


def _match_id(facts: ParsedId) -> str:
    mover = facts.on_roll or Side.WHITE
    doubled = facts.pending is not None
    turn = mover.other if doubled or facts.resigned else mover
    dice = sorted(facts.dice or (NO_DIE, NO_DIE), reverse=True)
    values = {
        "cube": cube_exponent(facts.cube),
        "owner": CENTRED if facts.owner is None else _PLAYER[facts.owner],
        "move": _PLAYER[mover],
        "crawford": int(facts.crawford),
        "state": PLAYING,
        "turn": _PLAYER[turn],
        "doubled": int(doubled),
        "resigned": facts.resigned,
        "high": dice[0],
        "low": dice[1],
        "length": facts.length,
        "score0": facts.score_black,
        "score1": facts.score_white,
        "not_jacoby": int(not facts.jacoby),
    }
    return b64encode(_packed(values).to_bytes(9, "little")).decode()


def _packed(values: dict[str, int]) -> int:
    bits, at = 0, 0
    for name, width in _MATCH_FIELDS:
        value = values[name]
        if not 0 <= value < 1 << width:
            raise RuleError(f"{name} = {value} does not fit a GNU match id (0 … {(1 << width) - 1})")
        bits |= value << at
        at += width
    return bits


def _parse_match_id(text: str, start: int, piece: str, head: str, head_start: int) -> ParsedId:
    if len(piece) != 12:
        raise text_fault(text, start, piece, f"a GNU match id has 12 characters, this has {len(piece)}")
    bits = int.from_bytes(_decoded(text, start, piece, 9), "little")
    field: dict[str, int] = {}
    for name, width in _MATCH_FIELDS:
        field[name] = bits & ((1 << width) - 1)
        bits >>= width
    on_roll = _SIDE[field["move"]]
    return ParsedId(
        position=_parse_position_id(text, head_start, head, on_roll),
        on_roll=on_roll,
        dice=_match_dice(text, start, piece, field["high"], field["low"]),
        cube=1 << field["cube"],
        owner=_match_owner(text, start, piece, field["owner"]),
        score_white=field["score1"],
        score_black=field["score0"],
        length=field["length"],
        crawford=bool(field["crawford"]),
        jacoby=field["length"] == 0 and not field["not_jacoby"],
        pending="double" if field["doubled"] else None,
        resigned=field["resigned"],
    )


def _match_dice(text: str, start: int, piece: str, high: int, low: int) -> Dice | None:
    if high == NO_DIE and low == NO_DIE:
        return None
    if not (1 <= high <= 6 and 1 <= low <= 6):
        raise text_fault(text, start, piece, f"says the dice are {high} and {low}: dice show 1 to 6")
    return high, low


def _match_owner(text: str, start: int, piece: str, owner: int) -> Side | None:
    if owner == 2:
        raise text_fault(text, start, piece, "says the cube belongs to player 2: only 0, 1 or 3 (centred) can be")
    return None if owner == CENTRED else _SIDE[owner]


def cube_exponent(cube: int) -> int:
    """log2 of a cube value; RuleError when it is not a power of two."""
    if cube < 1 or cube & (cube - 1):
        raise RuleError(f"cube value {cube}: a cube shows 1, 2, 4, 8 …")
    return cube.bit_length() - 1


# --- XGID --------------------------------------------------------------------------------------------------------

_XGID_NAMES = (
    "position",
    "cube",
    "owner",
    "turn",
    "dice",
    "score X",
    "score O",
    "Crawford/Jacoby",
    "length",
    "max cube",
)
_XGID_LIMITS = {"cube": 60, "score X": 32767, "score O": 32767, "Crawford/Jacoby": 3, "length": 32767, "max cube": 60}
_OWNER_SIDE = {"1": Side.WHITE, "-1": Side.BLACK, "0": None}


def _xgid(facts: ParsedId) -> str:
    owner = {None: 0, Side.WHITE: 1, Side.BLACK: -1}[facts.owner]
    turn = -1 if facts.on_roll is Side.BLACK else 1
    rule = int(facts.crawford) if facts.length else int(facts.jacoby) + 2 * int(facts.beavers)
    fields = (
        _xgid_board(facts.position),
        cube_exponent(facts.cube),
        owner,
        turn,
        _xgid_dice(facts),
        facts.score_white,
        facts.score_black,
        rule,
        facts.length,
        facts.max_cube,
    )
    return "XGID=" + ":".join(str(field) for field in fields)


def _xgid_dice(facts: ParsedId) -> str:
    if facts.pending is not None:
        return PENDING_LETTER[facts.pending]
    return "00" if facts.dice is None else f"{facts.dice[0]}{facts.dice[1]}"


def _xgid_board(position: Position) -> str:
    return "".join(_xgid_place(i, position) for i in range(26))


def _xgid_place(i: int, position: Position) -> str:
    """Place 0 is Black's bar, 1 … 24 White's points, 25 White's bar."""
    white = 0 if i == 0 else position.white[i]
    black = 0 if i == BAR else position.black[25 - i]
    if (white and black) or max(white, black) > 26:
        raise RuleError(f"White's point {i} holds {white} white and {black} black checkers: an XGID cannot say that")
    if white:
        return chr(ord("A") + white - 1)
    return chr(ord("a") + black - 1) if black else "-"


def _parse_xgid(text: str, start: int, body: str) -> ParsedId:
    fields = body.split(":")
    if len(fields) not in (9, 10):
        wanted = "10 fields parted by ':' (" + ", ".join(_XGID_NAMES) + ")"
        raise text_fault(text, start, body, f"an XGID has {wanted}; this has {len(fields)}")
    reader = _XgidReader(text, start, (*fields, "10") if len(fields) == 9 else tuple(fields))
    length, rule = reader.number(8), reader.number(7)
    pending, dice = reader.dice()
    return ParsedId(
        position=reader.position(),
        on_roll=reader.side(3, {"1": Side.WHITE, "-1": Side.BLACK}),
        dice=dice,
        cube=1 << reader.number(1),
        owner=reader.side(2, _OWNER_SIDE),
        score_white=reader.number(5),
        score_black=reader.number(6),
        length=length,
        crawford=bool(length and rule),
        jacoby=not length and bool(rule & 1),
        beavers=not length and bool(rule & 2),
        max_cube=reader.number(9),
        pending=pending,
    )


@dataclass(frozen=True, slots=True)
class _XgidReader:
    """The fields of one XGID and where they stand in the text."""

    text: str
    start: int
    fields: tuple[str, ...]

    def fault(self, field: int, why: str, inside: int = 0, piece: str | None = None) -> RuleError:
        offset = self.start + sum(len(f) + 1 for f in self.fields[:field]) + inside
        return text_fault(self.text, offset, self.fields[field] if piece is None else piece, why)

    def number(self, field: int) -> int:
        name = _XGID_NAMES[field]
        limit = _XGID_LIMITS[name]
        value = self.fields[field]
        if not re.fullmatch(r"[0-9]{1,5}", value) or int(value) > limit:
            raise self.fault(field, f"{name} of an XGID is a number 0 … {limit}")
        return int(value)

    def side(self, field: int, known: dict[str, Side] | dict[str, Side | None]) -> Side | None:
        if self.fields[field] not in known:
            raise self.fault(field, f"{_XGID_NAMES[field]} of an XGID is one of {', '.join(known)}")
        return known[self.fields[field]]

    def dice(self) -> tuple[str | None, Dice | None]:
        value = self.fields[4]
        if value in PENDING:
            return PENDING[value], None
        if value == "00":
            return None, None
        if not re.fullmatch(r"[1-6][1-6]", value):
            raise self.fault(4, "dice of an XGID are two digits 1 … 6, 00 (to roll), D (doubled), B or R")
        return None, (int(value[0]), int(value[1]))

    def position(self) -> Position:
        board = self.fields[0]
        if len(board) != 26:
            raise self.fault(0, f"the position of an XGID has 26 characters, this has {len(board)}")
        white, black = [0] * 26, [0] * 26
        for i, place in enumerate(board):
            if re.fullmatch("[A-Z]", place):
                white[i] = ord(place) - ord("A") + 1
            elif re.fullmatch("[a-z]", place):
                black[25 - i] = ord(place) - ord("a") + 1
            elif place != "-":
                raise self.fault(0, "a place of an XGID is -, A … O (White) or a … o (Black)", i, place)
        self._check_bars(white, black)
        return Position(_with_off(white[1:]), _with_off(black[1:]))

    def _check_bars(self, white: list[int], black: list[int]) -> None:
        if white[0]:
            raise self.fault(0, "the first place is Black's bar: small letters only", 0, self.fields[0][0])
        if black[0]:
            raise self.fault(0, "the last place is White's bar: capital letters only", 25, self.fields[0][25])


def with_roll(parsed: ParsedId, on_roll: Side, dice: Dice | None) -> ParsedId:
    """The same facts with another side on roll and other dice (`--on-roll`, `--dice` of the commands)."""
    return replace(parsed, on_roll=on_roll, dice=dice, pending=None)
