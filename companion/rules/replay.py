"""Plays a record again and judges every turn: the truly illegal ones are named with the rules they break."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.rules.check import check_play
from companion.rules.position import Position, Side
from companion.rules.record import GameRecord, MatchRecord, Moment, Play, moments


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One turn of a record with the referee's verdict. `turn` counts the plays of a game from 1."""

    game: int
    turn: int
    side: Side
    dice: tuple[int, int]
    before: Position
    after: Position
    play: str
    legal: bool
    rules: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        verdict = "legal" if self.legal else f"ILLEGAL ({', '.join(self.rules)}): {self.why}"
        play = self.play or ("dances" if self.after == self.before else "?")
        return f"game {self.game}, turn {self.turn}, {self.side} {self.dice[0]}{self.dice[1]}: {play}: {verdict}"


def replay(record: MatchRecord) -> Iterator[JudgedTurn]:
    """Every play of the match, judged in turn (C, D, E)."""
    for game in record.games:
        yield from replay_game(game)


def replay_game(game: GameRecord) -> Iterator[JudgedTurn]:
    """Every play of one game, judged in turn."""
    turn = 0
    for moment in moments(game):
        if isinstance(moment.action, Play):
            turn += 1
            yield _judged(moment, moment.action, turn)


def _judged(moment: Moment, play: Play, turn: int) -> JudgedTurn:
    verdict = check_play(moment.before, play.side, play.dice, play.after)
    return JudgedTurn(
        game=moment.game.number,
        turn=turn,
        side=play.side,
        dice=play.dice,
        before=moment.before,
        after=play.after,
        play=verdict.play.text if verdict.play else play.text,
        legal=verdict.legal,
        rules=verdict.rules,
        why=verdict.why,
    )
