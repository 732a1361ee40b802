-- Pictures kept for a match. The file name carries the hash; `pinned` ones belong to a disputed turn.
CREATE TABLE evidence (
    name     TEXT PRIMARY KEY,
    match_id TEXT NOT NULL,
    sha256   TEXT NOT NULL,
    bytes    INTEGER NOT NULL,
    pinned   INTEGER NOT NULL DEFAULT 0,
    number   INTEGER NOT NULL       -- order of keeping
) STRICT;
