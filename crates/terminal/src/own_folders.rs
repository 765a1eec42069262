//! Ciphermeter's own folders in this user's home, as XDG names them.
//!
//! Promises: what is used of them is this user's alone, or is not used.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use ciphermeter_host::private;
use etcetera::base_strategy::{BaseStrategy, Xdg};

/// Ciphermeter's folder in each of XDG's.
const NAME: &str = "ciphermeter";
/// The store's file in the folder under XDG data.
pub const STORE: &str = "runs.db";
/// What the name of a store's lock has behind the store's own.
pub const LOCK: &str = ".lock";

/// The XDG folders, if there is a home.
fn xdg() -> Option<Xdg> {
    Xdg::new().ok().filter(|folders| folders.home_dir().is_absolute())
}

/// Ciphermeter's folder in this one, closed to other users if it is there, whoever made it; nothing if that fails, and so what is
/// in it is not to be believed.
fn closed(folder: &Path) -> Option<PathBuf> {
    let own = folder.join(NAME);
    match private::close(&own) {
        Err(error) if error.kind() != ErrorKind::NotFound => None,
        _ => Some(own),
    }
}

/// The folder of Ciphermeter under XDG data, if there is a home. What is used of it is checked first ([`check_own`]).
pub fn data() -> Option<PathBuf> {
    let data = xdg()?.data_dir();
    Some(closed(&data).unwrap_or_else(|| data.join(NAME)))
}

/// The folder of Ciphermeter under XDG cache, if there is a home: its files may be deleted at any time.
pub fn cache() -> Option<PathBuf> {
    closed(&xdg()?.cache_dir())
}

/// The folder for unfinished transfers of this user, if there is a home.
pub fn sending() -> Option<PathBuf> {
    Some(closed(&xdg()?.state_dir()?)?.join("sending"))
}

/// The folder of Ciphermeter under XDG config, if there is a home.
pub fn config() -> Option<PathBuf> {
    xdg().map(|folders| folders.config_dir().join(NAME))
}

/// Sees that a path below one of Ciphermeter's own folders is what this user made of it. `remedy` is what helps in any case.
///
/// # Errors
/// It is not.
pub fn check_own(root: &Path, path: &Path, remedy: &str) -> Result<()> {
    let checked = private::check_below(root, path);
    checked.map_err(|why| anyhow!("cannot trust {}: {why}; or {remedy}", path.display()))
}
