//! What a person sees of an offer before they accept it: every name that matters, on one screen.
//!
//! Promises: the summary fits the screen in both directions; hidden and executable names come first and are marked; every name goes
//! through [`quoted`].

use std::path::Path;

use ciphermeter_core::quoted;
use ciphermeter_transfer::{Offer, Question};

use super::offered::{Entry, condensed, entries};
use super::rows::{Row, shortened};
use super::{counted, grouped, size};
use crate::output;

/// A screen, in columns and lines.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    pub width: usize,
    pub height: usize,
}

/// Lines of the screen that are not the list's: one before it, the question, and the person's answer.
const AROUND: usize = 3;
/// The most columns of a name within a sentence.
const WIDEST: usize = 60;
/// The least that is shown of a list, in lines, however low the screen.
const LEAST: usize = 3;

/// The offer on one screen, each line ended by a newline. `asked`: a person decides; else it is received without a question.
pub fn summary(question: &Question<'_>, asked: bool, screen: Screen) -> String {
    let entries = entries(question.offer);
    let mut text = output::wrapped(&headline(question, asked, &entries), screen.width);
    let footer = footer(&entries).map(|line| output::wrapped(&line, screen.width)).unwrap_or_default();
    if entries.len() <= 1 && footer.is_empty() {
        return text;
    }
    let room = screen.height.saturating_sub(text.lines().count() + footer.lines().count() + AROUND).max(LEAST);
    text.push('\n');
    let rows = match entries.len() <= room {
        true => entries.iter().map(Entry::row).collect(),
        false => condensed(&entries, room),
    };
    let widest = widest(&rows);
    text.extend(rows.iter().map(|row| row.shortened(widest, screen.width)));
    text + &footer
}

/// Every name, marked ones first, a line or a few for each.
pub fn every_name(offer: &Offer, width: usize) -> impl Iterator<Item = String> {
    let entries = entries(offer);
    let widest = entries.iter().map(|entry| entry.marks.to_string().len()).max().unwrap_or(0);
    entries.into_iter().flat_map(move |entry| entry.row().whole(widest, width))
}

fn widest(rows: &[Row]) -> usize {
    rows.iter().map(|row| row.mark.len()).max().unwrap_or(0)
}

fn headline(question: &Question<'_>, asked: bool, entries: &[Entry<'_>]) -> String {
    let what = contents(question.offer, entries);
    let into = match &question.into {
        None => ", to be thrown away".into(),
        Some(into) if question.is_new_folder => format!(", for a new folder: {}", shown(into)),
        Some(into) => match question.offer.tops().len() {
            0 | 1 => format!(", for {}", shown(into)),
            tops => format!(", {} names side by side, for {}", grouped(tops), shown(into)),
        },
    };
    match &question.beyond {
        _ if !asked => format!("Receiving {what}{into}."),
        None => format!("The sender offers {what}{into}."),
        Some(beyond) => {
            format!("The sender came back with more than you accepted: {beyond}. It now offers {what}{into}.")
        }
    }
}

