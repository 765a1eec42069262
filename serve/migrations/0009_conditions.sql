-- Machines are set side by side under the same conditions, and a run beside an older version stands for none: all are read anew.
UPDATE run SET judged_by = '';
