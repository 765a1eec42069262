//! A histogram of sizes: how many messages of each size a workload has, as people write it: `64:700,1370:200,16KiB:100`.
//!
//! Text from outside: its length, its entries and its numbers are bounded before anything is built from them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{Bytes, escaped};

/// The longest text, in bytes.
pub const MAX_TEXT: usize = 64 << 10;
/// The most different sizes: each is measured with every cipher.
const MAX_SIZES: usize = 16;
/// The largest message, in bytes.
const MAX_MESSAGE: u64 = 1 << 30;
/// The largest count. Sums of sizes times counts stay exact enough.
const MAX_COUNT: f64 = 1e15;

/// Why a text is no histogram.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoHistogram {
    /// There is no entry in it.
    #[error("it has no sizes; write SIZE:COUNT, like 64:700,16KiB:100")]
    Empty,
    /// An entry is not a size and a count.
    #[error("`{0}` is not a size with its count; write it like 16KiB:100")]
    Entry(String),
    /// An entry has words in place of both.
    #[error("`{0}` has no numbers; if it is a table's header, put a # before it")]
    Header(String),
    /// The size of an entry is none, or too large.
    #[error("`{0}` has no size of whole bytes, at most 1GiB; write it like 16KiB:100 or 1536:3")]
    Size(String),
    /// The count of an entry is none, or 0.
    #[error("`{0}` has no count above 0; write it like 16KiB:100")]
    Count(String),
    /// A size stands twice.
    #[error("{0} stands in it twice; add the counts up")]
    Twice(Bytes),
    /// All messages are empty.
    #[error("all its messages are empty; add a size above 0")]
    NoBytes,
    /// There are too many sizes.
    #[error("it has more than {MAX_SIZES} sizes; put neighbours together")]
    TooMany,
    /// The text is too long.
    #[error("it is longer than 64KiB; put neighbouring sizes together")]
    TooLong,
}

/// How many messages of each size there are; at least one size, none with a count of 0.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeCounts(BTreeMap<u64, f64>);

impl SizeCounts {
    /// The sizes with their counts, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = (Bytes, f64)> + '_ {
        self.0.iter().map(|(size, count)| (Bytes(*size), *count))
    }

    /// The sizes, smallest first.
    pub fn sizes(&self) -> Vec<Bytes> {
        self.iter().map(|(size, _)| size).collect()
    }

    /// From a file, which may be a table: a line may have a size and its count with a comma or a semicolon between, and a mark of its encoding
    /// may stand in front.
    pub fn from_file(text: &str) -> Result<Self, NoHistogram> {
        Self::of(text.strip_prefix('\u{feff}').unwrap_or(text), entries)
    }

    fn of(text: &str, entries: impl Fn(&str) -> Vec<&str>) -> Result<Self, NoHistogram> {
        if text.len() > MAX_TEXT {
            return Err(NoHistogram::TooLong);
        }
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let entries = lines.flat_map(&entries).filter(|entry| !entry.is_empty());
        let mut counts = BTreeMap::new();
        for entry in entries {
            let (size, count) = read(entry)?;
            if counts.insert(size, count).is_some() {
                return Err(NoHistogram::Twice(Bytes(size)));
            }
            if counts.len() > MAX_SIZES {
                return Err(NoHistogram::TooMany);
            }
        }
        match counts.keys().max() {
            None => Err(NoHistogram::Empty),
            Some(0) => Err(NoHistogram::NoBytes),
            Some(_) => Ok(Self(counts)),
        }
    }

    /// How many messages have this size; 0 for one that is not in it.
    pub fn count(&self, size: u64) -> f64 {
        self.0.get(&size).copied().unwrap_or(0.0)
    }
}

/// Entries are separated by commas or stand on lines of their own; size and count by a colon or by blanks. `#` begins a comment.
impl FromStr for SizeCounts {
    type Err = NoHistogram;

    fn from_str(text: &str) -> Result<Self, NoHistogram> {
        Self::of(text, |line| line.split(',').map(str::trim).collect())
    }
}

/// The entries of a line: one, where it has a size and a count as a table has them.
fn entries(line: &str) -> Vec<&str> {
    let is_row = !line.contains(':')
        && matches!(line.split([',', ';']).map(str::trim).collect::<Vec<_>>()[..], [size, count]
            if !size.contains(char::is_whitespace) && !count.contains(char::is_whitespace) && !count.is_empty());
    if is_row { vec![line] } else { line.split(',').map(str::trim).collect() }
}

