-- The long part of a run, apart from the columns that lists read: SQLite reads through a document to reach a column that stands behind it.
CREATE TABLE export (
    run TEXT PRIMARY KEY REFERENCES run (digest) ON DELETE CASCADE,
    document BYTEA NOT NULL,        -- the export as it came, in Zstandard's format
    shown BYTEA                     -- what the run's page shows, likewise; NULL until this version has read the run
);
INSERT INTO export (run, document, shown) SELECT digest, document, shown FROM run;
ALTER TABLE run DROP COLUMN document;
ALTER TABLE run DROP COLUMN shown;

-- Figures come from samples, whatever an export says that they come to: of stored runs, too.
UPDATE run SET judged_by = '';

ALTER TABLE run ADD COLUMN joined BIGINT NOT NULL DEFAULT 0;  -- 1 where a link to join sent it: such runs are of machines of their own
