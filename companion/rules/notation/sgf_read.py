"""Reads GNU Backgammon's .sgf, with what it records of edited games: illegal plays, joined games, set cubes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from companion.errors import RuleError
from companion.rules.game_builder import GameBuilder
from companion.rules.notation.fault import text_fault
from companion.rules.notation.sgf_tree import Node, Property, parse_trees
from companion.rules.notation.sgf_write import TAG_PROPERTIES
from companion.rules.position import BAR, CHECKERS, OFF, Counts, Position, Side
from companion.rules.record import (
    Dice,
    Double,
    GameRecord,
    MatchRecord,
    Play,
    made_play,
    written_play,
)

SIDES = {"W": Side.WHITE, "B": Side.BLACK}
_OWNERS = {"c": None, "w": Side.WHITE, "b": Side.BLACK}


def read_sgf(text: str) -> MatchRecord:
    """The match in gnubg's SGF. RuleError with line, column and the offending piece."""
    trees = parse_trees(text)
    if not trees or not trees[0]:
        raise text_fault(text, 0, text[:20], "no game in this text: gnubg's SGF starts with '(;FF[4]GM[6]'")
    games = [_Game(text, nodes) for nodes in trees if nodes]
    first = games[0]
    rules = first.head.get("RU", "")
    return MatchRecord(
        length=first.info.get("length", 0),
        white=first.head.get("PW", "") or "White",
        black=first.head.get("PB", "") or "Black",
        crawford=not first.info.get("length", 0) or "Crawford" in rules,
        jacoby="Jacoby" in rules,
        tags={key: _tag(prop, first.head[prop]) for key, prop in TAG_PROPERTIES.items() if first.head.get(prop)},
        games=tuple(game.record() for game in games),
    )


def _tag(prop: str, value: str) -> str:
    return value.replace("-", ".") if prop == "DT" else value


@dataclass
class _Pending:
    """A roll that no play has followed yet."""

    side: Side
    dice: Dice


