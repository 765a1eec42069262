//! What a person sees of an offer before they accept it: every name that matters, on one screen.
//!
//! Promises: the summary fits the screen in both directions; hidden and executable names come first and are marked; every name goes
//! through [`quoted`].

use std::path::Path;

use ciphermeter_core::quoted;
use ciphermeter_transfer::{Offer, Question};

use super::offered::{Entry, condensed, entries};
use super::rows::Row;
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
        ([entry], _) => format!("{}, {bytes}", entry.row().name),
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
