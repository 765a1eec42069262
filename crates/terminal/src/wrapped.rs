//! Text in lines of a terminal.
//!
//! Promises: a command between backticks is never broken, and its blanks stay: pasted, it does what it says. Nor is a path or a sentence
//! in quotation marks, or a command behind a colon, if it fits in a line; a longer one is broken only where one blank stood.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Lines of at most `width` columns, each ended by a newline; one with a word or a command that is longer is as long as that.
pub fn wrapped(text: &str, width: usize) -> String {
    let (mut lines, mut column) = (String::new(), 0);
    for word in words(text, width) {
        let length = word.width();
        if column > 0 && column + 1 + length > width {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines + "\n"
}

/// Text behind something that only its first line has before it, all of it moved in by `indent`.
pub fn hanging(indent: usize, lead: &str, text: &str, width: usize) -> String {
    let column = indent + lead.width();
    let wrapped = wrapped(text, width.saturating_sub(column).max(20));
    let before = |number| if number == 0 { format!("{:indent$}{lead}", "") } else { " ".repeat(column) };
    wrapped.lines().enumerate().map(|(number, line)| format!("{}{line}\n", before(number))).collect()
}

/// Words with commas between them.
pub fn joined<T: ToString>(words: &[T]) -> String {
    words.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// What stands between the blanks at which a line may end.
fn words(text: &str, width: usize) -> Vec<&str> {
    let whole = whole(text, width);
    let is_gap = |at: usize, character: char| character.is_whitespace() && !whole.iter().any(|part| part.contains(&at));
    let (mut words, mut from) = (Vec::new(), 0);
    for (at, character) in text.char_indices().filter(|(at, character)| is_gap(*at, *character)) {
        words.push(&text[from..at]);
        from = at + character.len_utf8();
    }
    words.push(&text[from..]);
    words.retain(|word| !word.is_empty());
    words
}

/// The parts whose blanks stay.
fn whole(text: &str, width: usize) -> Vec<Range<usize>> {
    let (mut parts, mut at, mut before) = (Vec::new(), 0, ' ');
    while let Some(character) = text[at..].chars().next() {
        let length = match character {
            '`' => text[at + 1..].find('`').map(|end| end + 2),
            // Behind a letter or a digit it opens nothing.
            '"' if !before.is_alphanumeric() => quotation(&text[at..]),
            'c' if text[..at].ends_with(": ") => command(&text[at..]).filter(|end| text[at..at + end].width() <= width),
            _ => None,
        };
        let part = at..at + length.unwrap_or(character.len_utf8());
        match length {
            None => {}
            Some(_) if character == '"' && text[part.clone()].width() > width => parts.extend(runs(text, &part)),
            Some(_) => parts.push(part.clone()),
        }
        (at, before) = (part.end, character);
    }
    parts
}

/// The length of the command at the beginning, up to a semicolon or the end; `None` if there is none.
fn command(text: &str) -> Option<usize> {
    text.starts_with("ciphermeter ").then(|| text.find("; ").map_or(text.len(), |end| end + 1))
}

/// The length of the quotation at the beginning, with its marks; `None` if it has no end.
fn quotation(text: &str) -> Option<usize> {
    let mut is_escaped = true;
    let end = text.find(|character| {
        let is_end = character == '"' && !is_escaped;
        // The first mark opens it.
        is_escaped = character == '\\' && !is_escaped;
        is_end
    });
    end.map(|end| end + 1)
}

/// Where that part of a text has more than one blank in a row.
fn runs(text: &str, part: &Range<usize>) -> Vec<Range<usize>> {
    let (mut runs, mut from) = (Vec::new(), part.start);
    for piece in text[part.clone()].split_inclusive(|character| character != ' ') {
        let blanks = piece.len() - piece.trim_start_matches(' ').len();
        if blanks > 1 {
            runs.push(from..from + blanks);
        }
        from += piece.len();
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words() {
        assert_eq!(wrapped("  one two   three\nfour ", 9), "one two\nthree\nfour\n");
        assert_eq!(wrapped("a 5\" disk, a ` and a \"", 8), "a 5\"\ndisk, a\n` and a\n\"\n");
        assert_eq!(wrapped("", 9), "\n");
    }

    #[test]
    fn command_stays_as_it_is_pasted() {
        let command = "`ciphermeter recv --resume=2dbbfef6 --into 'sp ace two  blanks' --yes`";
        for width in [8, 20, 40, 80, 1000] {
            let lines = wrapped(&format!("interrupted; {command} resumes it"), width);
            assert!(lines.contains(command), "{lines}");
        }
        assert_eq!(wrapped(&format!("ended; {command} resumes it"), 30), format!("ended;\n{command}\nresumes it\n"));
        assert_eq!(wrapped("run `rm 'a\"  b'` and \"c  d\"", 9), "run\n`rm 'a\"  b'`\nand\n\"c  d\"\n");
    }

    #[test]
    fn command_behind_a_colon_is_broken_only_if_no_line_holds_it() {
        let text = "Ratios and notes: ciphermeter study show mine --all; more: ciphermeter help";
        let lines = ["Ratios and notes:", "ciphermeter study show mine --all;", "more: ciphermeter help\n"];
        assert_eq!(wrapped(text, 36), lines.join("\n"));
        assert_eq!(wrapped("All: ciphermeter study show mine", 20), "All: ciphermeter\nstudy show mine\n");
    }

    #[test]
    fn quotation_is_broken_only_if_no_line_holds_it() {
        assert_eq!(
            wrapped("they are in \"my \\\"own\\\"  files\", it says", 20),
            "they are in\n\"my \\\"own\\\"  files\",\nit says\n"
        );
        assert_eq!(
            wrapped("it said \"a sentence that  is  long\" here", 16),
            "it said \"a\nsentence\nthat  is  long\"\nhere\n"
        );
    }
}
