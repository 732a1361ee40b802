"""Long checks of the turn logic: real matches on the simulated table with incidents, several frame rates, fault storms.

Seeds are fixed. The table is read by its truth with the noise of `tablebench.REAL`; MATCHES=n takes other counts.
"""

from __future__ import annotations

import dataclasses
import os
import random
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from tablebench import REAL, Expected, Refereed, Table, film, kinds
from truthreader import truth_events

from companion.rules.notation.mat import read_mat
from companion.sim.from_record import script_of
from companion.sim.incidents import random_incidents
from companion.sim.table import SimulatedTable, read_match
from companion.table import events as ev
from companion.table.referee import referee, stop

MATCH_FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "matches"
COUNT = int(os.environ.get("MATCHES", "30"))

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(not MATCH_FOLDER.is_dir(), reason="../shared/data/matches is not here"),
]


def wilson(k: int, n: int) -> str:
    """k of n with the Wilson 95 % interval."""
    if n == 0:
        return "0 of 0"
    z, p = 1.96, k / n
    centre, spread = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    low, high = ((centre + s * spread) / (1 + z * z / n) for s in (-1, 1))
    return f"{k} of {n} = {p:.4f} [{low:.4f}, {high:.4f}]"


def common(want: list[object], have: list[object]) -> int:
    """Turns that are right, in order."""
    import difflib

    blocks = difflib.SequenceMatcher(None, want, have, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def played(table: SimulatedTable, fps: float, seed: int) -> Refereed:
    ref = Refereed.of(table.script.length)
    ref.state = dataclasses.replace(ref.state, patient=True)  # as transcribe does
    for event in truth_events(table, fps, REAL, seed):
        ref.state, new = referee(ref.state, event)
        ref.events += new
    ref.state, new = stop(ref.state)
    ref.events += new
    return ref


def match_with_incidents(path: Path, seed: int, share: float) -> SimulatedTable:
    script = script_of(read_match(path), ())
    incidents = random_incidents(random.Random(seed), script, share)
    return SimulatedTable(dataclasses.replace(script, incidents=incidents), name=path.name, seed=seed)


def turns_of(table: SimulatedTable, ref: Refereed) -> tuple[list[object], list[object]]:
    want = [(e["side"], tuple(sorted(e["dice"])), e["after"]) for e in table.events if e["type"] == "turn_end"]
    return want, [(side, tuple(sorted(dice)), after) for side, dice, after in ref.turns()]


def test_real_matches_with_incidents() -> None:
    total: Counter[str] = Counter()
    for seed, path in enumerate(sorted(MATCH_FOLDER.glob("*.mat"))[:COUNT]):
        table = match_with_incidents(path, seed, 0.12)
        ref = played(table, 2, seed)
        want, have = turns_of(table, ref)
        total["turns"] += len(want)
        total["right"] += common(want, have)
        total["exact"] += want == have
        true, told = Counter(e["type"] for e in table.events), Counter(kinds(ref.events))
        for kind in ("reroll", "illegal", "double", "premature_roll"):
            total[f"{kind} planted"] += true[kind]
            total[f"{kind} named"] += min(true[kind], told[kind])
            total[f"{kind} too many"] += max(0, told[kind] - true[kind])
        print(path.name, common(want, have), "of", len(want), flush=True)
    print("turns right", wilson(total["right"], total["turns"]), "matches exact", total["exact"], "of", COUNT)
    for kind in ("reroll", "illegal", "double", "premature_roll"):
        print(kind, wilson(total[f"{kind} named"], total[f"{kind} planted"]), "too many", total[f"{kind} too many"])
    assert total["right"] >= 0.9985 * total["turns"]


@pytest.mark.parametrize("fps", [1, 2, 5, 15])
def test_frame_rates(fps: float) -> None:
    total: Counter[str] = Counter()
    for seed, path in enumerate(sorted(MATCH_FOLDER.glob("*.mat"))[:5]):
        table = match_with_incidents(path, seed, 0.0)
        want, have = turns_of(table, played(table, fps, seed))
        total["turns"] += len(want)
        total["right"] += common(want, have)
    print(f"{fps} frames/s: turns right", wilson(total["right"], total["turns"]))
    assert total["right"] >= 0.99 * total["turns"]


def shaken(rng: random.Random, event: ev.TableEvent) -> list[ev.TableEvent]:
    """One event with a fault: dropped, twice, late, covered, dark, moved, a checker gone or added, dice beside."""
    fault = rng.choice(("drop", "twice", "late", "covered", "dark", "moved", "gone", "added", "second_dice", "lost"))
    if not isinstance(event, ev.PositionSettled):
        return [] if fault == "drop" else [event]
    seen = event.observation
    bad = {"covered": {"obstructed": True}, "dark": {"problems": ("dark",)}, "moved": {"problems": ("moved",)}}
    if fault in bad:
        return [msgspec.structs.replace(event, observation=msgspec.structs.replace(seen, **bad[fault]))]
    if fault in ("gone", "added"):
        at = rng.choice([i for i, r in enumerate(seen.points) if r.value] or [0])
        count = seen.points[at]
        step = (1 if count.value > 0 else -1) * (1 if fault == "added" else -1)
        points = list(seen.points)
        points[at] = msgspec.structs.replace(count, value=count.value + step)
        return [msgspec.structs.replace(event, observation=msgspec.structs.replace(seen, points=tuple(points)))]
    if fault == "second_dice":
        table = Table(rng)
        beside = tuple(table.die(1100, y, rng.randint(1, 6), None, "off_board") for y in (300, 400))
        return [msgspec.structs.replace(event, observation=msgspec.structs.replace(seen, dice=(*seen.dice, *beside)))]
    if fault == "late":
        return [event, msgspec.structs.replace(event, t=max(0.0, event.t - 3))]
    if fault == "lost":
        return [ev.CameraLost(t=event.t, frame=event.frame, reason="test"), ev.CameraBack(t=event.t, frame=event.frame)]
    return [] if fault == "drop" else [event, event]


def test_fault_storm() -> None:
    """200 faults in running play: no wrong event, no exception."""
    faults = wrong = turns = 0
    for seed, path in enumerate(sorted(MATCH_FOLDER.glob("*.mat"))):
        if faults >= 200:
            break
        rng = random.Random(seed)
        record = read_mat(path.read_text(encoding="utf-8", errors="replace"))
        ref = Refereed.of(record.length)
        expected: list[Expected] = []
        for event, so_far in film(Table(rng), record, games=1):
            expected = so_far
            hit = rng.random() < 0.05
            faults += hit
            for one in shaken(rng, event) if hit else [event]:
                ref.state, new = referee(ref.state, one)
                ref.events += new
        ref.state, _ = stop(ref.state)
        want = [(e.side, tuple(sorted(e.dice)), e.after) for e in expected]
        have = [(side, tuple(sorted(dice)), after) for side, dice, after in ref.turns()]
        turns += len(want)
        told = Counter(kinds(ref.events))
        bad = len(want) - common(want, have) + told["illegal"] + told["reroll"] + told["premature_roll"]
        if bad:
            print(path.name, "turns wrong", len(want) - common(want, have), dict(told))
        wrong += bad
    print(f"{faults} faults in {turns} turns: {wrong} wrong events")
    assert wrong == 0
