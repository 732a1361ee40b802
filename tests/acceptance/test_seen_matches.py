"""Whole real matches on the simulated table, transcribed from its pictures with the real vision: no truth is read.

Board, camera (0-40 degrees, any quarter turn), light, hands and incidents by the seed, two frames a second.
MATCHES=n plays other counts than 30, SKIP=n begins behind the first n. Figures are printed match by match.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from test_matches import MATCH_FOLDER, common, wilson

from companion.errors import CalibrationError
from companion.rules.ids import gnu_position_id
from companion.sim.incidents import FAULTY_THROWS
from companion.sim.table import SimulatedTable, planned_table
from companion.table import events as ev
from companion.table.state import MatchState
from companion.transcribe import Job, Transcriber
from companion.vision.observe import Observer

COUNT, SKIP = int(os.environ.get("MATCHES", "30")), int(os.environ.get("SKIP", "0"))
FPS = 2.0

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(not MATCH_FOLDER.is_dir(), reason="../shared/data/matches is not here"),
]


def planted_turns(table: SimulatedTable) -> list[object]:
    return [
        (e["side"].value, tuple(sorted(e["dice"])), gnu_position_id(e["after"], e["side"]))
        for e in table.events
        if e["type"] == "turn_end"
    ]


def told_turns(state: MatchState) -> list[object]:
    games = [*state.games, *([state.game] if state.game and state.game not in state.games else [])]
    return [
        (a.side.value, tuple(sorted(a.dice)), gnu_position_id(a.after, a.side))
        for game in games
        for a in game.actions
        if a.kind in ("play", "dance") and a.side and a.dice and a.after
    ]


def accusations(events: list[ev.MatchEvent]) -> int:
    """Illegal plays told, a notice and the end of that turn being one."""
    told = 0
    noticed = False
    for event in events:
        if isinstance(event, ev.IllegalSeen):
            told += not noticed
            noticed = True
        elif isinstance(event, (ev.TurnEnded, ev.Corrected)):
            noticed = False
    return told


def tally(total: Counter[str], table: SimulatedTable, events: list[ev.MatchEvent]) -> None:
    """Planted and named incidents by kind, and those too many."""
    faults = Counter(e["reason"] for e in table.events if e["type"] == "reroll")
    named = Counter(e.reason for e in events if isinstance(e, ev.RerollCalled))
    calls = sum(named.values())
    for kind in FAULTY_THROWS:
        total[f"{kind} planted"] += faults[kind]
        total[f"{kind} named"] += min(faults[kind], named[kind])
    pairs: list[tuple[str, int, int]] = [("reroll", sum(faults.values()), calls)]
    wrong = [e for e in table.events if e["type"] == "illegal"]
    pairs.append(("illegal", len(wrong), accusations(events)))
    for kind, type_ in (("double", ev.Doubled), ("premature_roll", ev.PrematureRoll)):
        pairs.append((kind, sum(e["type"] == kind for e in table.events), sum(isinstance(e, type_) for e in events)))
    for kind, true, told in pairs:
        total[f"{kind} planted"] += true
        total[f"{kind} named"] += min(true, told)
        total[f"{kind} too many"] += max(0, told - true)


def transcribed(table: SimulatedTable) -> Any:
    return Transcriber(Job(source=table.name, length=table.script.length), Observer).run(table)


def test_whole_matches_as_the_camera_sees_them() -> None:
    total: Counter[str] = Counter()
    paths: list[Path] = sorted(MATCH_FOLDER.glob("*.mat"))
    for seed, path in list(enumerate(paths))[SKIP : SKIP + COUNT]:
        table = planned_table(path, seed=seed, fps=FPS)
        want = planted_turns(table)
        total["matches"] += 1
        total["turns"] += len(want)
        try:
            found = transcribed(table)
        except CalibrationError as error:
            print(path.name, "not calibrated:", error, flush=True)
            continue
        have = told_turns(found.state)
        total["right"] += common(want, have)
        total["exact"] += want == have
        total["doubts"] += len(found.doubts)
        tally(total, table, list(found.events))
        print(
            path.name, common(want, have), "of", len(want), "accusations", accusations(list(found.events)), flush=True
        )
    report(total)
    assert total["right"] >= 0.9985 * total["turns"]
    assert total["illegal too many"] <= 1


def report(total: Counter[str]) -> None:
    print("turns right", wilson(total["right"], total["turns"]), "exact", total["exact"], "of", total["matches"])
    for kind in ("reroll", *FAULTY_THROWS, "illegal", "double", "premature_roll"):
        print(kind, wilson(total[f"{kind} named"], total[f"{kind} planted"]), "too many", total[f"{kind} too many"])
    print("false accusations", wilson(total["illegal too many"], total["turns"]), "doubts", total["doubts"])
