//! Text from outside, made safe to print: names in an offer, a worker's reasons, sentences from the other end of a
//! transfer.
//!
//! A terminal acts on some characters instead of showing them, and others show as nothing or as something else. All
//! text from outside this program goes through [`quoted`], or as a sentence through [`escaped`], where it comes in or
//! before it is shown. Whatever is printed goes through [`escaped_lines`] last, and as JSON through [`escaped_json`].

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use crate::most;

/// The unchanged text if every character shows as itself; otherwise in double quotes, with escapes as in a Rust literal
/// (`\u{202e}`).
///
/// Also quoted: an empty text, blanks at an end or in a row (they hide what follows them), a text that begins with a
/// quote, and one with a backtick, between which our commands stand. The result is always one line without control characters.
pub fn quoted(text: &str) -> String {
    let misleads = text.is_empty()
        || text.starts_with([' ', '"'])
        || text.ends_with(' ')
        || text.contains("  ")
        || text.contains('`');
    if !misleads && shown_as_they_are(text).all(|(_, shows)| shows) {
        return text.into();
    }
    in_quotes(text)
}

/// A path as it is shown.
pub fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// The same, always in quotes: for a name within a sentence, which it could otherwise pretend to continue.
pub fn in_quotes(text: &str) -> String {
    let mut quoted = String::from('"');
    for (character, shows) in shown_as_they_are(text) {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            character => push(&mut quoted, character, shows),
        }
    }
    quoted.push('"');
    quoted
}

/// For a sentence or a table cell, whose beginning and end are visible without quotes: characters that do not show as
/// themselves are escaped, and nothing else changes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (character, shows) in shown_as_they_are(text) {
        push(&mut escaped, character, shows);
    }
    escaped
}

/// A text of a store or a document as it is taken in: escaped, and cut after [`most::TEXT`] characters. What
/// Ciphermeter wrote stays as it is.
pub fn taken_in(text: &str) -> String {
    match text.char_indices().nth(most::TEXT) {
        Some((end, _)) => escaped(&text[..end]) + "…",
        None => escaped(text),
    }
}

/// An error as it is printed: of a word that could only come from outside, and of an error as long as that, the middle is left out.
pub fn shortened(text: &str) -> Cow<'_, str> {
    let is_long = |word: &&str| word.chars().count() > LONGEST_WORD;
    if !text.split(char::is_whitespace).any(|word| is_long(&word)) && text.len() <= LONGEST_ERROR {
        return text.into();
    }
    let words = text.split_inclusive(char::is_whitespace).map(|word| match is_long(&word.trim_end()) {
        true => without_middle(word, 60),
        false => word.into(),
    });
    let words: String = words.collect();
    if words.len() <= LONGEST_ERROR { words.into() } else { without_middle(&words, LONGEST_ERROR / 4).into() }
}

/// What was typed, within an error: escaped, and not the whole of what is long.
pub fn excerpt(text: &str) -> String {
    let text = escaped(text);
    if text.chars().count() > LONGEST_WORD { without_middle(&text, 60) } else { text }
}

/// The most characters of a word of an error: paths hardly have as many.
const LONGEST_WORD: usize = 300;
/// The most bytes of an error: several times the longest list of names.
const LONGEST_ERROR: usize = 6000;

/// So many characters of each end.
fn without_middle(text: &str, each: usize) -> String {
    let all: Vec<char> = text.chars().collect();
    let (first, last) = (&all[..each.min(all.len())], &all[all.len().saturating_sub(each)..]);
    first.iter().chain(&['…']).chain(last).collect()
}

/// All that a command prints, of lines and in our own styles: the last gate, for what nothing before it has escaped.
pub fn escaped_lines(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\u{1b}') {
        push_lines(&mut escaped, &rest[..start]);
        let style = STYLES.iter().find(|style| rest[start..].starts_with(**style)).copied();
        let (before, after) = rest[start..].split_at(style.map_or(1, str::len));
        match style {
            Some(style) => escaped.push_str(style),
            None => escaped.push_str(&self::escaped(before)),
        }
        rest = after;
    }
    push_lines(&mut escaped, rest);
    escaped.into()
}

/// The styles of our tables and of the help.
const STYLES: [&str; 7] =
    ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[4m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"];

fn push_lines(to: &mut String, text: &str) {
    for (character, shows) in shown_as_they_are(text) {
        // A page has blanks that keep a figure beside its unit.
        push(to, character, shows || matches!(character, '\n' | '\t' | '\u{a0}'));
    }
}

/// The same JSON, its characters that do not show as themselves as `\u202e`.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    if json.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return json.into();
    }
    let mut escaped = String::with_capacity(json.len());
    for (character, shows) in shown_as_they_are(json) {
        match character {
            character if shows || character == '\n' => escaped.push(character),
            character => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(escaped, "\\u{unit:04x}");
                }
            }
        }
    }
    escaped.into()
}

