"""How long pictures are kept (they show hands and faces), and the film of the matches that want one."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.errors import InputError
from companion.record.evidence import EvidenceStore
from companion.record.film import FilmWriter
from companion.record.log import LogError, MatchLog
from companion.sources.base import Frame

log = logging.getLogger(__name__)
EVERY_S = 3600.0
LEAP = timedelta(days=400)
"""The clock is not believed when it stands further than this behind the newest match: a Pi may have lost the time."""


def too_old(created: dict[str, datetime], now: datetime, days: int) -> list[str]:
    """The matches whose pictures have lain for `days`; none while the clock seems to have leapt."""
    if not created or abs(now - max(created.values())) > LEAP:
        return []
    return [match for match, at in created.items() if now - at > timedelta(days=days)]


class Housekeeper:
    """Removes pictures and films once an hour when their time is over; never those of the match on the table."""

    def __init__(
        self,
        match_log: MatchLog,
        evidence: EvidenceStore,
        films: Path,
        days: Callable[[], int],
        playing: Callable[[], str],
    ) -> None:
        self._log = match_log
        self._evidence = evidence
        self._films = films
        self._days = days
        self._playing = playing
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="housekeeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(EVERY_S):
            try:
                self.tidy(datetime.now(UTC))
            except (LogError, OSError, ValueError) as error:
                log.warning("pictures could not be tidied: %s", error)

    def tidy(self, now: datetime) -> list[str]:
        """Remove what is too old at `now`; the matches concerned."""
        created = {info.match_id: datetime.fromisoformat(info.created) for info in self._log.matches()}
        old = [match for match in too_old(created, now, self._days()) if match != self._playing()]
        for match in old:
            self._evidence.delete_match(match)
            shutil.rmtree(self._films / match, ignore_errors=True)
        return old


class FilmSwitch:
    """Films a match into its own folder while the setting says so; a folder given by --record is always filmed into."""

    def __init__(self, films: Path, fixed: FilmWriter | None, cap: int, wanted: Callable[[], bool]) -> None:
        self._films = films
        self._fixed = fixed
        self._cap = cap
        self._wanted = wanted
        self._writer: FilmWriter | None = None
        self._refused: Path | None = None
        self.match = ""

    def write(self, frame: Frame) -> None:
        """Called with every frame, by the table's thread."""
        if self._fixed:
            self._fixed.write(frame)
        if not self._wanted() or not self.match:
            self._end()
            return
        folder = self._films / self.match
        if self._writer is None or self._writer.folder != folder:
            self._end()
            self._writer = self._begin(folder)
        if self._writer:
            self._writer.write(frame)

    def _begin(self, folder: Path) -> FilmWriter | None:
        """A folder that cannot be written costs the film, never the match."""
        try:
            return FilmWriter(folder, self._cap)
        except InputError as error:
            if folder != self._refused:
                log.warning("no film is kept: %s", error)
            self._refused = folder
            return None

    def _end(self) -> None:
        if self._writer:
            self._writer.close()
            self._writer = None

    def close(self) -> None:
        self._end()
        if self._fixed:
            self._fixed.close()
