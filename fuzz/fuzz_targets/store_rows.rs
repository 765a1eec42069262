//! A valid SQLite file with arbitrary content in a column: the text reaches the readers of rounds, cells and scenarios,
//! which a broken file hardly ever does. The first byte selects the column, the rest is its value.
#![no_main]

use ciphermeter_fuzz::{TINY_STORE, read_all, store_path};
use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;

/// Table, column, and whether it contains an integer.
const COLUMNS: [(&str, &str, bool); 25] = [
    ("round", "samples", false),
    ("run", "scenario", false),
    ("run", "host", false),
    ("run", "notes", false),
    ("run", "status", false),
    ("run", "seed", true),
    ("cell", "parameters", false),
    ("cell", "provenance", false),
    ("cell", "outcome", false),
    ("cell", "summary", false),
    ("cell", "algorithm", false),
    ("cell", "id", true),
    ("fork", "offset", true),
    ("round", "number", true),
    ("round", "fork", true),
    ("run", "against", false),
    ("latency", "histogram", false),
    ("latency", "clock_ns", true),
    ("latency", "cell", true),
    ("run", "mask", false),
    ("memory", "counter", false),
    ("memory", "cell", true),
    ("memory", "iterations", true),
    ("memory", "peak_rss", true),
    ("memory", "allocated", true),
];

fuzz_target!(|data: &[u8]| {
    let Some((&pick, value)) = data.split_first() else { return };
    // Seeds begin with a letter, so that they stay legible.
    let (table, column, integer) = COLUMNS[usize::from(pick.wrapping_sub(b'a')) % COLUMNS.len()];
    let path = store_path();
    std::fs::write(&path, TINY_STORE).expect("a place for the file");
    let sql = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = (SELECT max(rowid) FROM {table})");
    let connection = Connection::open(&path).expect("the tiny store opens");
    connection
        .execute_batch("PRAGMA foreign_keys = off; PRAGMA synchronous = off; PRAGMA journal_mode = memory")
        .expect("plain settings");
    // What the schema's own checks refuse never reaches a reader.
    let _ = match (integer, std::str::from_utf8(value)) {
        (true, _) => {
            let mut bytes = [0; 8];
            bytes.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
            connection.execute(&sql, [i64::from_le_bytes(bytes)])
        }
        (false, Ok(text)) => connection.execute(&sql, [text]),
        // SQLite accepts any bytes as text.
        (false, Err(_)) => connection.execute(&sql.replace("?1", "CAST(?1 AS TEXT)"), [value]),
    };
    drop(connection);
    read_all(&path);
});
