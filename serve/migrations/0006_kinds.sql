-- The ciphers and the size of `choice` (ciphermeter_answer::fleet::Choice::kind), by which machines are set side by side; '' where there is none.
ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT '';
UPDATE run SET judged_by = '';

DROP INDEX run_latest;
CREATE INDEX run_of_kind ON run (machine, kind, recommended, started DESC, digest);
