-- The code of both sides, where a run compares something with an older one; '' for others.
ALTER TABLE run ADD COLUMN sides TEXT NOT NULL DEFAULT '';

-- Such runs have no identity any more: all are read anew.
UPDATE run SET judged_by = '';