fn push(to: &mut String, character: char, shows: bool) {
    match character {
        character if shows => to.push(character),
        '\n' | '\r' | '\t' => to.extend(character.escape_default()),
        // Writing to a string cannot fail.
        character => drop(write!(to, "\\u{{{:x}}}", u32::from(character))),
    }
}

/// Each character, and whether it shows as itself where it stands.
pub(crate) fn shown_as_they_are(text: &str) -> impl Iterator<Item = (char, bool)> {
    let (mut marks, mut before) = (0, None);
    text.chars().map(move |character| {
        marks = if is_mark(character) { marks + 1 } else { 0 };
        let shows = match character {
            // The first on a letter, each further one on the mark before it.
            _ if marks > 0 => marks <= MOST_MARKS && before.is_some_and(|on: char| marks > 1 || on.is_alphanumeric()),
            // Asks for the colored form of a symbol.
            '\u{fe0f}' => matches!(before, Some('\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')),
            // Korean vowels and final consonants as separate characters: they join the letter before them, and show as
            // nothing without it.
            '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}' => {
                matches!(before, Some('\u{1100}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}')) && shows_as_itself(character)
            }
            _ => shows_as_itself(character),
        };
        // What is escaped is no letter to join.
        before = shows.then_some(character);
        (character, shows)
    })
}

/// The most marks on one letter, as languages need. More of them would overwrite the lines around it.
const MOST_MARKS: u32 = 3;

/// Whether a terminal shows the character as a distinct mark of its own.
fn shows_as_itself(character: char) -> bool {
    // Letters that are blank by design: Hangul fillers, and the Braille pattern without dots.
    let is_blank = matches!(
        character,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' | '\u{1d159}' | '\u{13441}'..='\u{13442}'
    );
    // Escaped by the standard library: controls, format characters (direction, zero width), separators, blanks other
    // than the space, private and unassigned ones, and marks.
    !is_blank && (character.escape_debug().len() == 1 || matches!(character, '"' | '\'' | '\\'))
}

/// Whether a character is a mark on the one before it, and visible: the standard library escapes such a mark only where
/// a text begins with it.
fn is_mark(character: char) -> bool {
    let is_invisible = matches!(
        character,
        '\u{34f}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{16fe4}'
            | '\u{e0100}'..='\u{e01ef}'
    );
    let is_escaped_first = !character.is_ascii() && character.escape_debug().len() > 1;
    is_escaped_first && !is_invisible && format!("a{character}").escape_debug().nth(1) == Some(character)
}

