"""What the page shows: one immutable value, made from the folded state and what the camera sees now.

Text is never stored here as prose: `code` + `args` name a message in companion/web/texts/*.json.
"""

from __future__ import annotations

import msgspec


class Message(msgspec.Struct, frozen=True):
    """A text by its key in the language files, with its arguments."""

    code: str
    args: dict[str, str | int | float] = {}


class StepView(msgspec.Struct, frozen=True):
    """One checker's move in the mover's numbering: 25 = bar, 0 = off."""

    start: int
    end: int
    hit: bool = False


class DieView(msgspec.Struct, frozen=True):
    value: int | None
    state: str
    side: str | None = None  # whose throw
    half: str | None = None
    board_xy: tuple[float, float] | None = None


class CubeView(msgspec.Struct, frozen=True):
    value: int = 1
    owner: str | None = None  # white | black | None = centred
    offered_by: str | None = None
    in_play: bool = True  # False: no cube (Crawford game, money without)


class TurnView(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the play list."""

    seq: int
    game: int
    turn: int
    side: str
    kind: str  # play | dance | double | take | pass | reroll | illegal | game_end | premature | resign
    dice: tuple[int, int] | None = None
    play: str = ""
    legal: bool = True
    rules: tuple[str, ...] = ()
    note: Message | None = None
    evidence: tuple[str, ...] = ()
    t: float = 0.0
    before: str = ""  # GNU position id before the play, mover's view: the page offers the legal plays from it


class Choice(msgspec.Struct, frozen=True):
    """A button: what it says and the command (as JSON object) it sends."""

    text: Message
    command: dict[str, object]


class Banner(msgspec.Struct, frozen=True, kw_only=True):
    """The unmistakable thing: a re-roll, an illegal play, a premature roll, a doubt, game or match end."""

    kind: str  # reroll | illegal | premature | doubt | game_end | match_end | camera_lost | double
    text: Message
    rules: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    until: str | None = None  # how long one may object (profile objection_until)


class DoubtView(msgspec.Struct, frozen=True, kw_only=True):
    doubt_id: str
    about: str
    text: Message
    alternatives: tuple[Choice, ...]
    evidence: tuple[str, ...] = ()
    t: float = 0.0


class ClockView(msgspec.Struct, frozen=True, kw_only=True):
    kind: str  # none | simple_delay | bronstein
    left: tuple[float, float] = (0.0, 0.0)
    delay_s: float = 0.0
    running: str | None = None
    flag: str | None = None


class CameraView(msgspec.Struct, frozen=True, kw_only=True):
    ok: bool = False
    source: str = ""
    fps: float = 0.0
    frame_age_s: float | None = None
    problems: tuple[str, ...] = ()
    calibrated: bool = False


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """The whole table at one moment. Lists of 26 as in CONTRACT.md."""

    seq: int = 0  # last log sequence number it contains
    revision: int = 0  # grows with every change of the view, also unlogged ones
    # no_match | calibrate | watching | hands | waiting_roll | rolled | reroll | illegal | doubt | double_offered
    # | camera_lost | paused | game_over | match_over
    status: str = "no_match"
    status_text: Message = Message("status.no_match")
    match_id: str = ""
    white: str = "White"
    black: str = "Black"
    length: int = 0
    score: tuple[int, int] = (0, 0)
    game: int = 0
    crawford: bool = False
    post_crawford: bool = False
    profile: str = "classic"
    mode: str = "monitor"
    white_position: tuple[int, ...] = (0,) * 26
    black_position: tuple[int, ...] = (0,) * 26
    pips: tuple[int, int] | None = None  # None: the profile hides them
    on_roll: str | None = None
    dice: tuple[DieView, ...] = ()
    cube: CubeView = CubeView()
    home: str = "right"
    white_side: str = "bottom"
    last_play: TurnView | None = None
    last_steps: tuple[StepView, ...] = ()
    banner: Banner | None = None
    doubts: tuple[DoubtView, ...] = ()
    turns: tuple[TurnView, ...] = ()  # the play list of the current game, oldest first
    legal_plays: tuple[tuple[str, tuple[StepView, ...]], ...] = ()  # teacher mode only
    xgid: str = ""
    gnuid: str = ""
    clock: ClockView = ClockView(kind="none")
    camera: CameraView = CameraView()
    can_undo: bool = False
    can_redo: bool = False
