//! The names of an offer as a list: those that could be overlooked come first, and those that do
//! not fit are counted by folder.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use ciphermeter_core::{quoted, thousands};
use ciphermeter_transfer::{ExcessKind, LinkTarget, Name, Question};

use super::name_row::NameRow;
use crate::words::{counted, size};

pub struct Entry<'a> {
    pub marks: Marks,
    pub name: &'a Name,
    /// `None` for a folder.
    size: Option<u64>,
    /// Where it points, if it is a link.
    link: Option<&'a LinkTarget>,
}

/// What must not be overlooked in a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// It goes beyond what was accepted before.
    pub excess: Option<ExcessKind>,
    pub is_hidden: bool,
    /// Its first part does.
    pub is_hidden_at_top: bool,
    pub is_executable: bool,
    pub exists: bool,
}

impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let excess = self.excess.map(|kind| match kind {
            ExcessKind::New => "new".to_owned(),
            ExcessKind::Larger { most, .. } => format!("larger, was {}", size(most)),
            ExcessKind::Executable => "newly".to_owned(),
            ExcessKind::OtherKind => "other kind".to_owned(),
            ExcessKind::OtherTarget => "other target".to_owned(),
        });
        let word = |is: bool, word| is.then_some(word);
        let words = [
            excess.as_deref(),
            word(self.is_hidden, "hidden"),
            word(self.is_executable, "executable"),
            word(self.exists, "exists"),
        ];
        f.write_str(&words.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

impl Entry<'_> {
    pub fn row(&self) -> NameRow {
        let (size, name) = match (self.size, self.link) {
            (None, _) => ("folder".into(), quoted(&format!("{}/", self.name))),
            (Some(bytes), None) => (size(bytes), quoted(self.name.as_str())),
            (Some(_), Some(target)) => {
                ("link".into(), format!("{} -> {}", quoted(self.name.as_str()), quoted(target.as_str())))
            }
        };
        NameRow { mark: self.marks.to_string(), size, name }
    }

    /// Small for what matters most: first names that were not accepted before, then those that act where they are
    /// placed.
    fn rank(&self) -> u32 {
        let is_top = self.name.split().0.is_none();
        let harm = match self.marks {
            Marks { is_hidden_at_top: true, .. } => 0,
            Marks { is_executable: true, .. } if is_top => 1,
            Marks { is_hidden: true, .. } | Marks { is_executable: true, .. } => 2,
            _ => 3,
        };
        if self.marks.excess.is_some() { harm } else { harm + 4 }
    }
}

/// All names, the most important ones first.
pub fn entries<'a>(question: &Question<'a>) -> Vec<Entry<'a>> {
    let offer = question.offer;
    let excess: HashMap<&Name, ExcessKind> = question.excess.iter().map(|excess| (&excess.name, excess.kind)).collect();
    let existing: HashSet<u32> = question.existing.iter().copied().collect();
    let marks = |name: &Name, is_executable, exists| Marks {
        excess: excess.get(name).copied(),
        is_hidden: name.is_hidden(),
        is_hidden_at_top: name.top().starts_with('.'),
        is_executable,
        exists,
    };
    let files = (0..).zip(&offer.files).map(|(number, file)| {
        let marks = marks(&file.name, file.is_executable(), existing.contains(&number));
        Entry { marks, name: &file.name, size: Some(file.size), link: file.link.as_ref() }
    });
    let inhabited = offer.inhabited();
    let empty =
        offer.folders.iter().filter(|(name, _)| !inhabited.contains(name.as_str()) || excess.contains_key(name));
    let empty = empty.map(|(name, _)| Entry { marks: marks(name, false, false), name, size: None, link: None });
    let mut entries: Vec<_> = files.chain(empty).collect();
    entries.sort_by_cached_key(|entry| (entry.rank(), entry.name.parts().count(), entry.name));
    entries
}

