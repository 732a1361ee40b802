"""What a person asks for (page, clock, command line): goes through the same queue and thread as the camera."""

from __future__ import annotations

import msgspec


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="command", forbid_unknown_fields=True):
    """A request. `who`: operator | clock. `expected_seq`: the view's seq the person looked at (None = any)."""

    who: str = "operator"
    expected_seq: int | None = None


class NewMatch(Command, frozen=True, kw_only=True, tag="new_match"):
    length: int = 0
    white: str = "White"
    black: str = "Black"
    profile: str = "classic"
    overrides: dict[str, str | int | bool] = {}
    from_id: str | None = None
    on_roll: str | None = None


class Pause(Command, frozen=True, kw_only=True, tag="pause"):
    pass


class Resume(Command, frozen=True, kw_only=True, tag="resume"):
    pass


class Abandon(Command, frozen=True, kw_only=True, tag="abandon"):
    pass


class SetDice(Command, frozen=True, kw_only=True, tag="set_dice"):
    side: str
    dice: tuple[int, int]


class SetPosition(Command, frozen=True, kw_only=True, tag="set_position"):
    position: str  # GNU position id (White's view) or XGID
    on_roll: str | None = None


class ChoosePlay(Command, frozen=True, kw_only=True, tag="choose_play"):
    """The last (or the doubtful) turn's play was this one."""

    play: str
    turn: int | None = None
    dice: tuple[int, int] | None = None


class AddTurn(Command, frozen=True, kw_only=True, tag="add_turn"):
    side: str
    dice: tuple[int, int]
    play: str


class Rule(Command, frozen=True, kw_only=True, tag="rule"):
    """A choice the rules give about what stands on the banner.

    choice: stand | put_right | reroll | stands_premature | valid
    """

    choice: str


class SolveDoubt(Command, frozen=True, kw_only=True, tag="solve_doubt"):
    doubt_id: str
    choice: str


class Undo(Command, frozen=True, kw_only=True, tag="undo"):
    pass


class Redo(Command, frozen=True, kw_only=True, tag="redo"):
    pass


class SetScore(Command, frozen=True, kw_only=True, tag="set_score"):
    white: int
    black: int
    crawford: bool | None = None


class SetCube(Command, frozen=True, kw_only=True, tag="set_cube"):
    value: int
    owner: str | None = None


class Double(Command, frozen=True, kw_only=True, tag="double"):
    side: str


class Take(Command, frozen=True, kw_only=True, tag="take"):
    side: str


class Pass(Command, frozen=True, kw_only=True, tag="pass"):
    side: str


class Resign(Command, frozen=True, kw_only=True, tag="resign"):
    side: str
    points: int = 1
    accepted: bool | None = True


class NextGame(Command, frozen=True, kw_only=True, tag="next_game"):
    pass


class SwapSides(Command, frozen=True, kw_only=True, tag="swap_sides"):
    pass


class SetMode(Command, frozen=True, kw_only=True, tag="set_mode"):
    mode: str  # monitor | recorder | teacher


class PressClock(Command, frozen=True, kw_only=True, tag="press_clock"):
    side: str
    action: str = "press"


AnyCommand = (
    NewMatch
    | Pause
    | Resume
    | Abandon
    | SetDice
    | SetPosition
    | ChoosePlay
    | AddTurn
    | Rule
    | SolveDoubt
    | Undo
    | Redo
    | SetScore
    | SetCube
    | Double
    | Take
    | Pass
    | Resign
    | NextGame
    | SwapSides
    | SetMode
    | PressClock
)


class CommandResult(msgspec.Struct, frozen=True):
    """Answer to a command: accepted, or the one clear line why not.

    `code`, `args`: the page's own text for it, `refused.<code>`; empty where there is only the message.
    """

    ok: bool
    message: str = ""
    seq: int = 0
    code: str = ""
    args: dict[str, str | int] = {}
