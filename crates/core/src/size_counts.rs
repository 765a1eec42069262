//! A histogram of sizes: how many messages of each size a workload has, as people write it: `64:700,1370:200,16KiB:100`; or as
//! `sort -n | uniq -c` counts them, or a size a message. More sizes than can be measured are grouped.
//!
//! Text from outside: its length, its entries and its numbers are bounded before anything is built from them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::word::words;
use crate::{Bytes, escaped};

/// The longest text, in bytes: a log with a size a message may be long.
pub const MAX_TEXT: usize = 16 << 20;
/// The most different sizes: each is measured with every cipher.
const MAX_SIZES: usize = 16;
/// The largest message, in bytes.
const MAX_MESSAGE: u64 = 1 << 30;
/// The largest count. Sums of sizes times counts stay exact enough.
const MAX_COUNT: f64 = 1e15;

words! {
    /// Which of a file's two columns has the sizes.
    ColumnOrder, "order" {
        /// As in a table: SIZE COUNT.
        SizeFirst = "size-first",
        /// As `uniq -c` prints: COUNT SIZE.
        CountFirst = "count-first",
    }
}

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

/// How many messages of each size there are; at least one size, none with a count of 0.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeCounts {
    counts: BTreeMap<u64, f64>,
    /// How many sizes there were before they were grouped.
    given: usize,
}

impl SizeCounts {
    /// The sizes with their counts, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = (Bytes, f64)> + '_ {
        self.counts.iter().map(|(size, count)| (Bytes(*size), *count))
    }

    /// The sizes, smallest first.
    pub fn sizes(&self) -> Vec<Bytes> {
        self.iter().map(|(size, _)| size).collect()
    }

    /// How many messages have this size; 0 for one that is not in it.
    pub fn count(&self, size: u64) -> f64 {
        self.counts.get(&size).copied().unwrap_or(0.0)
    }

    /// How many sizes there were, where they were too many and stand here in groups.
    pub fn grouped_from(&self) -> Option<usize> {
        (self.given > self.counts.len()).then_some(self.given)
    }

    /// From a file. A line has an entry or several; or a size and its count, as a table has them;
    /// or a count and a size, as `uniq -c` prints them behind blanks; or a size alone, of one
    /// message. A mark of its encoding may stand in front. Of two columns, `order` says which has
    /// the sizes.
    pub fn from_file(text: &str, order: Option<ColumnOrder>) -> Result<Self, NoHistogramFile> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        check_length(text)?;
        let lines: Vec<(usize, &str)> = lines(text).collect();
        let layout = Layout::of(&lines, order)?;
        let mut counts = BTreeMap::new();
        for (line, text) in lines {
            let at = |why| NoHistogramFile { line: Some(line), why };
            for (size, count) in layout.read(text).map_err(at)? {
                add(&mut counts, size, count, text).map_err(at)?;
            }
        }
        Ok(Self::of(counts)?)
    }

    fn of(counts: BTreeMap<u64, f64>) -> Result<Self, NoHistogram> {
        let given = counts.len();
        match counts.keys().max() {
            None => Err(NoHistogram::Empty),
            Some(0) => Err(NoHistogram::NoBytes),
            Some(_) if given > MAX_SIZES => Ok(Self { counts: grouped(&counts), given }),
            Some(_) => Ok(Self { counts, given }),
        }
    }
}

/// Entries are separated by commas or stand on lines of their own; size and count by a colon or by blanks. `#` begins a comment.
impl FromStr for SizeCounts {
    type Err = NoHistogram;

    fn from_str(text: &str) -> Result<Self, NoHistogram> {
        check_length(text)?;
        let mut counts = BTreeMap::new();
        for entry in lines(text).flat_map(|(_, line)| line.split(',')).map(str::trim).filter(|entry| !entry.is_empty())
        {
            let (size, count) = read(entry)?;
            add(&mut counts, size, count, entry)?;
        }
        Self::of(counts)
    }
}

