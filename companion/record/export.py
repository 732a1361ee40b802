"""A match as others read it: .mat, gnubg .sgf, JSON and a printable page, all made from the folded log."""

from __future__ import annotations

import html
from collections.abc import Callable

import msgspec

from companion.errors import InputError
from companion.rules.match import jacoby
from companion.rules.notation.mat_write import write_mat
from companion.rules.notation.sgf_write import write_sgf
from companion.rules.position import Side
from companion.rules.profile import load_profile
from companion.rules.record import (
    AnyAction,
    Double,
    Drop,
    GameRecord,
    MatchRecord,
    Opening,
    Play,
    Resign,
    Result,
    Roll,
    Take,
    made_play,
    record_to_json,
)
from companion.table.state import Action, Game, MatchState, Phase


def match_record(state: MatchState) -> MatchRecord:
    """The record of a match: every game on the table or ended, in order."""
    profile = load_profile(state.profile, state.overrides)
    games = [*state.games, *([state.game] if state.game is not None and state.game not in state.games else [])]
    records = [game_record(game) for game in games]
    if state.game is not None and state.phase is Phase.ROLLED and state.dice and state.on_roll and records:
        records[-1] = _with_open_roll(records[-1], Roll(side=state.on_roll, dice=state.dice))
    tags = {"EventDate": state.date.replace("-", ".")[:10]} if state.date else {}
    return MatchRecord(
        length=state.length,
        white=state.white,
        black=state.black,
        games=tuple(records),
        crawford=profile.crawford,
        jacoby=jacoby(profile, state.length),
        tags=tags,
    )


def _with_open_roll(record: GameRecord, roll: Roll) -> GameRecord:
    """A roll that nothing followed yet."""
    return msgspec.structs.replace(record, actions=(*record.actions, roll))


def game_record(game: Game) -> GameRecord:
    """One game in the vocabulary of the notations."""
    actions = [made for action in game.actions if (made := _action(action)) is not None]
    result = Result(winner=game.winner, points=game.points, kind=game.kind) if game.winner else None
    if result is not None and result.kind == "resign" and not any(isinstance(a, Resign) for a in actions):
        actions.append(Resign(side=result.winner.other, points=result.points))
    return GameRecord(
        number=game.number,
        score_white=game.score[0],
        score_black=game.score[1],
        crawford=game.crawford,
        start=game.start,
        on_roll=game.on_roll,
        cube=game.cube,
        owner=game.cube_owner,
        actions=tuple(actions),
        result=result,
    )


def _action(action: Action) -> AnyAction | None:
    makers: dict[str, Callable[[Action], AnyAction | None]] = {
        "opening": _opening,
        "play": _play,
        "dance": _play,
        "double": lambda a: Double(side=a.side, value=a.value) if a.side else None,
        "take": lambda a: Take(side=a.side) if a.side else None,
        "pass": lambda a: Drop(side=a.side) if a.side else None,
    }
    make = makers.get(action.kind)
    return make(action) if make else None


def _opening(action: Action) -> AnyAction | None:
    if action.dice is None:
        return None
    white, black = action.dice
    return Opening(side=Side.WHITE if white >= black else Side.BLACK, white=white, black=black)


def _play(action: Action) -> AnyAction | None:
    if action.side is None or action.dice is None or action.before is None or action.after is None:
        return None
    return made_play(action.before, action.side, action.dice, action.after, action.play)


def export(state: MatchState, form: str) -> str:
    """The match as text. `form`: mat | sgf | json | html. Raises InputError for another one."""
    record = match_record(state)
    match form:
        case "mat":
            return write_mat(record)
        case "sgf":
            return write_sgf(record)
        case "json":
            return record_to_json(record).decode() + "\n"
        case "html":
            return write_html(record)
    raise InputError(f"--format {form}: one of mat, sgf, json, html")


STYLE = (
    "body{font:14px/1.4 system-ui,sans-serif;margin:2em;max-width:60em}table{border-collapse:collapse;width:100%}"
    "td,th{border-bottom:1px solid #999;padding:.2em .6em;text-align:left}h2{margin-top:2em}"
    "@media print{h2{break-after:avoid}tr{break-inside:avoid}}"
)


def write_html(record: MatchRecord) -> str:
    """A printable score sheet; needs nothing from the network."""
    title = html.escape(f"{record.white} – {record.black}")
    length = f"{record.length} points" if record.length else "Money game"
    games = "\n".join(_html_game(record, game) for game in record.games)
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>\n'
        f"<h1>{title}</h1>\n<p>{length}</p>\n{games}\n</html>\n"
    )


def _html_game(record: MatchRecord, game: GameRecord) -> str:
    rows = "\n".join(
        f"<tr><td>{n}</td><td>{html.escape(_name(record, a.side))}</td><td>{html.escape(_words(a))}</td></tr>"
        for n, a in enumerate(game.actions, 1)
    )
    head = f"<h2>Game {game.number} ({game.score_white} : {game.score_black})</h2>"
    end = ""
    if game.result is not None:
        winner = html.escape(_name(record, game.result.winner))
        end = f"<p>{winner} wins {game.result.points} ({game.result.kind})</p>"
    return f"{head}\n<table><tr><th>#</th><th>Player</th><th>Play</th></tr>\n{rows}</table>\n{end}"


def _name(record: MatchRecord, side: Side) -> str:
    return record.white if side is Side.WHITE else record.black


def _words(action: AnyAction) -> str:
    match action:
        case Play(dice=(a, b), text=text, legal=legal):
            return f"{a}{b}: {text or ('cannot move' if legal else '')}{'' if legal else ' illegal, stood'}"
        case Opening(white=white, black=black):
            return f"Opening roll: {white} against {black}"
        case Roll(dice=(a, b)):
            return f"{a}{b}"
        case Double(value=value):
            return f"Doubles to {value}"
        case Take():
            return "Takes"
        case Drop():
            return "Passes"
        case Resign(points=points):
            return f"Resigns {points}"
    return type(action).__name__
