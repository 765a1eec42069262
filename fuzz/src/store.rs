//! Stores, for the targets that read them.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ciphermeter_store::Store;
use tempfile::TempDir;

use crate::scratch;

/// The file that is read as a store: always the same one.
pub fn store_path() -> PathBuf {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(scratch);
    // SQLite's files beside the previous one must not affect this one.
    for beside in ["runs.db-wal", "runs.db-shm", "runs.db-journal"] {
        let _ = std::fs::remove_file(FOLDER.path().join(beside));
    }
    FOLDER.path().join("runs.db")
}

/// Reads everything in a store, as `list`, `show` and `export` do; an error must be printable.
pub fn read_all(path: &Path) {
    let read = Store::open_read_only(path).and_then(|store| {
        let lines = store.list()?;
        store.last_open()?;
        // A broken file may repeat a run endlessly often; a few are enough.
        for line in lines.iter().take(4) {
            store.forks(line.id)?;
            let (run, records) = store.load(line.id)?;
            run.scenario.check().expect("a loaded scenario is within the limits");
            assert!(records.iter().enumerate().all(|(place, record)| record.id.index() == place));
        }
        Ok(())
    });
    if let Err(error) = read {
        assert!(!error.to_string().is_empty());
    }
}

/// The tiny store in the seeds.
pub const TINY_STORE: &[u8] = include_bytes!("../corpus/store_file/tiny.db");
