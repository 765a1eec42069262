//! What there is to send.

use std::path::PathBuf;

use anyhow::{Result, bail};
use ciphermeter_core::{in_quotes, quoted};
use ciphermeter_transfer::{Excludes, Listing, walk};

/// What to say of patterns that match nothing.
pub fn unmatched(excludes: &Excludes) -> Vec<String> {
    excludes.unmatched().map(|pattern| format!("note: --exclude {} matches nothing", in_quotes(pattern))).collect()
}

/// Lists these paths, without what the patterns cover; `note` gets what is to be said of the patterns. That there is
/// nothing is an error.
pub fn listing(paths: &[PathBuf], exclude: &[String], note: impl Fn(&str)) -> Result<Listing> {
    let excludes = Excludes::new(exclude)?;
    let listing = walk(paths, &excludes)?;
    unmatched(&excludes).iter().for_each(|text| note(text));
    if listing.files.is_empty() && listing.folders.is_empty() {
        match &listing.left_out[..] {
            [] => bail!("nothing to send: the paths that you gave contain no files that are not excluded"),
            [first, ..] => bail!("nothing to send: {}: {}", quoted(&first.path.to_string_lossy()), first.why),
        }
    }
    Ok(listing)
}
