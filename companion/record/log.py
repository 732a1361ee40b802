"""The match log: SQLite, append-only, every event chained to the one before by its hash.

WAL with synchronous=FULL: an acknowledged event survives kill -9 and a power cut. The table thread is the only
writer; readers use the same object from any thread.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import msgspec

from companion.errors import CompanionError
from companion.table.events import AnyMatchEvent, MatchEvent, MatchStarted

GENESIS = "0" * 64
LOG_FILE = "matches.db"
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnyMatchEvent)


class LogError(CompanionError):
    """The log cannot be read or written; the message names the file and the mend."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One event as logged."""

    seq: int
    event: MatchEvent
    logged: str
    hash: str


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """A stored match, for lists."""

    match_id: str
    created: str
    events: int
    white: str
    black: str
    length: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Answer of `verify`: `ok`, how many events were checked, and the first thing that is wrong."""

    ok: bool
    events: int
    fault: str = ""
    last_hash: str = GENESIS


def chain_hash(before: str, match_id: str, seq: int, body: str) -> str:
    """sha256 over the previous hash, the match, the number and the event's JSON."""
    return hashlib.sha256(f"{before}\n{match_id}\n{seq}\n{body}".encode()).hexdigest()


class MatchLog:
    """All matches of one data directory. Raises LogError with one clear line when the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=10.0, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA foreign_keys=ON")
            migrate(self._db)
        except (sqlite3.Error, OSError) as error:
            raise self._fault(error) from error

    def close(self) -> None:
        """Give the file back; a second call does nothing."""
        with self._lock:
            self._db.close()

    def append(self, match_id: str, events: Sequence[MatchEvent]) -> tuple[LogEntry, ...]:
        """Log the events, all or none, and return them with their numbers once they are safe on disk."""
        if not events:
            return ()
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                entries = self._write(match_id, events, now)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise self._fault(error) from error
        return entries

    def _write(self, match_id: str, events: Sequence[MatchEvent], now: str) -> tuple[LogEntry, ...]:
        self._db.execute("INSERT OR IGNORE INTO match VALUES (?, ?)", (match_id, now))
        seq, last = self._last(match_id)
        entries = []
        for event in events:
            seq += 1
            body = _encoder.encode(event).decode()
            last = chain_hash(last, match_id, seq, body)
            self._db.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", (match_id, seq, body, now, last))
            entries.append(LogEntry(seq, event, now, last))
        return tuple(entries)

    def _last(self, match_id: str) -> tuple[int, str]:
        query = "SELECT seq, hash FROM event WHERE match_id = ? ORDER BY seq DESC LIMIT 1"
        row = self._db.execute(query, (match_id,)).fetchone()
        return (row[0], row[1]) if row else (-1, GENESIS)

    def entries(self, match_id: str, after: int = -1) -> tuple[LogEntry, ...]:
        """The events of a match with a number above `after`, in order."""
        query = "SELECT seq, body, logged, hash FROM event WHERE match_id = ? AND seq > ? ORDER BY seq"
        rows = self._rows(query, (match_id, after))
        return tuple(LogEntry(seq, self._decode(match_id, seq, body), at, digest) for seq, body, at, digest in rows)

    def matches(self) -> tuple[MatchInfo, ...]:
        """All stored matches, newest first."""
        query = (
            "SELECT m.match_id, m.created, count(e.seq),"
            " (SELECT body FROM event WHERE match_id = m.match_id AND seq = 0)"
            " FROM match m JOIN event e ON e.match_id = m.match_id"
            " GROUP BY m.match_id ORDER BY m.rowid DESC"  # by writing, not by date: the clock may leap
        )
        return tuple(self._info(row) for row in self._rows(query, ()))

    def _info(self, row: tuple[str, str, int, str]) -> MatchInfo:
        match_id, created, events, body = row
        start = self._decode(match_id, 0, body)
        if not isinstance(start, MatchStarted):
            return MatchInfo(match_id, created, events, "?", "?", 0)
        return MatchInfo(match_id, created, events, start.white, start.black, start.length)

    def last_match(self) -> str | None:
        """The match begun last."""
        rows = self._rows("SELECT match_id FROM match ORDER BY rowid DESC LIMIT 1", ())
        return rows[0][0] if rows else None

    def find(self, name: str) -> str:
        """The match whose id is or begins with `name`; `last` is the newest. LogError when there is none or several."""
        known = [row[0] for row in self._rows("SELECT match_id FROM match ORDER BY rowid DESC", ())]
        if name == "last" and known:
            return str(known[0])
        found = [match for match in known if match == name] or [match for match in known if match.startswith(name)]
        if len(found) != 1:
            what = "no such match" if not found else f"{len(found)} matches begin so"
            raise LogError(f"{name}: {what} in {self.path}; `companion matches` lists them")
        return str(found[0])

    def delete(self, match_id: str) -> None:
        """Remove a match for good (its pictures are the evidence store's business)."""
        with self._lock:
            try:
                self._db.execute("DELETE FROM match WHERE match_id = ?", (match_id,))
            except sqlite3.Error as error:
                raise self._fault(error) from error

    def verify(self, match_id: str) -> Verdict:
        """Is every event there, in order and as it was written?"""
        rows = self._rows("SELECT seq, body, hash FROM event WHERE match_id = ? ORDER BY seq", (match_id,))
        before = GENESIS
        for number, (seq, body, digest) in enumerate(rows):
            if seq != number:
                return Verdict(False, number, f"event {number} is missing (the next one is number {seq})", before)
            if chain_hash(before, match_id, seq, body) != digest:
                return Verdict(False, number, f"event {seq} is not as it was written", before)
            before = digest
        return Verdict(bool(rows), len(rows), "" if rows else "no such match", before)

    def execute(self, query: str, values: Iterable[object] = ()) -> None:
        """One statement of a sister table (evidence), under the same lock. Raises LogError."""
        with self._lock:
            try:
                self._db.execute(query, tuple(values))
            except sqlite3.Error as error:
                raise self._fault(error) from error

    def rows(self, query: str, values: Iterable[object] = ()) -> list[tuple[object, ...]]:
        """Rows of a sister table."""
        return self._rows(query, tuple(values))

    def _rows(self, query: str, values: tuple[object, ...]) -> list[tuple]:  # type: ignore[type-arg]
        with self._lock:
            try:
                return self._db.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise self._fault(error) from error

    def _decode(self, match_id: str, seq: int, body: str) -> MatchEvent:
        try:
            return _decoder.decode(body)
        except msgspec.DecodeError as error:
            raise LogError(f"{self.path}: event {seq} of {match_id} cannot be read ({error})") from error

    def _fault(self, error: Exception) -> LogError:
        text = str(error)
        mend = "check the file's rights and that it is a log of this program"
        if "full" in text or "No space" in text:
            mend = "free some disk space; recording goes on by itself then"
        elif "readonly" in text or "read-only" in text.lower():
            mend = "the disk or file is read-only; make it writable"
        return LogError(f"{self.path}: {text}; {mend}")


def migrate(db: sqlite3.Connection) -> int:
    """Bring the schema up to date with the numbered .sql files; each is applied once. Returns the version."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    folder = resources.files("companion.record") / "migrations"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    if version > len(files):
        raise LogError(f"the log was written by a newer version of this program (schema {version}); update first")
    for file in files[version:]:
        version += 1
        script = file.read_text(encoding="utf-8")
        db.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version={version};\nCOMMIT;")
    return version
