//! Where things are on disk.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use etcetera::base_strategy::{BaseStrategy, Xdg};

use crate::args::StoreOption;

/// The store's file.
pub fn store(option: &StoreOption) -> Result<PathBuf> {
    match &option.store {
        Some(file) => Ok(file.clone()),
        None => Ok(ciphermeter_store::default_path()?),
    }
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

/// Keeps other processes from measuring into a store as long as the file is open: two runs at once would take turns on
/// one core with each other, and a run must not be resumed while it is still alive.
pub fn lock(store: &Path) -> Result<File> {
    let mut path = store.as_os_str().to_owned();
    path.push(".lock");
    let path = PathBuf::from(path);
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
