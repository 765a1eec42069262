//! Opening a store, and the checks before its content is used.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::bounds::{self, Spent};
use crate::error::{Result, StoreError};
use crate::older;
use crate::schema::{self, Identity};

/// How long to wait for a locked store.
pub const BUSY: Duration = Duration::from_secs(3);

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    spent: Arc<Spent>,
    path: PathBuf,
}

impl Store {
    /// Opens the store for reading and writing; creates it, and its folder, if missing, as the umask has them.
    ///
    /// # Errors
    /// The file cannot be created or written, is locked, is not a store, or is of a newer version.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| StoreError::CannotOpen { path: path.into(), why: error.to_string() })?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut store = Self::connect(path, flags, None)?;
        if store.sql(store.connection.is_readonly("main"))? {
            return Err(StoreError::ReadOnly { path: path.into() });
        }
        // Before the journal mode is set: that already writes, and a foreign database must stay as it was.
        let identity = store.identify()?;
        store.sql(store.connection.pragma_update(None, "journal_mode", "wal"))?;
        // In a write-ahead log, `normal` already survives a killed process; only a power loss may take the last rounds.
        store.sql(store.connection.pragma_update(None, "synchronous", "normal"))?;
        store.sql(store.connection.pragma_update(None, "foreign_keys", true))?;
        let created = match identity {
            Identity::Empty => schema::create(&mut store.connection),
            _ => schema::migrate(&mut store.connection),
        };
        store.sql(created)?;
        Ok(store)
    }

    /// Opens the store for reading; works on read-only media too. Who may not write it leaves nothing beside
    /// it.
    ///
    /// # Errors
    /// The file does not exist, cannot be read, is not a store, or is of a newer version.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        if access(path, Access::EXISTS).is_err_and(|why| why != Errno::ACCESS) {
            return Err(StoreError::Missing { path: path.into() });
        }
        let opened_as = |how| {
            let store = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, how)?;
            let identity = store.identify()?;
            Ok((store, identity))
        };
        // A reader's files beside the store would be in its owner's way, or of no use to its other name.
        let leaves_nothing = access(path, Access::WRITE_OK).is_err() || bounds::has_two_names(path);
        let (store, identity) = match opened_as(leaves_nothing.then(|| untouched(path))) {
            // A write-ahead log needs an index file beside the store. Where that cannot be created, nothing can be
            // written either, so an empty or absent log means that the file alone is the whole store.
            Err(
                StoreError::CannotOpen { .. }
                | StoreError::ReadOnly { .. }
                | StoreError::InTheWay { .. }
                | StoreError::DiskFull { .. },
            ) if log_is_empty(path) => opened_as(Some(IMMUTABLE))?,
            opened => opened?,
        };
        match identity {
            Identity::Store(found) => {
                store.sql(store.connection.execute_batch(&older::views(found)))?;
                Ok(store)
            }
            _ => Err(StoreError::Missing { path: path.into() }),
        }
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `how`: a parameter of SQLite's URIs.
    fn connect(path: &Path, mut flags: OpenFlags, how: Option<&str>) -> Result<Self> {
        let cannot = |why| StoreError::CannotOpen { path: path.into(), why };
        let file = bounds::file(path).map_err(cannot)?;
        if let Some(beside) = bounds::planted(&file) {
            return Err(StoreError::planted(path, beside));
        }
        if access(&file, Access::READ_OK) == Err(Errno::ACCESS) {
            return Err(StoreError::Unreadable { path: path.into() });
        }
        if how != Some(IMMUTABLE) && bounds::has_two_names(&file) {
            return Err(StoreError::TwoNames { path: path.into() });
        }
        if flags.contains(OpenFlags::SQLITE_OPEN_CREATE) {
            // SQLite would make it, and with it all that it has beside it, writable by its owner alone.
            match File::create_new(&file) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(cannot(error.to_string())),
                _ => {}
            }
        }
        flags.set(OpenFlags::SQLITE_OPEN_URI, how.is_some());
        let target = how.map_or_else(|| file.clone(), |how| address(&file, how));
        let connect = || {
            let mut connection = Connection::open_with_flags(target, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
            connection.busy_timeout(BUSY)?;
            let spent = Spent::limit(&mut connection)?;
            Ok((connection, spent))
        };
        let (connection, spent) = connect().map_err(|error| StoreError::from_sql(path, &error))?;
        Ok(Self { connection, spent, path: path.into() })
    }

    /// A store of this version or an older one, or an empty file.
    fn identify(&self) -> Result<Identity> {
        let identity = self.sql(schema::identify(&self.connection))?;
        if let Some(odd) = self.sql(schema::odd(&self.connection))?.filter(|_| identity != Identity::Foreign) {
            return Err(self.damaged(format!("no store has its {odd}")));
        }
        match identity {
            Identity::Foreign => Err(StoreError::NotAStore { path: self.path.clone() }),
            Identity::Store(found) if found > schema::VERSION => {
                Err(StoreError::Newer { path: self.path.clone(), found, known: schema::VERSION })
            }
            identity => Ok(identity),
        }
    }

    /// What a statement came to; the next one may spend as much again.
    pub(crate) fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        self.spent.renew();
        self.step(result)
    }

    /// What a row of a statement came to.
    pub(crate) fn step<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|error| StoreError::from_sql(&self.path, &error))
    }

    pub(crate) fn damaged(&self, what: String) -> StoreError {
        // The message may quote the file, and a file may contain anything.
        StoreError::Damaged { path: self.path.clone(), what: ciphermeter_core::escaped(&what) }
    }
}

/// A file that nobody writes.
const IMMUTABLE: &str = "immutable=1";
/// A log whose index is neither made nor written.
const INDEX_IS_READ: &str = "readonly_shm=1";

/// How to open a store so that nothing comes to be beside it.
fn untouched(path: &Path) -> &'static str {
    if log_is_empty(path) { IMMUTABLE } else { INDEX_IS_READ }
}

/// Whether the file alone is the whole store.
fn log_is_empty(path: &Path) -> bool {
    let file = path.canonicalize().unwrap_or_else(|_| path.into());
    let is_empty = |ending| std::fs::metadata(bounds::beside(&file, ending)).map_or(true, |log| log.len() == 0);
    ["-wal", "-journal"].into_iter().all(is_empty)
}

/// SQLite's URI for a file.
fn address(file: &Path, how: &str) -> PathBuf {
    // With an empty host: a path may begin with two slashes.
    let mut address = String::from("file://");
    for &byte in file.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => address.push(byte.into()),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    (address + "?" + how).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_of_another_process_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs.db")).unwrap();
        let wait: u32 = store.connection.pragma_query_value(None, "busy_timeout", |row| row.get(0)).unwrap();
        assert_eq!(Duration::from_millis(wait.into()), BUSY);
    }
}
