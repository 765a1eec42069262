//! What there is to send.

use std::path::PathBuf;

use anyhow::{Result, bail};
use ciphermeter_core::quoted_path;
use ciphermeter_transfer::{Excludes, Listing, walk, walk_again};

use crate::options::unmatched;

/// Lists these paths once more, for a transfer that began before: it ends also if none of its files is left.
pub fn listing_again(paths: &[PathBuf], exclude: &[String]) -> Result<Listing> {
    Ok(walk_again(paths, &Excludes::new(exclude)?)?)
}

/// Lists these paths, without what the patterns cover; `note` gets what is to be said of the patterns. That there is
/// nothing is an error.
pub fn listing(paths: &[PathBuf], exclude: &[String], note: impl Fn(&str)) -> Result<Listing> {
    let excludes = Excludes::new(exclude)?;
    let listing = walk(paths, &excludes)?;
    unmatched(&excludes).for_each(|text| note(&text));
    if listing.files.is_empty() && listing.folders.is_empty() {
        match &listing.left_out[..] {
            [] => bail!("nothing to send: the paths that you gave contain no files that are not excluded"),
            [first, ..] => bail!("nothing to send: {}: {}", quoted_path(&first.path), first.why),
        }
    }
    Ok(listing)
}
