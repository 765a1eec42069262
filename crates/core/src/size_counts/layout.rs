//! How the lines of a histogram's file are written: as entries, as `sort -n | uniq -c` prints them,
//! or a size a message.

use super::entry::{NoHistogram, NoHistogramFile, entries, pair, read, shown, size};
use crate::word::words;

words! {
    /// Which of a file's two columns has the sizes.
    ColumnOrder, "order" {
        /// As in a table: SIZE COUNT.
        SizeFirst = "size-first",
        /// As `uniq -c` prints: COUNT SIZE.
        CountFirst = "count-first",
    }
}

/// Digits of the smallest count before which BSD's `uniq -c` prints no blank.
const NARROWEST: usize = 4;
/// The same of GNU's.
const GNU_COLUMN: usize = 7;

/// How the lines of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Entries,
    /// A size alone: one message.
    Sizes,
    /// As of `uniq -c`.
    CountFirst,
}

impl Layout {
    pub(super) fn of(lines: &[(usize, &str)], order: Option<ColumnOrder>) -> Result<Self, NoHistogramFile> {
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

    pub(super) fn read(self, line: &str) -> Result<Vec<(u64, f64)>, NoHistogram> {
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
