"""The .mat text, read tolerantly (FORMATS.md): what other programs write, resigners' last plays included."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from companion.errors import RuleError
from companion.rules.game_builder import GameBuilder
from companion.rules.ids import ParsedId, parse_id
from companion.rules.notation.fault import line_fault
from companion.rules.notation.mat_lex import Cell, Line, cells_of, lines_of
from companion.rules.notation.mat_write import JOINED_TAG, setup_cells
from companion.rules.notation.snowie import parse_snowie
from companion.rules.position import Position, Side
from companion.rules.record import GameRecord, MatchRecord, Play, made_play, written_play

OWN_TAGS = ("Player 1", "Player 2", "Crawford", "Jacoby", JOINED_TAG)
DANCES = ("", "cannot move", "can't move", "no move", "dances")


@dataclass
class _Pieces:
    """One game as it stands in the text."""

    number: int
    score: tuple[int, int] = (0, 0)
    cells: list[Cell] = field(default_factory=list)


@dataclass
class _Sheet:
    """The whole text in pieces."""

    length: int | None = None
    tags: dict[str, str] = field(default_factory=dict)
    names: tuple[str, str] = ("", "")
    games: list[_Pieces] = field(default_factory=list)
    joined: ParsedId | None = None


def read_mat(text: str) -> MatchRecord:
    """The match in a .mat text: the left player is White. RuleError with line and column where it cannot be."""
    sheet = _sheet(text)
    if sheet.length is None:
        raise line_fault(1, 1, text[:20], "no line such as ' 5 point match': this is not a .mat text")
    record = MatchRecord(
        length=sheet.length,
        white=sheet.names[0] or sheet.tags.get("Player 1", "") or "White",
        black=sheet.names[1] or sheet.tags.get("Player 2", "") or "Black",
        crawford=sheet.tags.get("Crawford", "On").lower() != "off",
        jacoby=sheet.length == 0 and sheet.tags.get("Jacoby", "Off").lower() == "on",
        tags={key: value for key, value in sheet.tags.items() if key not in OWN_TAGS},
    )
    games: list[GameRecord] = []
    for pieces in sheet.games:
        games.append(_game(record, sheet, pieces, games))
    return msgspec.structs.replace(record, games=tuple(games))


def _sheet(text: str) -> _Sheet:
    sheet = _Sheet()
    for line in lines_of(text):
        match line.kind:
            case "tag":
                _tag(sheet, line)
            case "length":
                sheet.length = int(line.words[0])
            case "game":
                sheet.games.append(_Pieces(int(line.words[0])))
            case "score":
                _score(sheet, line)
            case _:
                _row(sheet, line)
    return sheet


def _tag(sheet: _Sheet, line: Line) -> None:
    key, value = line.words
    sheet.tags[key] = value
    if key == JOINED_TAG:
        try:
            sheet.joined = parse_id(value)
        except RuleError as error:
            raise line_fault(line.number, line.text.index(value) + 1, value, str(error)) from error


def _score(sheet: _Sheet, line: Line) -> None:
    if not sheet.games:
        raise line_fault(line.number, 1, line.text, "a line of names and scores before the first line 'Game 1'")
    sheet.names = (sheet.names[0] or line.words[0], sheet.names[1] or line.words[2])
    sheet.games[-1].score = (int(line.words[1]), int(line.words[3]))


def _row(sheet: _Sheet, line: Line) -> None:
    cells = list(cells_of(line))
    if not sheet.games:
        raise line_fault(line.number, 1, line.text.strip(), "text before the first line 'Game 1'")
    sheet.games[-1].cells += cells


# --- one game ----------------------------------------------------------------------------------------------------


def _game(record: MatchRecord, sheet: _Sheet, pieces: _Pieces, earlier: list[GameRecord]) -> GameRecord:
    game = GameRecord(
        number=pieces.number,
        score_white=pieces.score[0],
        score_black=pieces.score[1],
        crawford=record.crawford and is_crawford(record.length, pieces.score, earlier),
    )
    cells = pieces.cells
    if sheet.joined is not None and not earlier:
        game = _joined(game, sheet.joined)
        cells = cells[len(setup_cells(record, game)) :]
    game = msgspec.structs.replace(game, cube=_first_cube(game, cells))
    return _folded(game, cells, money=record.length == 0)


def _joined(game: GameRecord, facts: ParsedId) -> GameRecord:
    return msgspec.structs.replace(
        game,
        start=facts.position,
        on_roll=facts.on_roll,
        cube=facts.cube,
        owner=facts.owner,
        crawford=facts.crawford,
    )


def is_crawford(length: int, score: tuple[int, int], earlier: list[GameRecord]) -> bool:
    """The first game with exactly one side a point from winning (G5); a .mat does not say it."""
    one_away = [points == length - 1 for points in score]
    return length > 1 and one_away.count(True) == 1 and not any(game.crawford for game in earlier)


def _first_cube(game: GameRecord, cells: list[Cell]) -> int:
    """The value of the cube at the start: a first double to 4 tells of an automatic double (G6)."""
    first = next((cell.number for cell in cells if cell.kind == "double"), None)
    return first // 2 if first and first >= 2 and game.owner is None else game.cube


def _folded(game: GameRecord, cells: list[Cell], *, money: bool) -> GameRecord:
    builder = GameBuilder(game)
    rolls = [i for i, cell in enumerate(cells) if cell.kind == "dice"]
    last = rolls[-1] if rolls else -1
    for index, cell in enumerate(cells):
        if cell.kind == "dice":
            _rolled(builder, cell, last=index == last)
        else:
            _said(builder, cell)
    return builder.ended(*_winner(cells), money=money)


def _rolled(builder: GameBuilder, cell: Cell, *, last: bool) -> None:
    """A roll and its play. What cannot be carried out is forgiven in the last one: a resigner typed it to get out."""
    if cell.text.startswith("?"):
        builder.rolled(cell.side, cell.dice)
        return
    try:
        play = _play(builder.position, cell)
    except RuleError as error:
        if not last:
            piece = f"{cell.dice[0]}{cell.dice[1]}: {cell.text or cell.snowie or ''}"
            raise line_fault(cell.line, cell.column, piece, str(error)) from error
        builder.rolled(cell.side, cell.dice)
        return
    if last and not play.legal and play.after == builder.position and cell.snowie is None:
        builder.rolled(cell.side, cell.dice)
    else:
        builder.played(play)


def _play(before: Position, cell: Cell) -> Play:
    if cell.snowie is not None:
        return made_play(before, cell.side, cell.dice, parse_snowie(cell.snowie)[0])
    if cell.text.lower() in DANCES:
        return made_play(before, cell.side, cell.dice, before)
    return written_play(before, cell.side, cell.dice, cell.text)


def _said(builder: GameBuilder, cell: Cell) -> None:
    match cell.kind:
        case "double":
            builder.doubled(cell.side, cell.number)
        case "beaver":
            builder.beavered(cell.side, cell.number)
        case "take":
            builder.taken(cell.side)
        case "drop":
            builder.dropped(cell.side)


def _winner(cells: list[Cell]) -> tuple[Side | None, int | None]:
    """The `Wins` line decides, else `Losses`; neither: the board will."""
    wins = next((cell for cell in cells if cell.kind == "win"), None)
    losses = next((cell for cell in cells if cell.kind == "lose"), None)
    if wins is not None:
        return wins.side, wins.number
    return (losses.side.other, losses.number) if losses is not None else (None, None)
