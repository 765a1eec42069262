//! How counts, sizes, names and folders are written.

use std::path::Path;

use ciphermeter_core::{quoted_path, thousands};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A count with its noun.
pub fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// A number of files, folders and other things.
pub fn entries(count: usize) -> String {
    if count == 1 { "1 entry".into() } else { format!("{} entries", thousands(count)) }
}

/// Bytes in powers of ten.
pub fn size(bytes: u64) -> String {
    let value = bytes as f64;
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => scaled(value / 1e3, "kB"),
        1_000_000..1_000_000_000 => scaled(value / 1e6, "MB"),
        _ => scaled(value / 1e9, "GB"),
    }
}

/// Three significant digits.
fn scaled(value: f64, unit: &str) -> String {
    let places = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.places$} {unit}")
}

/// A folder's absolute path.
pub fn absolute(path: &Path) -> String {
    let of_new = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    let known = path.canonicalize().ok().or_else(of_new);
    quoted_path(known.as_deref().unwrap_or(path))
}

/// A host as it stands before a colon: an address of IPv6 in brackets.
pub fn bracketed(host: &str) -> String {
    if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() }
}

/// The beginning and the end of a text that is too wide.
pub fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.into();
    }
    let most_before = (width - 1) / 2;
    let backwards: String = text.chars().rev().collect();
    let after = beginning(&backwards, width - 1 - most_before);
    beginning(text, most_before).chars().chain(['…']).chain(after.chars().rev()).collect()
}

/// As much of a text's beginning as fits.
pub fn beginning(text: &str, width: usize) -> &str {
    let mut used = 0;
    let mut beyond = text.char_indices().skip_while(|(_, character)| {
        used += character.width().unwrap_or(0);
        used <= width
    });
    beyond.next().map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!(
            [0, 1, 2, 1234].map(|count| counted(count, "file")),
            ["0 files", "1 file", "2 files", "1,234 files"]
        );
        assert_eq!([1, 2].map(entries), ["1 entry", "2 entries"]);
    }

    #[test]
    fn size_has_three_significant_digits() {
        let sizes = [0, 999, 1000, 9_999, 123_456, 10_240_000, 52_428_800_000].map(size);
        assert_eq!(sizes, ["0 B", "999 B", "1.00 kB", "10.0 kB", "123 kB", "10.2 MB", "52.4 GB"]);
    }
}
