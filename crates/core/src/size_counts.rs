//! A histogram of sizes: how many messages of each size a workload has, as people write it: `64:700,1370:200,16KiB:100`; or as
//! `sort -n | uniq -c` counts them, or a size a message. More sizes than can be measured are grouped.
//!
//! Text from outside: its length, its entries and its numbers are bounded before anything is built from them.

mod entry;
mod layout;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::Bytes;
use entry::{MAX_COUNT, read, shown};
use layout::Layout;

pub use entry::{NoHistogram, NoHistogramFile};
pub use layout::ColumnOrder;

/// The longest text, in bytes: a log with a size a message may be long.
pub const MAX_TEXT: usize = 16 << 20;
/// The most different sizes: each is measured with every cipher.
const MAX_SIZES: usize = 16;

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
            "9120 512\n3055 64\n1204 1370\n", "12040\t1370\n30550\t16384\n", "1048576 1000\n",
            "1000  64\n1001  65\n# more\n1002  66\n", "  10 64\n  20 128\n",
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
