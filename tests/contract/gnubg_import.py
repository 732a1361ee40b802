"""What GNU Backgammon makes of a .mat or .sgf: a helper of the contract tests, one gnubg process for many files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from companion.rules.ids import gnu_position_id
from companion.rules.notation.sgf import read_sgf
from companion.rules.record import (
    Beaver,
    Double,
    Drop,
    GameRecord,
    MatchRecord,
    Play,
    Roll,
    Take,
    final_position,
    moments,
)

GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
COMPLAINTS = ("warning", "unrecognised", "invalid", "error", "illegal", "cannot", "abort", "syntax", "must specify")

_SCRIPT = """
import gnubg, json
for setting in ("automatic game off", "automatic move off", "automatic roll off", "automatic bearoff off",
                "confirm new off", "player 0 human", "player 1 human"):
    gnubg.command("set " + setting)
for path in json.load(open("files.json")):
    print("@@" + path)
    gnubg.command(("import mat" if path.endswith(".mat") else "load match") + ' "' + path + '"')
    json.dump(gnubg.match(0, 1, 0, 0), open(path + ".json", "w"), default=str)
    gnubg.command('save match "' + path + '.back"')
print("@@end")
"""


@dataclass(frozen=True)
class Imported:
    """One file as gnubg understood it, and the lines it complained in."""

    match: dict[str, Any]  # gnubg.match(): its boards are turned wrongly once the left player played illegally
    saved: str  # the match as gnubg saves it, an .sgf
    complaints: list[str]


def gnubg_imports(texts: dict[str, str], folder: Path) -> dict[str, Imported]:
    """Write the texts, let one gnubg import them all. Keys are file names ending in .mat or .sgf."""
    assert GNUBG is not None
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "files.json").write_text(json.dumps(list(texts)))
    (folder / "import.py").write_text(_SCRIPT)
    done = subprocess.run(
        [GNUBG, "-t", "-q", "-r", "-p", "import.py"],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"},  # its prints in order
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    output = done.stdout + done.stderr
    assert "@@end" in output, f"gnubg stopped (exit {done.returncode}): {output[-500:]}"
    return {name: _imported(name, output, folder) for name in texts}


def _imported(name: str, output: str, folder: Path) -> Imported:
    said = output.split(f"@@{name}\n")[1].split("@@")[0]
    complaints = [line for line in said.splitlines() if any(word in line.lower() for word in COMPLAINTS)]
    match = json.loads((folder / f"{name}.json").read_text())
    return Imported(match, (folder / f"{name}.back").read_text(), complaints)


Event = tuple[Any, ...]


def events_of_gnubg(game: dict[str, Any]) -> list[Event]:
    """(action, side, dice, position before a play in the mover's view) of every action, as gnubg tells them."""
    events: list[Event] = []
    for action in game["game"]:
        side = {"X": "white", "O": "black"}.get(action.get("player", ""))
        kind = action["action"]
        if kind == "move":
            events.append(("move", side, tuple(action["dice"]), action["board"]))
        elif kind == "set" and "dice" in action:
            events.append(("dice", side, tuple(action["dice"])))
        elif kind == "set" and "board" in action:
            events.append(("board", action["board"]))
        elif kind == "double":
            events.append(("double", side))
        elif kind in ("take", "drop"):
            events.append((kind, side))
    return events


def events_of_record(game: GameRecord) -> list[Event]:
    """The same of a record of ours."""
    events: list[Event] = []
    for moment, following in zip(moments(game), (*game.actions[1:], None), strict=False):
        action = moment.action
        board = gnu_position_id(moment.before, action.side)
        match action:
            case Play(legal=True):
                events.append(("move", action.side.value, action.dice, board))
            case Play():
                after = gnu_position_id(action.after, action.side.other)
                events += [("dice", action.side.value, action.dice), ("board", after)]
            case Roll():
                events.append(("dice", action.side.value, action.dice))
            case Double():
                events.append(("double", action.side.value))
            case Beaver():
                events.append(("double", action.side.value))
                events += [] if isinstance(following, Drop) else [("take", action.side.other.value)]
            case Take():
                events.append(("take", action.side.value))
            case Drop():
                events.append(("drop", action.side.value))
    return events


def differences(record: MatchRecord, imported: Imported) -> list[str]:
    """Where gnubg's match is not the record: games, scores, every position before a decision, results.

    Told twice: by gnubg's Python (unless illegal plays stand in the record), and by the .sgf it saves.
    """
    match = imported.match
    found = []
    if len(record.games) != len(match["games"]):
        found.append(f"{len(record.games)} games here, {len(match['games'])} there")
    if record.length != match["match-info"]["match-length"]:
        found.append(f"length {match['match-info']['match-length']} there, {record.length} here")
    saved = read_sgf(imported.saved)
    for ours, theirs, again in zip(record.games, match["games"], saved.games, strict=False):
        in_python = [] if _edited(ours) else _game_differences(ours, theirs)
        found += [f"game {ours.number}: {text}" for text in in_python + _saved_differences(ours, again)]
    return found


def _edited(game: GameRecord) -> bool:
    return game.joined or any(isinstance(action, Play) and not action.legal for action in game.actions)


def _saved_differences(ours: GameRecord, saved: GameRecord) -> list[str]:
    """gnubg's own .sgf of the game: the same actions, positions included, and the same result."""
    there = saved.actions
    if ours.joined and not saved.joined:  # a .mat is brought to its start by cells of its own
        first = len(there) - len(ours.actions)
        there = there[first:]
        moments_there = list(moments(saved))
        before = moments_there[first].before if first < len(moments_there) else final_position(saved)
        if before != ours.start:
            return [f"saved: starts at {before}"]
    for index, pair in enumerate(zip_longest(ours.actions, there)):
        if pair[0] != pair[1]:
            return [f"saved: action {index}: {pair[0]} here, {pair[1]} there"]
    facts = [(game.result, game.score_white, game.score_black, game.crawford) for game in (ours, saved)]
    return [] if facts[0] == facts[1] else [f"saved: {facts[0]} here, {facts[1]} there"]


def _game_differences(ours: GameRecord, theirs: dict[str, Any]) -> list[str]:
    found = []
    here, there = events_of_record(ours), events_of_gnubg(theirs)
    for index, pair in enumerate(zip(here, there, strict=False)):
        if pair[0] != pair[1]:
            found.append(f"action {index}: {pair[0]} here, {pair[1]} there")
            break
    if len(here) != len(there):
        found.append(f"{len(here)} actions here, {len(there)} there (the first too many: {(here + there)[-1]})")
    info = theirs["info"]
    if (info["score-X"], info["score-O"]) != (ours.score_white, ours.score_black):
        found.append(f"score {info['score-X']}-{info['score-O']} there")
    won = (ours.result.winner.value, ours.result.points) if ours.result else (None, None)
    if ({"X": "white", "O": "black"}.get(info["winner"] or ""), info.get("points-won")) != won:
        found.append(f"winner {info['winner']} with {info.get('points-won')} there, {won} here")
    return found
