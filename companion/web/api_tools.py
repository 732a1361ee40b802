"""The JSON API of the tools: legal plays, position ids, hit odds, photographs, the calibration wizard."""

from __future__ import annotations

import threading
from typing import Annotated, Any

import msgspec
from flask import Blueprint, Response, request

from companion.web.ports import Json
from companion.web.site import body, operator_only, refuse, reply, site

blueprint = Blueprint("tools", __name__, url_prefix="/api")
PICTURES = {b"\xff\xd8\xff": "jpeg", b"\x89PNG\r\n\x1a\n": "png", b"RIFF": "webp"}
"""First bytes of the kinds of picture that are read."""
busy = threading.Lock()
"""One heavy question (photo, calibration, hit odds) at a time: the camera comes first."""

Count = Annotated[int, msgspec.Meta(ge=0, le=15)]
Counts = Annotated[list[Count], msgspec.Meta(min_length=26, max_length=26)]
Die = Annotated[int, msgspec.Meta(ge=1, le=6)]
Id = Annotated[str, msgspec.Meta(max_length=120)]
Seat = Annotated[str, msgspec.Meta(pattern="^(bottom|top|left|right)$")]
Home = Annotated[str, msgspec.Meta(pattern="^(left|right)$")]
Colour = Annotated[str, msgspec.Meta(pattern="^(white|black)$")]
Pixel = tuple[float, float]


class LegalQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """All legal plays of a roll from a position id."""

    id: Id
    dice: tuple[Die, Die]


class PositionQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """The ids of a position given by counts."""

    white: Counts
    black: Counts
    on_roll: Colour | None = None


class IdQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """The position of an id."""

    id: Id


class OddsQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """`companion hitodds` as JSON: point -> men, each side on its own points."""

    bearing: dict[str, Count]
    against: dict[str, Count]
    spare_moves: bool = False
    dice: tuple[Die, Die] | None = None
    on_roll: Annotated[str, msgspec.Meta(pattern="^(bearing|against)$")] | None = None
    quick: bool = False  # an estimate within seconds rather than a solution within a minute


class CalibrationTrial(msgspec.Struct, forbid_unknown_fields=True):
    """What the wizard knows so far; None = find it."""

    corners: tuple[Pixel, Pixel, Pixel, Pixel] | None = None
    white_side: Seat | None = None
    home: Home | None = None


def one_at_a_time(question: Any) -> Response:
    """Answer a heavy question unless another one is being worked on (429)."""
    if not busy.acquire(blocking=False):
        answer = refuse(429, "busy")
        answer.headers["Retry-After"] = "2"
        return answer
    try:
        return reply(question())
    finally:
        busy.release()


@blueprint.get("/profiles")
def profiles() -> Response:
    return reply(site().services.rules.profiles())


@blueprint.post("/legal")
def legal() -> Response:
    asked: LegalQuestion = body(LegalQuestion)
    return reply(site().services.rules.legal(asked.id, asked.dice))


@blueprint.post("/position")
def position() -> Response:
    asked: PositionQuestion = body(PositionQuestion)
    return reply(site().services.rules.describe(asked.white, asked.black, asked.on_roll))


@blueprint.post("/parse-id")
def parse_id() -> Response:
    return reply(site().services.rules.parse(body(IdQuestion).id))


@blueprint.post("/hitodds")
def hit_odds() -> Response:
    question: Json = msgspec.to_builtins(body(OddsQuestion))
    return one_at_a_time(lambda: site().services.rules.hit_odds(question))


@blueprint.post("/photo")
def photo() -> Response:
    """Read one photograph (JPEG, PNG or WebP in the body). Nothing of it is kept."""
    picture = request.get_data(cache=False)
    if not any(picture.startswith(start) for start in PICTURES):
        return refuse(415, "not_a_picture")
    options: Json = {
        key: request.args[key] for key in ("corners", "white_side", "home", "on_roll") if key in request.args
    }
    return one_at_a_time(lambda: site().services.vision.read_photo(picture, options))


@blueprint.post("/calibration/try")
@operator_only
def try_calibration() -> Response:
    trial: CalibrationTrial = body(CalibrationTrial)
    corners = list(trial.corners) if trial.corners else None
    return one_at_a_time(lambda: site().services.vision.find(corners, trial.white_side, trial.home))


@blueprint.post("/calibration/keep")
@operator_only
def keep_calibration() -> Response:
    return reply(site().services.vision.keep())


@blueprint.post("/calibration/discard")
@operator_only
def discard_calibration() -> Response:
    site().services.vision.discard()
    return reply({"discarded": True})
