//! Standard output: lines of at most 80 columns, written at once.

use std::io::{self, Write};

use anyhow::{Context, Result};

const WIDTH: usize = 80;

/// Writes text unchanged.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to standard output")
}

/// Writes one line, broken between words where it is too long; continuation lines are indented.
pub fn print_line(line: &str) -> Result<()> {
    print(&broken(line))
}

fn broken(line: &str) -> String {
    const INDENT: &str = "    ";
    let (mut text, mut left) = (String::new(), line);
    let mut indent = "";
    while left.chars().count() > WIDTH - indent.len() {
        let end = left.char_indices().nth(WIDTH - indent.len() + 1).map_or(left.len(), |(place, _)| place);
        let Some(place) = left[..end].rfind(' ').filter(|place| !left[..*place].trim().is_empty()) else { break };
        text += &format!("{indent}{}\n", left[..place].trim_end());
        left = left[place..].trim_start();
        indent = INDENT;
    }
    text + indent + left + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_line_is_unchanged() {
        for line in ["", "a   table's  row", &"x".repeat(80)] {
            assert_eq!(broken(line), format!("{line}\n"));
        }
    }

    #[test]
    fn long_line_breaks_between_words() {
        let words = "word ".repeat(40);
        let text = broken(words.trim());
        assert_eq!(text.split_whitespace().count(), 40);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")), "{text}");
    }

    #[test]
    fn word_that_is_too_long_is_not_lost() {
        let word = "é".repeat(100);
        assert_eq!(broken(&word), format!("{word}\n"));
    }
}
