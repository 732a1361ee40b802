# ruff: noqa: E501
"""A table without camera or rules behind the page's ports: it shows what a test tells it and remembers what it is asked."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from companion.errors import RuleError
from companion.rules.position import START
from companion.table.commands import (
    Command,
    CommandResult,
    NewMatch,
    Pause,
    Resume,
    SetCube,
    SetDice,
    SetMode,
    SetPosition,
    SetScore,
)
from companion.table.view import (
    Banner,
    CameraView,
    Choice,
    CubeView,
    DieView,
    DoubtView,
    Message,
    StepView,
    TableView,
    TurnView,
)
from companion.web import PageOptions, Services, create_app
from companion.web.ports import Json, NotBuiltError, Settings

JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9")
OPENING = TableView(
    seq=1,
    revision=1,
    status="waiting_roll",
    status_text=Message("status.waiting_roll", {"side": "white"}),
    match_id="m1",
    white="Ada",
    black="Grace",
    length=3,
    score=(1, 0),
    game=2,
    white_position=START.white,
    black_position=START.black,
    pips=(167, 167),
    on_roll="white",
    camera=CameraView(ok=True, source="fake", fps=10.0, frame_age_s=0.1, calibrated=True),
    can_undo=True,
)


def counts(**men: int) -> tuple[int, ...]:
    """26 integers from p6=5, bar=1, off=2."""
    places = {"off": 0, "bar": 25}
    own = [0] * 26
    for name, n in men.items():
        own[places.get(name, 0) or int(name[1:])] = n
    own[0] = men.get("off", 0)
    return tuple(own)


def play(seq: int, side: str, dice: tuple[int, int], text: str, **more: Any) -> TurnView:
    return TurnView(seq=seq, game=2, turn=seq - 1, side=side, kind="play", dice=dice, play=text, **more)


def dice(side: str, *values: int | None, state: str = "flat") -> tuple[DieView, ...]:
    return tuple(DieView(value, "flat" if i else state, side) for i, value in enumerate(values))


MIDDLE = msgspec.structs.replace(
    OPENING,
    revision=9,
    seq=9,
    status="rolled",
    status_text=Message("status.rolled", {"side": "white", "dice": "6-4"}),
    white_position=counts(p24=1, p13=4, p8=3, p6=4, p5=2, bar=1),
    black_position=counts(p24=2, p13=3, p8=2, p6=6, p4=2),
    pips=(163, 145),
    dice=dice("white", 6, 4),
    cube=CubeView(value=2, owner="black"),
    turns=(
        play(1, "white", (3, 1), "8/5 6/5"),
        play(2, "black", (4, 2), "8/4 6/4"),
        play(3, "white", (6, 5), "24/13"),
        TurnView(seq=4, game=2, turn=2, side="black", kind="double", note=Message("turn.double_to", {"value": 2})),
        TurnView(seq=5, game=2, turn=2, side="white", kind="take"),
        TurnView(seq=6, game=2, turn=2, side="black", kind="reroll", rules=("B4",), legal=True),
        play(7, "black", (5, 5), "13/3*(2)", before="4HPwATDgc/ABMA"),
    ),
    last_play=play(7, "black", (5, 5), "13/3*(2)", before="4HPwATDgc/ABMA"),
    last_steps=(StepView(13, 8), StepView(13, 6)),
)
REROLL = msgspec.structs.replace(
    MIDDLE,
    revision=10,
    status="reroll",
    status_text=Message("status.reroll"),
    dice=dice("white", 6, 3, state="cocked"),
    banner=Banner(
        kind="reroll",
        text=Message("reroll.cocked"),
        rules=("B4",),
        evidence=("roll.jpg",),
        choices=(Choice(Message("choice.valid"), {"command": "rule", "choice": "valid"}),),
    ),
)
ILLEGAL = msgspec.structs.replace(
    MIDDLE,
    revision=11,
    status="illegal",
    status_text=Message("status.illegal"),
    banner=Banner(
        kind="illegal",
        text=Message("fault.bar_first", {"side": "white"}),
        rules=("D1",),
        evidence=("before.jpg",),
        until="roll_or_double",
        choices=(
            Choice(Message("choice.put_right"), {"command": "rule", "choice": "put_right"}),
            Choice(Message("choice.stand"), {"command": "rule", "choice": "stand"}),
        ),
    ),
)
DOUBT = msgspec.structs.replace(
    MIDDLE,
    revision=12,
    status="doubt",
    status_text=Message("status.doubt"),
    doubts=(
        DoubtView(
            doubt_id="d1",
            about="roll",
            text=Message("doubt.roll"),
            alternatives=tuple(
                Choice(
                    Message("choice.dice", {"dice": text}), {"command": "solve_doubt", "doubt_id": "d1", "choice": text}
                )
                for text in ("6-4", "6-3")
            ),
        ),
    ),
)
TEACHER = msgspec.structs.replace(
    OPENING,
    revision=13,
    mode="teacher",
    status="rolled",
    status_text=Message("status.rolled", {"side": "white", "dice": "3-1"}),
    dice=dice("white", 3, 1),
    legal_plays=(("8/5 6/5", (StepView(8, 5), StepView(6, 5))), ("13/9", (StepView(13, 10), StepView(10, 9)))),
)


class FakeTable:
    """`TablePort`: shows what `show` was given; a few commands change the view as the real table would."""

    def __init__(self, view: TableView = MIDDLE) -> None:
        self.commands: list[Command] = []
        self.refusal, self.refusal_code = "", ""
        self.picture: bytes | None = JPEG
        self._view = view
        self._news = threading.Condition()

    def view(self) -> TableView:
        return self._view

    def show(self, view: TableView) -> None:
        with self._news:
            self._view = msgspec.structs.replace(view, revision=self._view.revision + 1)
            self._news.notify_all()

    def change(self, **fields: Any) -> None:
        self.show(msgspec.structs.replace(self._view, **fields))

    def wait(self, revision: int, timeout: float) -> TableView:
        with self._news:
            self._news.wait_for(lambda: self._view.revision != revision, timeout)
            return self._view

    def latest_jpeg(self) -> bytes | None:
        return self.picture

    def submit(self, command: Command) -> CommandResult:
        self.commands.append(command)
        if self.refusal:
            return CommandResult(False, self.refusal, code=self.refusal_code)
        self._obey(command)
        return CommandResult(True, "", self._view.seq + 1)

    def _obey(self, command: Command) -> None:
        match command:
            case SetScore(white=white, black=black):
                self.change(score=(white, black))
            case SetCube(value=value, owner=owner):
                self.change(cube=CubeView(value=value, owner=owner))
            case SetDice(side=side, dice=values):
                self.change(dice=dice(side, *values))
            case SetMode(mode=mode):
                self.change(mode=mode)
            case SetPosition(position=text):
                white, black = decode(text)
                self.change(white_position=white, black_position=black)
            case Pause():
                self.change(status="paused", status_text=Message("status.paused"))
            case Resume():
                self.change(status="watching", status_text=Message("status.watching"))
            case NewMatch(length=length, white=white, black=black):
                self.show(
                    msgspec.structs.replace(OPENING, length=length, white=white, black=black, score=(0, 0), game=1)
                )


def decode(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """White and Black of a GNU position id in White's view; what is missing to 15 is off."""
    import base64

    stream = int.from_bytes(base64.b64decode(text + "=="), "little")
    sides = []
    for _ in range(2):
        own = [0] * 26
        for place in range(1, 26):
            while stream & 1:
                own[place] += 1
                stream >>= 1
            stream >>= 1
        own[0] = 15 - sum(own)
        sides.append(tuple(own))
    return sides[1], sides[0]


