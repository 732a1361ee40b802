"""The .mat text, strict: nothing GNU Backgammon would abort at, warn about, or lose a take over (FORMATS.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from companion.rules.ids import ParsedId
from companion.rules.notation.snowie import SnowieFacts, snowie_text
from companion.rules.position import START, Position, Side
from companion.rules.record import (
    Beaver,
    Double,
    Drop,
    GameRecord,
    MatchRecord,
    Moment,
    Play,
    Roll,
    Take,
    is_readable,
    moments,
)

LEFT, RIGHT = Side.WHITE, Side.BLACK
NAME_BYTES = 31
CELL_WIDTH = 27
JOINED_TAG = "JoinedAt"
"""Our own tag: the XGID from which the first game was recorded."""
NO_TURN_DICE = (2, 1)
"""Dice of a cell that only sets the table up."""
Cell = tuple[Side, str]


def write_mat(record: MatchRecord) -> str:
    """The match as .mat text: White is the left player."""
    lines = [*_tag_lines(record), "", f" {record.length} point match"]
    for game in record.games or (GameRecord(number=1),):
        lines += ["", f" Game {game.number}", _score_line(record, game), *_rows(record, game)]
    return "\n".join(lines) + "\n"


def mat_name(name: str, side: Side) -> str:
    """The name as a .mat may hold it: never empty, no sign that means something there, at most 31 bytes."""
    plain = re.sub(r"[^\w .,'&+@!-]", " ", name)
    plain = re.sub(r"\s+", " ", plain).strip()
    cut = plain.encode()[:NAME_BYTES].decode(errors="ignore").strip()
    return cut or side.value.capitalize()


def _tag_lines(record: MatchRecord) -> Iterator[str]:
    yield f'; [Player 1 "{_tag_text(record.white)}"]'
    yield f'; [Player 2 "{_tag_text(record.black)}"]'
    for key, value in record.tags.items():
        yield f'; [{re.sub(r"[^A-Za-z0-9 ]", "", key) or "Note"} "{_tag_text(value)}"]'
    if record.length:
        yield f'; [Crawford "{"On" if record.crawford else "Off"}"]'
    elif record.jacoby:
        yield '; [Jacoby "On"]'
    if record.games and _tagged(record.games[0]):
        yield f'; [{JOINED_TAG} "{_joined_id(record, record.games[0])}"]'


def _tagged(game: GameRecord) -> bool:
    return game.joined or game.cube != 1


def _tag_text(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\"\[\]]", " ", text).strip()


def _joined_id(record: MatchRecord, game: GameRecord) -> str:
    return ParsedId(
        game.start,
        game.on_roll or Side.WHITE,
        cube=game.cube,
        owner=game.owner,
        score_white=game.score_white,
        score_black=game.score_black,
        length=record.length,
        crawford=game.crawford,
        jacoby=record.jacoby,
    ).xgid()


def _score_line(record: MatchRecord, game: GameRecord) -> str:
    left = f" {mat_name(record.white, LEFT)} : {game.score_white}"
    return f"{left:<32} {mat_name(record.black, RIGHT)} : {game.score_black}"


def _rows(record: MatchRecord, game: GameRecord) -> list[str]:
    """The numbered rows and the line of the winner."""
    rows: list[list[str | None]] = []
    for side, text in _cells(record, game):
        if side is LEFT:
            rows.append([text, None])
        elif rows and rows[-1][1] is None:
            rows[-1][1] = text
        else:
            rows.append([None, text])
    return _finished(rows, _wins(record, game))


def _finished(rows: list[list[str | None]], wins: Cell | None) -> list[str]:
    """Rows as text. `Wins` stands in the row's free right cell where the winner is the right player."""
    after: list[str] = []
    if wins is not None and wins[0] is RIGHT and rows and rows[-1][1] is None:
        rows[-1][1] = wins[1]
    elif wins is not None:
        after = [f"{'':5}{wins[1]}" if wins[0] is LEFT else f"{'':33}{wins[1]}"]
    return [_row(number, left or "", right) for number, (left, right) in enumerate(rows, 1)] + after


