"""The page's snapshot, made from the folded match and what the camera sees now. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.rules.ids import IdFields, gnu_id, gnu_position_id, xgid
from companion.rules.plays import legal_plays
from companion.rules.position import Side
from companion.rules.profile import Profile
from companion.table.hypotheses import play_text
from companion.table.state import Action, MatchState, Phase
from companion.table.throws import Throw
from companion.table.view import (
    Banner,
    CameraView,
    Choice,
    ClockView,
    CubeView,
    DieView,
    DoubtView,
    Message,
    StepView,
    TableView,
    TurnView,
)

LISTED = ("play", "dance", "double", "take", "pass", "reroll", "illegal", "game_end", "premature", "resign")


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What is known beside the log: the camera, hands, dice on the table, the clock."""

    camera: CameraView = field(default_factory=CameraView)
    hands: bool = False
    throw: Throw | None = None
    fresh: Throw | None = None
    clock: ClockView = field(default_factory=lambda: ClockView(kind="none"))
    home: str = "right"
    white_side: str = "bottom"
    can_undo: bool = False
    can_redo: bool = False


def build_view(match: MatchState, profile: Profile, live: Live, *, mode: str, revision: int) -> TableView:
    """Everything the page shows at this moment."""
    status, text = _status(match, live)
    turns = tuple(turn_view(a) for a in (match.game.actions if match.game else ()) if a.kind in LISTED)
    last = match.last_turn()
    hide_pips = mode == "recorder" or (match.length > 0 and mode != "teacher")
    return TableView(
        seq=max(0, match.seq),
        revision=revision,
        status=status,
        status_text=text,
        match_id=match.match_id,
        white=match.white,
        black=match.black,
        length=match.length,
        score=match.score,
        game=match.game.number if match.game else 0,
        crawford=match.crawford,
        post_crawford=match.post_crawford,
        profile=match.profile,
        mode=mode,
        white_position=match.position.white,
        black_position=match.position.black,
        pips=None if hide_pips else (match.position.pips(Side.WHITE), match.position.pips(Side.BLACK)),
        on_roll=match.on_roll.value if match.on_roll else None,
        dice=dice_views(match, live),
        cube=_cube(match),
        home=live.home,
        white_side=live.white_side,
        last_play=turn_view(last) if last else None,
        last_steps=steps_of(last),
        banner=None if mode == "recorder" else banner(match, profile),
        doubts=() if mode == "recorder" else tuple(doubt_views(match)),
        turns=turns,
        legal_plays=teaching(match) if mode == "teacher" else (),
        xgid=xgid(match.position, match.on_roll, **_facts(match)),
        gnuid=gnu_id(match.position, match.on_roll, **_facts(match)),
        clock=live.clock,
        camera=live.camera,
        can_undo=live.can_undo,
        can_redo=live.can_redo,
    )


def _facts(match: MatchState) -> IdFields:
    return {
        "dice": match.dice,
        "cube": match.cube,
        "owner": match.cube_owner,
        "score_white": match.score[0],
        "score_black": match.score[1],
        "length": match.length,
        "crawford": match.crawford,
        "pending": "double" if match.phase is Phase.OFFERED else None,
    }


def _status(match: MatchState, live: Live) -> tuple[str, Message]:
    """The one line that says what the companion is doing, gravest first."""
    side = match.on_roll.value if match.on_roll else ""
    if not live.camera.ok and live.camera.frame_age_s is not None:
        return "camera_lost", Message("status.camera_lost")
    if match.phase is Phase.NO_MATCH:
        code = "no_match" if live.camera.calibrated else "calibrate"
        return code, Message(f"status.{code}")
    if match.paused:
        return "paused", Message("status.paused")
    if match.phase is Phase.MATCH_OVER:
        return "match_over", Message("status.match_over", {"winner": match.winner.value if match.winner else ""})
    if match.illegal is not None:
        return "illegal", Message("status.illegal")
    if match.reroll is not None:
        return "reroll", Message("status.reroll")
    if match.phase is Phase.OFFERED:
        return "double_offered", Message("status.double_offered", {"side": side})
    if match.doubts:
        return "doubt", Message("status.doubt")
    return _calm_status(match, live, side)


def _calm_status(match: MatchState, live: Live, side: str) -> tuple[str, Message]:
    if match.phase is Phase.BETWEEN:
        winner = match.game.winner.value if match.game and match.game.winner else None
        if winner is None:
            return "watching", Message("status.setup")
        return "game_over", Message("status.game_over", {"winner": winner})
    if live.hands:
        return "hands", Message("status.hands")
    if live.camera.problems:
        return "watching", Message("status.camera_trouble", {"problem": live.camera.problems[0]})
    if match.phase is Phase.ROLLED and match.dice is not None:
        return "rolled", Message("status.rolled", {"side": side, "dice": f"{match.dice[0]}-{match.dice[1]}"})
    if match.phase is Phase.OPENING:
        return "waiting_roll", Message("status.waiting_opening")
    return "waiting_roll", Message("status.waiting_roll", {"side": side})


def dice_views(match: MatchState, live: Live) -> tuple[DieView, ...]:
    """The dice of the roll where they lie; those of a faulty or fresh throw as seen; else the roll of the record."""
    throw = live.throw or live.fresh
    side = match.on_roll.value if match.on_roll else None
    if throw is not None and throw.pair is not None:
        return tuple(DieView(die.value, die.state, side, die.half, die.board) for die in throw.dice)
    if match.dice is None:
        return ()
    half = None if side is None else "right" if side == "white" else "left"
    return tuple(DieView(value, "flat", side, half) for value in match.dice)


