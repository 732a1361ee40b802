"""Which picture belongs to which event: the frame of the settled roll, those before and after a play (RULES.md I3)."""

from __future__ import annotations

import logging
from collections import deque
from typing import NamedTuple

import msgspec

from companion.record.evidence import EvidenceStore, Image
from companion.record.log import LogError
from companion.table import events as ev
from companion.table.state import MatchState

log = logging.getLogger(__name__)
RECENT = 6
DISPUTED = (ev.RerollCalled, ev.IllegalSeen, ev.PrematureRoll, ev.Doubt, ev.Corrected)
KEPT = (ev.Rolled, ev.OpeningRolled, ev.TurnEnded, ev.Doubled, ev.Taken, *DISPUTED)


class Shot(NamedTuple):
    """A frame's number and picture."""

    seq: int
    image: Image


class Pictures:
    """The frames just read, and their way into the evidence store. A full disk costs pictures, never events."""

    def __init__(self, store: EvidenceStore | None) -> None:
        self.store = store
        self._recent: deque[Shot] = deque(maxlen=RECENT)
        self._turn: tuple[str, ...] = ()

    def remember(self, seq: int, image: Image, event: ev.TableEvent) -> None:
        """A clear frame that may become evidence."""
        if isinstance(event, ev.PositionSettled) and (not self._recent or self._recent[-1].image is not image):
            self._recent.append(Shot(seq, image))

    def attach(self, event: ev.MatchEvent, match: MatchState) -> ev.MatchEvent:
        """The event with the names of its pictures."""
        if self.store is None or not isinstance(event, KEPT) or not self._recent or event.who != "camera":
            return event
        disputed = isinstance(event, DISPUTED)
        name = self._keep(event, match, disputed=disputed)
        if name is None:
            return event
        names = (*self._turn, name) if isinstance(event, ev.TurnEnded | ev.IllegalSeen) else (name,)
        if disputed:
            self._pin(names)
        if isinstance(event, ev.Rolled | ev.OpeningRolled):
            self._turn = (name,)
        return msgspec.structs.replace(event, evidence=tuple(dict.fromkeys(names)))

    def _keep(self, event: ev.MatchEvent, match: MatchState, *, disputed: bool) -> str | None:
        assert self.store is not None
        rolled = isinstance(event, ev.Rolled | ev.OpeningRolled | ev.RerollCalled)
        frame = self._nearest(event.frame) if rolled else self._recent[-1]
        try:
            return self.store.keep(match.match_id, frame.image, pinned=disputed)
        except LogError as error:
            log.warning("evidence: %s", error)
            return None

    def _pin(self, names: tuple[str, ...]) -> None:
        assert self.store is not None
        try:
            self.store.pin((*names, *self._turn))
        except LogError as error:
            log.warning("evidence: %s", error)

    def _nearest(self, number: int) -> Shot:
        return min(self._recent, key=lambda frame: abs(frame.seq - number))
