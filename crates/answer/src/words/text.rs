//! Text for a terminal: harmless, cut, padded and wrapped by what it takes up on the screen.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::phrases::counted;
use ciphermeter_core::{Bytes, Form, Group, Mask, Operation, Parameters, Run, escaped};

/// Columns that a text takes up.
pub fn width(text: &str) -> usize {
    text.width()
}

/// At most `most` columns; what is cut off shows as `…`.
pub fn fit(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_string();
    }
    let mut kept = String::new();
    let mut room = most.saturating_sub(1);
    for c in text.chars() {
        match room.checked_sub(c.width().unwrap_or(0)) {
            Some(left) => room = left,
            None => break,
        }
        kept.push(c);
    }
    if most > 0 {
        kept.push('…');
    }
    kept
}

/// Text from outside, harmless, and of at most so many columns.
pub fn short(text: &str, most: usize) -> String {
    fit(&escaped(text), most)
}

/// Cut or filled up on the right to exactly `columns`.
pub fn left(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    let gap = columns.saturating_sub(width(&text));
    text + &" ".repeat(gap)
}

/// Cut or filled up on the left to exactly `columns`.
pub fn right(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    " ".repeat(columns.saturating_sub(width(&text))) + &text
}

/// Three figures, or all in front of the point.
pub fn number(value: f64) -> String {
    match value {
        1e6.. => format!("{value:.2e}"),
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        0.0 => "0".into(),
        _ => format!("{value:.2}"),
    }
}

/// The blank at which no line ends.
const UNBROKEN: char = '\u{a0}';

/// The text with each figure kept beside its unit, for a page that breaks lines by itself.
pub fn unbroken(text: &str) -> String {
    const UNITS: [&str; 11] = ["%", "B", "KiB", "MiB", "GiB", "GB/s", "MB/s", "s", "ms", "µs", "ns"];
    let mut kept = String::with_capacity(text.len());
    for (place, word) in text.split(' ').enumerate() {
        let bare = word.trim_end_matches(['.', ',', ';', ':', ')']);
        let follows_figure = kept.ends_with(|last: char| last.is_ascii_digit());
        let blank = if follows_figure && UNITS.contains(&bare) { UNBROKEN } else { ' ' };
        kept.extend((place > 0).then_some(blank));
        kept.push_str(word);
    }
    kept
}

/// Lines of at most `most` columns, broken between words but never between a figure and its unit, all but the first indented. A word
/// that is longer is cut, a command never: pasted, it does what it says.
pub fn wrap(text: &str, most: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut empty = true;
    for (word, is_command) in words(&unbroken(text)) {
        if !empty && width(&line) + 1 + width(word) > most {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        match is_command {
            true => line.push_str(word),
            false => line.push_str(&fit(word, most.saturating_sub(width(&line)))),
        }
        empty = false;
    }
    lines.push(line);
    lines.into_iter().map(|line| line.replace(UNBROKEN, " ")).collect()
}

/// The words of a text, and each command in one piece, with what follows it up to the next blank.
fn words(text: &str) -> Vec<(&str, bool)> {
    let (mut words, mut rest) = (Vec::new(), text);
    while let Some(start) = rest.match_indices(PROGRAM).map(|(at, _)| at).find(|at| begins(rest, *at)) {
        let (before, command) = rest.split_at(start - rest[..start].ends_with('`') as usize);
        words.extend(split(before).map(|word| (word, false)));
        let (command, after) = command.split_at(end(command));
        words.push((command.trim_end(), true));
        rest = after;
    }
    words.extend(split(rest).map(|word| (word, false)));
    words
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() && letter != UNBROKEN).filter(|word| !word.is_empty())
}

const PROGRAM: &str = "ciphermeter ";

/// Whether a command begins there: this is the name of a program that moves files, too.
fn begins(text: &str, at: usize) -> bool {
    const COMMANDS: [&str; 9] = ["run", "show", "rank", "export", "report", "advise", "compare", "doctor", "help"];
    let (before, after) = (&text[..at], &text[at + PROGRAM.len()..]);
    let command = after.split([' ', '`', ';', '.']).next().unwrap_or_default();
    (before.is_empty() || before.ends_with([' ', '`'])) && COMMANDS.contains(&command)
}

/// Where a command ends: behind its closing backtick, or at a semicolon outside quotation marks, or with the text.
fn end(command: &str) -> usize {
    let mut quote = None;
    let is_ticked = command.starts_with('`');
    let ends = command.char_indices().skip(1).find(|(at, letter)| {
        match quote {
            None => quote = Some(*letter).filter(|letter| matches!(letter, '\'' | '"')),
            Some(open) if open == *letter => quote = None,
            Some(_) => {}
        }
        let is_end = if is_ticked { *letter == '`' } else { *letter == ';' && quote.is_none() };
        is_end && command[at + 1..].find(char::is_whitespace).is_none_or(|blank| is_ticked || blank == 0)
    });
    let Some((at, _)) = ends else { return command.len() };
    command[at..].find(char::is_whitespace).map_or(command.len(), |blank| at + blank)
}

/// A size for people: `16 B`, `1 KiB`, `5 GB`.
pub fn size(bytes: u64) -> String {
    let written = Bytes(bytes).to_string();
    match written.find(|c: char| c.is_ascii_alphabetic()) {
        Some(unit) => format!("{} {}", &written[..unit], &written[unit..]),
        None => format!("{bytes} B"),
    }
}

