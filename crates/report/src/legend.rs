//! What the table's columns and marks mean; said only of those that are there.

use crate::styled_line::{Style, StyledLine};

/// Sentences below the table, each once.
#[derive(Default)]
pub(crate) struct Legend {
    columns: Vec<String>,
    marks: Vec<String>,
}

impl Legend {
    /// What a column means; all columns are one paragraph.
    pub(crate) fn column(&mut self, sentence: &str) {
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
    pub(crate) fn lines(&self, width: usize) -> Vec<StyledLine> {
        let columns = (!self.columns.is_empty()).then(|| self.columns.join("; "));
        let paragraphs: Vec<&String> = columns.iter().chain(&self.marks).collect();
        let mut lines = vec![StyledLine::default(); usize::from(!paragraphs.is_empty())];
        lines.extend(paragraphs.into_iter().flat_map(|text| StyledLine::wrapped(text, width, 2, Style::Dim)));
        lines
    }
}
