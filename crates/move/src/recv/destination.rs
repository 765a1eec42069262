//! The folder to receive into, made if it is missing.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::quoted_path;

/// A folder that is removed again if nothing came into it and it was made here.
#[derive(Clone)]
pub struct Destination(Option<PathBuf>);

impl Destination {
    /// The folder, made if it is missing; the folder around it must exist.
    pub fn make(folder: &Path) -> Result<Self> {
        let shown = quoted_path(folder);
        match fs::create_dir(folder) {
            Ok(()) => Ok(Self(Some(folder.to_owned()))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(Self(None)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                bail!("{shown} is there, and not a folder: name another folder")
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                bail!("cannot make the folder {shown}: the folder around it does not exist; create that one first")
            }
            Err(error) => Err(error).with_context(|| format!("cannot make the folder {shown}; name another one")),
        }
    }

    /// One that was there.
    pub const fn kept() -> Self {
        Self(None)
    }

    /// Removes it if it was made and is empty.
    pub fn remove_unless_used(&self) {
        // Only an empty folder can be removed so.
        let _ = self.0.as_ref().map(fs::remove_dir);
    }
}
