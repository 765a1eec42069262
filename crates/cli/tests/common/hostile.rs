//! Hostile text, and what of it no output may have.

use super::{CommandOutput, TestFolder};

/// A title and a colour for the terminal, a line of its own, text that turns, hides and joins, the end of a quote and
/// commands, a link, markup.
pub const HOSTILE: &str = "\u{1b}]0;own\u{7}\u{1b}[31m\r\nFORGED\0\u{9b}2J\u{202e}\u{2066}\u{200b}\u{feff}\u{ad}\u{61c}\u{e0041}';touch x;\"$(touch x)&\u{1b}]8;;http://x\u{1b}\\<script>alert(1)</script>";

/// What no page and no figure has.
pub const MARKUP: &str = "<script>alert";

/// Whether a character acts, turns or hides text, or shows as nothing.
fn is_unfit(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Nothing in the text acts, turns, hides or forges anything, or proposes a command that would.
#[track_caller]
pub fn is_safe(text: &str, of: &[&str]) {
    if let Some(at) = text.find(is_unfit) {
        let around: String = text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        panic!("{of:?} prints {:?} behind {around:?}", text[at..].chars().next());
    }
    let forged = text.lines().find(|line| line.trim_start().starts_with("FORGED"));
    assert_eq!(forged, None, "{of:?} prints a forged line");
    proposes_only_its_own(text, of);
}

/// Hostile text in a command line is within quotes.
#[track_caller]
fn proposes_only_its_own(text: &str, of: &[&str]) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let begins = ["ciphermeter ", "--against", "--input", "--device", "--store"];
    for at in begins.iter().flat_map(|begin| text.match_indices(begin)).map(|(at, _)| at) {
        // A page's paragraph ends where its markup goes on.
        let command = text[at..].split(['`', '<']).next().unwrap_or_default();
        let command = command.split(". ").next().unwrap_or_default();
        // A version, at the head of an export, is no command.
        if command.strip_prefix("ciphermeter ").is_some_and(|rest| rest.starts_with(char::is_numeric)) {
            continue;
        }
        if let Some(touch) = command.find(";touch") {
            assert_eq!(shlex::split(&command[..touch]), None, "{of:?} proposes {command}");
        }
    }
}

/// Runs a command; its output is safe, and it does not panic.
#[track_caller]
pub fn run_safely(folder: &TestFolder, arguments: &[&str]) -> CommandOutput {
    let said = folder.run(arguments);
    if arguments[0] == "report" || arguments.contains(&"svg") {
        assert!(!said.out.contains(MARKUP), "{arguments:?} prints markup");
    }
    is_safe(&said.out, arguments);
    is_safe(&said.err, arguments);
    assert!(said.code.is_some_and(|code| code != 101), "{said:?}");
    said
}
