-- Version 1: tasks, their events, and which task names which picture.

CREATE TABLE tasks (
    row         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    caller      TEXT NOT NULL,
    -- The caller's idempotency key, and a hash of what was asked for under it.
    key         TEXT,
    content     BLOB NOT NULL,
    -- From here on all is made from the events, and can be made again. What is long stands last, since SQLite reads a row
    -- only as far as it must.
    device_id   TEXT,
    status      TEXT NOT NULL,
    -- Whether the status is final. The indices go by this, since a list of statuses would cost every append a temporary table.
    ended       INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    fold        INTEGER NOT NULL,
    goal        TEXT NOT NULL,
    state       TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX tasks_by_key ON tasks (caller, key) WHERE key IS NOT NULL;
CREATE INDEX tasks_ended ON tasks (updated_at) WHERE ended;
CREATE INDEX tasks_unfinished ON tasks (id) WHERE NOT ended;

CREATE TABLE events (
    task  INTEGER NOT NULL REFERENCES tasks (row) ON DELETE CASCADE,
    n     INTEGER NOT NULL,
    at    INTEGER NOT NULL,
    kind  TEXT NOT NULL,
    step  INTEGER,
    data  TEXT NOT NULL,
    PRIMARY KEY (task, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE pictures (
    hash  TEXT NOT NULL,
    task  INTEGER NOT NULL REFERENCES tasks (row) ON DELETE CASCADE,
    PRIMARY KEY (hash, task)
) STRICT, WITHOUT ROWID;

CREATE INDEX pictures_by_task ON pictures (task);
