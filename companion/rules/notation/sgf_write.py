"""GNU Backgammon's .sgf: the one format that keeps everything, illegal plays and joined games included (FORMATS.md)."""

from __future__ import annotations

from collections.abc import Iterator

from companion.rules.notation.mat_write import mat_name
from companion.rules.notation.sgf_tree import escaped
from companion.rules.position import BAR, OFF, Position, Side
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

LETTER = {Side.WHITE: "W", Side.BLACK: "B"}
TAG_PROPERTIES = {"EventDate": "DT", "Event": "EV", "Round": "RO", "Place": "PC"}
APPLICATION = "backgammon-companion:1"


def write_sgf(record: MatchRecord) -> str:
    """The match as GNU Backgammon's SGF, a game tree a game."""
    games = record.games or (GameRecord(number=1),)
    return "".join(_game(record, game) for game in games)


def _game(record: MatchRecord, game: GameRecord) -> str:
    nodes = [_head(record, game), *_start_nodes(game)]
    following = (*game.actions[1:], None)
    for moment, after in zip(moments(game), following, strict=False):
        nodes += _action_nodes(moment, accepted=not isinstance(after, Drop))
    return "(" + "\n".join(nodes) + ")\n"


def _head(record: MatchRecord, game: GameRecord) -> str:
    info = f"[length:{record.length}][game:{game.number - 1}][ws:{game.score_white}][bs:{game.score_black}]"
    names = f"PW[{_name(record, Side.WHITE)}]PB[{_name(record, Side.BLACK)}]"
    rules = _rules(record, game)
    facts = "".join(
        f"{prop}[{escaped(record.tags[key].replace('.', '-') if prop == 'DT' else record.tags[key])}]"
        for key, prop in TAG_PROPERTIES.items()
        if record.tags.get(key)
    )
    return f";FF[4]GM[6]CA[UTF-8]AP[{APPLICATION}]MI{info}{names}{facts}{rules}{_result(game)}"


def _name(record: MatchRecord, side: Side) -> str:
    return escaped(mat_name(record.white if side is Side.WHITE else record.black, side))


def _rules(record: MatchRecord, game: GameRecord) -> str:
    if record.length and record.crawford:
        return "RU[Crawford:CrawfordGame]" if game.crawford else "RU[Crawford]"
    return "RU[Jacoby]" if record.jacoby else ""


def _result(game: GameRecord) -> str:
    if game.result is None:
        return ""
    resigned = "R" if game.result.kind == "resign" else ""
    return f"RE[{LETTER[game.result.winner]}+{game.result.points}{resigned}]"


def _start_nodes(game: GameRecord) -> list[str]:
    nodes = []
    if game.cube != 1 or game.owner is not None:
        nodes.append(f";CV[{game.cube}]")
        nodes.append(f";CP[{'c' if game.owner is None else LETTER[game.owner].lower()}]")
    if game.joined:
        nodes.append(_setup(game.start, game.on_roll or Side.WHITE))
    return nodes


def _action_nodes(moment: Moment, *, accepted: bool) -> Iterator[str]:
    action = moment.action
    letter = LETTER[action.side]
    match action:
        case Play() if is_readable(moment.before, action):
            yield f";{letter}[{_dice(action.dice)}{_steps(action)}]"
        case Play():
            yield f";PL[{letter}]DI[{_dice(action.dice)}]"
            yield _setup(action.after, action.side.other)
        case Roll():
            yield f";PL[{letter}]DI[{_dice(action.dice)}]"
        case Double():
            yield f";{letter}[double]"
        case Beaver():
            yield f";{letter}[double]"
            if accepted:
                yield f";{LETTER[action.side.other]}[take]"
        case Take():
            yield f";{letter}[take]"
        case Drop():
            yield f";{letter}[drop]"
        case _:
            return


def _dice(dice: tuple[int, int]) -> str:
    return f"{dice[0]}{dice[1]}"


def _steps(play: Play) -> str:
    return "".join(point_letter(place, play.side) for step in play.steps for place in step)


def point_letter(place: int, side: Side) -> str:
    """`a` … `x` are White's points 1 … 24 whoever moves; `y` the bar, `z` off."""
    if place in (BAR, OFF):
        return "y" if place == BAR else "z"
    return chr(ord("a") + (place - 1 if side is Side.WHITE else 24 - place))


def _setup(position: Position, on_roll: Side) -> str:
    """A node that puts all checkers."""
    men = "".join(_men(position, side) for side in Side)
    return f";PL[{LETTER[on_roll]}]AE[a:y]{men}"


def _men(position: Position, side: Side) -> str:
    counts = position.of(side)
    letters = "".join(f"[{point_letter(place, side)}]" * counts[place] for place in range(1, 26))
    return f"A{LETTER[side]}{letters}" if letters else ""
