"""Stored matches for the page, from the log and the evidence store (`RecordsPort`)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from companion.record.evidence import EvidenceStore
from companion.record.export import export
from companion.record.log import LogError, MatchInfo, MatchLog
from companion.rules.check import check_play
from companion.rules.position import Position, Side
from companion.table.events import MatchStarted
from companion.table.fold import fold
from companion.table.state import Action, Game, MatchState
from companion.web.ports import Json

SETTLED = ("play", "dance")


def games_of(state: MatchState) -> list[Game]:
    """All games of a match, the one on the table last."""
    current = [state.game] if state.game is not None and state.game not in state.games else []
    return [*state.games, *current]


def message(code: str, **args: Any) -> Json:
    return {"code": code, "args": {name: value for name, value in args.items() if value not in (None, "")}}


def action_text(action: Action) -> Json:
    """What happened, as a key of the language files."""
    if action.kind == "play":
        return message("choice.play", play=action.play)
    if action.kind == "opening" and action.dice:
        return message("replay.opening", white=action.dice[0], black=action.dice[1])
    if action.kind == "double":
        return message("turn.double_to", value=action.value)
    if action.kind == "reroll" and action.result:
        return message(f"reroll.{action.result}")
    return message(f"turn.{action.kind}")


def why(action: Action) -> Json | None:
    """Why a play was illegal, in words that can be translated."""
    if action.legal or not (action.before and action.after and action.side and action.dice):
        return None
    verdict = check_play(action.before, action.side, action.dice, action.after)
    return None if verdict.legal else message(f"fault.{verdict.why_code}", **dict(verdict.why_args))


class Cube:
    """The cube while a game's record is walked through."""

    def __init__(self, game: Game) -> None:
        self.value, self.owner = game.cube, game.cube_owner
        self.offered: Side | None = None

    def after(self, action: Action) -> Json:
        if action.kind == "double":
            self.offered = action.side
        elif action.kind == "take" and self.offered:
            self.value, self.owner, self.offered = self.value * 2, action.side, None
        elif action.kind in ("pass", "game_end"):
            self.offered = None
        shown = self.value * 2 if self.offered else self.value
        return {"value": shown, "owner": self.owner, "offered_by": self.offered, "in_play": True}


def step(action: Action, game: Game, position: Position, cube: Json) -> Json:
    return {
        "seq": action.seq,
        "type": action.kind,
        "game": game.number,
        "turn": action.turn + 1,
        "side": action.side,
        "dice": None if action.kind == "opening" or not action.dice else list(action.dice),
        "text": action_text(action),
        "legal": action.legal,
        "why": why(action),
        "rules": list(action.rules),
        "score": list(game.score),
        "cube": cube,
        "white": list(position.white),
        "black": list(position.black),
        "evidence": list(action.evidence),
        "t": action.t,
    }


def steps_of(game: Game) -> list[Json]:
    """A game as positions: the start, then one step an action."""
    position, cube = game.start, Cube(game)
    start = Action(seq=-1, game=game.number, turn=0, kind="game_start", t=0.0, frame=0)
    steps = [step(start, game, position, cube.after(start))]
    for action in game.actions:
        if action.kind in SETTLED and action.after is not None:
            position = action.after
        steps.append(step(action, game, position, cube.after(action)))
    return steps


class Records:
    """`RecordsPort` over one data directory. Every id is looked up in the log before anything is done with it."""

    def __init__(self, log: MatchLog, evidence: EvidenceStore, films: Path) -> None:
        self._films = films
        self._log = log
        self._evidence = evidence
        self._folded: dict[str, tuple[int, MatchState]] = {}

    def _state(self, match_id: str) -> MatchState | None:
        """The folded match; what was folded last is kept while the log has nothing new."""
        known = self._folded.get(match_id)
        entries = self._log.entries(match_id)
        if not entries:
            return None
        if known is None or known[0] != entries[-1].seq:
            known = (entries[-1].seq, fold((entry.seq, entry.event) for entry in entries))
            self._folded[match_id] = known
        return known[1]

    def _summary(self, info: MatchInfo) -> Json:
        state = self._state(info.match_id)
        games = games_of(state) if state else []
        return {
            "id": info.match_id,
            "white": state.white if state else info.white,
            "black": state.black if state else info.black,
            "length": info.length,
            "score": list(state.score) if state else [0, 0],
            "winner": state.winner if state else None,
            "date": info.created,
            "games": len(games),
            "turns": sum(game.turns for game in games),
        }

    def matches(self) -> list[Json]:
        return [self._summary(info) for info in self._log.matches()]

    def _info(self, match_id: str) -> MatchInfo | None:
        return next((info for info in self._log.matches() if info.match_id == match_id), None)

    def replay(self, match_id: str) -> Json | None:
        info = self._info(match_id)
        state = self._state(match_id) if info else None
        if info is None or state is None:
            return None
        start = self._log.entries(match_id)[0].event
        profile = start.profile if isinstance(start, MatchStarted) else ""
        steps = [one for game in games_of(state) for one in steps_of(game)]
        return {**self._summary(info), "profile": profile, "steps": steps}

    def export(self, match_id: str, form: str) -> tuple[bytes, str] | None:
        info = self._info(match_id)
        state = self._state(match_id) if info else None
        if info is None or state is None:
            return None
        return export(state, form).encode(), f"{state.white}-{state.black}-{match_id[:8]}.{form}"

    def evidence(self, match_id: str, name: str) -> bytes | None:
        if name not in self._evidence.names(match_id):
            return None
        path = self._evidence.path(name)
        return path.read_bytes() if path else None

    def delete(self, match_id: str) -> bool:
        if self._info(match_id) is None:
            return False
        try:
            self._evidence.delete_match(match_id)
            shutil.rmtree(self._films / match_id, ignore_errors=True)
            self._log.delete(match_id)
        except LogError:
            return False
        self._folded.pop(match_id, None)
        return True
