//! Where the store, this binary and installed workers are.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use ciphermeter_core::option_words;
use ciphermeter_host::{file, lock, private};
use ciphermeter_terminal::own_folders::{LOCK, STORE, check_own, data};

use crate::args::StoreOption;

/// The store's file. The default one is this user's alone; one that is named is as its folder and the umask have it.
pub fn store(option: &StoreOption) -> Result<PathBuf> {
    if let Some(file) = &option.store {
        return Ok(file.clone());
    }
    let data = data().context("there is no home folder for the store; give a file with --store")?;
    let file = data.join(STORE);
    let mut there = OF_STORE.map(|ending| with_ending(&file, ending)).into_iter().filter(|file| file.exists());
    there.try_for_each(|file| check_own(&data, &file, "give another file with --store"))?;
    Ok(file)
}

/// The store's file, to be written: the default one is made, for this user alone, if it is missing.
pub fn store_to_write(option: &StoreOption) -> Result<PathBuf> {
    let file = store(option)?;
    if let (None, Some(data)) = (&option.store, data()) {
        private::make_folder(&data).and_then(|()| private::make_file(&file)).map_err(|why| {
            anyhow!("cannot make the store {}: {why}; give another file with --store", file.display())
        })?;
        check_own(&data, &file, "give another file with --store")?;
    }
    Ok(file)
}

/// The store's file for a command that a user pastes, where the user typed one.
pub fn typed_store(option: &StoreOption) -> Option<PathBuf> {
    option.store.clone().filter(|_| option.is_typed)
}

/// What a command needs behind it to use the same store: ` --store runs.db`, or nothing.
pub fn store_words(option: &StoreOption) -> String {
    typed_store(option).map(|store| format!(" {}", option_words("--store", &store))).unwrap_or_default()
}

pub fn binary() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find this program's own file; start it by its full path")
}

/// The workers that were installed with this binary: `PREFIX/lib/ciphermeter/workers` of `PREFIX/bin/ciphermeter`, after
/// links. Nothing if there are none.
pub fn installed_workers() -> Option<PathBuf> {
    workers_of(&binary().ok()?)
}

/// The folder `workers` beside this binary, or what it is linked to; nothing if another user may have put it there.
pub fn workers_beside() -> Option<PathBuf> {
    let binary = binary().ok()?;
    let owner = fs::metadata(&binary).ok()?.uid();
    let folder = binary.parent()?.join("workers");
    let facts = [fs::symlink_metadata(&folder).ok()?, fs::metadata(&folder).ok()?];
    facts.iter().all(|facts| is_trusted(facts, owner)).then_some(folder)
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
        if !facts.is_dir() || !is_trusted(&facts, owner) {
            return None;
        }
    }
    Some(folder)
}

fn is_trusted(facts: &Metadata, binary_owner: u32) -> bool {
    let is_owned = facts.uid() == 0 || facts.uid() == binary_owner;
    is_owned && (facts.is_symlink() || facts.mode() & 0o002 == 0)
}

/// Whether a file is the store's, or one of those beside it: the database's own, and the lock.
pub fn is_of_store(file: &Path, store: &Path) -> bool {
    OF_STORE.iter().any(|ending| is_same(file, &beside(store, ending)))
}

/// What the names of a store's files end in, that of its lock among them.
const OF_STORE: [&str; 5] = ["", "-wal", "-shm", "-journal", LOCK];

/// The file beside a store, or beside the one that a link leads to, whose name ends in `ending`.
fn beside(store: &Path, ending: &str) -> PathBuf {
    with_ending(&store.canonicalize().unwrap_or_else(|_| store.into()), ending)
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether a file is a database of SQLite, as every store is. A store that is in use may not have written yet that it is one of
/// Ciphermeter's.
pub fn is_database(path: &Path) -> bool {
    const BEGIN: &[u8; 16] = b"SQLite format 3\0";
    let mut begin = [0; BEGIN.len()];
    file::open(path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok()) && begin == *BEGIN
}

/// Whether two names lead to one file; where there is none yet, to one place.
pub fn is_same(one: &Path, other: &Path) -> bool {
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
///
/// Like SQLite's own files beside it, the lock gets the store's permissions.
pub fn lock(store: &Path) -> Result<File> {
    let path = beside(store, LOCK);
    let mode = fs::metadata(store).map_or(0o600, |facts| facts.mode() & 0o666);
    let taken = lock::take(&path, mode).map_err(|why| {
        let (shown, remedy) = (path.display(), ciphermeter_store::removal(&[&path]));
        anyhow!("cannot lock {shown}: {why}; {remedy}, or give another file with --store")
    })?;
    taken.with_context(|| {
        let store = store.display();
        format!("another ciphermeter is measuring into {store}; wait for it, or give another file with --store")
    })
}

pub fn is_locked(store: &Path) -> bool {
    lock::is_taken(&beside(store, LOCK))
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
        let folder = tempfile::tempdir().unwrap();
        let mine = fs::metadata(folder.path()).unwrap();
        assert!(is_trusted(&mine, mine.uid()) && is_trusted(&mine, mine.uid() + 1) == (mine.uid() == 0));
        fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        assert!(!is_trusted(&fs::metadata(folder.path()).unwrap(), mine.uid()));
    }
}