fn check_length(text: &str) -> Result<(), NoHistogram> {
    if text.len() > MAX_TEXT { Err(NoHistogram::TooLong) } else { Ok(()) }
}

/// Lines with their numbers, without comments; blanks in front stay. Those with nothing are left out.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(|line| line.split('#').next().unwrap_or_default().trim_end()));
    lines.filter(|(_, line)| !line.is_empty())
}

fn add(counts: &mut BTreeMap<u64, f64>, size: u64, count: f64, entry: &str) -> Result<(), NoHistogram> {
    let all = counts.entry(size).or_insert(0.0);
    *all += count;
    if *all <= MAX_COUNT { Ok(()) } else { Err(NoHistogram::Count(shown(entry))) }
}

/// Digits of the smallest count before which BSD's `uniq -c` prints no blank.
const NARROWEST: usize = 4;
/// The same of GNU's.
const GNU_COLUMN: usize = 7;

/// How the lines of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Entries,
    /// A size alone: one message.
    Sizes,
    /// As of `uniq -c`.
    CountFirst,
}

impl Layout {
    fn of(lines: &[(usize, &str)], order: Option<ColumnOrder>) -> Result<Self, NoHistogramFile> {
        let fields = |line: &str| if line.contains([':', ',', ';']) { 0 } else { line.split_whitespace().count() };
        if !lines.is_empty() && lines.iter().all(|(_, line)| fields(line) == 1) {
            return Ok(Self::Sizes);
        }
        match order {
            Some(ColumnOrder::SizeFirst) => return Ok(Self::Entries),
            Some(ColumnOrder::CountFirst) => return Ok(Self::CountFirst),
            None => {}
        }
        let is_indented = |line: &str| fields(line) == 2 && line.starts_with(char::is_whitespace);
        // Counts stand right-aligned: one that fills the column has no blank in front.
        let end = |line: &str| {
            let blanks = line.len() - line.trim_start().len();
            blanks + line.split_whitespace().next().map_or(0, str::len)
        };
        let Some(column) = lines.iter().filter(|(_, line)| is_indented(line)).map(|(_, line)| end(line)).max() else {
            return Self::of_columns(lines);
        };
        let is_counted = |line: &str| is_indented(line) || (fields(line) == 2 && end(line) >= column);
        match lines.iter().find(|(_, line)| !is_counted(line)) {
            Some((line, text)) => {
                Err(NoHistogramFile { line: Some(*line), why: NoHistogram::Mixed(shown(text.trim())) })
            }
            None if column < GNU_COLUMN => Self::of_indented(lines),
            None => Ok(Self::CountFirst),
        }
    }

    /// Of lines that may be BSD's, or a table that is indented: where the first column ascends, it
    /// may have the sizes.
    fn of_indented(lines: &[(usize, &str)]) -> Result<Self, NoHistogramFile> {
        let first: Vec<u64> = columns(lines).into_iter().flatten().map(|(first, _)| first).collect();
        let may_be_sizes = first.len() == lines.len() && first.is_sorted_by(|a, b| a < b);
        if may_be_sizes { unclear(lines) } else { Ok(Self::CountFirst) }
    }

    /// Of lines none of which begins with a blank: `uniq -c` prints such where all counts are large
    /// enough to fill its column. In which order they stand proves nothing: some sort by the count.
    fn of_columns(lines: &[(usize, &str)]) -> Result<Self, NoHistogramFile> {
        let is_wide = |(_, line): &(usize, &str)| line.find(char::is_whitespace).is_some_and(|end| end >= NARROWEST);
        match columns(lines) {
            Some(_) if lines.iter().all(is_wide) => unclear(lines),
            _ => Ok(Self::Entries),
        }
    }

    fn read(self, line: &str) -> Result<Vec<(u64, f64)>, NoHistogram> {
        let line = line.trim();
        match (self, line.split_once(char::is_whitespace)) {
            (Self::Sizes, _) => Ok(vec![(size(line, line)?, 1.0)]),
            (Self::CountFirst, Some((count, size))) => Ok(vec![pair(size, count, line)?]),
            _ => entries(line).into_iter().filter(|entry| !entry.is_empty()).map(read).collect(),
        }
    }
}

