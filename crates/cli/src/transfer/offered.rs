//! An offer as a list for a person: what could be overlooked comes first, and what doesn't fit is summed up by folders.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use ciphermeter_core::quoted;
use ciphermeter_transfer::{Name, Offer};

use super::rows::Row;
use super::{counted, grouped, size};

/// A name that is shown: a file, or a folder with nothing in it.
pub struct Entry<'a> {
    pub marks: Marks,
    pub name: &'a Name,
    /// `None` for a folder.
    size: Option<u64>,
}

/// What somebody could be made to overlook. The order is that of the list: what is marked comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Marks {
    HiddenExecutable,
    Hidden,
    Executable,
    Plain,
}

impl Marks {
    const fn new(is_hidden: bool, is_executable: bool) -> Self {
        match (is_hidden, is_executable) {
            (true, true) => Self::HiddenExecutable,
            (true, false) => Self::Hidden,
            (false, true) => Self::Executable,
            (false, false) => Self::Plain,
        }
    }

    pub const fn are_hidden(self) -> bool {
        matches!(self, Self::HiddenExecutable | Self::Hidden)
    }

    pub const fn are_executable(self) -> bool {
        matches!(self, Self::HiddenExecutable | Self::Executable)
    }
}

impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HiddenExecutable => "hidden executable",
            Self::Hidden => "hidden",
            Self::Executable => "executable",
            Self::Plain => "",
        })
    }
}

impl Entry<'_> {
    pub fn row(&self) -> Row {
        let (size, end) = self.size.map_or_else(|| ("folder".into(), "/"), |bytes| (size(bytes), ""));
        Row { mark: self.marks.to_string(), size, name: quoted(&format!("{}{end}", self.name)) }
    }
}

/// All names, marked ones first.
pub fn entries(offer: &Offer) -> Vec<Entry<'_>> {
    let files = offer.files.iter().map(|file| Entry {
        marks: Marks::new(file.name.is_hidden(), file.is_executable()),
        name: &file.name,
        size: Some(file.size),
    });
    let inhabited: HashSet<&str> = offer.names().filter_map(|name| name.split().0).collect();
    let empty = offer.folders.iter().filter(|(name, _)| !inhabited.contains(name.as_str()));
    let empty = empty.map(|(name, _)| Entry { marks: Marks::new(name.is_hidden(), false), name, size: None });
    let mut entries: Vec<_> = files.chain(empty).collect();
    entries.sort_unstable_by_key(|entry| (entry.marks, entry.name));
    entries
}

/// As many rows as there is room for: marked names, then the others by folders, for which half of the room is kept.
pub fn condensed(entries: &[Entry<'_>], room: usize) -> Vec<Row> {
    let marked = entries.iter().filter(|entry| entry.marks != Marks::Plain).count();
    let (marked, plain) = entries.split_at(marked);
    let for_marked = room - plain.len().min(room / 2);
    // One row less where the last one says how many more there are.
    let shown = if marked.len() <= for_marked { marked.len() } else { for_marked.saturating_sub(1) };
    let mut rows: Vec<Row> = marked[..shown].iter().map(Entry::row).collect();
    if shown < marked.len() {
        rows.push(Row::note(format!("… and {} more that are marked", grouped(marked.len() - shown))));
    }
    let left = room - rows.len();
    let mut tree = opened_up(plain, left);
    let more = if tree.len() > left { smallest(&mut tree, left.saturating_sub(1)) } else { 0 };
    rows.extend(tree.iter().map(|(name, tally)| tally.row(name)));
    if more > 0 {
        rows.push(Row::note(format!("… and {} more", grouped(more))));
    }
    rows
}

/// Files and folders by full name, folders with a slash at their end. The folder with the most files is opened up as long as what is in
/// it fits.
fn opened_up<'a>(entries: &[Entry<'a>], room: usize) -> BTreeMap<&'a str, Tally> {
    let mut tree = children(entries, "");
    loop {
        let folders = tree.iter().filter(|(name, _)| name.ends_with('/'));
        let Some((&largest, _)) = folders.max_by_key(|(_, tally)| tally.files) else { break };
        let inner = children(entries, largest);
        if tree.len() - 1 + inner.len() > room {
            break;
        }
        tree.remove(largest);
        tree.extend(inner);
    }
    tree
}

/// What is in a folder.
fn children<'a>(entries: &[Entry<'a>], folder: &str) -> BTreeMap<&'a str, Tally> {
    let mut children: BTreeMap<&str, Tally> = BTreeMap::new();
    for entry in entries {
        let name = entry.name.as_str();
        let Some(rest) = name.strip_prefix(folder) else { continue };
        let end = rest.find('/').map_or(name.len(), |slash| folder.len() + slash + 1);
        let tally = children.entry(&name[..end]).or_default();
        tally.files += 1;
        tally.bytes = tally.bytes.saturating_add(entry.size.unwrap_or(0));
    }
    children
}

/// Leaves the largest ones, so many, and returns how many files the others have.
fn smallest(tree: &mut BTreeMap<&str, Tally>, room: usize) -> usize {
    let mut all: Vec<_> = std::mem::take(tree).into_iter().collect();
    all.sort_by_key(|(_, tally)| std::cmp::Reverse((tally.bytes, tally.files)));
    let others = all.split_off(room.min(all.len()));
    tree.extend(all);
    others.iter().map(|(_, tally)| tally.files).sum()
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    files: usize,
    bytes: u64,
}

impl Tally {
    fn row(self, name: &str) -> Row {
        let mark = if name.ends_with('/') { counted(self.files, "file") } else { String::new() };
        Row { mark, size: size(self.bytes), name: quoted(name) }
    }
}
