//! Numbers in a readable form.

/// A count with its noun.
pub fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// So many files.
pub fn files(count: u32) -> String {
    counted(count as usize, "file")
}

/// A number of files, folders and other things.
pub fn entries(count: usize) -> String {
    if count == 1 { "1 entry".into() } else { format!("{} entries", grouped(count)) }
}

/// Digits in groups of three.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
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
    let places = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:.places$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2, 1234].map(files), ["0 files", "1 file", "2 files", "1,234 files"]);
        assert_eq!([1, 2].map(entries), ["1 entry", "2 entries"]);
    }

    #[test]
    fn size_has_three_significant_digits() {
        let sizes = [0, 999, 1000, 9_999, 123_456, 10_240_000, 52_428_800_000].map(size);
        assert_eq!(sizes, ["0 B", "999 B", "1.00 kB", "10.0 kB", "123 kB", "10.2 MB", "52.4 GB"]);
    }
}