fn contents(offer: &Offer, entries: &[Entry<'_>]) -> String {
    let bytes = size(offer.bytes());
    match (entries, offer.folders.len()) {
        ([], _) => "nothing".into(),
        ([entry], _) => format!("{}, {bytes}", shortened(&entry.row().name, WIDEST)),
        (_, 0) => format!("{}, {bytes}", counted(offer.files.len(), "file")),
        (_, folders) => format!("{} in {}, {bytes}", counted(offer.files.len(), "file"), counted(folders, "folder")),
    }
}

/// How many names are marked, if any.
fn footer(entries: &[Entry<'_>]) -> Option<String> {
    let hidden = entries.iter().filter(|entry| entry.marks.are_hidden()).count();
    let executable = entries.iter().filter(|entry| entry.marks.are_executable()).count();
    let are = |count: usize, what| match count {
        0 => None,
        1 => Some(format!("1 name is {what}")),
        count => Some(format!("{} names are {what}", grouped(count))),
    };
    let parts = [are(hidden, "hidden (a part begins with a dot)"), are(executable, "executable")];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then(|| text + ".")
}

/// A folder as a person knows it, from the root.
pub fn shown(path: &Path) -> String {
    let of_new = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    let known = path.canonicalize().ok().or_else(of_new);
    quoted(&known.as_deref().unwrap_or(path).to_string_lossy())
}

#[cfg(test)]
mod tests {
    use ciphermeter_transfer::{Name, OfferedFile, Version};
    use unicode_width::UnicodeWidthStr;

    use super::*;

    const SCREEN: Screen = Screen { width: 80, height: 24 };

    fn file(name: &str, size: u64, mode: u32) -> OfferedFile {
        let name = Name::parse(name).unwrap();
        OfferedFile { name, size, mode, modified: 0, nanoseconds: 0, version: Version([0; 16]) }
    }

    /// The summary of an offer of these files, for a folder that is there.
    fn asked(files: Vec<OfferedFile>) -> String {
        let offer = Offer { files, folders: Vec::new() };
        let question = Question { offer: &offer, into: Some("/".into()), is_new_folder: false, beyond: None };
        let text = summary(&question, true, SCREEN);
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
        assert!(text.lines().count() <= 23, "{text}");
        text
    }

    fn is_in(text: &str, line: &str) -> bool {
        text.lines().any(|shown| shown.trim_end() == line)
    }

    #[test]
    fn one_plain_file_is_one_line() {
        assert_eq!(asked(vec![file("big.iso", 3_000_000, 0o644)]), "The sender offers big.iso, 3.00 MB, for /.\n");
    }

    #[test]
    fn marked_names_come_first_whatever_the_order_of_the_offer() {
        let text = asked(vec![
            file("holiday.jpg", 2100, 0o644),
            file("run.sh", 10, 0o755),
            file(".config/autostart/x.desktop", 210, 0o644),
            file(".bashrc", 96, 0o744),
        ]);
        let names: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).collect();
        assert_eq!(
            names,
            [
                "  hidden executable      96 B  .bashrc",
                "  hidden                210 B  .config/autostart/x.desktop",
                "  executable             10 B  run.sh",
                "                      2.10 kB  holiday.jpg",
            ]
        );
        assert!(text.contains("4 files, 2.42 kB, 4 names side by side, for /."), "{text}");
        assert!(text.ends_with("2 names are hidden (a part begins with a dot), 2 names are executable.\n"), "{text}");
    }

    #[test]
    fn thousands_of_names_become_folders_with_counts_and_the_marked_one_stays() {
        let mut files: Vec<_> =
            (0..10_000).map(|number| file(&format!("photos/{}/{number}", number % 3), 1000, 0o644)).collect();
        files.push(file("photos/2/.profile", 5, 0o644));
        let text = asked(files);
        assert!(is_in(&text, "  hidden            5 B  photos/2/.profile"), "{text}");
        assert!(is_in(&text, "  3,334 files   3.33 MB  photos/0/"), "{text}");
        assert!(text.contains("10,001 files, 10.0 MB"), "{text}");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let files = (0..500)
            .map(|number| file(&format!("{number:03}"), 1000 - number, if number < 100 { 0o755 } else { 0o644 }));
        let text = asked(files.collect());
        assert!(text.contains("… and 91 more that are marked"), "{text}");
        assert!(text.contains("… and 392 more\n"), "{text}");
        assert!(text.contains("100 names are executable."), "{text}");
        let all = (0..500).map(|number| file(&format!("{number:03}"), 1, 0o755)).collect();
        assert!(asked(all).contains("… and 484 more that are marked"));
    }

    #[test]
    fn every_name_is_listed_whole() {
        let long = format!("{}.exe", "x".repeat(250));
        let offer = Offer { files: vec![file("a", 1, 0o644), file(&long, 1, 0o644)], folders: Vec::new() };
        let lines: Vec<_> = every_name(&offer, 80).collect();
        assert!(lines.len() > 4 && lines.iter().all(|line| line.trim_end().width() <= 80), "{lines:?}");
        assert!(lines.last().unwrap().ends_with(".exe\n"));
    }

    #[test]
    fn what_nobody_is_asked_about_is_said_all_the_same() {
        let offer = Offer { files: vec![file("a", 20, 0o644)], folders: Vec::new() };
        let question = Question { offer: &offer, into: None, is_new_folder: false, beyond: None };
        assert_eq!(summary(&question, false, SCREEN), "Receiving a, 20 B, to be thrown away.\n");
    }
}