/// Two columns of whole numbers; `None` without lines, or where lines are not so.
fn columns(lines: &[(usize, &str)]) -> Option<Vec<(u64, u64)>> {
    lines.first()?;
    let numbers = |(_, line): &(usize, &str)| -> Option<(u64, u64)> {
        let (first, second) = line.trim().split_once(char::is_whitespace)?;
        Some((first.parse().ok()?, second.trim().parse().ok()?))
    };
    lines.iter().map(numbers).collect()
}

/// Of lines in two columns: that of the two layouts in which all can be read; refused if that is
/// both.
fn unclear(lines: &[(usize, &str)]) -> Result<Layout, NoHistogramFile> {
    let is_readable = |layout: Layout| lines.iter().all(|(_, line)| layout.read(line).is_ok());
    match (is_readable(Layout::Entries), is_readable(Layout::CountFirst)) {
        (true, false) => Ok(Layout::Entries),
        (false, true) => Ok(Layout::CountFirst),
        _ => {
            let (line, text) = lines.first().copied().unzip();
            let (first, second) = text.unwrap_or_default().trim().split_once(char::is_whitespace).unwrap_or_default();
            Err(NoHistogramFile { line, why: NoHistogram::Unclear(shown(first), shown(second)) })
        }
    }
}

/// The entries of a line: one, where it has a size and a count as a table has them.
fn entries(line: &str) -> Vec<&str> {
    let is_row = !line.contains(':')
        && matches!(line.split([',', ';']).map(str::trim).collect::<Vec<_>>()[..], [size, count]
            if !size.contains(char::is_whitespace) && !count.contains(char::is_whitespace) && !count.is_empty());
    if is_row { vec![line] } else { line.split(',').map(str::trim).collect() }
}

fn shown(entry: &str) -> String {
    escaped(&entry.trim().chars().take(40).collect::<String>())
}

fn read(entry: &str) -> Result<(u64, f64), NoHistogram> {
    let parts = entry.split_once(':').or_else(|| entry.split_once([',', ';']));
    let parts = parts.or_else(|| entry.split_once(char::is_whitespace));
    let (size, count) = parts.ok_or_else(|| NoHistogram::Entry(shown(entry)))?;
    pair(size, count, entry)
}