def _row(number: int, left: str, right: str | None) -> str:
    """The left cell is padded even where no right one follows: gnubg would read the line before beyond a short end."""
    return f"{number:3d}) {left:<{CELL_WIDTH}} {right or ''}"


def _cells(record: MatchRecord, game: GameRecord) -> Iterator[Cell]:
    """All cells, left and right strictly by turns after the first: GNU Backgammon counts on it.

    Two cells of one side running (a turn the record does not know) are parted by a cell that leaves the table alone.
    """
    setup = setup_cells(record, game)
    yield from setup
    last = setup[-1][0] if setup else None
    for moment in moments(game):
        side = moment.action.side
        text = _cell_text(record, game, moment)
        if text is None:
            continue
        if side is last:
            yield side.other, _set_up(record, game, moment.before, side, NO_TURN_DICE)
        yield side, text
        last = side


def _cell_text(record: MatchRecord, game: GameRecord, moment: Moment) -> str | None:
    """One cell. A cube word carries one more blank in front, or a take is silently lost."""
    match moment.action:
        case Play() as play:
            return _played(record, game, moment, play)
        case Roll(dice=(first, second)):
            return f"{first}{second}: ????"
        case Double(value=value):
            return f" Doubles => {value}"
        case Beaver(value=value):
            return f" Beavers => {value}"
        case Take():
            return " Takes"
        case Drop():
            return " Drops"
        case _:
            return None


def _played(record: MatchRecord, game: GameRecord, moment: Moment, play: Play) -> str:
    first, second = play.dice
    if not is_readable(moment.before, play):
        now = msgspec.structs.replace(game, cube=moment.cube, owner=moment.owner)
        return _set_up(record, now, play.after, play.side.other, (first, second))
    return f"{first}{second}: {play.text or 'Cannot Move'}"


def _set_up(record: MatchRecord, game: GameRecord, after: Position, on_roll: Side, dice: tuple[int, int]) -> str:
    facts = SnowieFacts(
        record.length,
        LEFT.value.capitalize(),  # never a player's name: one with a word such as "Takes" would be read as an entry
        RIGHT.value.capitalize(),
        game.score_white,
        game.score_black,
        game.crawford,
        game.cube,
        game.owner,
    )
    return f"{dice[0]}{dice[1]}: Illegal play ({snowie_text(after, on_roll, facts)})"


def setup_cells(record: MatchRecord, game: GameRecord) -> list[Cell]:
    """Cells that bring GNU Backgammon from the starting position to where a joined game begins.

    A .mat has no set-up: the cube is turned by doubles and takes, the checkers are put by an "illegal play" of the
    side not on roll. A centred cube above 1 (automatic doubles) has no form there and stays 1.
    """
    if not game.joined:
        return []
    on_roll = game.on_roll or Side.WHITE
    doubles = game.cube.bit_length() - 1 if game.owner else 0
    last_doubler = (game.owner or on_roll).other
    mover = last_doubler if doubles % 2 else last_doubler.other
    mover = mover if doubles else on_roll.other
    cells: list[Cell] = []
    for turned in range(1, doubles + 1):
        cells += [(mover, f" Doubles => {1 << turned}"), (mover.other, " Takes")]
        target = game.start if turned == doubles and mover.other is on_roll else START
        cells.append((mover, _set_up(record, game, target, mover.other, NO_TURN_DICE)))
        mover = mover.other
    if mover is not on_roll:
        cells.append((mover, _set_up(record, game, game.start, on_roll, NO_TURN_DICE)))
    return cells


def _wins(record: MatchRecord, game: GameRecord) -> Cell | None:
    if game.result is None:
        return None
    winner, points = game.result.winner, game.result.points
    score = points + (game.score_white if winner is LEFT else game.score_black)
    over = " and the match" if 0 < record.length <= score else ""
    return winner, f" Wins {points} point{'' if points == 1 else 's'}{over}"
