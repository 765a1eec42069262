-- Wrong output has no figure, and is no reference: stored runs are read anew.
UPDATE run SET judged_by = '';
