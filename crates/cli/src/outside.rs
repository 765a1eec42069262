//! Text files from outside: what is no regular file is not read, none is read beyond a limit.

use std::io::{Error, Read, Result};
use std::path::{Component, Path};

use ciphermeter_host::file;

/// The most bytes of a file of options, of a worker's manifest, or of a scenario.
pub const MOST: u64 = 64 * 1024;

/// A file's text: at most one byte more than `most`, by which its reader sees that it is too long.
pub fn read(file: &Path, most: u64) -> Result<String> {
    let mut text = String::new();
    file::open(file)?.take(most + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// The text of a file of options, or of a worker's manifest.
pub fn options(file: &Path) -> Result<String> {
    let text = read(file, MOST)?;
    if text.len() as u64 > MOST { Err(Error::other("it is longer than 64KiB")) } else { Ok(text) }
}

/// Whether a path leads below the current folder, links resolved; where nothing is yet, whether its words do.
pub fn stays_here(path: &Path) -> bool {
    match (Path::new(".").canonicalize(), path.canonicalize()) {
        (Ok(here), Ok(found)) => found.starts_with(here),
        _ => path.components().all(|part| matches!(part, Component::CurDir | Component::Normal(_))),
    }
}