/// A size and a count of the entry in which they stand.
fn pair(size_of: &str, count: &str, entry: &str) -> Result<(u64, f64), NoHistogram> {
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

fn size(text: &str, entry: &str) -> Result<u64, NoHistogram> {
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

/// Neighbouring sizes together, in groups of about equal numbers of messages, each by its mean size in whole bytes.
fn grouped(counts: &BTreeMap<u64, f64>) -> BTreeMap<u64, f64> {
    let total: f64 = counts.values().sum();
    let mut groups = BTreeMap::<usize, (f64, f64)>::new();
    let mut before = 0.0;
    for (size, count) in counts {
        // A size belongs where the middle of its messages does.
        let group = ((before + count / 2.0) / total * MAX_SIZES as f64) as usize;
        let (messages, bytes) = groups.entry(group.min(MAX_SIZES - 1)).or_default();
        *messages += count;
        *bytes += count * *size as f64;
        before += count;
    }
    groups.into_values().map(|(messages, bytes)| ((bytes / messages).round() as u64, messages)).collect()
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

    fn file(text: &str) -> Result<String, String> {
        let said = |NoHistogramFile { line, why }| format!("{}: {why}", line.unwrap_or(0));
        SizeCounts::from_file(text, None).map(|counts| counts.to_string()).map_err(said)
    }

    /// The same with each order, and what it says without.
    fn each(text: &str) -> [String; 3] {
        let with = |order| SizeCounts::from_file(text, Some(order)).unwrap().to_string();
        [with(ColumnOrder::SizeFirst), with(ColumnOrder::CountFirst), file(text).unwrap_or_else(|why| why)]
    }

    #[test]
    fn order_of_lines_proves_nothing_and_a_flag_decides() {
        let [size_first, count_first, neither] = each("1204 1370\n3055 64\n9120 512\n");
        assert_eq!(size_first, "1204:1370,3055:64,9120:512");
        assert_eq!(count_first, "64:3055,512:9120,1370:1204");
        assert_eq!(
            neither,
            "1: `1204 1370` may be 1370 messages of 1204 bytes (--mix-order size-first), or 1204 messages of 1370 bytes (--mix-order \
             count-first): say which, or write all lines as SIZE:COUNT"
        );
        // Made up for this test.
        for text in [
            "9120 512\n3055 64\n1204 1370\n",
            "12040\t1370\n30550\t16384\n",
            "1048576 1000\n",
            "1000  64\n1001  65\n# more\n1002  66\n",
            "  10 64\n  20 128\n",
        ] {
            let [size_first, count_first, neither] = each(text);
            assert!(
                size_first != count_first && neither.contains("(--mix-order size-first), or "),
                "{text}: {neither}"
            );
        }
        let indented = "   1204 1370\n   3055 64\n   9120 512\n";
        assert_eq!(each(indented)[2], "64:3055,512:9120,1370:1204", "the column of GNU's uniq");
        // No message is larger than 1 GiB.
        assert_eq!(file("2000000000 64\n3000000000 1370\n").as_deref(), Ok("64:2000000000,1370:3000000000"));
        assert_eq!(file("1370 2000000000\n9000 3000000000\n").as_deref(), Ok("1370:2000000000,9000:3000000000"));
        assert_eq!(each("64:1\n1370:2\n"), ["64:1,1370:2"; 3], "a colon says all");
    }

    #[test]
    fn indented_table_whose_first_column_has_the_sizes_is_refused() {
        assert!(
            file("  64 1024\n 256  64\n").unwrap_err().starts_with("1: `64 1024` may be 1024 messages of 64 bytes")
        );
        // GNU's, sorted by counts; BSD's, sorted by sizes.
        assert_eq!(file("     64 1024\n    256 64\n").unwrap(), "64:256,1KiB:64");
        assert_eq!(file(" 256 64\n  64 1024\n").unwrap(), "64:256,1KiB:64");
    }

    #[test]
    fn histogram_is_read_from_a_line_and_from_lines() {
        let expected = Ok("64:700,1370:200.5,16KiB:100".to_string());
        assert_eq!(read("16KiB:100,64:700,1370:200.5"), expected);
        assert_eq!(read("# bytes, messages\n64 700\n1370\t200.5 # first records\n\n16384: 100\n"), expected);
        assert_eq!(file("\u{feff}64,700\r\n1370;200.5\r\n16KiB, 100\r\n"), expected);
        assert_eq!(file("64 700, 1370 200.5, 16KiB 100"), expected);
        assert!(file("64,700,80").unwrap_err().contains("1: `64` is not a size with its count"));
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
            ("64:none", "`64:none` has no count above 0 and at most 10^15"),
            ("64:0", "`64:0` has no count above 0 and at most 10^15"),
            ("64:-1", "`64:-1` has no count above 0 and at most 10^15"),
            ("64:1e9", "`64:1e9` has no count above 0 and at most 10^15"),
            ("64:", "`64:` has no count above 0 and at most 10^15"),
            ("1k:10", "`1k:10`: unknown unit `k`: use B, kB, KiB, MB, MiB"),
            ("64:70%", "`70%`: write a count or a share like 0.7"),
            ("64:1000000000000000,64:1", "`64:1` has no count above 0 and at most 10^15"),
            ("0:5", "all its messages are empty"),
            ("64:1\u{1b}[2J", "`64:1\\u{1b}[2J` has no count above 0 and at most 10^15"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(words) && !said.chars().any(char::is_control), "{said}");
        }
        let header = file("size,count\n64,700").unwrap_err();
        assert_eq!(header, "1: `size,count` has no numbers; if it is a table's header, put a # before it");
        assert!(read(&"#".repeat(MAX_TEXT + 1)).unwrap_err().contains("longer than 16MiB"));
    }

    #[test]
    fn counts_that_uniq_prints_and_sizes_alone_are_recognised() {
        assert_eq!(file("    700 64\n     20 1370\n").as_deref(), Ok("64:700,1370:20"));
        assert_eq!(
            file("      1 0\n     20 64\n1234567 16384\n").as_deref(),
            Ok("0:1,64:20,16KiB:1234567"),
            "a full column"
        );
        assert_eq!(file("64 700\n1370 20\n").as_deref(), Ok("64:700,1370:20"), "a table");
        // Large counts leave no blank in front of any.
        for unclear in ["1234567 64\n1000001 16384\n", "1370 200\n9000 10\n", "1000001 64\n1234567 16384", "1370 200"] {
            assert!(file(unclear).unwrap_err().contains("say which, or write all lines as SIZE:COUNT"), "{unclear}");
        }
        assert_eq!(file("64\n1370\n64 # again\n\n64\n").as_deref(), Ok("64:3,1370:1"));
        assert_eq!(file(" 1\n").as_deref(), Ok("1:1"));
        let mixed = file("   700 64\n20 1370").unwrap_err();
        assert_eq!(
            mixed,
            "2: `20 1370`: other lines begin with blanks, which means COUNT SIZE, as `uniq -c` prints; say --mix-order count-first or \
             size-first, or write all lines as SIZE:COUNT"
        );
    }

    #[test]
    fn errors_of_a_file_name_the_line() {
        assert_eq!(file("64:1\n\n1k:10").unwrap_err(), "3: `1k:10`: unknown unit `k`: use B, kB, KiB, MB, MiB");
        assert_eq!(file("# sizes\n64 70%").unwrap_err(), "2: `70%`: write a count or a share like 0.7");
        assert_eq!(file("64\n1x").unwrap_err(), "2: `1x`: unknown unit `x`: use B, kB, KiB, MB, MiB");
        assert!(file("\n").unwrap_err().starts_with("0: it has no sizes"));
    }

    #[test]
    fn size_that_comes_twice_is_added_up() {
        assert_eq!(read("1KiB:1,1024:2,64:0.5").as_deref(), Ok("64:0.5,1KiB:3"));
    }

    #[test]
    fn many_sizes_are_grouped_by_equal_numbers_of_messages() {
        let text: String = (1..=3000).map(|size| format!("{size}\n")).collect();
        let counts = SizeCounts::from_file(&text, None).unwrap();
        assert_eq!((counts.sizes().len(), counts.grouped_from()), (16, Some(3000)));
        assert_eq!(counts.sizes()[0], Bytes(94), "the mean of 1 to 188");
        assert!(counts.iter().all(|(_, count)| (187.0..=188.0).contains(&count)), "{counts}");
        let bytes: f64 = counts.iter().map(|(size, count)| size.0 as f64 * count).sum();
        assert!((bytes / 4_501_500.0 - 1.0).abs() < 0.001, "{bytes}");
        // A size with most of the messages stays what it is.
        let many: Vec<String> = (1..=20).map(|size| format!("{size}:{}", if size == 20 { 1e6 } else { 1.0 })).collect();
        let counts: SizeCounts = many.join(",").parse().unwrap();
        assert_eq!((counts.count(20), counts.grouped_from()), (1e6, Some(20)));
        assert_eq!("64:1".parse::<SizeCounts>().unwrap().grouped_from(), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9a-zA-Z:,. \n#%\u{1b}-]{0,60}") {
            for order in ColumnOrder::ALL.iter().copied().map(Some).chain([None]) {
                let _ = SizeCounts::from_file(&text, order);
            }
            if let Ok(counts) = text.parse::<SizeCounts>() {
                prop_assert_eq!(counts.to_string().parse(), Ok(counts));
            }
        }
    }
}