class _Game:
    """One game tree, read node by node."""

    def __init__(self, text: str, nodes: list[Node]) -> None:
        self._text = text.removeprefix("\ufeff")
        self._nodes = nodes[1:]
        self.head = {prop.name: prop.values[0] for prop in nodes[0]}
        self.info = self._match_info(nodes[0])
        self._pending: _Pending | None = None

    def record(self) -> GameRecord:
        game, rest = self._opening()
        builder = GameBuilder(game)
        for node in rest:
            self._node(builder, node)
        if self._pending is not None:
            builder.rolled(self._pending.side, self._pending.dice)
        return builder.ended(*self._result(), money=self.info.get("length", 0) == 0)

    def _match_info(self, node: Node) -> dict[str, int]:
        info = {}
        for prop in node:
            for value in prop.values if prop.name == "MI" else ():
                key, _, number = value.partition(":")
                if key in ("length", "game", "ws", "bs"):
                    info[key] = self._number(prop, number)
        return info

    def _opening(self) -> tuple[GameRecord, list[Node]]:
        """The game before its first action, and the nodes from that action on."""
        game = GameRecord(
            number=self.info.get("game", 0) + 1,
            score_white=self.info.get("ws", 0),
            score_black=self.info.get("bs", 0),
            crawford="CrawfordGame" in self.head.get("RU", ""),
        )
        for index, node in enumerate(self._nodes):
            names = {prop.name for prop in node}
            if names & {"W", "B", "DI"}:
                return game, self._nodes[index:]
            game = self._set(game, node)
        return game, []

    def _set(self, game: GameRecord, node: Node) -> GameRecord:
        """CV, CP and a set-up position before the first action: the game was joined."""
        changed = msgspec.structs.replace
        for prop in node:
            if prop.name == "CV":
                game = changed(game, cube=self._number(prop, prop.values[0]))
            if prop.name == "CP":
                game = changed(game, owner=self._owner(prop))
            if prop.name == "PL":
                game = changed(game, on_roll=self._side(prop))
        return changed(game, start=self._board(game.start, node))

    def _node(self, builder: GameBuilder, node: Node) -> None:
        player = next((self._side(prop) for prop in node if prop.name == "PL"), None)
        for prop in node:
            if prop.name in SIDES:
                self._action(builder, prop, SIDES[prop.name])
            elif prop.name == "DI":
                self._pending = _Pending(player or Side.WHITE, self._dice(prop, prop.values[0]))
            elif prop.name == "CV":
                builder.cube = self._number(prop, prop.values[0])
            elif prop.name == "CP":
                builder.owner = self._owner(prop)
        if any(prop.name in ("AE", "AW", "AB") for prop in node):
            self._put(builder, self._board(builder.position, node))

    def _put(self, builder: GameBuilder, after: Position) -> None:
        """Checkers put by hand: the play of the roll before them, made as it was."""
        if self._pending is not None:
            builder.played(made_play(builder.position, self._pending.side, self._pending.dice, after))
        elif isinstance(last := builder.last, Play):
            builder.replaced(msgspec.structs.replace(last, after=after, legal=False, text="", steps=()))
        else:
            builder.position = after
        self._pending = None

    def _action(self, builder: GameBuilder, prop: Property, side: Side) -> None:
        value = prop.values[0].strip()
        if value == "double":
            self._double(builder, side)
        elif value == "take":
            builder.taken(side)
        elif value in ("drop", "pass"):
            builder.dropped(side)
        else:
            self._pending = None
            builder.played(self._play(builder.position, prop, side, value))

    def _double(self, builder: GameBuilder, side: Side) -> None:
        """A double on a double is a beaver."""
        if isinstance(builder.last, Double) and builder.last.side is side.other:
            builder.beavered(side)
        else:
            builder.doubled(side)

    def _play(self, before: Position, prop: Property, side: Side, value: str) -> Play:
        if not re.fullmatch(r"[1-6]{2}(?:[a-y][a-xz]){0,4}", value):
            raise self._fault(prop, value, "expected double, take, drop, or dice and up to four pairs of letters a … z")
        dice = self._dice(prop, value[:2])
        ways = [(_place(value[i], side), _place(value[i + 1], side)) for i in range(2, len(value), 2)]
        if not ways:
            return made_play(before, side, dice, before)
        try:
            return written_play(before, side, dice, " ".join(f"{start}/{end}" for start, end in ways))
        except RuleError as error:
            raise self._fault(prop, value, str(error)) from error

    def _board(self, board: Position, node: Node) -> Position:
        """The position after AE, AW and AB of a node."""
        counts = {side: list(board.of(side)) for side in Side}
        changed = False
        for prop in node:
            if prop.name not in ("AE", "AW", "AB"):
                continue
            changed = True
            for letter in (letter for value in prop.values for letter in self._letters(prop, value)):
                _put_man(counts, prop.name, letter)
        if not changed:
            return board
        return Position(self._whole(node[0], counts[Side.WHITE]), self._whole(node[0], counts[Side.BLACK]))

    def _whole(self, prop: Property, counts: list[int]) -> Counts:
        men = sum(counts[1:])
        if men > 2 * CHECKERS:
            raise self._fault(prop, prop.name, f"{men} checkers of one side are put on the board: there are {CHECKERS}")
        return (max(0, CHECKERS - men), *counts[1:])

    def _letters(self, prop: Property, value: str) -> str:
        """`c` or `a:y`."""
        found = re.fullmatch(r"([a-z])(?::([a-z]))?", value)
        if not found:
            raise self._fault(prop, value, "expected a place a … z, or a range such as a:y")
        return "".join(chr(code) for code in range(ord(found[1]), ord(found[2] or found[1]) + 1))

    def _result(self) -> tuple[Side | None, int | None]:
        found = re.fullmatch(r"([WB])\+(\d{1,5})R?", self.head.get("RE", ""))
        return (SIDES[found[1]], int(found[2])) if found else (None, None)

    def _dice(self, prop: Property, value: str) -> Dice:
        if not re.fullmatch(r"[1-6]{2}", value):
            raise self._fault(prop, value, "expected two dice such as 31")
        return int(value[0]), int(value[1])

    def _side(self, prop: Property) -> Side:
        letter = prop.values[0][:1].upper()
        if letter not in SIDES:
            raise self._fault(prop, prop.values[0], "expected W or B")
        return SIDES[letter]

    def _owner(self, prop: Property) -> Side | None:
        letter = prop.values[0][:1].lower()
        if letter not in _OWNERS:
            raise self._fault(prop, prop.values[0], "expected c (centred), w or b")
        return _OWNERS[letter]

    def _number(self, prop: Property, value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,5}", value):
            raise self._fault(prop, value, "expected a number")
        return int(value)

    def _fault(self, prop: Property, piece: str, why: str) -> RuleError:
        return text_fault(self._text, prop.offset, piece, why)


def _place(letter: str, side: Side) -> int:
    if letter in "yz":
        return BAR if letter == "y" else OFF
    index = ord(letter) - ord("a")
    return index + 1 if side is Side.WHITE else 24 - index


def _put_man(counts: dict[Side, list[int]], name: str, letter: str) -> None:
    if name == "AE":
        for side in Side:
            counts[side][_place(letter, side)] = 0
    elif letter != "z":
        side = SIDES[name[1]]
        counts[side][_place(letter, side)] += 1
