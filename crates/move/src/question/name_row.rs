//! Rows of a list of names: marks and size in columns, the name last, so that no name can push its own mark out of
//! sight.

use unicode_width::UnicodeWidthStr;

use crate::words::{beginning, shortened};

/// The least columns for a name, however narrow the screen.
const LEAST_NAME_WIDTH: usize = 8;
/// Below this many columns, marks are single letters and blanks are few.
const NARROW: usize = 60;

#[derive(Debug, Default)]
pub struct NameRow {
    pub mark: String,
    pub size: String,
    pub name: String,
}

impl NameRow {
    pub fn note(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    pub fn mark_width(&self, width: usize) -> usize {
        if width < NARROW { self.letters().width() } else { self.mark.width() }
    }

    /// The mark's words by their first letters: `hx` is hidden and executable.
    fn letters(&self) -> String {
        let letter = |word: &str| match word {
            "executable" => "x".to_owned(),
            "file" | "files" => "f".to_owned(),
            word if word.starts_with(|first: char| first.is_ascii_digit()) => word.to_owned(),
            word => word.chars().take(1).collect(),
        };
        self.mark.split(' ').map(letter).collect()
    }

    /// What precedes the name; `widest` is the widest mark of the list.
    fn lead(&self, widest: usize, width: usize) -> String {
        match widest {
            0 if width < NARROW => format!("{:>7} ", self.size),
            widest if width < NARROW => format!("{:<widest$} {:>7} ", self.letters(), self.size),
            0 => format!("  {:>8}  ", self.size),
            widest => format!("  {:<widest$}  {:>8}  ", self.mark, self.size),
        }
    }

    /// On one line: of a name that is too wide, the beginning and the end; of a note, the beginning, which has its number.
    pub fn shortened(&self, widest: usize, width: usize) -> String {
        let lead = self.lead(widest, width);
        let is_note = self.mark.is_empty() && self.size.is_empty();
        if is_note && lead.len() + self.name.width() > width {
            let fits = self.name.width() <= width;
            let columns = if fits { width } else { width.saturating_sub(1) };
            return format!("{}{}\n", beginning(&self.name, columns), if fits { "" } else { "…" });
        }
        let name = shortened(&self.name, width.saturating_sub(lead.len()).max(LEAST_NAME_WIDTH));
        format!("{lead}{name}\n")
    }

    /// On as many lines as the name needs.
    pub fn wrapped(&self, widest: usize, width: usize) -> Vec<String> {
        let lead = self.lead(widest, width);
        let pieces = cut(&self.name, width.saturating_sub(lead.len()).max(LEAST_NAME_WIDTH));
        let blank = " ".repeat(lead.len());
        let line = |(number, piece)| format!("{}{piece}\n", if number == 0 { &lead } else { &blank });
        pieces.into_iter().enumerate().map(line).collect()
    }
}

/// Pieces of a text, each at most `width` columns wide.
fn cut(mut text: &str, width: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let piece = beginning(text, width);
        text = &text[piece.len()..];
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str) -> NameRow {
        NameRow { mark: "hidden".into(), size: "1.00 kB".into(), name: name.into() }
    }

    #[test]
    fn long_name_keeps_its_beginning_and_its_end() {
        let line = row(&format!("holiday{}.exe", "x".repeat(300))).shortened(10, 80);
        assert_eq!(line.trim_end().width(), 80);
        assert!(
            line.starts_with("  hidden       1.00 kB  holidayxx") && line.ends_with(".exe\n") && line.contains('…')
        );
        assert_eq!(row("name").shortened(1, 40), "h 1.00 kB name\n");
        assert_eq!(row("短い").shortened(6, 80), "  hidden   1.00 kB  短い\n");
    }

    #[test]
    fn note_keeps_its_number() {
        let note = |text: &str, width| NameRow::note(text.into()).shortened(3, width);
        assert_eq!(note("… and 5 more", 20), "… and 5 more\n");
        assert_eq!(note("… and 1,234 more that are marked", 20), "… and 1,234 more th…\n");
        assert_eq!(note("… and 5 more", 80), format!("{:17}… and 5 more\n", ""));
    }

    #[test]
    fn full_name_takes_as_many_lines_as_it_needs() {
        let name = "日本".repeat(60);
        let lines = row(&name).wrapped(10, 80);
        assert!(lines.len() > 3 && lines.iter().all(|line| line.trim_end().width() <= 80));
        let back: String = lines.iter().map(|line| &line[24..]).map(str::trim_end).collect();
        assert_eq!(back, name);
    }
}
