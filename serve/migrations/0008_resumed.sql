-- An interrupted run that was resumed has the same machine, start and seed: the one with more samples takes its place.
ALTER TABLE run ADD COLUMN seed TEXT NOT NULL DEFAULT '';      -- '' until this version has read the run
ALTER TABLE run ADD COLUMN samples BIGINT NOT NULL DEFAULT 0;
UPDATE run SET judged_by = '';
