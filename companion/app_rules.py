"""The page's questions about the law, answered by the rules engine (`RulesPort`)."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import msgspec

from companion.hitodds_store import DiskStore
from companion.rules.hitodds.odds import PATIENCE_S
from companion.rules.ids import gnu_id, gnu_position_id, parse_id, xgid
from companion.rules.plays import legal_plays
from companion.rules.position import BAR, Position, Side
from companion.rules.profile import load_profile, profile_names
from companion.rules.validity import position_faults
from companion.web.ports import Json, NotBuiltError

QUICK_S = 2.0
"""So long a page is kept waiting for a solution when it asked for a quick answer."""


def side_or_none(text: str | None) -> Side | None:
    return Side(text) if text else None


def on_points(men: dict[str, int]) -> dict[int, int]:
    """{"bar": 1, "24": 2} to {25: 1, 24: 2}."""
    return {BAR if point == "bar" else int(point) if point.isdigit() else -1: n for point, n in men.items() if n}


def hit_odds_module() -> ModuleType:
    """The solver; NotBuiltError in a version without it."""
    try:
        module = importlib.import_module("companion.rules.hitodds")
    except ImportError as error:
        raise NotBuiltError("hit odds: not built yet") from error
    if not hasattr(module, "answer"):
        raise NotBuiltError("hit odds: not built yet")
    return module


class Law:
    """`RulesPort` over `companion.rules`."""

    def legal(self, position: str, dice: tuple[int, int]) -> Json:
        parsed = parse_id(position)
        mover = parsed.on_roll or Side.WHITE
        plays = legal_plays(parsed.position, mover, dice)
        return {"dice": list(dice), "forced": len(plays) == 1, "results": [self._result(play, mover) for play in plays]}

    def _result(self, play: Any, mover: Side) -> Json:
        after: Position = play.after
        position = {"white": list(after.white), "black": list(after.black)}
        return {"play": play.text, "after": gnu_position_id(after, mover), "position": position}

    def describe(self, white: list[int], black: list[int], on_roll: str | None) -> Json:
        position, mover = Position(tuple(white), tuple(black)), side_or_none(on_roll)
        problems = [fault.text for fault in position_faults(position)]
        if problems:
            return {"xgid": "", "gnuid": "", "problems": problems}
        return {"xgid": xgid(position, mover), "gnuid": gnu_id(position, mover), "problems": []}

    def parse(self, text: str) -> Json:
        parsed = parse_id(text)
        sides = {"white": list(parsed.position.white), "black": list(parsed.position.black)}
        return {**sides, "on_roll": parsed.on_roll.value if parsed.on_roll else None}

    def profiles(self) -> list[Json]:
        return [msgspec.to_builtins(load_profile(name)) for name in profile_names()]

    def hit_odds(self, question: Json) -> Json:
        answer = hit_odds_module().answer(
            on_points(question["bearing"]),
            on_points(question["against"]),
            spare_moves=question["spare_moves"],
            dice=tuple(question["dice"]) if question["dice"] else None,
            on_roll=question["on_roll"],
            patience=QUICK_S if question.get("quick") else PATIENCE_S,
            store=DiskStore(),
        )
        found: Json = msgspec.to_builtins(answer)
        return found
