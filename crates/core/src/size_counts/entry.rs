//! An entry of a histogram, a size and a count; and why a text is none.

use crate::{Bytes, escaped};

/// The largest message, in bytes.
const MAX_MESSAGE: u64 = 1 << 30;
/// The largest count. Sums of sizes times counts stay exact enough.
pub(super) const MAX_COUNT: f64 = 1e15;

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
    /// The size of an entry has a unit that is none.
    #[error("`{0}`: unknown unit `{1}`: use B, kB, KiB, MB, MiB")]
    Unit(String, String),
    /// The count of an entry is none, 0, or too large.
    #[error("`{0}` has no count above 0 and at most 10^15, in digits; write it like 16KiB:100")]
    Count(String),
    /// The count of an entry is in percent.
    #[error("`{0}`: write a count or a share like 0.7")]
    Percent(String),
    /// Only some lines begin with blanks, by which the form of `uniq -c` is known.
    #[error(
        "`{0}`: other lines begin with blanks, which means COUNT SIZE, as `uniq -c` prints; say --mix-order count-first or size-first, \
         or write all lines as SIZE:COUNT"
    )]
    Mixed(String),
    /// Two columns, either of which may be the sizes.
    #[error(
        "`{0} {1}` may be {1} messages of {0} bytes (--mix-order size-first), or {0} messages of {1} bytes (--mix-order count-first): \
         say which, or write all lines as SIZE:COUNT"
    )]
    Unclear(String, String),
    /// All messages are empty.
    #[error("all its messages are empty; add a size above 0")]
    NoBytes,
    /// The text is too long.
    #[error("it is longer than 16MiB; count equal sizes with `sort -n | uniq -c`")]
    TooLong,
}

/// Why a file is no histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct NoHistogramFile {
    /// Where, from 1; `None`: as a whole.
    pub line: Option<usize>,
    /// Why.
    pub why: NoHistogram,
}

impl From<NoHistogram> for NoHistogramFile {
    fn from(why: NoHistogram) -> Self {
        Self { line: None, why }
    }
}

/// The entries of a line: one, where it has a size and a count as a table has them.
pub(super) fn entries(line: &str) -> Vec<&str> {
    let is_row = !line.contains(':')
        && matches!(line.split([',', ';']).map(str::trim).collect::<Vec<_>>()[..], [size, count]
            if !size.contains(char::is_whitespace) && !count.contains(char::is_whitespace) && !count.is_empty());
    if is_row { vec![line] } else { line.split(',').map(str::trim).collect() }
}

pub(super) fn shown(entry: &str) -> String {
    escaped(&entry.trim().chars().take(40).collect::<String>())
}

pub(super) fn read(entry: &str) -> Result<(u64, f64), NoHistogram> {
    let parts = entry.split_once(':').or_else(|| entry.split_once([',', ';']));
    let parts = parts.or_else(|| entry.split_once(char::is_whitespace));
    let (size, count) = parts.ok_or_else(|| NoHistogram::Entry(shown(entry)))?;
    pair(size, count, entry)
}

/// A size and a count of the entry in which they stand.
pub(super) fn pair(size_of: &str, count: &str, entry: &str) -> Result<(u64, f64), NoHistogram> {
    let is_word = |text: &str| text.trim().starts_with(char::is_alphabetic);
    if is_word(size_of) && is_word(count) {
        return Err(NoHistogram::Header(shown(entry)));
    }
    let size = size(size_of, entry)?;
    let count = count.trim();
    if count.ends_with('%') {
        return Err(NoHistogram::Percent(shown(count)));
    }
    let is_plain = count.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = Some(count).filter(|_| is_plain).and_then(|count| count.parse::<f64>().ok());
    let number = number.filter(|count| *count > 0.0 && *count <= MAX_COUNT);
    Ok((size, number.ok_or_else(|| NoHistogram::Count(shown(entry)))?))
}

pub(super) fn size(text: &str, entry: &str) -> Result<u64, NoHistogram> {
    let text = text.trim();
    if let Some(size) = text.parse::<Bytes>().ok().filter(|size| size.0 <= MAX_MESSAGE) {
        return Ok(size.0);
    }
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_unit = !unit.is_empty() && unit.len() < text.len() && unit.chars().all(char::is_alphabetic);
    match is_unit && format!("1{unit}").parse::<Bytes>().is_err() {
        true => Err(NoHistogram::Unit(shown(entry), shown(unit))),
        false => Err(NoHistogram::Size(shown(entry))),
    }
}
