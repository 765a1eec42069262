//! What the user accepted: the limit of every offer of a transfer, the first and all later ones.
//!
//! Promises: an offer is taken without a question only if each of its names was accepted, as a file or as a folder, no
//! file is larger than accepted, and none has become executable. Each accepted file keeps its number for as long as the
//! transfer lives, whatever the order of later offers: its part and its lines in the journal go by that number.

use std::collections::{HashMap, HashSet};
use std::fmt;

use ciphermeter_core::quoted;
use serde::{Deserialize, Serialize};

use super::offer::Offer;
use crate::message::{OfferedFile, Skipped};
use crate::name::Name;

/// What was accepted, and which part of it is offered now.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Accepted {
    files: Vec<AcceptedFile>,
    folders: Vec<(Name, u32)>,
    /// Of these, the ones that are not wanted.
    #[serde(default, skip_serializing_if = "HashSet::is_empty")]
    declined_folders: HashSet<Name>,
    /// Folders at the top that were there, and that names may go into.
    #[serde(default, skip_serializing_if = "HashSet::is_empty")]
    filled: HashSet<String>,
    /// Those that appeared later, so that nothing went into them.
    #[serde(default, skip_serializing_if = "HashSet::is_empty")]
    pub(super) appeared: HashSet<String>,
    /// The accepted files' numbers, by the numbers of the attempt's offer.
    #[serde(skip)]
    offered: Vec<u32>,
    /// Folders of a later offer, by their index among the accepted ones.
    #[serde(skip)]
    offered_folders: Option<Vec<usize>>,
}

/// A file that was accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AcceptedFile {
    /// As last offered.
    #[serde(flatten)]
    now: OfferedFile,
    /// The largest size that was accepted, in bytes.
    most: u64,
    /// Whether it was accepted as an executable.
    executable: bool,
    /// It is not wanted, for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skipped: Option<Skipped>,
    /// The name that it gets here, if its own is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renamed: Option<Name>,
    /// It came with a later offer, and was left out of that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_stranger: bool,
}

/// What becomes of an offered file that does not simply get its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// It gets another name.
    Renamed(Name),
    /// It is not wanted.
    Skipped(Skipped),
}

/// An entry of an offer that goes beyond what was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excess {
    /// The entry's name.
    pub name: Name,
    /// How it goes beyond.
    pub kind: ExcessKind,
}

/// How an entry goes beyond what was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExcessKind {
    /// The name was not among the accepted ones.
    New,
    /// It is larger.
    Larger {
        /// The largest size that was accepted, in bytes.
        most: u64,
        /// The size now, in bytes.
        size: u64,
    },
    /// It was not executable.
    Executable,
    /// It was a file, a folder or a link, and is another of these now.
    OtherKind,
    /// It is a link to something else.
    OtherTarget,
}

/// The most characters of a name in a sentence.
const MOST_SHOWN: usize = 100;

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name may be longer than any screen.
        let name: String = match self.name.as_str().char_indices().nth(MOST_SHOWN) {
            Some((end, _)) => quoted(&format!("{}…", &self.name.as_str()[..end])),
            None => quoted(self.name.as_str()),
        };
        write!(f, "{name} {}", self.kind)
    }
}

/// What is said of the entry.
impl fmt::Display for ExcessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New => f.write_str("was not among the accepted names"),
            Self::Larger { most, size } => write!(f, "has {size} bytes; accepted were {most}"),
            Self::Executable => f.write_str("is executable now and was not when accepted"),
            Self::OtherKind => f.write_str("changed between file, folder and link since it was accepted"),
            Self::OtherTarget => f.write_str("is a link to something else than when accepted"),
        }
    }
}

impl Accepted {
    /// Accepts an offer; `fates` is about files that do not simply get their names.
    pub(super) fn new(offer: Offer, fates: &HashMap<u32, Fate>) -> Self {
        let offered = (0..offer.files.len() as u32).collect();
        let files = (0..).zip(offer.files).map(|(number, file)| AcceptedFile::new(file, fates.get(&number))).collect();
        Self { files, folders: offer.folders, offered, ..Self::default() }
    }

    /// Everything in an offer that goes beyond what was accepted.
    pub(super) fn exceeded_by(&self, offer: &Offer) -> Vec<Excess> {
        let (files, folders) = (self.numbers(), self.folder_names());
        let file = offer.files.iter().filter_map(|file| {
            let kind = match files.get(&file.name) {
                Some(&number) => self.files[number as usize].exceeded_by(file)?,
                None if folders.contains_key(&file.name) => ExcessKind::OtherKind,
                None => ExcessKind::New,
            };
            Some(Excess { name: file.name.clone(), kind })
        });
        let folder = offer.folders.iter().filter_map(|(name, _)| {
            let kind = match files.contains_key(name) {
                true => ExcessKind::OtherKind,
                false if folders.contains_key(name) => return None,
                false => ExcessKind::New,
            };
            Some(Excess { name: name.clone(), kind })
        });
        file.chain(folder).collect()
    }