fn read(entry: &str) -> Result<(u64, f64), NoHistogram> {
    let shown = || escaped(&entry.chars().take(40).collect::<String>());
    let parts = entry.split_once(':').or_else(|| entry.split_once([',', ';']));
    let parts = parts.or_else(|| entry.split_once(char::is_whitespace));
    let (size, count) = parts.ok_or_else(|| NoHistogram::Entry(shown()))?;
    let is_word = |text: &str| text.trim().starts_with(char::is_alphabetic);
    if is_word(size) && is_word(count) {
        return Err(NoHistogram::Header(shown()));
    }
    let size = size.trim().parse::<Bytes>().ok().filter(|size| size.0 <= MAX_MESSAGE);
    let size = size.ok_or_else(|| NoHistogram::Size(shown()))?;
    let count = count.trim();
    let is_plain = count.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let count = Some(count).filter(|_| is_plain).and_then(|count| count.parse::<f64>().ok());
    let count = count.filter(|count| *count > 0.0 && *count <= MAX_COUNT).ok_or_else(|| NoHistogram::Count(shown()))?;
    Ok((size.0, count))
}

impl fmt::Display for SizeCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<String> = self.iter().map(|(size, count)| format!("{size}:{count}")).collect();
        f.write_str(&entries.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<String, String> {
        text.parse::<SizeCounts>().map(|counts| counts.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn histogram_is_read_from_a_line_and_from_lines() {
        let expected = Ok("64:700,1370:200.5,16KiB:100".to_string());
        assert_eq!(read("16KiB:100,64:700,1370:200.5"), expected);
        assert_eq!(read("# bytes, messages\n64 700\n1370\t200.5 # first records\n\n16384: 100\n"), expected);
        let file = |text: &str| {
            SizeCounts::from_file(text).map(|counts| counts.to_string()).map_err(|error| error.to_string())
        };
        assert_eq!(file("\u{feff}64,700\r\n1370;200.5\r\n16KiB, 100\r\n"), expected);
        assert_eq!(file("64 700, 1370 200.5, 16KiB 100"), expected);
        assert!(file("64,700,80").unwrap_err().contains("`64` is not a size with its count"));
        assert!(read("64,700").unwrap_err().contains("`64` is not a size with its count"), "two sizes, as in lists");
        let counts: SizeCounts = "64:700,0:1".parse().unwrap();
        assert_eq!((counts.sizes(), counts.count(64), counts.count(65)), (vec![Bytes(0), Bytes(64)], 700.0, 0.0));
    }

    #[test]
    fn what_is_no_histogram_is_refused_with_the_entry_and_an_example() {
        for (text, words) in [
            ("", "it has no sizes; write SIZE:COUNT"),
            (" ,\n# 64:1", "it has no sizes"),
            ("64", "`64` is not a size with its count; write it like 16KiB:100"),
            ("tea:3", "`tea:3` has no size of whole bytes, at most 1GiB"),
            ("2GiB:3", "`2GiB:3` has no size of whole bytes, at most 1GiB"),
            ("1.5KiB:3", "`1.5KiB:3` has no size of whole bytes, at most 1GiB; write it like 16KiB:100 or 1536:3"),
            ("bytes:messages\n64:1", "`bytes:messages` has no numbers"),
            ("64:none", "`64:none` has no count above 0"),
            ("64:0", "`64:0` has no count above 0"),
            ("64:-1", "`64:-1` has no count above 0"),
            ("64:1e9", "`64:1e9` has no count above 0"),
            ("64:", "`64:` has no count above 0"),
            ("1KiB:1,1024:2", "1KiB stands in it twice; add the counts up"),
            ("0:5", "all its messages are empty"),
            ("64:1\u{1b}[2J", "`64:1\\u{1b}[2J` has no count above 0"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(words) && !said.chars().any(char::is_control), "{said}");
        }
        let header = SizeCounts::from_file("size,count\n64,700").unwrap_err().to_string();
        assert_eq!(header, "`size,count` has no numbers; if it is a table's header, put a # before it");
        let many: Vec<String> = (1..18).map(|size| format!("{size}:1")).collect();
        assert_eq!(read(&many.join(",")).unwrap_err(), "it has more than 16 sizes; put neighbours together");
        assert!(read(&"#".repeat(MAX_TEXT + 1)).unwrap_err().contains("longer than 64KiB"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9a-zA-Z:,. \n#%\u{1b}-]{0,60}") {
            if let Ok(counts) = text.parse::<SizeCounts>() {
                prop_assert_eq!(counts.to_string().parse(), Ok(counts));
            }
        }
    }
}
