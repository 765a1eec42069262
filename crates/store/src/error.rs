//! Errors of a store: one line each, naming the file and what to do.

use std::path::{Path, PathBuf};

use ciphermeter_core::{in_quotes, option_words, shell_word};
use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE};
use rustix::fs::{Access, access};

use crate::bounds;

/// A path in a message.
fn shown(path: &Path) -> String {
    in_quotes(&path.to_string_lossy())
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;

/// An error of a store. Paths are quoted, so that an odd file name cannot break the line.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A store was to be read, and the file does not exist.
    #[error(
        "there is no store {path} yet; `ciphermeter run` creates it, or give another file with --store",
        path = shown(path)
    )]
    Missing {
        /// The store's file.
        path: PathBuf,
    },
    /// The file or its folder cannot be opened or created.
    #[error(
        "cannot open the store {path}: {why}; make the file and its folder accessible, \
         or give another file with --store",
        path = shown(path)
    )]
    CannotOpen {
        /// The store's file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// This user may not read it.
    #[error(
        "cannot read the store {path}: permission denied; ask its owner for it, or give another file with --store",
        path = shown(path)
    )]
    Unreadable {
        /// The store's file.
        path: PathBuf,
    },
    /// A file with a second name. SQLite's log and the lock go by the name, so what is written by one is lost
    /// by the other.
    #[error(
        "the store {path} has a second name (a hard link), and what is written by one is lost by the other; \
         {}, or give another file with --store",
        copying(path), path = shown(path)
    )]
    TwoNames {
        /// The store's file.
        path: PathBuf,
    },
    /// Another process held the write lock for longer than [`crate::BUSY`].
    #[error(
        "the store {path} is locked by another process; wait for it, or give another file with --store",
        path = shown(path)
    )]
    Locked {
        /// The store's file.
        path: PathBuf,
    },
    /// The file or its folder is read-only.
    #[error(
        "the store {path} is read-only; make the file and its folder writable, \
         or give another file with --store",
        path = shown(path)
    )]
    ReadOnly {
        /// The store's file.
        path: PathBuf,
    },
    /// A file that SQLite has beside the store, left by a reader who is another user, say.
    #[error(
        "the store {path} is read-only, as {file} cannot be written; {remedy}, or give another file with --store",
        path = shown(path), file = shown(file)
    )]
    InTheWay {
        /// The store's file.
        path: PathBuf,
        /// That beside it.
        file: PathBuf,
        /// What to do.
        remedy: String,
    },
    /// A link, a pipe or a file with a second name in the place of one that SQLite has beside the store.
    #[error(
        "cannot open the store {path}: {file} is not a file that only SQLite has; {remedy}, \
         or give another file with --store",
        path = shown(path), file = shown(file)
    )]
    Planted {
        /// The store's file.
        path: PathBuf,
        /// That beside it.
        file: PathBuf,
        /// What to do.
        remedy: String,
    },
    /// A file that is not a store.
    #[error(
        "{path} is not a store of Ciphermeter; move it away, or give another file with --store",
        path = shown(path)
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// Written by a later version of Ciphermeter.
    #[error(
        "the store {path} has schema {found}, and this ciphermeter supports {known}; \
         update ciphermeter, or give another file with --store",
        path = shown(path)
    )]
    Newer {
        /// The store's file.
        path: PathBuf,
        /// Its schema's version.
        found: i64,
        /// The version that this build writes.
        known: i64,
    },
    /// No room for another round; what was committed is kept.
    #[error(
        "no space left for the store {path}; free some on its disk and repeat, or continue a run with --resume",
        path = shown(path)
    )]
    DiskFull {
        /// The store's file.
        path: PathBuf,
    },
    /// No such run.
    #[error(
        "there is no run {id} in {path}; `ciphermeter list {store}` shows them",
        path = shown(path), store = option_words("--store", path)
    )]
    NoRun {
        /// The store's file.
        path: PathBuf,
        /// The number asked for.
        id: i64,
    },
    /// That run has no such cell: a mistake of the caller.
    #[error(
        "run {id} in {path} has no cell {cell}; `ciphermeter export` lists its cells",
        path = shown(path)
    )]
    NoCell {
        /// The store's file.
        path: PathBuf,
        /// The run.
        id: i64,
        /// The cell asked for.
        cell: u32,
    },
    /// Its contents violate the schema's rules.
    #[error(
        "the store {path} is damaged: {what}; move it away, or give another file with --store",
        path = shown(path)
    )]
    Damaged {
        /// The store's file.
        path: PathBuf,
        /// Where, and how.
        what: String,
    },
    /// A run of a document that could not be read back from a store.
    #[error("the store {path} cannot keep this run: {why}", path = shown(path))]
    NotKept {
        /// The store's file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Any other error of SQLite.
    #[error("the store {path} failed: {why}; give another file with --store", path = shown(path))]
    Failed {
        /// The store's file.
        path: PathBuf,
        /// SQLite's message.
        why: String,
    },
}