    /// The numbers in an offer of files whose names were not accepted before.
    pub(super) fn new_files(&self, offer: &Offer) -> Vec<u32> {
        let known = self.numbers();
        let is_known = |name| known.get(name).is_some_and(|number| !self.files[*number as usize].is_stranger);
        let new = (0..).zip(&offer.files).filter(|(_, file)| !is_known(&file.name));
        new.map(|(number, _)| number).collect()
    }

    /// Takes an offer that was accepted, extending what is accepted if needed; `fates` is about files that are new, or not
    /// wanted any more. Returns the files whose earlier bytes are void.
    pub(super) fn take(&mut self, offer: Offer, fates: &HashMap<u32, Fate>) -> Vec<u32> {
        // Looked up before anything changes: there may be a million names, which must not be copied for it.
        let (files, folders) = (self.numbers(), self.folder_names());
        let known_files: Vec<_> = offer.files.iter().map(|file| files.get(&file.name).copied()).collect();
        let known_folders: Vec<_> = offer.folders.iter().map(|(name, _)| folders.get(name).copied()).collect();
        let (mut changed, mut offered_folders) = (Vec::new(), Vec::new());
        self.offered.clear();
        for (offered, (file, known)) in (0..).zip(offer.files.into_iter().zip(known_files)) {
            let number = match known {
                Some(number) => {
                    if self.files[number as usize].take(file, fates.get(&offered)) {
                        changed.push(number);
                    }
                    number
                }
                None => {
                    self.files.push(AcceptedFile::new(file, fates.get(&offered)));
                    self.files.len() as u32 - 1
                }
            };
            self.offered.push(number);
        }
        for ((name, mode), known) in offer.folders.into_iter().zip(known_folders) {
            let index = known.unwrap_or(self.folders.len());
            match known {
                Some(index) => self.folders[index].1 = mode,
                None => self.folders.push((name, mode)),
            }
            offered_folders.push(index);
        }
        self.offered_folders = Some(offered_folders);
        changed
    }

    /// These folders are not wanted, besides those of earlier offers.
    pub(super) fn decline_folders(&mut self, folders: impl IntoIterator<Item = Name>) {
        self.declined_folders.extend(folders);
    }

    /// Names may go into these folders, which are there.
    pub(super) fn fill(&mut self, folders: impl IntoIterator<Item = String>) {
        self.filled.extend(folders);
    }

    /// Whether names may go into that folder at the top, if it is there.
    pub(super) fn fills(&self, top: &str) -> bool {
        self.filled.contains(top)
    }

    /// The wanted folders of the last known offer: after a restart, of all that were accepted. A folder that was declined
    /// is wanted for the sake of a file in it that was not.
    pub(super) fn folders(&self) -> Vec<&(Name, u32)> {
        let all: Vec<_> = match &self.offered_folders {
            Some(offered) => offered.iter().map(|&index| &self.folders[index]).collect(),
            None => self.folders.iter().collect(),
        };
        if self.declined_folders.is_empty() {
            return all;
        }
        let mut inhabited: HashSet<&str> = HashSet::new();
        for file in self.files.iter().filter(|file| file.skipped.is_none()) {
            inhabited.extend(file.now.name.outer());
        }
        let is_wanted = |name: &Name| !self.declined_folders.contains(name) || inhabited.contains(name.as_str());
        all.into_iter().filter(|(name, _)| is_wanted(name)).collect()
    }

    /// Whether both have the same stored form.
    pub(super) fn is_stored_as(&self, other: &Self) -> bool {
        self.files == other.files
            && self.folders == other.folders
            && self.declined_folders == other.declined_folders
            && self.filled == other.filled
            && self.appeared == other.appeared
    }

    fn numbers(&self) -> HashMap<&Name, u32> {
        self.files.iter().zip(0..).map(|(file, number)| (&file.now.name, number)).collect()
    }

    fn folder_names(&self) -> HashMap<&Name, usize> {
        self.folders.iter().enumerate().map(|(index, (name, _))| (name, index)).collect()
    }

    /// How many files the attempt's offer has.
    pub(super) fn count(&self) -> usize {
        self.offered.len()
    }

    /// The accepted file's number for a number of the attempt's offer.
    pub(super) fn part(&self, number: u32) -> Option<u32> {
        self.offered.get(number as usize).copied()
    }

    /// All numbers of accepted files.
    pub(super) fn parts(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.files.len() as u32
    }

    /// Files that are wanted and that the attempt's offer lacks.
    pub(super) fn not_offered(&self) -> impl Iterator<Item = u32> {
        let offered: HashSet<u32> = self.offered.iter().copied().collect();
        self.parts().filter(move |part| !offered.contains(part) && self.skipped(*part).is_none())
    }

    /// An accepted file as last offered.
    pub(super) fn file(&self, part: u32) -> Option<&OfferedFile> {
        self.files.get(part as usize).map(|file| &file.now)
    }

    /// The name that an accepted file gets here.
    pub(super) fn place(&self, part: u32) -> Option<&Name> {
        let file = self.files.get(part as usize)?;
        Some(file.renamed.as_ref().unwrap_or(&file.now.name))
    }

    /// Why an accepted file is not wanted, if it is not.
    pub(super) fn skipped(&self, part: u32) -> Option<Skipped> {
        self.files.get(part as usize)?.skipped
    }

