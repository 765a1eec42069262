//! Lines of output: stretches of text, each in its style, cut to the terminal's width when they are printed.

use ciphermeter_answer::words::{fit, width, wrap};

/// How text for a terminal may look.
#[derive(Debug, Clone, Copy)]
pub struct TableOptions {
    /// Columns of the terminal; no line is longer. Less than 40 is taken as 40.
    pub width: usize,
    /// Whether ANSI colors are wanted.
    pub color: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { width: 80, color: false }
    }
}

impl TableOptions {
    /// The columns that a line may take up.
    pub(crate) fn columns(self) -> usize {
        self.width.max(40)
    }

    /// Lines as text, each ended by a newline.
    pub(crate) fn print(self, lines: &[StyledLine]) -> String {
        lines.iter().map(|line| line.text(self.columns(), self.color) + "\n").collect()
    }
}

/// How a stretch of text looks where color is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Green,
    Red,
    Yellow,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\u{1b}[1m",
            Self::Dim => "\u{1b}[2m",
            Self::Green => "\u{1b}[32m",
            Self::Red => "\u{1b}[31m",
            Self::Yellow => "\u{1b}[33m",
        }
    }
}

/// One line of output; the default is an empty one.
#[derive(Debug, Clone, Default)]
pub(crate) struct StyledLine {
    parts: Vec<(String, Style)>,
    /// It has its length already, and is not cut: a command may be longer than a line.
    is_laid_out: bool,
}

impl StyledLine {
    pub(crate) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { parts: vec![(text.into(), style)], is_laid_out: false }
    }

    /// A paragraph of lines in one style, broken between words, all but the first indented; only a command is longer than `most`.
    pub(crate) fn wrapped(text: &str, most: usize, indent: usize, style: Style) -> Vec<Self> {
        wrap(text, most, indent).into_iter().map(|line| Self { is_laid_out: true, ..Self::new(line, style) }).collect()
    }

    pub(crate) fn add(&mut self, text: impl Into<String>, style: Style) {
        self.parts.push((text.into(), style));
    }

    /// As text of at most `most` columns, unless it is laid out, without blanks at its end.
    pub(crate) fn text(&self, most: usize, color: bool) -> String {
        let (mut parts, mut room) = (self.parts.clone(), if self.is_laid_out { usize::MAX } else { most });
        trim_end(&mut parts);
        for (text, _) in &mut parts {
            *text = fit(text, room);
            room -= width(text);
        }
        trim_end(&mut parts);
        let mut line = String::new();
        for (text, style) in &parts {
            match color && *style != Style::Plain && !text.is_empty() {
                true => line.extend([style.code(), text, "\u{1b}[0m"]),
                false => line.push_str(text),
            }
        }
        line
    }
}

fn trim_end(parts: &mut Vec<(String, Style)>) {
    while parts.pop_if(|(text, _)| text.trim().is_empty()).is_some() {}
    if let Some((last, _)) = parts.last_mut() {
        last.truncate(last.trim_end().len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_without_its_color_codes() {
        let mut line = StyledLine::new("abcdef", Style::Bold);
        line.add("ghi   ", Style::Dim);
        assert_eq!(line.text(20, false), "abcdefghi");
        assert_eq!(line.text(4, true), "\u{1b}[1mabc…\u{1b}[0m");
        assert_eq!(line.text(20, true), "\u{1b}[1mabcdef\u{1b}[0m\u{1b}[2mghi\u{1b}[0m");
    }
}