impl StoreError {
    pub(crate) fn from_sql(path: &Path, error: &rusqlite::Error) -> Self {
        let (path, why) = (path.to_path_buf(), one_line(&error.to_string()));
        if matches!(error, rusqlite::Error::ToSqlConversionFailure(_)) {
            return Self::Failed { path, why };
        }
        if let rusqlite::Error::SqliteFailure(failed, _) = error
            && matches!(failed.extended_code, SQLITE_IOERR_SHMOPEN | SQLITE_IOERR_SHMSIZE)
        {
            // Of the file beside a store that its readers need, too, SQLite has no words but "disk I/O error".
            return Self::DiskFull { path };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                Self::in_the_way(&path).unwrap_or(Self::ReadOnly { path })
            }
            Some(ErrorCode::NotADatabase) => Self::NotAStore { path },
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::CannotOpen) => {
                // Its message names what it was given, which may be an address of its own.
                let why = error.sqlite_error().map_or(why, ToString::to_string);
                Self::in_the_way(&path).unwrap_or(Self::CannotOpen { path, why })
            }
            Some(ErrorCode::OperationInterrupted) => {
                Self::Damaged { path, what: "reading it would take longer than that of a year of runs".into() }
            }
            Some(ErrorCode::OutOfMemory) => {
                Self::Damaged { path, what: "reading it would take more memory than any store does".into() }
            }
            // No code: a value of another type than the schema's. `Unknown` is returned for a missing table or column.
            None | Some(ErrorCode::DatabaseCorrupt | ErrorCode::TooBig | ErrorCode::Unknown) => {
                Self::Damaged { path, what: why }
            }
            Some(_) => Self::Failed { path, why },
        }
    }

    /// A file of several names may hold part of the runs; a link, a pipe or a socket holds none.
    pub(crate) fn planted(path: &Path, file: PathBuf) -> Self {
        let remedy = match file.symlink_metadata() {
            Ok(found) if found.is_file() => copying(&file),
            Ok(found) if found.is_dir() => "move it away".into(),
            _ => removal(&[&file]),
        };
        Self::Planted { path: path.into(), file, remedy }
    }

    /// A file beside the store that this user cannot write. A log with content is part of the store, the others are not.
    fn in_the_way(path: &Path) -> Option<Self> {
        let store = path.canonicalize().ok()?;
        let beside = ["-wal", "-journal", "-shm"].map(|ending| bounds::beside(&store, ending));
        let is_shut = |file: &&PathBuf| file.exists() && access(*file, Access::WRITE_OK).is_err();
        let shut: Vec<&Path> = beside.iter().filter(is_shut).map(PathBuf::as_path).collect();
        let has_content = |file: &Path| file != beside[2] && file.metadata().is_ok_and(|found| found.len() > 0);
        let file = *shut.iter().find(|file| has_content(file)).or(shut.first())?;
        let remedy = if has_content(file) {
            "it holds part of the runs, so its owner must let you write it".into()
        } else {
            removal(&shut)
        };
        Some(Self::InTheWay { path: path.into(), file: file.to_path_buf(), remedy })
    }
}

/// What to do where files beside a store are in the way, and none of them holds a part of it.
pub fn removal(files: &[&Path]) -> String {
    let words: Vec<_> = files.iter().map(shell_word).collect();
    format!("once no program uses the store, run `rm -f {}`", words.join(" "))
}

/// How to make a file one that has a single name.
fn copying(path: &Path) -> String {
    let file = path.canonicalize().unwrap_or_else(|_| path.into());
    let [from, to] = ["", ".copy"].map(|ending| shell_word(bounds::beside(&file, ending)));
    format!("once no program uses the store, run `cp -p {from} {to} && mv {to} {from}`")
}

/// SQLite quotes statements in some messages; the first line states the failure.
fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
