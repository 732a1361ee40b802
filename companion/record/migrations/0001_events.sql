-- The log is append-only: one row an event, chained by hashes. Undo and correction are further rows.
CREATE TABLE match (
    match_id TEXT PRIMARY KEY,
    created  TEXT NOT NULL          -- UTC, as the clock of this machine said: annotation only
) STRICT;

CREATE TABLE event (
    match_id TEXT NOT NULL REFERENCES match (match_id) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,      -- 0, 1, 2 … without a gap
    body     TEXT NOT NULL,         -- the event as JSON, exactly as hashed
    logged   TEXT NOT NULL,         -- UTC, annotation only
    hash     TEXT NOT NULL,         -- sha256 over the hash before, match_id, seq and body
    PRIMARY KEY (match_id, seq)
) STRICT, WITHOUT ROWID;
