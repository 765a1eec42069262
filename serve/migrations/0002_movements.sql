-- What moved from run to run, and what people note about it. What earlier versions stored of a run is read anew from its document.
ALTER TABLE run ADD COLUMN identity TEXT NOT NULL DEFAULT '';      -- SHA-256 of the facts that tell machines apart; '' if the run is compared with no other
ALTER TABLE run ADD COLUMN state TEXT NOT NULL DEFAULT '[]';       -- JSON of the facts in which runs of one machine differ
ALTER TABLE cell ADD COLUMN library TEXT NOT NULL DEFAULT '';      -- version, file, code path and runtime
ALTER TABLE cell ADD COLUMN program TEXT NOT NULL DEFAULT '';      -- the beginning of the SHA-256 of the worker's program
ALTER TABLE cell ADD COLUMN is_ceiling BIGINT NOT NULL DEFAULT 0;  -- 0 or 1
ALTER TABLE run ADD COLUMN looked BIGINT NOT NULL DEFAULT 0;       -- 1 once movements were looked for in the runs up to it
ALTER TABLE run ADD COLUMN recommended TEXT NOT NULL DEFAULT '';  -- the cipher of `choice`; '' where it knows none
UPDATE run SET judged_by = '';
CREATE INDEX run_of_series ON run (machine, scenario, identity, started);
CREATE INDEX run_not_looked ON run (looked);

-- Found in the runs of one machine, scenario and identity, and found anew when one of them comes.
CREATE TABLE movement (
    run TEXT NOT NULL REFERENCES run (digest) ON DELETE CASCADE,           -- the first after it
    before TEXT NOT NULL REFERENCES run (digest) ON DELETE CASCADE,        -- the last before it
    cell TEXT NOT NULL,
    reference TEXT NOT NULL,
    change DOUBLE PRECISION NOT NULL,    -- time after ÷ time before, both to the reference, with its 95 % interval
    change_low DOUBLE PRECISION NOT NULL,
    change_high DOUBLE PRECISION NOT NULL,
    errors DOUBLE PRECISION NOT NULL,    -- standard errors that it is away from none
    runs BIGINT NOT NULL,                -- that show the level after it
    cause TEXT NOT NULL,                 -- method, library, machine or unexplained
    reason TEXT NOT NULL,
    PRIMARY KEY (run, cell, reference)
);

-- Of a machine, from a moment on.
CREATE TABLE note (
    id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    moment TEXT NOT NULL,                -- RFC 3339, UTC: the run at which something moved, or when the machine was changed
    kind TEXT NOT NULL,                  -- remark, acknowledged or changed
    author TEXT NOT NULL,                -- the token's name
    written TEXT NOT NULL,
    words TEXT NOT NULL
);
CREATE INDEX note_of_machine ON note (machine, moment);
CREATE INDEX movement_before ON movement (before);
