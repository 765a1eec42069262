//! What the user sees of an offer before accepting it: every name that matters, on one screen.
//!
//! Promises: the overview fits the screen in both directions; names that were not accepted before,
//! hidden ones and executable ones come first and are marked; every name is quoted.

use ciphermeter_core::{in_quotes, thousands};
use ciphermeter_terminal::output::{Screen, wrapped};
use ciphermeter_transfer::Question;
use unicode_width::UnicodeWidthStr;

use super::name_list::{Entry, condensed, entries};
use super::name_row::NameRow;
use crate::words::{absolute, counted, shortened, size};

/// Lines of the screen outside the list: one before it, the question, and the user's answer.
const AROUND: usize = 3;
/// The most columns of a name within a sentence.
const WIDEST: usize = 60;
/// From here on it is said what an offer takes of the disk, in bytes, if that is far more than its files have.
const LARGE: u64 = 10_000_000;
/// The least lines of a list, however low the screen.
const LEAST_ROWS: usize = 2;

/// The offer on one screen, each line ended by a newline. `decides`: the user decides; otherwise it
/// is received without a question.
pub fn overview(question: &Question<'_>, decides: bool, screen: Screen) -> String {
    let all = entries(question);
    // Of an offer that goes beyond an accepted one, only the excess.
    let wider = all.iter().take_while(|entry| entry.marks.excess.is_some()).count();
    let shown = if wider > 0 { &all[..wider] } else { &all[..] };
    let mut text = wrapped(&headline(question, decides, &all, screen), screen.width);
    let footer = footer(question, shown, all.len() - shown.len(), screen.width);
    let footer = footer.map(|line| wrapped(&line, screen.width)).unwrap_or_default();
    if shown.len() <= 1 && footer.is_empty() {
        return text;
    }
    // The question about names that are taken has a line more.
    let around = AROUND + usize::from(!question.existing.is_empty());
    let taken = lines(&text, screen.width) + lines(&footer, screen.width) + around;
    let room = screen.height.saturating_sub(taken).max(LEAST_ROWS);
    text.push('\n');
    let rows = match shown.len() <= room {
        true => shown.iter().map(Entry::row).collect(),
        false => condensed(shown, room),
    };
    let widest = rows.iter().map(|row: &NameRow| row.mark_width(screen.width)).max().unwrap_or(0);
    text.extend(rows.iter().map(|row| row.shortened(widest, screen.width)));
    text + &footer
}

/// Lines that a text occupies on a screen, which breaks those that are too wide.
fn lines(text: &str, width: usize) -> usize {
    text.lines().map(|line| line.width().div_ceil(width.max(1)).max(1)).sum()
}

/// Every name, the most important ones first, on one or more lines each.
pub fn every_name<'a>(question: &Question<'a>, width: usize) -> impl Iterator<Item = String> + use<'a> {
    let rows: Vec<_> = entries(question);
    let widest = rows.iter().map(|entry| entry.row().mark_width(width)).max().unwrap_or(0);
    rows.into_iter().flat_map(move |entry| entry.row().wrapped(widest, width))
}

fn headline(question: &Question<'_>, decides: bool, entries: &[Entry<'_>], screen: Screen) -> String {
    let what = contents(question, entries, screen);
    let tops = question.offer.tops();
    let into = match (&question.into, tops.first()) {
        _ if question.is_pipe => ", for standard output".into(),
        (None, _) => ", to be discarded".into(),
        (Some(into), Some(top)) if question.is_new_folder && tops.len() == 1 => {
            let top = shortened(&in_quotes(top), WIDEST.min(screen.width / 2));
            format!(", for a new folder, because there is a {top} already: {}", absolute(into))
        }
        (Some(into), _) if question.is_new_folder => format!(", for a new folder: {}", absolute(into)),
        (Some(into), _) if tops.len() > 1 => {
            format!(", {} names side by side, for {}", thousands(tops.len()), absolute(into))
        }
        (Some(into), _) => format!(", for {}", absolute(into)),
    };
    match question.excess.is_empty() {
        _ if question.is_resumed => format!("What is unfinished here: {what}{into}."),
        _ if !decides => format!("Receiving {what}{into}."),
        true => format!("The sender offers {what}{into}."),
        false => format!("The sender came back with more than you accepted. It now offers {what}{into}."),
    }
}

fn contents(question: &Question<'_>, entries: &[Entry<'_>], screen: Screen) -> String {
    let offer = question.offer;
    let (bytes, on_disk) = (offer.bytes(), question.on_disk());
    let bytes = match on_disk >= LARGE && on_disk / 2 > bytes {
        true => format!("{}, {} on the disk", size(bytes), size(on_disk)),
        false => size(bytes),
    };
    match (entries, offer.count_folders()) {
        _ if offer.files.iter().any(|file| file.stream) => "a stream of unknown length".into(),
        ([], _) => "nothing".into(),
        ([entry], _) => {
            let name = shortened(&in_quotes(entry.name.as_str()), WIDEST.min(screen.width.saturating_sub(2)));
            format!("{name}, {bytes}")
        }
        (_, 0) => format!("{}, {bytes}", counted(offer.files.len(), "file")),
        (_, folders) => format!("{} in {}, {bytes}", counted(offer.files.len(), "file"), counted(folders, "folder")),
    }
}

/// How many names are marked, and how many others were accepted before.
fn footer(question: &Question<'_>, entries: &[Entry<'_>], accepted: usize, width: usize) -> Option<String> {
    let count = |is: fn(&Entry<'_>) -> bool| entries.iter().filter(|entry| is(entry)).count();
    let names = |count: usize, [is, are]: [&str; 2], what: &str| match count {
        0 => None,
        1 => Some(format!("1 name {is} {what}")),
        count => Some(format!("{} names {are} {what}", thousands(count))),
    };
    let hidden = match count(|entry| entry.marks.is_hidden_at_top) {
        0 => "hidden (a part begins with a dot)".to_owned(),
        top => format!("hidden (a part begins with a dot), {} of them at the top", thousands(top)),
    };
    let folders = match &question.taken_folders[..] {
        [] => None,
        [folder] => Some(format!(
            "the folder {} is there already and gets more",
            shortened(&in_quotes(folder), WIDEST.min(width / 2))
        )),
        folders => Some(format!("{} of the folders are there already and get more", thousands(folders.len()))),
    };
    let marks = [
        names(count(|entry| entry.marks.is_hidden), ["is", "are"], &hidden),
        names(count(|entry| entry.marks.is_executable), ["is", "are"], "executable"),
        names(count(|entry| entry.marks.exists), ["exists", "exist"], "in the folder"),
        folders,
    ];
    let marks: Vec<_> = marks.into_iter().flatten().collect();
    let mut sentences = Vec::new();
    if !marks.is_empty() {
        sentences.push(format!("{}.", marks.join(", ")));
    }
    match accepted {
        0 => {}
        1 => sentences.push("The other one stays within what you accepted.".into()),
        others => sentences.push(format!("The other {} stay within what you accepted.", thousands(others))),
    }
    if let more @ 1.. = question.offer.left_out {
        sentences.push(format!("The sender cannot send {} more.", thousands(more)));
    }
    if question.lacks_room {
        sentences.push("There is no room for all of it: leave names out, or free some space first.".into());
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

#[cfg(test)]
mod tests;