/// Text that no spreadsheet takes for a formula: what begins as one and is no number, such as a name from another's store, gets an
/// apostrophe in front (<https://owasp.org/www-community/attacks/CSV_Injection>). What does not show as itself is escaped.
pub fn spreadsheet_safe(text: String) -> String {
    let text = escaped(&text);
    match text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && text.parse::<f64>().is_err() {
        true => format!("'{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formula_gets_an_apostrophe_and_a_number_none() {
        for text in ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "＝1+1", "-"] {
            assert_eq!(spreadsheet_safe(text.into()), format!("'{text}"));
        }
        for text in ["-1.5", "+1e9", "", "a=b", "openssl", "'=1"] {
            assert_eq!(spreadsheet_safe(text.into()), text);
        }
    }

    #[test]
    fn text_from_a_store_is_escaped_and_cut_once() {
        let most = "ä".repeat(most::TEXT);
        for (text, taken) in
            [("a\u{202e}b", "a\\u{202e}b"), (&most, most.as_str()), (&format!("{most}\n"), &format!("{most}…"))]
        {
            assert_eq!(taken_in(text), taken);
            assert_eq!(taken_in(taken), taken);
        }
    }

    #[test]
    fn error_keeps_its_words_and_the_ends_of_what_is_long() {
        let (short, long) = ("no `a/b`\nb: give one", "ä".repeat(10_000));
        assert_eq!(shortened(short), short);
        let ends = "ä".repeat(59);
        assert_eq!(shortened(&format!("no `{long}`: give one")), format!("no `{ends}…{}`: give one", &ends[4..]));
        assert_eq!(shortened(&"a ".repeat(10_000)).chars().count(), 3001);
        assert_eq!(excerpt("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(excerpt(&long).chars().count(), 121);
    }

    #[test]
    fn lines_keep_their_ends_and_our_styles_and_nothing_else_acts() {
        let cases = [
            ("a\tb\nc\u{a0}%\n", "a\tb\nc\u{a0}%\n"),
            ("\u{1b}[1mbold\u{1b}[0m ±1", "\u{1b}[1mbold\u{1b}[0m ±1"),
            ("\u{1b}[8mhidden\u{1b}[K", "\\u{1b}[8mhidden\\u{1b}[K"),
            ("a\u{1b}", "a\\u{1b}"),
            ("a\rb\u{7}\u{9b}2J\u{202e}", "a\\rb\\u{7}\\u{9b}2J\\u{202e}"),
        ];
        for (text, shown) in cases {
            assert_eq!(escaped_lines(text), shown, "{text:?}");
        }
    }

    #[test]
    fn json_says_the_same_with_escapes() {
        let text = "a\u{202e}b\u{e0041}ä µJ\u{1b}\u{85}";
        let json = serde_json::to_string_pretty(&[text]).unwrap();
        let shown = escaped_json(&json);
        assert_eq!(shown, "[\n  \"a\\u202eb\\udb40\\udc41ä µJ\\u001b\\u0085\"\n]");
        assert_eq!(serde_json::from_str::<[String; 1]>(&shown).unwrap(), [text]);
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        for text in [
            "a",
            "it's.txt",
            "a b",
            "größe",
            "日本/語",
            "C:\\x",
            "cafe\u{301} Gru\u{308}\u{df}e Tie\u{302}\u{301}ng",
            "हिन्दी বাংলা தமிழ் తెలుగు ไทยน้ำ မြန်မာ བོད אָלֶף مَرْحَبًا か\u{3099}",
            "❤\u{fe0f} 🌶\u{fe0f}",
            "say \"hi\"",
            "naïve—text",
            "🎉",
            "\u{1112}\u{1161}\u{11ab}",
        ] {
            assert_eq!(quoted(text), text);
        }
    }

    #[test]
    fn text_that_misleads_is_quoted_and_escaped() {
        let cases = [
            ("", r#""""#),
            (" a", r#"" a""#),
            ("a.jpg    .exe", r#""a.jpg    .exe""#),
            ("\x1b[2J", r#""\u{1b}[2J""#),
            ("a\nb", r#""a\nb""#),
            ("`id`", r#""`id`""#),
            ("exe\u{202e}gpj", r#""exe\u{202e}gpj""#),
            ("a\u{200b}b", r#""a\u{200b}b""#),
            ("a\u{a0}b", r#""a\u{a0}b""#),
            ("a\u{1161}", r#""a\u{1161}""#),
            ("\u{d7b0}\u{d7cb}", r#""\u{d7b0}\u{d7cb}""#),
            ("a\u{1d159}", r#""a\u{1d159}""#),
            ("a\u{3164}b", r#""a\u{3164}b""#),
            ("a\u{e0041}", r#""a\u{e0041}""#),
            ("\"a\" \u{9b}", r#""\"a\" \u{9b}""#),
            ("a\u{301}\u{301}\u{301}\u{301}", "\"a\u{301}\u{301}\u{301}\\u{301}\""),
            ("-\u{338}\u{301}", r#""-\u{338}\u{301}""#),
            ("\u{308}a\u{34f}", r#""\u{308}a\u{34f}""#),
            ("a\u{fe0f}❤\u{fe0e}", "\"a\\u{fe0f}❤\\u{fe0e}\""),
            ("❤\u{200d}❤", "\"❤\\u{200d}❤\""),
        ];
        for (text, shown) in cases {
            assert_eq!(quoted(text), shown, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_reaches_the_terminal_unseen(text in any::<String>()) {
            let shown = quoted(&text);
            prop_assert!(shown_as_they_are(&shown).all(|(_, shows)| shows), "{}", shown);
            prop_assert!(!shown.is_empty());
            let sentence = escaped(&text);
            prop_assert!(shown_as_they_are(&sentence).all(|(_, shows)| shows), "{}", sentence);
            prop_assert!(sentence == text || sentence.contains('\\'));
        }

        #[test]
        fn marks_are_escaped_once(text in "[a\u{301}\u{94d}\u{fe0f}❤ \u{1100}\u{1161}\u{200d}\n]{0,12}") {
            let sentence = escaped(&text);
            prop_assert_eq!(escaped(&sentence), sentence);
        }

        #[test]
        fn different_texts_look_different(a in "[a\\\\\" \u{200b}]{0,5}", b in "[a\\\\\" \u{200b}]{0,5}") {
            prop_assert_eq!(quoted(&a) == quoted(&b), a == b);
        }
    }
}
