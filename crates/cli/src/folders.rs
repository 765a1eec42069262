//! Where things are on disk.

use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::option_words;
use etcetera::base_strategy::{BaseStrategy, Xdg};

use crate::args::StoreOption;

/// The store's file.
pub fn store(option: &StoreOption) -> Result<PathBuf> {
    match &option.store {
        Some(file) => Ok(file.clone()),
        None => Ok(ciphermeter_store::default_path()?),
    }
}

/// The store's file for a command that a user pastes, where the user typed one.
pub fn typed_store(option: &StoreOption) -> Option<String> {
    Some(option.store.as_ref().filter(|_| option.is_typed)?.to_string_lossy().into_owned())
}

/// What a command needs behind it to use the same store: ` --store runs.db`, or nothing.
pub fn store_words(option: &StoreOption) -> String {
    typed_store(option).map(|store| format!(" {}", option_words("--store", &store))).unwrap_or_default()
}

/// The folder of Ciphermeter under XDG data, if there is a home.
pub fn data() -> Option<PathBuf> {
    Xdg::new().ok().map(|folders| folders.data_dir().join("ciphermeter"))
}

/// The folder of Ciphermeter under XDG cache, if there is a home: its files may be deleted at any time.
pub fn cache() -> Option<PathBuf> {
    Xdg::new().ok().map(|folders| folders.cache_dir().join("ciphermeter"))
}

/// The folder for unfinished transfers of this user, if there is a home.
pub fn sending() -> Option<PathBuf> {
    Xdg::new().ok()?.state_dir().map(|folder| folder.join("ciphermeter/sending"))
}

/// The folder of Ciphermeter under XDG config, if there is a home.
pub fn config() -> Option<PathBuf> {
    Xdg::new().ok().map(|folders| folders.config_dir().join("ciphermeter"))
}

/// This binary, which is also the built-in worker.
pub fn binary() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find this program's own file; start it by its full path")
}

/// The workers that were installed with this binary: `PREFIX/lib/ciphermeter/workers` of `PREFIX/bin/ciphermeter`, after
/// links. Nothing if there are none.
pub fn installed_workers() -> Option<PathBuf> {
    workers_of(&binary().ok()?)
}

/// A worker is a command, so no other user may have put it there: in a shared folder such as `/tmp`, any user can make a
/// `lib` beside a `bin`. Every folder from `lib` on belongs to root or to the owner of the binary.
fn workers_of(binary: &Path) -> Option<PathBuf> {
    let binary = binary.canonicalize().ok()?;
    let bin = binary.parent().filter(|folder| folder.ends_with("bin"))?;
    let owner = fs::metadata(&binary).ok()?.uid();
    let mut folder = bin.parent()?.to_path_buf();
    for name in ["lib", "ciphermeter", "workers"] {
        folder.push(name);
        let facts = fs::symlink_metadata(&folder).ok()?;
        if !facts.is_dir() || !is_trusted(facts.uid(), owner) {
            return None;
        }
    }
    Some(folder)
}

fn is_trusted(folder_owner: u32, binary_owner: u32) -> bool {
    folder_owner == 0 || folder_owner == binary_owner
}

/// Whether a file is the store's, or one of those beside it: the database's own, and the lock.
pub fn is_of_store(file: &Path, store: &Path) -> bool {
    ["", "-wal", "-shm", "-journal", ".lock"].iter().any(|ending| {
        let mut name = store.as_os_str().to_owned();
        name.push(ending);
        is_same(file, Path::new(&name))
    })
}

/// Whether a file is a database of SQLite, as every store is. A store that is in use may not have written yet that it is one of
/// Ciphermeter's.
pub fn is_database(file: &Path) -> bool {
    const BEGIN: &[u8; 16] = b"SQLite format 3\0";
    let mut begin = [0; BEGIN.len()];
    // What is no plain file might never be read to its end.
    let is_plain = fs::metadata(file).is_ok_and(|facts| facts.is_file());
    is_plain && File::open(file).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok()) && begin == *BEGIN
}

/// Whether two names lead to one file; where there is none yet, to one place.
fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|facts| (facts.dev(), facts.ino()));
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some((folder.canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    match (identity(one), identity(other)) {
        (Some(one), Some(other)) => one == other,
        _ => place(one).is_some_and(|place_of_one| place(other) == Some(place_of_one)),
    }
}

/// Keeps other processes from measuring into a store as long as the file is open: two runs at once would take turns on
/// one core with each other, and a run must not be resumed while it is still alive.
pub fn lock(store: &Path) -> Result<File> {
    let path = lock_path(store);
    let file = File::create(&path)
        .with_context(|| format!("cannot write {}; give another file with --store", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "another ciphermeter is measuring into {}; wait for it, or give another file with --store",
                store.display()
            )
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
    }
}

/// Whether a process measures into a store. It leaves no trace, so the store may be read-only.
pub fn is_locked(store: &Path) -> bool {
    File::open(lock_path(store)).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn lock_path(store: &Path) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    /// An installation whose binary is `BIN/ciphermeter`.
    fn installation(bin: &str) -> (TempDir, PathBuf) {
        let prefix = tempfile::tempdir().unwrap();
        fs::create_dir_all(prefix.path().join("lib/ciphermeter/workers")).unwrap();
        fs::create_dir(prefix.path().join(bin)).unwrap();
        let binary = prefix.path().join(bin).join("ciphermeter");
        fs::write(&binary, "").unwrap();
        (prefix, binary)
    }

    #[test]
    fn installed_workers_are_found_from_the_real_binary() {
        let (prefix, binary) = installation("bin");
        let found = workers_of(&binary).unwrap();
        assert_eq!(found, prefix.path().canonicalize().unwrap().join("lib/ciphermeter/workers"));
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(&binary, elsewhere.path().join("ciphermeter")).unwrap();
        assert_eq!(workers_of(&elsewhere.path().join("ciphermeter")), Some(found));
    }

    #[test]
    fn binary_outside_of_a_bin_has_no_installed_workers() {
        let (_prefix, binary) = installation("downloads");
        assert_eq!(workers_of(&binary), None);
    }

    #[test]
    fn file_of_the_store_is_known_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let [store, hard, link, other] = ["runs.db", "hard", "link", "other"].map(|name| folder.path().join(name));
        assert!(is_of_store(&store, &store), "before it is there");
        fs::write(&store, "").unwrap();
        fs::write(&other, "").unwrap();
        fs::hard_link(&store, &hard).unwrap();
        symlink(&store, &link).unwrap();
        for name in [&store, &hard, &link, &folder.path().join("runs.db-wal"), &folder.path().join("./runs.db.lock")] {
            assert!(is_of_store(name, &store), "{}", name.display());
        }
        assert!(!is_of_store(&other, &store) && !is_of_store(&folder.path().join("runs.dbx"), &store));
    }

    #[test]
    fn linked_folder_holds_no_installed_workers() {
        let (prefix, binary) = installation("bin");
        fs::rename(prefix.path().join("lib"), prefix.path().join("other")).unwrap();
        symlink(prefix.path().join("other"), prefix.path().join("lib")).unwrap();
        assert_eq!(workers_of(&binary), None);
    }

    #[test]
    fn installed_workers_belong_to_root_or_to_the_owner_of_the_binary() {
        assert!(is_trusted(0, 1000) && is_trusted(1000, 1000));
        assert!(!is_trusted(1001, 1000) && !is_trusted(1001, 0));
    }
}