SUMMARY: Json = {
    "id": "m1",
    "white": "Ada",
    "black": "Grace",
    "length": 3,
    "score": [3, 1],
    "winner": "white",
    "date": "2026-11-30T20:15:00",
    "games": 3,
    "turns": 41,
}
STEPS: list[Json] = [
    {
        "seq": i + 1,
        "type": "turn_end",
        "game": 1,
        "side": "white" if i % 2 == 0 else "black",
        "dice": [3, 1],
        "text": {"code": "choice.play", "args": {"play": "8/5 6/5"}},
        "legal": True,
        "rules": [],
        "score": [0, 0],
        "cube": {"value": 1, "owner": None, "offered_by": None, "in_play": True},
        "white": list(START.white if i < 2 else MIDDLE.white_position),
        "black": list(START.black if i < 2 else MIDDLE.black_position),
        "evidence": [],
    }
    for i in range(4)
]


class FakeRecords:
    """`RecordsPort` with one match."""

    def __init__(self) -> None:
        self.stored = {"m1": SUMMARY, "m0": {**SUMMARY, "id": "m0", "winner": None, "score": [0, 2]}}

    def matches(self) -> list[Json]:
        return list(self.stored.values())

    def replay(self, match_id: str) -> Json | None:
        return {**self.stored[match_id], "home": "right", "steps": STEPS} if match_id in self.stored else None

    def export(self, match_id: str, form: str) -> tuple[bytes, str] | None:
        return (b" 3 point match\n", f"{match_id}.{form}") if match_id in self.stored else None

    def evidence(self, match_id: str, name: str) -> bytes | None:
        return JPEG if match_id in self.stored and name.endswith(".jpg") else None

    def delete(self, match_id: str) -> bool:
        return self.stored.pop(match_id, None) is not None


