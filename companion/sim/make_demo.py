"""Makes the bundled demo match: `python -m companion.sim.make_demo` writes demo.mat and demo.incidents.json.

Two bots play seeded games until a short 3-point match turns up: a double passed, then a double taken and a gammon.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from companion.rules.notation.mat import write_mat
from companion.rules.position import START, Side
from companion.rules.record import (
    AnyAction,
    Double,
    Drop,
    GameRecord,
    MatchRecord,
    Opening,
    Result,
    Take,
    has_won,
    made_play,
    value_of_win,
)
from companion.sim.bot import choose, worth
from companion.sim.from_record import script_of
from companion.sim.illegal import illegal_hops, other_play
from companion.sim.incidents import Incident, format_incidents
from companion.sim.script import MatchScript
from companion.sim.table import DEMO

_LONGEST = 32  # turns of the second game
_EARLY, _LATE = 6, 12  # turns of the first game, after which it is doubled out


def _moves(rng: random.Random) -> Iterator[tuple[Side, AnyAction]]:
    """An endless game of the bots: whose turn, and what was done, the opening first."""
    white, black = rng.sample(range(1, 7), 2)
    side = Side.WHITE if white > black else Side.BLACK
    yield side, Opening(side=side, white=white, black=black)
    position, dice = START, (max(white, black), min(white, black))
    while True:
        play = choose(rng, position, side, dice)
        made = made_play(position, side, dice, play.after)
        yield side, made
        position, side = play.after, side.other
        dice = (rng.randint(1, 6), rng.randint(1, 6))


def _first_game(rng: random.Random) -> GameRecord | None:
    """A short game that ends with a double passed by the side that is far behind."""
    actions: list[AnyAction] = []
    position = START
    for turn, (side, action) in enumerate(_moves(rng)):
        if turn > _EARLY and worth(position, side) > 28:
            actions += [Double(side=side, value=2), Drop(side=side.other)]
            return GameRecord(number=1, actions=tuple(actions), result=Result(winner=side, points=1, kind="pass"))
        if turn > _LATE:
            return None
        actions.append(action)
        position = getattr(action, "after", position)
    return None


def _second_game(rng: random.Random, first: GameRecord) -> GameRecord | None:
    """A game doubled early, taken, and won with a gammon or better."""
    actions: list[AnyAction] = []
    position, cube = START, 1
    winner = first.result.winner if first.result else Side.WHITE
    score = (1, 0) if winner is Side.WHITE else (0, 1)
    for turn, (side, action) in enumerate(_moves(rng)):
        if turn > _LONGEST:
            return None
        if cube == 1 and turn > 3 and 8 < worth(position, side) < 20:
            actions += [Double(side=side, value=2), Take(side=side.other)]
            cube = 2
        actions.append(action)
        position = getattr(action, "after", position)
        if has_won(position, side):
            points, kind = value_of_win(position, side)
            if points == 1 or cube == 1:
                return None
            result = Result(winner=side, points=2 * points, kind=kind)
            return GameRecord(
                number=2, score_white=score[0], score_black=score[1], actions=tuple(actions), result=result
            )
    return None


def make_demo() -> tuple[MatchRecord, tuple[Incident, ...]]:
    """The match and what goes wrong in it: the first that fits, always the same one."""
    first = next(game for seed in range(10_000) if (game := _first_game(random.Random(f"first {seed}"))))
    second = next(game for seed in range(100_000) if (game := _second_game(random.Random(f"second {seed}"), first)))
    record = MatchRecord(length=3, white="Anna", black="Ben", games=(first, second), tags={"Event": "Demo"})
    return record, _incidents(script_of(record))


def _incidents(script: MatchScript) -> tuple[Incident, ...]:
    """A cocked die and a try-out in the first game, an illegal play put right and a cocked die in the second."""
    slip = next(
        n
        for n, turn in enumerate(script.games[1].turns)
        if n > 5 and len(turn.hops) == 2 and illegal_hops(random.Random(0), turn)
    )
    trial = next(n for n, turn in enumerate(script.games[0].turns) if n > 2 and other_play(random.Random(0), turn))
    return (
        Incident("cocked", 0, 2),
        Incident("tryout", 0, trial),
        Incident("illegal_corrected", 1, slip),
        Incident("cocked", 1, slip + 3),
    )


def main() -> None:
    """Write the two files beside this module."""
    record, incidents = make_demo()
    DEMO.write_text(write_mat(record), encoding="utf-8")
    DEMO.with_suffix(".incidents.json").write_text(format_incidents(incidents), encoding="utf-8")
    print(f"{DEMO}: {[len(game.actions) for game in record.games]} actions")


if __name__ == "__main__":
    main()
