"""A match on paper, whatever the format: immutable, with the position after every play (CONTRACT.md, FORMATS.md).

`companion.rules.notation` reads and writes it as .mat, gnubg .sgf and JSON. Plays are told by the position they
lead to; the text beside it is for people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from companion.errors import RuleError
from companion.rules.movetext import Move, apply_moves, format_steps, parse_play
from companion.rules.packed import pack, unpack
from companion.rules.plays import Path, legal_paths
from companion.rules.position import CHECKERS, OFF, START, Position, Side

Dice = tuple[int, int]


class Action(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Something one side did."""

    side: Side


class Opening(Action, frozen=True, kw_only=True, tag="opening"):
    """One die each; `side` starts, or with equal dice: both roll again and `side` means nothing (B1)."""

    white: int
    black: int


class Roll(Action, frozen=True, kw_only=True, tag="roll"):
    """A roll that no play followed: the player resigned or the record breaks off here."""

    dice: Dice


class Play(Action, frozen=True, kw_only=True, tag="play"):
    """A turn: the roll and what was made of it. `text` is empty for a dance; `legal` False: the play stood (F3).

    `steps`: (from, to) of every single-number move of a legal play, 25 = bar, 0 = off; empty for an illegal one.
    """

    dice: Dice
    after: Position
    text: str = ""
    steps: tuple[tuple[int, int], ...] = ()
    legal: bool = True


class Double(Action, frozen=True, kw_only=True, tag="double"):
    """Offers the cube at `value`, the new value (G1)."""

    value: int


class Beaver(Action, frozen=True, kw_only=True, tag="beaver"):
    """Takes and turns at once to `value`, keeping the cube (G6); no Take of the doubler follows, a Drop may."""

    value: int


class Take(Action, frozen=True, kw_only=True, tag="take"):
    pass


class Drop(Action, frozen=True, kw_only=True, tag="drop"):
    pass


class Resign(Action, frozen=True, kw_only=True, tag="resign"):
    """Gives the game up, accepted, for `points` points in all (H2)."""

    points: int


AnyAction = Opening | Roll | Play | Double | Beaver | Take | Drop | Resign


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How a game ended. `kind`: single | gammon | backgammon | pass | resign."""

    winner: Side
    points: int
    kind: str


class GameRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One game. `on_roll`: whose turn it is when the game was joined in the middle; `result` None: broken off."""

    number: int
    score_white: int = 0
    score_black: int = 0
    crawford: bool = False
    start: Position = START
    on_roll: Side | None = None
    cube: int = 1
    owner: Side | None = None
    actions: tuple[AnyAction, ...] = ()
    result: Result | None = None

    @property
    def joined(self) -> bool:
        """True when the record starts in mid-game."""
        return self.start != START or self.owner is not None


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A match to `length` points (0 = money). `tags`: free facts such as Event or EventDate."""

    length: int = 0
    white: str = "White"
    black: str = "Black"
    games: tuple[GameRecord, ...] = ()
    crawford: bool = True
    jacoby: bool = False
    tags: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Moment:
    """An action with what stood on the table before it."""

    game: GameRecord
    index: int
    action: AnyAction
    before: Position
    cube: int
    owner: Side | None


def moments(game: GameRecord) -> Iterator[Moment]:
    """Every action of a game with the position and the cube before it."""
    position, cube, owner = game.start, game.cube, game.owner
    offered = cube
    for index, action in enumerate(game.actions):
        yield Moment(game, index, action, position, cube, owner)
        match action:
            case Play(after=after):
                position = after
            case Double(value=value):
                offered = value
            case Take(side=side):
                cube, owner = offered, side
            case Beaver(value=value, side=side):
                cube, owner, offered = value, side, value
            case _:
                pass


def final_position(game: GameRecord) -> Position:
    """Where the checkers stand at the end of the record of this game."""
    plays = [action for action in game.actions if isinstance(action, Play)]
    return plays[-1].after if plays else game.start


def made_play(before: Position, side: Side, dice: Dice, after: Position, text: str = "") -> Play:
    """The turn from `before` to `after`, judged: legal with its notation, or marked illegal with the text given."""
    path = legal_paths(pack(before, side), dice).get(pack(after, side))
    if path is None:
        return Play(side=side, dice=dice, after=after, text=text, legal=False)
    return _legal(side, dice, path, after)


def written_play(before: Position, side: Side, dice: Dice, text: str) -> Play:
    """The turn that a written play means; stars may be missing or too many (FORMATS.md "Read tolerantly").

    Raises RuleError naming the piece that is no move or cannot be carried out.
    """
    moves = parse_play(text)
    after = apply_moves(before, side, moves)
    paths = legal_paths(pack(before, side), dice)
    exact = paths.get(pack(after, side))
    if exact is not None:
        return _legal(side, dice, exact, after)
    results = {key: unpack(key, side) for key in paths}
    same_men = [key for key, result in results.items() if result.of(side) == after.of(side)]
    if len(same_men) == 1:
        return _legal(side, dice, paths[same_men[0]], results[same_men[0]])
    return Play(side=side, dice=dice, after=after, text=_spelled(moves), legal=False)


def is_readable(before: Position, play: Play) -> bool:
    """A legal play whose text leads from `before` to its position: a reader of the text will get there too.

    Not so where the record has a gap (checkers put by hand between two turns): then only the position can be told.
    """
    try:
        return play.legal and apply_moves(before, play.side, parse_play(play.text)) == play.after
    except RuleError:
        return False


def _legal(side: Side, dice: Dice, path: Path, after: Position) -> Play:
    steps = tuple((step.start, step.end) for step in path)
    return Play(side=side, dice=dice, after=after, text=format_steps(path), steps=steps)


def _spelled(moves: tuple[Move, ...]) -> str:
    names = {25: "bar", 0: "off"}
    ways = ["/".join(names.get(point, str(point)) for point in move.points) for move in moves]
    return " ".join(way if move.times == 1 else f"{way}({move.times})" for way, move in zip(ways, moves, strict=True))


def value_of_win(position: Position, winner: Side) -> tuple[int, str]:
    """1, 2 or 3 times the cube and its name, when `winner` has borne off all men (H1)."""
    loser = position.of(winner.other)
    if loser[OFF]:
        return 1, "single"
    behind = sum(loser[19:])
    return (3, "backgammon") if behind else (2, "gammon")


def has_won(position: Position, side: Side) -> bool:
    """All men borne off (H1)."""
    return position.of(side)[OFF] == CHECKERS


def record_to_json(record: MatchRecord) -> bytes:
    """The record as JSON; `record_from_json` is the inverse."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def record_from_json(text: bytes | str) -> MatchRecord:
    """A record from its JSON. RuleError with the place (a JSON path) of what is wrong."""
    try:
        return msgspec.json.decode(text, type=MatchRecord)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RuleError(f"not a match record: {error}") from error
