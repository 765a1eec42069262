//! Where things are on disk.

use std::path::PathBuf;

use anyhow::{Context, Result};
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

/// This binary, which is also the built-in worker.
pub fn binary() -> Result<PathBuf> {
    std::env::current_exe().context("this program's own file is not to be found; start it by its full path")
}
