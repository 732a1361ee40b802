"""Counted plays ("perft"): 21 positions, all 21 rolls, two plies deep.

Depth 1 counts the distinct results of a roll; depth 2 adds up, over all of them, the distinct results of each of the
21 rolls of the other side. The table was counted by the naive implementation (run this file as a script to count it
again, some minutes); the product must give the same numbers, and parts are counted naively again in every test run.
"""

from __future__ import annotations

import json
import sys
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from naive_plays import naive_results

from companion.rules.fast import resulting_keys
from companion.rules.packed import unpack
from companion.rules.plays import legal_plays
from companion.rules.position import BAR, Counts, Position, Side, side_counts
from companion.rules.validity import position_faults

TABLE_FILE = Path(__file__).parent / "data" / "perft.json"
ROLLS = [(high, low) for low, high in combinations_with_replacement(range(1, 7), 2)]
START = "24:2 13:5 8:3 6:5"
POSITIONS = {
    "start": (START, START),
    "both on the bar": ("bar:1 24:1 13:4 8:3 6:4 3:2", "bar:1 24:2 13:4 8:2 6:4 5:2"),
    "closed out": ("bar:1 13:5 8:3 6:5", "13:1 8:2 6:2 5:2 4:2 3:2 2:2 1:2"),
    "two on the bar, one point open": ("bar:2 13:4 8:3 6:4 4:2", "13:3 8:2 5:2 4:2 3:2 2:2 1:2"),
    "three on the bar": ("bar:3 13:4 8:3 6:5", "24:2 13:4 8:3 6:2 5:2 3:2"),
    "six prime against an anchor": ("24:2 13:1 9:2 8:2 7:2 6:2 5:2 4:2", "24:2 8:3 6:4 5:3 3:3"),
    "blots everywhere": ("24:2 21:1 18:1 15:1 12:1 9:1 6:1 3:1", "24:2 21:1 18:1 15:1 12:1 9:1 6:1 3:1"),
    "hitting contest": ("24:1 21:1 13:4 8:2 6:4 5:1 4:1", "bar:1 23:1 22:1 13:4 8:3 6:4 3:1"),
    "back game": ("23:2 22:2 13:2 8:2 6:3 5:2 1:2", "13:3 8:2 7:2 6:3 5:3 4:2"),
    "ace point game": ("6:2 5:2 4:3 3:2 2:2", "24:2 6:3 5:3 4:3 3:2 2:2"),
    "bear-off against the bar": ("6:1 5:2 4:2 3:3 2:2 1:2", "bar:1 6:4 5:4 4:3 3:3"),
    "bear-off with gaps and contact": ("6:1 3:2 1:2", "20:1 2:2"),
    "race": ("6:2 5:2 4:4 3:3 2:2 1:2", "6:3 5:3 4:4 3:2 2:2 1:1"),
    "last checker outside": ("8:1 6:2 5:2 4:4 3:3 2:2", "24:1 6:4 5:4 4:3 3:3"),
    "few men a side": ("18:1 6:1 4:1 1:1", "bar:1 15:1 2:1"),
    "one man each": ("17:1", "13:1"),
    "stacks": ("6:15", "6:15"),
    "higher number forced": ("20:1 2:2", "16:2 13:3 8:3 6:5"),
    "one order only": ("bar:1 7:2", "19:2 8:2 6:3 5:2 2:2 1:2"),
    "doubles in parts": ("22:2 13:2 8:2 6:2", "21:2 14:2 7:2 5:2"),
    "crunched boards": ("bar:1 24:1 15:1 2:5 1:5", "bar:1 6:1 4:3 3:4 2:5"),
}
"""Name -> White's checkers, Black's checkers, each by own point; White is on roll."""


def counts_of(text: str) -> Counts:
    places = {"bar": BAR}
    checkers = [entry.split(":") for entry in text.split()]
    counts = side_counts({places.get(place) or int(place): int(n) for place, n in checkers})
    return (15 - sum(counts), *counts[1:])


def position_of(name: str) -> Position:
    white, black = POSITIONS[name]
    return Position(counts_of(white), counts_of(black))


def fast_counts(position: Position, roll: tuple[int, int]) -> list[int]:
    """Depth 1 and depth 2 by the product."""
    results = [unpack(key, Side.WHITE) for key in resulting_keys(position, Side.WHITE, roll)]
    return [len(results), sum(len(resulting_keys(after, Side.BLACK, r)) for after in results for r in ROLLS)]


def naive_counts(position: Position, roll: tuple[int, int]) -> list[int]:
    """Depth 1 and depth 2 by the naive implementation."""
    results = naive_results(position.white, position.black, roll)
    return [len(results), sum(len(naive_results(black, white, r)) for white, black in results for r in ROLLS)]


def table() -> dict[str, dict[str, list[int]]]:
    return json.loads(TABLE_FILE.read_text())


@pytest.mark.parametrize("name", POSITIONS)
def test_plays_of_all_rolls_counted_two_deep(name: str) -> None:
    position = position_of(name)
    counted = {f"{high}{low}": fast_counts(position, (high, low)) for high, low in ROLLS}
    assert counted == table()[name]


@pytest.mark.parametrize("name", POSITIONS)
def test_depth_one_is_what_the_naive_implementation_and_the_plays_with_notation_count(name: str) -> None:
    position = position_of(name)
    for high, low in ROLLS:
        naive = naive_results(position.white, position.black, (high, low))
        plays = legal_plays(position, Side.WHITE, (high, low))
        assert {(play.after.white, play.after.black) for play in plays} == naive
        assert len(plays) == len(naive) == table()[name][f"{high}{low}"][0]


@pytest.mark.parametrize(
    ("name", "roll"), [("few men a side", (6, 1)), ("one man each", (3, 3)), ("higher number forced", (5, 2))]
)
def test_depth_two_counted_naively_again(name: str, roll: tuple[int, int]) -> None:
    assert naive_counts(position_of(name), roll) == table()[name][f"{roll[0]}{roll[1]}"]


@pytest.mark.parametrize("name", POSITIONS)
def test_the_positions_are_possible(name: str) -> None:
    assert position_faults(position_of(name)) == ()


def test_the_table_has_the_start_and_twenty_others_with_all_rolls() -> None:
    counted = table()
    assert set(counted) == set(POSITIONS)
    assert len(counted) == 21
    assert all(len(rolls) == 21 for rolls in counted.values())


if __name__ == "__main__":
    new = {}
    for title in POSITIONS:
        new[title] = {f"{h}{l}": naive_counts(position_of(title), (h, l)) for h, l in ROLLS}
        print(title, file=sys.stderr)
    TABLE_FILE.parent.mkdir(exist_ok=True)
    rows = ",\n".join(f"  {json.dumps(title)}: {json.dumps(rolls)}" for title, rolls in new.items())
    TABLE_FILE.write_text("{\n" + rows + "\n}\n")
