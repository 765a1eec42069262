-- What lists of thousands of runs are read from, without a look at the runs' own long rows.
CREATE INDEX run_latest ON run (machine, (CASE WHEN choice IS NULL THEN 1 ELSE 0 END), started DESC, digest);
CREATE INDEX run_started ON run (started DESC, digest);

-- Runs that an operator removed: the server does not take them from its machine's own store again.
CREATE TABLE removed (
    digest TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    started TEXT NOT NULL,
    removed TEXT NOT NULL
);

-- What a run's page shows, in Zstandard's format; NULL until this version has read a run that an earlier one stored.
ALTER TABLE run ADD COLUMN shown BYTEA;
