//! What the table's columns and marks mean; said only of those that are there.

use ciphermeter_core::Share;

use crate::block::Block;
use crate::layout::{Columns, Line, Row, Style};
use crate::text::wrap;

/// Sentences below the table, each once.
#[derive(Default)]
pub(crate) struct Legend {
    columns: Vec<String>,
    marks: Vec<String>,
}

impl Legend {
    /// What these blocks show, at a width that leaves these columns.
    pub(crate) fn explain(&mut self, blocks: &[Block], columns: Columns, precision: Share) {
        let any = |test: fn(&Row) -> bool| blocks.iter().flat_map(|block| &block.rows).any(test);
        if any(|row| !row.interval.is_empty()) {
            self.column("ratio: time ÷ the best's in the same rounds, ± its 95 % interval");
        } else if any(|row| !row.ratio.is_empty()) {
            self.column("ratio: time ÷ the best's in the same rounds; an interval takes two forks");
        }
        let several = blocks.iter().any(|block| block.several);
        if columns.range > 0 && several && any(|row| !row.range.is_empty()) {
            self.column(
                "speed-up: times the GB/s of the same provider's one thread on the same CPUs, in the same rounds",
            );
        } else if columns.range > 0 && !several && !blocks.is_empty() {
            self.column("range: where 90 % of the samples lay, around the figure before it");
        }
        if columns.share > 0 && any(|row| !row.share.is_empty()) {
            self.column(match several {
                true => "effic.: speed-up ÷ threads",
                false => "ceil: share of what this CPU's AES, multiplication or copying allows",
            });
        }
        if any(|row| row.ratio.starts_with('~')) {
            let mark = format!("~ not settled to ±{precision} within the time: take its ratio with its interval");
            self.mark(mark);
        }
        if any(|row| row.provider.ends_with('*')) {
            self.mark("* sets its key up inside every timed call, because the library cannot separate it".into());
        }
    }

    fn column(&mut self, sentence: &str) {
        if !self.columns.iter().any(|said| said == sentence) {
            self.columns.push(sentence.into());
        }
    }

    /// A line of its own.
    pub(crate) fn mark(&mut self, sentence: String) {
        if !self.marks.contains(&sentence) {
            self.marks.push(sentence);
        }
    }

    /// As lines, after an empty one.
    pub(crate) fn lines(&self, width: usize) -> Vec<Line> {
        let columns = (!self.columns.is_empty()).then(|| self.columns.join("; "));
        let paragraphs: Vec<&String> = columns.iter().chain(&self.marks).collect();
        let mut lines = vec![Line::default(); usize::from(!paragraphs.is_empty())];
        let wrapped = paragraphs.into_iter().flat_map(|paragraph| wrap(paragraph, width, 2));
        lines.extend(wrapped.map(|line| Line::of(line, Style::Dim)));
        lines
    }
}