    /// Whether bytes of an accepted file come: it is wanted and no link.
    pub(super) fn has_part(&self, part: u32) -> bool {
        self.files.get(part as usize).is_some_and(AcceptedFile::has_part)
    }

    /// The files of the attempt's offer.
    pub(super) fn offered(&self) -> impl Iterator<Item = (u32, &OfferedFile)> {
        self.offered.iter().map(|&part| (part, &self.files[part as usize].now))
    }

    /// Bytes of the attempt's offer that are wanted.
    pub(super) fn bytes(&self) -> u64 {
        total(self.offered().filter(|(part, _)| self.has_part(*part)).map(|(_, file)| file))
    }

    /// Bytes of all accepted files.
    pub fn accepted_bytes(&self) -> u64 {
        total(self.files.iter().filter(|file| file.has_part()).map(|file| &file.now))
    }

    /// Of what is wanted ([`Self::wanted`]), these files and folders are not any more.
    pub(super) fn decline(&mut self, files: &HashSet<u32>, folders: &HashSet<u32>) {
        let wanted = self.files.iter_mut().filter(|file| file.skipped.is_none());
        for (_, file) in (0..).zip(wanted).filter(|(number, _)| files.contains(number)) {
            file.skipped = Some(Skipped::Declined);
        }
        let declined = &mut self.declined_folders;
        let wanted: Vec<_> = self.folders.iter().filter(|(name, _)| !declined.contains(name)).collect();
        let more: Vec<Name> = folders.iter().filter_map(|n| Some(wanted.get(*n as usize)?.0.clone())).collect();
        declined.extend(more);
    }

    /// All of it that is wanted, under the names that it gets here.
    pub(super) fn wanted(&self) -> Offer {
        let files = self.files.iter().filter(|file| file.skipped.is_none()).map(|file| OfferedFile {
            name: file.renamed.as_ref().unwrap_or(&file.now.name).clone(),
            ..file.now.clone()
        });
        let folders = self.folders.iter().filter(|(name, _)| !self.declined_folders.contains(name));
        Offer { files: files.collect(), folders: folders.cloned().collect(), left_out: 0 }
    }

    /// Names of accepted files and folders.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        let is_accepted =
            |file: &&AcceptedFile| file.skipped.is_none_or(|why| why == Skipped::Beyond && !file.is_stranger);
        let files = self.files.iter().filter(is_accepted);
        files.map(|file| &file.now.name).chain(self.folders.iter().map(|(name, _)| name))
    }
}

impl AcceptedFile {
    fn new(file: OfferedFile, fate: Option<&Fate>) -> Self {
        let (skipped, renamed) = match fate {
            None => (None, None),
            Some(Fate::Renamed(name)) => (None, Some(name.clone())),
            Some(Fate::Skipped(why)) => (Some(*why), None),
        };
        let is_stranger = skipped == Some(Skipped::Beyond);
        Self { most: file.size, executable: file.is_executable(), now: file, skipped, renamed, is_stranger }
    }

    fn has_part(&self) -> bool {
        self.skipped.is_none() && self.now.link.is_none()
    }

    fn exceeded_by(&self, file: &OfferedFile) -> Option<ExcessKind> {
        match self.skipped {
            None => {}
            Some(Skipped::Beyond) if self.is_stranger => return Some(ExcessKind::New),
            // It may be what was accepted again.
            Some(Skipped::Beyond) => {}
            Some(_) => return None,
        }
        match (&self.now.link, &file.link) {
            (None, None) => {}
            (Some(before), Some(now)) => return (before != now).then_some(ExcessKind::OtherTarget),
            _ => return Some(ExcessKind::OtherKind),
        }
        if file.size > self.most {
            return Some(ExcessKind::Larger { most: self.most, size: file.size });
        }
        (file.is_executable() && !self.executable).then_some(ExcessKind::Executable)
    }

    /// Whether the file's state differs from before. One that is left out for what it is now stays as it was accepted.
    fn take(&mut self, file: OfferedFile, fate: Option<&Fate>) -> bool {
        match fate {
            Some(Fate::Skipped(Skipped::Beyond)) => {
                self.skipped = Some(Skipped::Beyond);
                return false;
            }
            Some(Fate::Skipped(why)) => self.skipped = Some(*why),
            Some(Fate::Renamed(name)) => (self.skipped, self.renamed) = (None, Some(name.clone())),
            None if self.skipped == Some(Skipped::Beyond) => self.skipped = None,
            None => {}
        }
        self.is_stranger = false;
        let changed = file.version != self.now.version || file.size != self.now.size;
        // What was equal to the file here no longer is.
        if changed && self.skipped == Some(Skipped::Equal) {
            self.skipped = Some(Skipped::Exists);
        }
        self.most = self.most.max(file.size);
        self.executable |= file.is_executable();
        self.now = file;
        changed
    }
}

fn total<'a>(files: impl Iterator<Item = &'a OfferedFile>) -> u64 {
    files.fold(0, |sum, file| sum.saturating_add(file.size))
}

#[cfg(test)]
mod tests;
