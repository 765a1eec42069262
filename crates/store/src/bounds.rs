//! What a store may cost, whatever its file holds: each statement has so many steps, so long, and so much memory, and each query so
//! many bytes to hand out. Pages of a crafted file may refer to each other, so that a small one has rows without end.
//!
//! The limits admit a year of runs, one every ten minutes: counting all their rounds takes a tenth of the steps.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ciphermeter_core::most;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

/// The most instructions of SQLite's machine for a statement: some ten seconds of a fast CPU.
const MOST_STEPS: u64 = if cfg!(test) { 1_000_000 } else { 1_000_000_000 };
/// The longest that a statement may take where each step is slow.
const LONGEST: Duration = Duration::from_secs(600);
/// How many instructions pass from one look at the limits to the next.
const STEPS: i32 = 1000;
/// The most memory that SQLite may have at once, in bytes. Nothing of a query goes to a temporary file.
const MOST_MEMORY: i64 = 256 << 20;
/// The longest statement in a schema, in bytes.
const MAX_STATEMENT: i32 = 64 << 10;
/// What a row weighs beside its texts.
const ROW: u64 = 256;

/// What the statement that runs has spent.
#[derive(Debug)]
pub(crate) struct Spent {
    since: Instant,
    steps: AtomicU64,
    began_ms: AtomicU64,
}

impl Spent {
    /// Sets a connection's limits, before anything is read from the file.
    pub(crate) fn limit(connection: &mut Connection) -> rusqlite::Result<Arc<Self>> {
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, most::VALUE as i32)?;
        connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_STATEMENT)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        let spent = Arc::new(Self { since: Instant::now(), steps: AtomicU64::new(0), began_ms: AtomicU64::new(0) });
        let counted = spent.clone();
        connection.progress_handler(STEPS, Some(move || counted.is_too_much()))?;
        for (option, on) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            // Temporary views, as older stores are read through, are left.
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        ] {
            connection.set_db_config(option, on)?;
        }
        connection.pragma_update(None, "hard_heap_limit", MOST_MEMORY)?;
        connection.pragma_update(None, "temp_store", "memory")?;
        // A crafted constraint is an expression that a write would evaluate.
        connection.pragma_update(None, "ignore_check_constraints", true)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        Ok(spent)
    }

    /// The next statement begins.
    pub(crate) fn renew(&self) {
        self.steps.store(0, Ordering::Relaxed);
        self.began_ms.store(self.now(), Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.since.elapsed().as_millis() as u64
    }

    fn is_too_much(&self) -> bool {
        let steps = self.steps.fetch_add(STEPS as u64, Ordering::Relaxed);
        let took = self.now().saturating_sub(self.began_ms.load(Ordering::Relaxed));
        steps > MOST_STEPS || took > LONGEST.as_millis() as u64
    }
}

/// The bytes of a query's rows so far.
#[derive(Default)]
pub(crate) struct Weight(u64);

impl Weight {
    /// Adds a row's; false: they are too many.
    pub(crate) fn add(&mut self, row: &Row) -> rusqlite::Result<bool> {
        self.0 += ROW;
        for column in 0..row.as_ref().column_count() {
            if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = row.get_ref(column)? {
                self.0 += bytes.len() as u64;
            }
        }
        Ok(self.0 <= most::DOCUMENT as u64)
    }
}

/// The file that a path names, by its whole path without links: that is never SQLite's word for something else, such as `:memory:`.
///
/// # Errors
/// Why it must not be opened: opening a pipe never ends.
pub(crate) fn file(path: &Path) -> Result<PathBuf, String> {
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return Err("it is no file".into());
    }
    let file = match path.canonicalize() {
        Ok(file) => file,
        Err(_) if path.is_symlink() => return Err("it is a link to nothing".into()),
        Err(_) => std::path::absolute(path).map_err(|error| error.to_string())?,
    };
    if file.metadata().is_ok_and(|found| !found.is_file()) {
        return Err("it is no file".into());
    }
    Ok(file)
}

/// What stands in the place of a file that SQLite has beside a store, and must not be opened either.
pub(crate) fn planted(file: &Path) -> Option<PathBuf> {
    // SQLite writes into them, whatever they hold, and one with another name as well may be any file.
    let is_planted =
        |beside: &PathBuf| beside.symlink_metadata().is_ok_and(|found| !found.is_file() || found.nlink() > 1);
    ["-wal", "-shm", "-journal"].map(|ending| beside(file, ending)).into_iter().find(is_planted)
}

/// Whether a file, behind links, has a second name: SQLite's log beside it goes by the name, as does a lock.
pub(crate) fn has_two_names(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.nlink() > 1)
}

pub(crate) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use crate::Store;

    const PAGE: usize = 4096;
    /// The pages that a page refers to, 101 times the same one.
    const SAME: u8 = 100;

    /// A page of a table's tree, all of whose children are that one page.
    fn interior(child: u32) -> Vec<u8> {
        let mut page = vec![0; PAGE];
        let first = PAGE - 5 * usize::from(SAME);
        page[0] = 5;
        page[3..5].copy_from_slice(&u16::from(SAME).to_be_bytes());
        page[5..7].copy_from_slice(&(first as u16).to_be_bytes());
        page[8..12].copy_from_slice(&child.to_be_bytes());
        for cell in 0..SAME {
            let place = first + 5 * usize::from(cell);
            page[12 + 2 * usize::from(cell)..][..2].copy_from_slice(&(place as u16).to_be_bytes());
            page[place..][..4].copy_from_slice(&child.to_be_bytes());
            page[place + 4] = cell + 1;
        }
        page
    }

    #[test]
    fn rows_without_end_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let store = Store::open(&path).unwrap();
        let sql = "INSERT INTO run VALUES (1, '', '', 0, '{}', '[]', 'open', '[]', NULL, NULL, NULL)";
        store.connection.execute(sql, ()).unwrap();
        let root: u32 = store
            .connection
            .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'run'", (), |row| row.get(0))
            .unwrap();
        drop(store);
        let root = root as usize;
        let mut file = std::fs::read(&path).unwrap();
        let leaf = file[PAGE * (root - 1)..][..PAGE].to_vec();
        file.extend(leaf);
        for _ in 0..8 {
            let last = (file.len() / PAGE) as u32;
            file.extend(interior(last));
        }
        let pages = (file.len() / PAGE) as u32;
        file[PAGE * (root - 1)..][..PAGE].copy_from_slice(&interior(pages));
        file[28..32].copy_from_slice(&pages.to_be_bytes());
        file.copy_within(24..28, 92);
        std::fs::write(&path, file).unwrap();
        let store = Store::open_read_only(&path).unwrap();
        let refused = store.list().unwrap_err().to_string();
        assert!(refused.contains("would take longer than"), "{refused}");
        // The next statement has a budget of its own.
        store.latest().unwrap();
    }
}
