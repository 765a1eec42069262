//! TOML files from outside: none is read beyond a limit, and what is wrong with one is told in one line.

use std::fs::{self, File};
use std::io::{Error, Read, Result};
use std::path::Path;

use ciphermeter_core::escaped;

/// The most that is read of a file, in bytes.
const MOST: u64 = 64 * 1024;

/// A file's text. What is no plain file is not even opened: reading a pipe might never end.
pub fn read(file: &Path) -> Result<String> {
    if !fs::metadata(file)?.is_file() {
        return Err(Error::other("it is not a plain file"));
    }
    let mut text = String::new();
    File::open(file)?.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(Error::other("it is longer than 64KiB"));
    }
    Ok(text)
}

/// TOML's own words for an error are a picture of several lines.
pub fn one_line(error: &toml::de::Error, text: &str) -> String {
    let message = escaped(&error.message().trim().replace('\n', "; "));
    format!("line {}: {message}", line(text, error.span().map_or(0, |span| span.start)))
}

/// The number of the line that holds the byte at `place`.
pub fn line(text: &str, place: usize) -> usize {
    text.bytes().take(place).filter(|byte| *byte == b'\n').count() + 1
}
