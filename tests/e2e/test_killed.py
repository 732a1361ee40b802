"""Killed with SIGKILL at random points of running play: nothing acknowledged is lost, and the match goes on.

A hundred kills and the whole service: tests/acceptance/test_kill.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from killedtable import kill_many
from test_runner import turns_of

from companion.record.log import MatchLog
from companion.sim.table import demo_table


def test_after_kills_at_random_points_every_turn_is_in_the_record_once(tmp_path: Path) -> None:
    matches = kill_many(tmp_path, kills=5, seed=8, longest_s=1.5)
    truth = [event["play"] for event in demo_table().events if event["type"] == "turn_end"]
    for match_id, data in matches:
        log = MatchLog(data / "matches.db")
        assert turns_of(log, match_id) == truth
        log.close()
