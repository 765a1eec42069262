//! What there is to send.

use std::path::PathBuf;

use anyhow::{Result, bail};
use ciphermeter_core::quoted;
use ciphermeter_transfer::{Excludes, Listing, walk};

/// Lists these paths, without what the patterns cover. That there is nothing is an error.
pub fn listing(paths: &[PathBuf], exclude: &[String]) -> Result<Listing> {
    let listing = walk(paths, &Excludes::new(exclude)?)?;
    if listing.files.is_empty() && listing.folders.is_empty() {
        match &listing.left_out[..] {
            [] => bail!("nothing to send: the paths that you gave contain no files that are not excluded"),
            [first, ..] => bail!("nothing to send: {}: {}", quoted(&first.path.to_string_lossy()), first.why),
        }
    }
    Ok(listing)
}
