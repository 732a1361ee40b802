"""Our legal plays equal GNU Backgammon's own lists, as sets of positions."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from gnubg_lists import GNUBG, gnubg_plays

from companion.bench.positions import Roll, constructed_rolls, random_rolls, real_rolls
from companion.rules.fast import resulting_keys
from companion.rules.ids import gnu_position_id
from companion.rules.movetext import apply_moves, parse_play
from companion.rules.packed import unpack
from companion.rules.plays import legal_plays
from companion.rules.position import BAR, Position

pytestmark = [
    pytest.mark.gnubg,
    pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed (apt install gnubg)"),
]
MATCHES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "matches"


def rolls(each: int, seed: int) -> list[Roll]:
    """`each` rolls of real matches (where they are at hand), of random play, and of made-up positions."""
    real = real_rolls(MATCHES, each, seed) if MATCHES.is_dir() else random_rolls(each, seed + 1)
    return [*real, *random.Random(seed).sample(random_rolls(4 * each, seed), each), *constructed_rolls(each, seed)]


def kinds(roll: Roll) -> set[str]:
    """What makes a roll special."""
    position, side, dice = roll
    own = position.of(side)
    played = len(legal_plays(*roll)[0].steps)
    found = {
        "double in part": dice[0] == dice[1] and 0 < played < 4,
        "one number": dice[0] != dice[1] and played == 1,
        "dance": played == 0,
        "bar": own[BAR] > 0,
        "bearing off": not any(own[7:]),
        "few men": sum(own[1:]) < 15,
    }
    return {kind for kind, holds in found.items() if holds}


def listed(roll: Roll, texts: list[str]) -> list[Position]:
    """The positions after gnubg's plays; it lists none when nothing can be moved."""
    return [apply_moves(roll.position, roll.side, parse_play(text)) for text in texts] or [roll.position]


def compare(checked: list[Roll], folder: Path) -> Counter[str]:
    """Fail on the first difference; count the kinds of rolls compared."""
    jobs = [(gnu_position_id(roll.position, roll.side), *roll.dice) for roll in checked]
    counted: Counter[str] = Counter()
    for roll, texts in zip(checked, gnubg_plays(jobs, folder), strict=True):
        theirs = listed(roll, texts)
        assert len(set(theirs)) == len(theirs)
        assert {play.after for play in legal_plays(*roll)} == set(theirs), roll
        assert {unpack(key, roll.side) for key in resulting_keys(*roll)} == set(theirs), roll
        counted.update(kinds(roll))
    return counted


def test_a_few_hundred_rolls_of_all_kinds(tmp_path: Path) -> None:
    counted = compare(rolls(100, seed=1), tmp_path)
    assert min(counted[kind] for kind in ("bar", "dance", "one number", "bearing off", "few men")) >= 5, counted


@pytest.mark.acceptance
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("count", "seed"), [(6000, 2), (20_000, 3)])
def test_thousands_of_rolls(count: int, seed: int, tmp_path: Path) -> None:
    checked = rolls(-(-count // 3), seed)
    counted = compare(checked, tmp_path)
    assert min(counted.values()) >= count // 300, counted
    print(f"{len(checked)} rolls, no difference; of these {dict(counted)}")