/// As many rows as fit: marked names, then the others by folder, which get half of the room.
pub fn condensed(entries: &[Entry<'_>], room: usize) -> Vec<NameRow> {
    let marked = entries.iter().take_while(|entry| entry.marks != Marks::default()).count();
    let (marked, plain) = entries.split_at(marked);
    let mut rows = marked_rows(marked, room - plain.len().min(room / 2));
    let left = room - rows.len();
    let mut tree = expanded(plain, left);
    let more = if tree.len() > left { smallest(&mut tree, left.saturating_sub(1)) } else { 0 };
    rows.extend(tree.iter().map(|(name, tally)| tally.row(name)));
    if more > 0 {
        rows.push(NameRow::note(format!("… and {} more", thousands(more))));
    }
    rows
}

/// Marked names, grouped by folders that are just shallow enough for all of them to have a row.
fn marked_rows(marked: &[Entry<'_>], room: usize) -> Vec<NameRow> {
    let deepest = marked.iter().map(|entry| entry.name.parts().count()).max().unwrap_or(0);
    let fitting = (1..=deepest).rev().map(|depth| by_folder(marked, depth)).find(|groups| groups.len() <= room);
    // Too many names at the top itself: the last row counts the rest.
    let shown = if fitting.is_some() { room } else { room.saturating_sub(1) };
    let groups = fitting.unwrap_or_else(|| by_folder(marked, 1));
    let mut rows: Vec<NameRow> = groups.iter().take(shown).map(Group::row).collect();
    let more: usize = groups.iter().skip(shown).map(|group| group.entries.len()).sum();
    if more > 0 {
        rows.push(NameRow::note(format!("… and {} more that are marked", thousands(more))));
    }
    rows
}

/// Names that share a row.
struct Group<'a> {
    /// The folder that contains them, with a slash at its end.
    folder: &'a str,
    entries: Vec<&'a Entry<'a>>,
}

/// Names with the same marks, grouped by the first parts of their names; the most important first, then the smallest
/// groups.
fn by_folder<'a>(marked: &'a [Entry<'a>], depth: usize) -> Vec<Group<'a>> {
    let mut groups: HashMap<(u32, String, &str), Vec<&Entry<'_>>> = HashMap::new();
    for entry in marked {
        let name = entry.name.as_str();
        let end = name.match_indices('/').nth(depth - 1).map_or(name.len(), |(slash, _)| slash + 1);
        groups.entry((entry.rank(), entry.marks.to_string(), &name[..end])).or_default().push(entry);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by(|((a_rank, a_mark, a), a_all), ((b_rank, b_mark, b), b_all)| {
        (a_rank, a_all.len(), a_mark, a).cmp(&(b_rank, b_all.len(), b_mark, b))
    });
    groups.into_iter().map(|((_, _, folder), entries)| Group { folder, entries }).collect()
}

impl Group<'_> {
    fn row(&self) -> NameRow {
        let [first, _, ..] = self.entries[..] else { return self.entries[0].row() };
        let bytes = self.entries.iter().filter_map(|entry| entry.size).fold(0_u64, u64::saturating_add);
        let mark = format!("{} {}", thousands(self.entries.len()), first.marks);
        NameRow { mark, size: size(bytes), name: quoted(self.folder) }
    }
}

/// Files and folders by full name, folders with a slash at their end. The folder with the most files is expanded as
/// long as its content fits.
fn expanded<'a>(entries: &'a [Entry<'a>], room: usize) -> BTreeMap<&'a str, Tally<'a>> {
    let mut tree = children(entries, "");
    loop {
        let folders = tree.iter().filter(|(name, tally)| tally.itself.is_none() && name.ends_with('/'));
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

fn children<'a>(entries: &'a [Entry<'a>], folder: &str) -> BTreeMap<&'a str, Tally<'a>> {
    let mut children: BTreeMap<&str, Tally<'_>> = BTreeMap::new();
    for entry in entries {
        let name = entry.name.as_str();
        let Some(rest) = name.strip_prefix(folder) else { continue };
        let end = rest.find('/').map_or(name.len(), |slash| folder.len() + slash + 1);
        let tally = children.entry(&name[..end]).or_default();
        tally.itself = (end == name.len()).then_some(entry);
        tally.files += 1;
        tally.bytes = tally.bytes.saturating_add(entry.size.unwrap_or(0));
    }
    children
}

/// Keeps the `room` largest ones, and returns how many files the others have.
fn smallest(tree: &mut BTreeMap<&str, Tally<'_>>, room: usize) -> usize {
    let mut all: Vec<_> = std::mem::take(tree).into_iter().collect();
    all.sort_by_key(|(_, tally)| std::cmp::Reverse((tally.bytes, tally.files)));
    let others = all.split_off(room.min(all.len()));
    tree.extend(all);
    others.iter().map(|(_, tally)| tally.files).sum()
}

#[derive(Clone, Copy, Default)]
struct Tally<'a> {
    files: usize,
    bytes: u64,
    /// The entry of exactly that name, if it is one.
    itself: Option<&'a Entry<'a>>,
}

impl Tally<'_> {
    fn row(self, name: &str) -> NameRow {
        match self.itself {
            Some(entry) => entry.row(),
            None => NameRow { mark: counted(self.files, "file"), size: size(self.bytes), name: quoted(name) },
        }
    }
}
