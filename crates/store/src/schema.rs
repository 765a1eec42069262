//! The tables, and how a file is recognized as a store.
//!
//! Schema 5, designed to be readable with the `sqlite3` command line too: JSON columns contain JSON text, states and
//! words are spelled out. `application_id` is the ASCII text `CPMR`; `user_version` is the schema's version. An older
//! store is migrated when it is opened for writing, in one transaction, and read unchanged otherwise: see
//! [`crate::older`].

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::older;

/// The schema that this build reads and writes.
pub(crate) const VERSION: i64 = 5;
const APPLICATION: i64 = 0x4350_4d52;

const TABLES: &str = "
CREATE TABLE run (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    started  TEXT NOT NULL,              -- RFC 3339, UTC
    version  TEXT NOT NULL,              -- of ciphermeter
    seed     INTEGER NOT NULL,
    scenario TEXT NOT NULL,              -- JSON object
    host     TEXT NOT NULL,              -- JSON array of facts
    status   TEXT NOT NULL,              -- open, complete, partial, interrupted
    notes    TEXT NOT NULL,              -- JSON array: objects of topic, providers, text
    against  TEXT,                       -- JSON object: the old side of --against, null without
    mask     TEXT,                       -- instructions that providers were kept from, such as no-aes, null without
    plan     TEXT                        -- JSON object: what samples count, and what is compared, null in older runs
) STRICT;
CREATE TABLE cell (
    run        INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    id         INTEGER NOT NULL,         -- from 0, without gaps
    provider   TEXT NOT NULL,
    algorithm  TEXT NOT NULL,
    operation  TEXT NOT NULL,
    form       TEXT NOT NULL,
    parameters TEXT NOT NULL,            -- JSON object of integers
    provenance TEXT,                     -- JSON object
    outcome    TEXT,                     -- JSON object, null while undecided
    summary    TEXT,                     -- JSON object, recomputable from the rounds
    PRIMARY KEY (run, id)
) STRICT;
CREATE TABLE fork (
    run    INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,             -- from 0
    offset INTEGER NOT NULL,             -- bytes by which the workers' buffers were moved
    state  TEXT NOT NULL CHECK (state IN ('open', 'whole', 'short')),
    PRIMARY KEY (run, number)
) STRICT;
CREATE TABLE round (
    run     INTEGER NOT NULL,
    fork    INTEGER NOT NULL,
    number  INTEGER NOT NULL,            -- counts through the fork
    samples TEXT NOT NULL,               -- JSON object of arrays of equal length, entry k is sample k in order of time
    PRIMARY KEY (run, fork, number),
    FOREIGN KEY (run, fork) REFERENCES fork (run, number) ON DELETE CASCADE
) STRICT;
CREATE TABLE latency (
    run       INTEGER NOT NULL,
    fork      INTEGER NOT NULL,
    cell      INTEGER NOT NULL,
    clock_ns  INTEGER NOT NULL,          -- what one reading of the worker's clock cost
    histogram TEXT NOT NULL,             -- JSON object: ns, ascending, and calls, arrays of equal length
    PRIMARY KEY (run, fork, cell),
    FOREIGN KEY (run, fork) REFERENCES fork (run, number) ON DELETE CASCADE
) STRICT;
CREATE TABLE memory (
    run        INTEGER NOT NULL,
    fork       INTEGER NOT NULL,
    cell       INTEGER NOT NULL,
    iterations INTEGER NOT NULL,         -- calls made
    idle_rss   INTEGER,                  -- bytes, as the following; null where nothing counts them
    peak_rss   INTEGER,                  -- above idle_rss
    peak_heap  INTEGER,                  -- above the idle process's
    allocated  INTEGER,                  -- for all calls, freed or not
    counter    TEXT,                     -- what counts the last two: tracemalloc, malloc, …
    PRIMARY KEY (run, fork, cell),
    FOREIGN KEY (run, fork) REFERENCES fork (run, number) ON DELETE CASCADE
) STRICT;
CREATE TABLE series (
    run     INTEGER NOT NULL,
    fork    INTEGER NOT NULL,
    round   INTEGER NOT NULL,
    turn    INTEGER NOT NULL,            -- of the sample within its round
    series  TEXT NOT NULL,               -- series_cpu, series_peer_cpu, series_rss, series_peer_rss
    entries TEXT NOT NULL,               -- JSON array, one for each 50 ms of the sample's last transfer
    PRIMARY KEY (run, fork, round, turn, series),
    FOREIGN KEY (run, fork, round) REFERENCES round (run, fork, number) ON DELETE CASCADE
) STRICT;
";

/// The kind of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// An empty database, such as a new one.
    Empty,
    /// A store of this schema version.
    Store(i64),
    /// A foreign database.
    Foreign,
}

pub(crate) fn identify(connection: &Connection) -> rusqlite::Result<Identity> {
    let number = |sql| connection.query_row(sql, (), |row| row.get::<_, i64>(0));
    let (application, version) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    Ok(match (application, version) {
        (APPLICATION, 1..) => Identity::Store(version),
        (0, 0) if number("SELECT EXISTS (SELECT 1 FROM sqlite_schema)")? == 0 => Identity::Empty,
        _ => Identity::Foreign,
    })
}

/// What is in a file's schema that no store has, of whatever version: a store is tables of these names with plain columns, and what
/// SQLite itself adds to them. A view, a trigger, a virtual table, a computed column or an index by an expression would run something
/// of the file's when it is read or written.
pub(crate) fn odd(connection: &Connection) -> rusqlite::Result<Option<String>> {
    // By its text, because that is what SQLite goes by. A key's index has none.
    const OBJECT: &str = "SELECT type || ' ' || name FROM main.sqlite_schema WHERE sql IS NOT NULL AND NOT (
        sql LIKE 'CREATE TABLE %' AND name IN ('run', 'cell', 'fork', 'sitting', 'round', 'latency', 'memory', 'series',
        'sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')) LIMIT 1";
    const COLUMN: &str =
        "SELECT 'column ' || t.name || '.' || c.name FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c
        WHERE t.schema = 'main' AND (c.hidden <> 0 OR c.dflt_value IS NOT NULL) LIMIT 1";
    let first = |sql| connection.query_row(sql, (), |row| row.get(0)).optional();
    // Asking a virtual table for its columns already runs it.
    first(OBJECT)?.map_or_else(|| first(COLUMN), |object| Ok(Some(object)))
}

/// Creates the tables, unless another process already did.
pub(crate) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if identify(&transaction)? == Identity::Empty {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// Migrates an older store, unless another process already did: all of it or nothing.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if let Identity::Store(found @ ..VERSION) = identify(&transaction)? {
        // Rows that refer to the same pages would fill the disk.
        let pages: i64 = transaction.query_row("PRAGMA page_count", (), |row| row.get(0))?;
        transaction.pragma_update(None, "max_page_count", 4 * pages + 1000)?;
        transaction.execute_batch(&older::migration(found))?;
        transaction.pragma_update(None, "max_page_count", u32::MAX - 1)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}
