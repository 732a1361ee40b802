"""The JSON of `companion read` (CONTRACT.md): an observation in the words that other programs rely on."""

from __future__ import annotations

from typing import Any

from companion.rules import ids
from companion.rules.position import CHECKERS, Position, Side
from companion.vision.geometry import column_point
from companion.vision.read import confidence, doubts
from companion.vision.types import BoardObservation, CountReading, DieObservation

Json = dict[str, Any]


def position_of(seen: BoardObservation) -> tuple[Position, bool, bool]:
    """The position and, per side, whether more than fifteen men were counted (then off is 0)."""
    white = [0] + [max(0, c.value) for c in seen.points] + [0]
    black = [0] + [max(0, -c.value) for c in reversed(seen.points)] + [0]
    if seen.bar is not None:
        white[25], black[25] = seen.bar[0].value, -seen.bar[1].value
    many = tuple(sum(side) > CHECKERS for side in (white, black))
    for side in (white, black):
        side[0] = max(0, CHECKERS - sum(side))
    return Position(tuple(white), tuple(black)), many[0], many[1]


def rows(seen: BoardObservation) -> Json:
    """Both rows as White sees them, left to right, and the bar."""
    home = seen.board.home

    def cell(column: int, far: bool) -> Json:
        v = seen.points[column_point(column, far, home) - 1].value
        return {"n": abs(v), "c": None if v == 0 else "white" if v > 0 else "black"}

    bar = seen.bar or (CountReading(0, 0.0), CountReading(0, 0.0))
    return {
        "far": [cell(c, True) for c in range(12)],
        "near": [cell(c, False) for c in range(12)],
        "bar": {"white": bar[0].value, "black": -bar[1].value},
    }


def uncertain(seen: BoardObservation, too_many: tuple[bool, bool]) -> list[Json]:
    """What is not sure, most doubtful first."""
    out: list[Json] = []
    for where, c in sorted(doubts(seen), key=lambda d: d[1].confidence):
        others = [abs(v) for v, _ in c.alternatives[:3]]
        out.append({"where": where, "read": abs(c.value), "alternatives": others, "why": c.why})
    for side, many in zip(Side, too_many, strict=True):
        if many:
            total = sum(position_of(seen)[0].of(side))
            out.append({"where": side.value, "read": total, "alternatives": [CHECKERS], "why": "too_many"})
    if seen.problems and seen.board.found:
        out += [{"where": "board", "read": None, "alternatives": [], "why": p} for p in seen.problems]
    if seen.board.confidence < 0.3:
        out.append({"where": "board", "read": None, "alternatives": [], "why": "corners"})
    return out


def die(seen: DieObservation) -> Json:
    return {
        "x": round(seen.x, 1),
        "y": round(seen.y, 1),
        "value": seen.value,
        "state": seen.state,
        "half": seen.half,
        "tilt_deg": None if seen.tilt_deg is None else round(seen.tilt_deg, 1),
        "confidence": round(seen.confidence, 3),
    }


def cube(seen: BoardObservation) -> Json | None:
    c = seen.cube
    if c is None:
        return None
    out: Json = {"value": c.value, "place": c.place, "x": round(c.x, 1), "y": round(c.y, 1)}
    out["confidence"] = round(c.confidence, 3)
    if c.place == "offered":
        out["offered_by"] = c.offered_by
    return out


def board(seen: BoardObservation) -> Json:
    view = seen.board
    corners = None if view.corners is None else [[round(x, 1), round(y, 1)] for x, y in view.corners]
    return {
        "found": view.found,
        "corners": corners,
        "white_side": view.white_side if view.found else None,
        "home": view.home if view.found else None,
        "confidence": round(view.confidence, 3),
    }


def document(file: str, seen: BoardObservation, roll: Json, on_roll: Side | None) -> Json:
    """One image's object, keys as in CONTRACT.md."""
    w, h = seen.size
    out: Json = {"image": {"file": file, "width": w, "height": h}, "board": board(seen)}
    if seen.board.found:
        position, many_w, many_b = position_of(seen)
        extra = {"dice": tuple(roll["dice"])} if roll["valid"] and on_roll is not None else {}
        out["position"] = {"white": list(position.white), "black": list(position.black)}
        out["off_source"] = {"white": "implied", "black": "implied"}
        out["rows"] = rows(seen)
        out |= _ids(position, on_roll, extra, many_w or many_b)
        out["confidence"] = round(confidence(seen), 3)
        out["uncertain"] = uncertain(seen, (many_w, many_b))
    else:
        out |= {"position": None, "rows": None, "xgid": None, "gnuid": None, "confidence": 0.0, "uncertain": []}
    out["dice"] = [die(d) for d in seen.dice]
    out["roll"] = roll
    out["cube"] = cube(seen)
    out["obstructed"] = seen.obstructed
    out["view"] = {"ok": not seen.problems, "problems": list(seen.problems)}
    out["timing_ms"] = seen.timing_ms
    return out


def _ids(position: Position, on_roll: Side | None, extra: Json, too_many: bool) -> Json:
    """Both ids; none can hold more than fifteen men a side."""
    if too_many:
        return {"xgid": None, "gnuid": None}
    return {"xgid": ids.xgid(position, on_roll, **extra), "gnuid": ids.gnu_id(position, on_roll, **extra)}
