"""What a table tells the hall: one small retained message, made of its view."""

from __future__ import annotations

import re

import msgspec

from companion.table.view import Message, TableView

ROOT = "backgammon-companion/1/tables"
"""Topic of all tables: ROOT/<table>/card is the last Card, ROOT/<table>/online "1" or, as last will, "0"."""
LARGEST = 16_384
"""Bytes of a message that are looked at."""
ATTENTION = frozenset({"doubt", "illegal", "camera_lost", "calibrate"})
"""States in which a table waits for a person."""
_BAD_IN_TOPICS = re.compile(r"[/+#$\x00-\x1f\x7f]")
_encoder = msgspec.json.Encoder()


class TableHealth(msgspec.Struct, frozen=True, kw_only=True):
    """How the machine at the table is."""

    temperature_c: float | None = None
    free_gb: float = 0.0
    uptime_s: int = 0


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A table at one moment. Unknown fields of a newer version are passed over."""

    table: str
    address: str = ""  # of its page
    status: str = "no_match"
    status_text: Message = Message("status.no_match")
    needs_you: bool = False
    match_id: str = ""
    white: str = "White"
    black: str = "Black"
    length: int = 0
    score: tuple[int, int] = (0, 0)
    game: int = 0
    crawford: bool = False
    on_roll: str | None = None
    cube: int = 1
    cube_owner: str | None = None
    banner: Message | None = None
    last_side: str = ""
    last_play: str = ""
    last_legal: bool = True
    doubts: int = 0
    camera_ok: bool = False
    camera_problems: tuple[str, ...] = ()
    seq: int = 0
    health: TableHealth = TableHealth()


_decoder = msgspec.json.Decoder(Card)


def topic_name(table: str) -> str:
    """A table's name as one level of a topic."""
    return _BAD_IN_TOPICS.sub("_", table.strip())[:60] or "table"


def card_of(view: TableView, table: str, address: str, health: TableHealth) -> Card:
    """The card of a view."""
    last = view.last_play
    return Card(
        table=table,
        address=address,
        status=view.status,
        status_text=view.status_text,
        needs_you=view.status in ATTENTION or bool(view.doubts),
        match_id=view.match_id,
        white=view.white,
        black=view.black,
        length=view.length,
        score=view.score,
        game=view.game,
        crawford=view.crawford,
        on_roll=view.on_roll,
        cube=view.cube.value,
        cube_owner=view.cube.owner,
        banner=view.banner.text if view.banner else None,
        last_side=last.side if last else "",
        last_play=last.play if last else "",
        last_legal=last.legal if last else True,
        doubts=len(view.doubts),
        camera_ok=view.camera.ok,
        camera_problems=view.camera.problems,
        seq=view.seq,
        health=health,
    )


def encode(card: Card) -> bytes:
    return _encoder.encode(card)


def decode(payload: bytes) -> Card | None:
    """A card from the network; None when it is too large or no card."""
    if len(payload) > LARGEST:
        return None
    try:
        return _decoder.decode(payload)
    except msgspec.DecodeError:
        return None