def _cube(match: MatchState) -> CubeView:
    return CubeView(
        match.cube,
        match.cube_owner.value if match.cube_owner else None,
        match.offered_by.value if match.offered_by else None,
        in_play=not match.crawford,
    )


def turn_view(action: Action) -> TurnView:
    """One line of the play list."""
    before = gnu_position_id(action.before, action.side) if action.before and action.side else ""
    return TurnView(
        seq=action.seq,
        game=action.game,
        turn=action.turn,
        side=action.side.value if action.side else "",
        kind=action.kind,
        dice=action.dice,
        play=action.play,
        legal=action.legal,
        rules=action.rules,
        note=_note(action),
        evidence=action.evidence,
        t=action.t,
        before=before,
    )


def _note(action: Action) -> Message | None:
    if action.kind == "reroll":
        return Message(f"reroll.{action.result}")
    if action.kind == "double":
        return Message("turn.double_to", {"value": action.value})
    if action.kind == "play" and not action.legal:
        return Message("note.stands")
    return Message("note.corrected") if action.corrected else None


def steps_of(action: Action | None) -> tuple[StepView, ...]:
    """The arrows of a play."""
    if action is None or not (action.side and action.dice and action.before and action.after) or not action.legal:
        return ()
    found = play_text(action.before, action.side, action.dice, action.after)
    return tuple(StepView(s.start, s.end, s.hit) for s in found[1]) if found else ()


def teaching(match: MatchState) -> tuple[tuple[str, tuple[StepView, ...]], ...]:
    """All legal plays of the roll on the table."""
    if match.phase is not Phase.ROLLED or match.dice is None or match.on_roll is None:
        return ()
    plays = legal_plays(match.position, match.on_roll, match.dice)
    return tuple((p.text, tuple(StepView(s.start, s.end, s.hit) for s in p.steps)) for p in plays)


def banner(match: MatchState, profile: Profile) -> Banner | None:
    """The unmistakable thing, gravest first."""
    if match.illegal is not None:
        return _illegal_banner(match, profile)
    if match.reroll is not None:
        return Banner(
            kind="reroll",
            text=Message(f"reroll.{match.reroll.reason}"),
            rules=match.reroll.rules,
            evidence=match.reroll.evidence,
            choices=(_choice("choice.valid", command="rule", choice="valid"),),
        )
    if match.premature is not None:
        return _premature_banner(match)
    if match.phase is Phase.OFFERED and match.offered_by is not None:
        return _double_banner(match, match.offered_by)
    return _end_banner(match)


def _choice(code: str, args: dict[str, str | int | float] | None = None, **command: object) -> Choice:
    return Choice(Message(code, args or {}), command)


def _illegal_banner(match: MatchState, profile: Profile) -> Banner:
    illegal = match.illegal
    assert illegal is not None
    args: dict[str, str | int | float] = dict(illegal.args)
    text = Message(f"fault.{illegal.code}", args) if illegal.code else Message("fault.unknown", {"text": illegal.what})
    stand = _choice("choice.stand", command="rule", choice="stand")
    put_right = _choice("choice.put_right", command="rule", choice="put_right")
    choices = (put_right, stand) if illegal.final and profile.illegal_play == "responsible" else (put_right,)
    return Banner(
        kind="illegal",
        text=text,
        rules=illegal.rules,
        evidence=illegal.evidence,
        choices=choices if illegal.final else (),
        until=profile.objection_until if illegal.final else None,
    )


def _premature_banner(match: MatchState) -> Banner:
    premature = match.premature
    assert premature is not None
    choices = (
        _choice("choice.stands_premature", command="rule", choice="stands_premature"),
        _choice("choice.reroll", command="rule", choice="reroll"),
    )
    return Banner(
        kind="premature",
        text=Message(f"premature.{premature.ruling}", {"side": premature.side}),
        rules=("B6",),
        evidence=premature.evidence,
        choices=choices if premature.ruling == "opponent_choice" else (),
    )


def _double_banner(match: MatchState, doubler: Side) -> Banner:
    other = doubler.other.value
    return Banner(
        kind="double",
        text=Message("status.double_offered", {"side": doubler.value}),
        rules=("G2",),
        choices=(
            _choice("choice.take", command="take", side=other),
            _choice("choice.pass", command="pass", side=other),
        ),
    )


def _end_banner(match: MatchState) -> Banner | None:
    if match.phase is Phase.MATCH_OVER:
        winner = match.winner.value if match.winner else ""
        return Banner(
            kind="match_end",
            text=Message("status.match_over", {"winner": winner}),
            rules=("H3",),
        )
    if match.phase is Phase.BETWEEN and match.game is not None and match.game.winner is not None:
        return Banner(
            kind="game_end",
            text=Message("status.game_over", {"winner": match.game.winner.value}),
            rules=("H1",),
            choices=(_choice("choice.next_game", command="next_game"),),
        )
    return None


def doubt_views(match: MatchState) -> list[DoubtView]:
    """Open questions with a button for each alternative."""
    return [
        DoubtView(
            doubt_id=doubt.doubt_id,
            about=doubt.about,
            text=Message(f"doubt.{doubt.about}"),
            alternatives=_alternatives(doubt.doubt_id, doubt.about, doubt.alternatives),
            evidence=doubt.evidence,
            t=doubt.t,
        )
        for doubt in match.doubts
    ]


def _alternatives(doubt_id: str, about: str, texts: Sequence[str]) -> tuple[Choice, ...]:
    code, key = {"roll": ("choice.dice", "dice"), "play": ("choice.play", "play")}.get(about, ("choice.play", "play"))
    found = [_choice(code, {key: text}, command="solve_doubt", doubt_id=doubt_id, choice=text) for text in texts]
    keep = _choice("choice.keep", command="solve_doubt", doubt_id=doubt_id, choice="")
    return (*found, keep)