/// `, as on a CPU without AVX-512 (--cpu no-avx512)`, to follow the CPU's name, and what else
/// changed the code of libraries; nothing for a run on all that it has.
pub fn masked(run: &Run) -> String {
    let mask = run.mask.map(|mask| format!(", as on a CPU {}", without(mask)));
    let set = switches(run).map(|set| format!(", with {set} set"));
    [mask, set].into_iter().flatten().collect()
}

/// What was set from outside and changes the code of libraries, in one line at the most.
pub fn switches(run: &Run) -> Option<String> {
    run.switches().map(|switches| short(switches, MOST_OF_SWITCHES))
}

const MOST_OF_SWITCHES: usize = 76;

/// `without AVX-512 (--cpu no-avx512)`.
pub fn without(mask: Mask) -> String {
    format!("without {} (--cpu {mask})", mask.instructions())
}

/// A group as a heading: `seal in-place, 1 KiB message, 13 B aad, 4 threads on 4 CPUs`. Key set-up has no output, so its
/// form is left out. A device's name stands behind: `seal in-place, 16 B message on cortex-m4`.
pub fn heading(group: &Group) -> String {
    titled(group, true)
}

/// The same without the form of calls in memory: `seal, 1 KiB message, 13 B aad`. Where its output goes is a library's own; in browsers, for
/// one, all allocate it.
pub fn workload(group: &Group) -> String {
    titled(group, !Form::IN_MEMORY.contains(&group.form))
}

fn titled(group: &Group, with_form: bool) -> String {
    let (message, aad, threads) = (group.parameters.message(), group.parameters.aad(), group.parameters.threads());
    let mut heading = match group.operation {
        Operation::KeySetup if message == 0 => group.operation.to_string(),
        Operation::KeySetup => format!("{}, {} message", group.operation, size(message)),
        Operation::Transfer => return transferred(group),
        _ if with_form => format!("{} {}, {} message", group.operation, group.form, size(message)),
        _ => format!("{}, {} message", group.operation, size(message)),
    };
    if aad > 0 {
        heading += &format!(", {} aad", size(aad));
    }
    heading += &rotation(&group.parameters);
    if group.operation.consumes_sealed() && group.parameters.keys() > 1 && group.parameters.working_set().is_none() {
        heading += ", a message each";
    }
    match group.parameters.cpus() {
        Some(cpus) => heading += &format!(", {} on {cpus} CPUs", counted(threads, "thread")),
        None if threads > 1 => heading += &format!(", {threads} threads"),
        None => {}
    }
    for (name, value) in &group.parameters.0 {
        let is_said = match name.as_str() {
            "message" | "aad" | "threads" | "cpus" | "working_set" | "keys" => true,
            "device" => group.device.is_some(),
            _ => false,
        };
        if !is_said {
            heading += &format!(", {} {value}", escaped(name));
        }
    }
    match &group.device {
        Some(device) => format!("{heading} on {}", escaped(device)),
        None => heading,
    }
}

/// `, 64 MiB working set, 1000 keys`, to follow a size; nothing where calls don't go round.
pub fn rotation(parameters: &Parameters) -> String {
    let set = parameters.working_set().map(|set| format!(", {} working set", size(set.0)));
    let keys = Some(parameters.keys()).filter(|keys| *keys > 1).map(|keys| format!(", {keys} keys"));
    [set, keys].into_iter().flatten().collect()
}

/// `transfer discard, 50 MiB`: a file is no message, and its two processes are no threads.
fn transferred(group: &Group) -> String {
    format!("{} {}, {}", group.operation, group.form, size(group.parameters.message()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_and_padded_by_columns_not_bytes() {
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("漢字漢字", 4), "漢…");
        assert_eq!(left("漢", 4), "漢  ");
        assert_eq!(right("×", 3), "  ×");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn wrapped_lines_stay_within() {
        let lines = wrap("one two three fourteenletters five", 10, 2);
        assert_eq!(lines, ["one two", "  three", "  fourtee…", "  five"]);
        assert!(wrap("", 10, 2).len() == 1);
        assert_eq!(wrap("faster (±3.7 %). At 16 KiB, yes", 14, 0), ["faster", "(±3.7 %). At", "16 KiB, yes"]);
    }

    #[test]
    fn commands_stay_whole() {
        let lines = wrap("All: ciphermeter show 1 --store 'two  blanks; x'; a ranking: ciphermeter rank 1", 30, 2);
        assert_eq!(
            lines,
            ["All:", "  ciphermeter show 1 --store 'two  blanks; x';", "  a ranking:", "  ciphermeter rank 1"]
        );
        let lines = wrap("All: ciphermeter show 1 --store \"it's; x\"; a ranking: ciphermeter rank 1", 30, 2);
        assert_eq!(
            lines,
            ["All:", "  ciphermeter show 1 --store \"it's; x\";", "  a ranking:", "  ciphermeter rank 1"]
        );
        let lines = wrap("Continue it: `ciphermeter run --resume=1`, then read on", 30, 2);
        assert_eq!(lines, ["Continue it:", "  `ciphermeter run --resume=1`,", "  then read on"]);
        assert_eq!(wrap("sociphermeter is a word", 12, 0), ["sociphermet…", "is a word"]);
    }

    #[test]
    fn sizes_for_people() {
        assert_eq!(
            [0, 16, 1000, 1024, 1 << 20, 3 << 30, 100_000_000, 5_000_000_000].map(size),
            ["0 B", "16 B", "1000 B", "1 KiB", "1 MiB", "3 GiB", "100 MB", "5 GB"]
        );
    }
}
