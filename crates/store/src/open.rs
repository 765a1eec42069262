//! Opening a store, and the checks before its content is used.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

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
        let mut store = Self::connect(path, flags)?;
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

    /// Opens the store for reading; works on read-only media too.
    ///
    /// # Errors
    /// The file does not exist, cannot be read, is not a store, or is of a newer version.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.into() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let opened = Self::connect(path, flags).and_then(|store| store.identify().map(|found| (store, found)));
        let (store, identity) = match opened {
            // A write-ahead log needs an index file beside the store. Where that cannot be created, nothing can be
            // written either, so an empty or absent log means that the file alone is the whole store.
            Err(
                StoreError::CannotOpen { .. }
                | StoreError::ReadOnly { .. }
                | StoreError::InTheWay { .. }
                | StoreError::DiskFull { .. },
            ) if log_is_empty(path) => {
                let store = Self::connect(path, flags | OpenFlags::SQLITE_OPEN_URI)?;
                let identity = store.identify()?;
                (store, identity)
            }
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

    /// With [`OpenFlags::SQLITE_OPEN_URI`], as a file that is never written.
    fn connect(path: &Path, flags: OpenFlags) -> Result<Self> {
        let cannot = |why| StoreError::CannotOpen { path: path.into(), why };
        let file = bounds::file(path).map_err(cannot)?;
        if flags.contains(OpenFlags::SQLITE_OPEN_CREATE) {
            // SQLite would make it, and with it all that it has beside it, writable by its owner alone.
            match File::create_new(&file) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(cannot(error.to_string())),
                _ => {}
            }
        }
        let target = if flags.contains(OpenFlags::SQLITE_OPEN_URI) { immutable(&file) } else { file };
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

fn log_is_empty(path: &Path) -> bool {
    let file = path.canonicalize().unwrap_or_else(|_| path.into());
    std::fs::metadata(bounds::beside(&file, "-wal")).map_or(true, |log| log.len() == 0)
}

/// SQLite's URI for a file that is never written.
fn immutable(file: &Path) -> PathBuf {
    // With an empty host: a path may begin with two slashes.
    let mut address = String::from("file://");
    for &byte in file.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => address.push(byte.into()),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    (address + "?immutable=1").into()
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
