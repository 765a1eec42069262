//! Stores of older schemas: each is migrated step by step when it is written, and read through temporary views otherwise.
//!
//! Schema 5 introduced the field's words: a sitting became a fork, an anchor the reference, the witness the contention
//! probe, seats the pinning, a level the range. Migration and views translate stored JSON with the same SQL.

/// The last schema with the old words.
const OLD_WORDS: i64 = 4;

/// What versions 2, 3 and 4 added to the one before. Version 4 also introduced words unknown to older builds: kinds,
/// operations, forms and metrics of transfers and sustained loads.
const ADDED: [&str; 3] = [
    "
ALTER TABLE run ADD COLUMN against TEXT;
CREATE TABLE latency (
    run       INTEGER NOT NULL,
    sitting   INTEGER NOT NULL,
    cell      INTEGER NOT NULL,
    clock_ns  INTEGER NOT NULL,
    histogram TEXT NOT NULL,
    PRIMARY KEY (run, sitting, cell),
    FOREIGN KEY (run, sitting) REFERENCES sitting (run, number) ON DELETE CASCADE
) STRICT;
",
    "
ALTER TABLE run ADD COLUMN mask TEXT;
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
",
    "
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
",
];

/// SQLite also renames the references to it.
const RENAMED: &str = "
ALTER TABLE sitting RENAME TO fork;
ALTER TABLE round RENAME COLUMN sitting TO fork;
ALTER TABLE latency RENAME COLUMN sitting TO fork;
ALTER TABLE memory RENAME COLUMN sitting TO fork;
ALTER TABLE series RENAME COLUMN sitting TO fork;
";

/// Old and new text within a column's JSON. Where the text includes quotes, it cannot occur inside a string: a quote in
/// a JSON string follows a backslash.
const HOST: &[(&str, &str)] = &[
    (r#""name":"seats""#, r#""name":"pinning""#),
    ("front on CPU", "harness on CPU"),
    ("as far as it is told", "as far as the system says"),
];
const SUMMARY: &[(&str, &str)] = &[
    (r#""anchor":"#, r#""reference":"#),
    (r#""level":"#, r#""range":"#),
    (r#""quiet_limit":"#, r#""undisturbed_limit":"#),
    (r#""sittings":"#, r#""forks":"#),
    (" whole sittings,", " whole forks,"),
];
const NOTES: &[(&str, &str)] =
    &[("the front used", "the harness used"), ("which ratios pass over", "which ratios exclude")];
const SAMPLES: &[(&str, &str)] = &[(r#""witness_ps":"#, r#""probe_ps":"#)];

/// An SQL expression: the column in today's words.
fn translated(column: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(column.to_string(), |inner, (old, new)| format!("replace({inner}, '{old}', '{new}')"))
}

/// The SQL that turns an older schema's tables into today's.
pub(crate) fn migration(found: i64) -> String {
    let added = ADDED.iter().zip(2..).filter(|(_, version)| *version > found).map(|(sql, _)| *sql);
    let (host, notes) = (translated("host", HOST), translated("notes", NOTES));
    let (summary, samples) = (translated("summary", SUMMARY), translated("samples", SAMPLES));
    let words = format!(
        "UPDATE run SET host = {host}, notes = {notes};
         UPDATE cell SET summary = {summary} WHERE summary IS NOT NULL;
         UPDATE round SET samples = {samples};
         ALTER TABLE run ADD COLUMN plan TEXT;"
    );
    added.chain([RENAMED, &words]).collect()
}

/// Temporary views that show an older store's tables as today's, without touching the file; none for a store of today's
/// schema.
pub(crate) fn views(found: i64) -> String {
    if found > OLD_WORDS {
        return String::new();
    }
    let since = |version, column: &'static str| if found >= version { column } else { "NULL" };
    let table = |version, name: &str, columns: &str| {
        let (from, only) = if found >= version { (name, "") } else { ("run", "WHERE 0") };
        let columns: Vec<String> = columns
            .split(' ')
            .map(|column| match column {
                "fork" if found >= version => "sitting AS fork".to_string(),
                column if found >= version => column.to_string(),
                column => format!("NULL AS {column}"),
            })
            .collect();
        format!("CREATE TEMP VIEW {name} AS SELECT {} FROM main.{from} {only};\n", columns.join(", "))
    };
    let (host, notes) = (translated("host", HOST), translated("notes", NOTES));
    let (summary, samples) = (translated("summary", SUMMARY), translated("samples", SAMPLES));
    let (against, mask) = (since(2, "against"), since(3, "mask"));
    [
        format!(
            "CREATE TEMP VIEW run AS SELECT id, started, version, seed, scenario, {host} AS host, status, {notes} AS notes,
             {against} AS against, {mask} AS mask, NULL AS plan FROM main.run;
             CREATE TEMP VIEW cell AS SELECT run, id, provider, algorithm, operation, form, parameters, provenance, outcome,
             {summary} AS summary FROM main.cell;
             CREATE TEMP VIEW fork AS SELECT run, number, offset, state FROM main.sitting;
             CREATE TEMP VIEW round AS SELECT run, sitting AS fork, number, {samples} AS samples FROM main.round;\n"
        ),
        table(2, "latency", "run fork cell clock_ns histogram"),
        table(3, "memory", "run fork cell iterations idle_rss peak_rss peak_heap allocated counter"),
        table(4, "series", "run fork round turn series entries rowid"),
    ]
    .concat()
}
