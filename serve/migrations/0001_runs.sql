-- One schema for SQLite and PostgreSQL: only types and clauses that both have.
-- A run is named by its digest (ciphermeter_core::digest), so that the same run is never stored twice.
CREATE TABLE run (
    digest TEXT PRIMARY KEY,
    machine TEXT NOT NULL,          -- the name under which it was pushed, else what it was measured on
    started TEXT NOT NULL,          -- RFC 3339, UTC
    received TEXT NOT NULL,
    scenario TEXT NOT NULL,
    status TEXT NOT NULL,
    version TEXT NOT NULL,          -- of Ciphermeter that measured
    method BIGINT NOT NULL,
    cells BIGINT NOT NULL,
    judged_by TEXT NOT NULL,        -- the version whose words the next columns are
    measured_on TEXT NOT NULL,
    question TEXT NOT NULL,
    answered BIGINT NOT NULL,       -- 0 or 1
    answer TEXT NOT NULL,           -- the first sentence
    choice TEXT,                    -- JSON of ciphermeter_answer::fleet::Choice; NULL where ciphers were not compared
    bytes BIGINT NOT NULL,          -- of the document
    document BYTEA NOT NULL         -- the export as it came, in Zstandard's format
);
CREATE INDEX run_of_machine ON run (machine, started);
CREATE INDEX run_received ON run (received);

CREATE TABLE cell (
    run TEXT NOT NULL REFERENCES run (digest) ON DELETE CASCADE,
    cell TEXT NOT NULL,             -- provider, algorithm, operation, form and parameters in words
    version TEXT NOT NULL,          -- of the library
    ns DOUBLE PRECISION NOT NULL,   -- median of an iteration
    reference TEXT NOT NULL,        -- the cell that the ratio is to
    ratio DOUBLE PRECISION,         -- time ÷ time of the reference, with its 95 % interval
    ratio_low DOUBLE PRECISION,
    ratio_high DOUBLE PRECISION,
    PRIMARY KEY (run, cell)
);
CREATE INDEX cell_over_time ON cell (cell);

CREATE TABLE token (
    name TEXT PRIMARY KEY,
    scope TEXT NOT NULL,            -- push, read or admin
    hash TEXT NOT NULL UNIQUE,      -- SHA-256 of the token
    created TEXT NOT NULL,
    expires TEXT                    -- NULL: never
);
