-- A run as the fourth schema stored it (ciphermeter 0.1.0 of 2026-11-23): what every later version must still read.
PRAGMA foreign_keys = off;
PRAGMA application_id = 1129336146;
PRAGMA user_version = 4;
BEGIN TRANSACTION;
CREATE TABLE cell (
    run        INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    id         INTEGER NOT NULL,
    provider   TEXT NOT NULL,
    algorithm  TEXT NOT NULL,
    operation  TEXT NOT NULL,
    form       TEXT NOT NULL,
    parameters TEXT NOT NULL,
    provenance TEXT,
    outcome    TEXT,
    summary    TEXT,
    PRIMARY KEY (run, id)
) STRICT;
INSERT INTO "cell" VALUES(1,0,'p0','aes-256-gcm','seal','in-place','{"aad":0,"message":16,"threads":1}','{"worker":"go","runtime":"go1","version":"1","path":"aesni","setup":"outside","library":null,"sha256":null}','{"is":"measured"}','{"anchor":0,"ratio":{"mid":1.0,"low":0.9,"high":1.1},"level":{"low":1.0,"mid":2.0,"high":3.0},"converged":true,"quiet_limit":215000,"sittings":2,"rounds":2,"warnings":[]}');
INSERT INTO "cell" VALUES(1,1,'p1','aes-256-gcm','seal','in-place','{"aad":0,"message":16,"threads":1}','{"worker":"go","runtime":"go1","version":"1","path":"aesni","setup":"outside","library":null,"sha256":null}','{"is":"measured"}','{"anchor":0,"ratio":{"mid":1.0,"low":0.9,"high":1.1},"level":{"low":1.0,"mid":2.0,"high":3.0},"converged":true,"quiet_limit":215000,"sittings":2,"rounds":2,"warnings":[]}');
CREATE TABLE latency (
    run       INTEGER NOT NULL,
    sitting   INTEGER NOT NULL,
    cell      INTEGER NOT NULL,
    clock_ns  INTEGER NOT NULL,
    histogram TEXT NOT NULL,
    PRIMARY KEY (run, sitting, cell),
    FOREIGN KEY (run, sitting) REFERENCES sitting (run, number) ON DELETE CASCADE
) STRICT;
INSERT INTO "latency" VALUES(1,1,1,23,'{"ns":[71,72],"calls":[3,1]}');
CREATE TABLE memory (
    run        INTEGER NOT NULL,
    sitting    INTEGER NOT NULL,
    cell       INTEGER NOT NULL,
    iterations INTEGER NOT NULL,
    idle_rss   INTEGER,
    peak_rss   INTEGER,
    peak_heap  INTEGER,
    allocated  INTEGER,
    counter    TEXT,
    PRIMARY KEY (run, sitting, cell),
    FOREIGN KEY (run, sitting) REFERENCES sitting (run, number) ON DELETE CASCADE
) STRICT;
INSERT INTO "memory" VALUES(1,1,0,40,9437184,4096,NULL,NULL,NULL);
CREATE TABLE round (
    run     INTEGER NOT NULL,
    sitting INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    samples TEXT NOT NULL,
    PRIMARY KEY (run, sitting, number),
    FOREIGN KEY (run, sitting) REFERENCES sitting (run, number) ON DELETE CASCADE
) STRICT;
INSERT INTO "round" VALUES(1,0,0,'{"cell":[0,1],"after":[null,0],"turn":[0,1],"iterations":[40,40],"ns":[31234,29870],"cpu_ns":[31190,null],"witness_ps":[201000,201000]}');
INSERT INTO "round" VALUES(1,1,0,'{"cell":[0,1],"after":[null,0],"turn":[0,1],"iterations":[40,40],"ns":[31234,29870],"cpu_ns":[31190,null]}');
CREATE TABLE run (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    started  TEXT NOT NULL,
    version  TEXT NOT NULL,
    seed     INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    host     TEXT NOT NULL,
    status   TEXT NOT NULL,
    notes    TEXT NOT NULL,
    against  TEXT,
    mask     TEXT
) STRICT;
INSERT INTO "run" VALUES(1,'2026-11-21T12:00:00Z','0.1.0',7,'{"name":"try","kind":"message","title":"a try","budget":"10s","precision":"2%","cells":[{"algorithms":["aes-256-gcm"],"operations":["seal"],"messages":["16"],"aad":["0"],"forms":["in-place"],"providers":[]}]}','[{"name":"cpu","value":"Some CPU","why":null},{"name":"seats","value":"workers on CPU 1, front on CPU 0","why":null}]','complete','["a note"]','{"old":"libcrypto.so.3","threshold":"5%"}','no-aes');
CREATE TABLE series (
    run     INTEGER NOT NULL,
    sitting INTEGER NOT NULL,
    round   INTEGER NOT NULL,
    turn    INTEGER NOT NULL,
    series  TEXT NOT NULL,
    entries TEXT NOT NULL,
    PRIMARY KEY (run, sitting, round, turn, series),
    FOREIGN KEY (run, sitting, round) REFERENCES round (run, sitting, number) ON DELETE CASCADE
) STRICT;
INSERT INTO "series" VALUES(1,1,0,0,'series_rss','[4096,8192]');
CREATE TABLE sitting (
    run    INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    state  TEXT NOT NULL CHECK (state IN ('open', 'whole', 'short')),
    PRIMARY KEY (run, number)
) STRICT;
INSERT INTO "sitting" VALUES(1,0,192,'whole');
INSERT INTO "sitting" VALUES(1,1,192,'whole');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('run',1);
COMMIT;