class FakeRules:
    """`RulesPort` with fixed answers."""

    built = False
    slow: threading.Event | None = None  # not solved before it is set

    def legal(self, position: str, dice: tuple[int, int]) -> Json:
        if len(position) != 14:
            raise RuleError(f"{position!r}: not a position id")
        plays = [{"play": text, "after": position, "position": {}} for text in ("8/5 6/5", "13/10 6/5", "24/20")]
        return {"dice": list(dice), "forced": False, "results": plays}

    def describe(self, white: list[int], black: list[int], on_roll: str | None) -> Json:
        return {
            "xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
            "gnuid": "4HPwATDgc/ABMA",
            "problems": [],
        }

    def parse(self, text: str) -> Json:
        if not text.startswith("XGID"):
            raise RuleError(f"{text[:40]!r}: not a position id")
        return {"white": list(START.white), "black": list(START.black), "on_roll": "white"}

    def profiles(self) -> list[Json]:
        return [
            {"name": name, "clock": {"kind": "none"}, "mode": "monitor", "jacoby": False, "half": "right"}
            for name in ("classic", "beginner", "money")
        ]

    def hit_odds(self, question: Json) -> Json:
        if not self.built:
            raise NotBuiltError("hit odds: not built yet")
        if self.slow and not question["quick"]:
            self.slow.wait(30)
        elif self.slow:
            estimate = {"bearing_on_roll": 0.1, "against_on_roll": 0.2, "interval": [[0.08, 0.12], [0.17, 0.23]]}
            return {**estimate, "method": "estimate", "solvable": True}
        return {"bearing_on_roll": 0.1234, "against_on_roll": 0.2345, "method": "exact", "interval": None}


GRID = [[[100 + 40 * i, 100], [100 + 40 * i, 400]] for i in range(13)]


class FakeVision:
    """`VisionPort`: finds the board unless told otherwise."""

    def __init__(self) -> None:
        self.kept = 0
        self.asked: list[Any] = []
        self.fails = False

    def find(self, corners: Any, white_side: str | None, home: str | None) -> Json:
        self.asked.append((corners, white_side, home))
        meters = {"light": 0.8, "sharpness": 0.7, "size": 0.4}
        found = {
            "size": [640, 480],
            "corners": corners or [[100, 100], [540, 100], [560, 420], [80, 420]],
            "grid": GRID,
        }
        if self.fails:
            return {
                "ok": False,
                "reason": "not the starting position: …",
                "reason_code": "not_start",
                "meters": meters,
                "advice": ["size"],
                **found,
            }
        return {"ok": True, "reason": "", "confidence": 0.97, "white_side": white_side or "bottom", "home": home or "right",
                "meters": meters, "advice": [], **found}  # fmt: skip

    def keep(self) -> Json:
        self.kept += 1
        return {"kept": True}

    def discard(self) -> None:
        self.asked.clear()

    def read_photo(self, jpeg: bytes, options: Json) -> Json:
        return {
            "image": {"file": "photo", "width": 640, "height": 480},
            "board": {"found": True, "corners": [[1, 1], [2, 1], [2, 2], [1, 2]], "white_side": "bottom", "home": "right", "confidence": 0.9},
            "position": {"white": list(START.white), "black": list(START.black)},
            "xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
            "gnuid": "4HPwATDgc/ABMA:cAgAAAAAAAAA",
            "confidence": 0.9,
            "uncertain": [{"where": "white 13", "read": 5, "alternatives": [6], "why": "stacked"}],
            "dice": [],
            "cube": None,
        }  # fmt: skip


class FakeHealth:
    """`HealthPort`: everything is well."""

    def report(self) -> Json:
        return {
            "camera": {"ok": True, "source": "fake", "fps": 10.0, "frame_age_s": 0.1, "problems": []},
            "disk": {"free_gb": 12.3, "total_gb": 32.0},
            "temperature_c": 48.2,
            "versions": {"companion": "0.1.0", "python": "3.11", "opencv": "5.0"},
            "uptime_s": 4000,
            "errors": [{"t": "2026-11-30T20:10:00", "text": "camera: no frame for 3 s"}],
        }


class FakeSettings:
    """`SettingsPort` in memory."""

    def __init__(self) -> None:
        self.value = Settings()

    def current(self) -> Settings:
        return self.value

    def change(self, settings: Settings) -> None:
        self.value = settings


@dataclass
class Fakes:
    """All ports, to be looked into by tests."""

    table: FakeTable = field(default_factory=FakeTable)
    records: FakeRecords = field(default_factory=FakeRecords)
    rules: FakeRules = field(default_factory=FakeRules)
    vision: FakeVision = field(default_factory=FakeVision)
    health: FakeHealth = field(default_factory=FakeHealth)
    settings: FakeSettings = field(default_factory=FakeSettings)

    def services(self) -> Services:
        return Services(self.table, self.records, self.rules, self.vision, self.health, self.settings)

    def app(self, folder: Path, **options: Any) -> Any:
        return create_app(self.services(), PageOptions(keys_path=folder / "operator.json", **options))
