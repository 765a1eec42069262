//! What becomes of the files of an offer: those that the user declines, and those whose names are taken.
//!
//! Promises: nothing that exists is overwritten, whatever the choice; what is called equal has the same bytes, by its
//! SHA-256.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use ciphermeter_core::quoted;
use serde::{Deserialize, Serialize};

use super::accepted::{Excess, Fate};
use super::offer::Offer;
use crate::Error;
use crate::channel::Channel;
use crate::message::{BATCH, FromReceiver, FromSender, Skipped};
use crate::name::Name;
use crate::target::Target;

/// The slowest that a sender may read a file for its digest, in bytes a second.
const LEAST_DIGEST_RATE: u64 = 1 << 20;

/// The remedy that leaves all where it is.
const DECIDE: &str = "say what becomes of names that are taken: --existing skip, rename or compare";

/// What the user decides about an offer that is accepted. What goes beyond an earlier one and is declined is left out, and
/// named at the end.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    /// Files that are not wanted, by their numbers in the offer.
    pub declined: HashSet<u32>,
    /// Folders that are not wanted, by their numbers among the offer's folders. One with a wanted file is made all the
    /// same.
    pub declined_folders: HashSet<u32>,
    /// What becomes of files whose names are taken.
    pub existing: Existing,
    /// Whether names may go into folders that are there already; otherwise such an offer is refused.
    pub fills: bool,
}

/// An offer that is accepted.
#[derive(Default)]
pub(super) struct AcceptedOffer {
    /// The new folder that the names go into, if there is to be one.
    pub(super) folder: Option<Name>,
    /// What becomes of new files that do not simply get their names.
    pub(super) fates: HashMap<u32, Fate>,
    /// Folders that are not wanted.
    pub(super) declined_folders: Vec<Name>,
    /// Folders that are there, and that names may go into.
    pub(super) filled: Vec<String>,
    /// What is left out because it goes beyond what was accepted before.
    pub(super) beyond: Vec<Excess>,
}

/// The names of an offer that are taken, of those that were not accepted before.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Files, by their numbers in the offer.
    pub(super) files: Vec<u32>,
    /// Folders of the receiving folder that names of the offer would go into.
    pub(super) folders: Vec<String>,
}

/// What becomes of offered files whose names are taken. No choice overwrites anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Existing {
    /// The offer is refused.
    #[default]
    Refuse,
    /// They are not received.
    Skip,
    /// They get other names: `photo-1.jpg`.
    Rename,
    /// Those of the same content are not received; the others get other names.
    Compare,
}

/// What becomes of files that do not simply get their names. `taken` are the names that are taken in `target`.
pub(super) fn settle(
    channel: &mut Channel,
    reply: Duration,
    target: Option<&Target>,
    offer: &Offer,
    taken: &Taken,
    decision: &Decision,
) -> Result<HashMap<u32, Fate>, Error> {
    let declined = decision.declined.iter().filter(|&&file| (file as usize) < offer.files.len());
    let mut fates: HashMap<u32, Fate> = declined.map(|&file| (file, Fate::Skipped(Skipped::Declined))).collect();
    if let Some(folder) = taken.folders.iter().find(|folder| !decision.fills && is_wanted(offer, folder, decision)) {
        return Err(Error::file_for_both(format!(
            "{} exists in the receiving folder, and nothing is added to it; move it away, choose another folder, or {DECIDE}",
            quoted(folder)
        )));
    }
    let taken: Vec<u32> = taken.files.iter().copied().filter(|file| !fates.contains_key(file)).collect();
    let (Some(&first), Some(target)) = (taken.first(), target) else { return Ok(fates) };
    let equal = match decision.existing {
        Existing::Refuse => {
            return Err(Error::file_for_both(format!(
                "{} exists in the receiving folder and is not overwritten; move it away, choose another folder, or {DECIDE}",
                quoted(offer.files[first as usize].name.as_str())
            )));
        }
        Existing::Skip => {
            fates.extend(taken.into_iter().map(|file| (file, Fate::Skipped(Skipped::Exists))));
            return Ok(fates);
        }
        Existing::Rename => HashSet::new(),
        Existing::Compare => equal_ones(channel, reply, target, offer, &taken)?,
    };
    let mut names: HashSet<String> = offer.names().map(|name| name.as_str().to_owned()).collect();
    for file in taken {
        let fate = match equal.contains(&file) {
            true => Fate::Skipped(Skipped::Equal),
            false => {
                let name = free_name(target, &offer.files[file as usize].name, &names)?;
                names.insert(name.as_str().to_owned());
                Fate::Renamed(name)
            }
        };
        fates.insert(file, fate);
    }
    Ok(fates)
}

/// Whether something is wanted of a folder at the top of an offer.
fn is_wanted(offer: &Offer, top: &str, decision: &Decision) -> bool {
    let mut files = (0..).zip(&offer.files).filter(|(number, _)| !decision.declined.contains(number));
    let mut folders = (0..).zip(&offer.folders).filter(|(number, _)| !decision.declined_folders.contains(number));
    files.any(|(_, file)| file.name.top() == top) || folders.any(|(_, (name, _))| name.top() == top)
}

/// Which of these files are the same as those that have their names.
fn equal_ones(
    channel: &mut Channel,
    reply: Duration,
    target: &Target,
    offer: &Offer,
    taken: &[u32],
) -> Result<HashSet<u32>, Error> {
    let (mut equal, mut candidates) = (HashSet::new(), Vec::new());
    for &number in taken {
        let file = &offer.files[number as usize];
        match &file.link {
            Some(link) if target.is_link_to(&file.name, link)? => drop(equal.insert(number)),
            None if target.file_size(&file.name)? == Some(file.size) => candidates.push(number),
            Some(_) | None => {}
        }
    }
    for batch in candidates.chunks(BATCH) {
        let offered = |&number: &u32| &offer.files[number as usize];
        channel.set_time_limit(Some(reply));
        channel.send(&FromReceiver::Compare { files: batch.to_vec() })?;
        channel.flush()?;
        // Meanwhile the sender reads its own.
        let here = batch.iter().map(offered).map(|file| target.digest(&file.name, file.size));
        let here = here.collect::<Result<Vec<_>, _>>()?;
        let bytes: u64 = batch.iter().map(|number| offered(number).size).sum();
        channel.set_time_limit(Some(reply + Duration::from_secs(bytes / LEAST_DIGEST_RATE)));
        match channel.receive()? {
            FromSender::Digests { sha256 } if sha256.len() == batch.len() => {
                let pairs = batch.iter().zip(here.into_iter().zip(sha256));
                equal.extend(pairs.filter(|(_, (here, there))| here.is_some() && here == there).map(|(file, _)| *file));
            }
            FromSender::BrokeOff { why } => return Err(Error::BrokeOff(why)),
            _ => return Err(Error::message("expected the digests of the files that are compared")),
        }
    }
    Ok(equal)
}

/// A name beside the taken one: a number before the last dot, the smallest that is free.
fn free_name(target: &Target, name: &Name, names: &HashSet<String>) -> Result<Name, Error> {
    let (folder, last) = name.split();
    let (stem, extension) = match last.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (last, String::new()),
    };
    let folder = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
    for number in 1..10_000 {
        let Ok(other) = Name::parse(&format!("{folder}{stem}-{number}{extension}")) else { break };
        if !names.contains(other.as_str()) && !target.exists(&other)? {
            return Ok(other);
        }
    }
    Err(Error::file_for_both(format!(
        "no name is free beside {}; receive into another folder with --into",
        quoted(name.as_str())
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_name_is_the_first_free_one_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a-1.jpg"), "").unwrap();
        let target = Target::open(folder.path()).unwrap();
        let names = HashSet::from(["a-2.jpg".to_owned()]);
        for (name, other) in
            [("a.jpg", "a-3.jpg"), ("a.tar.gz", "a.tar-1.gz"), (".bashrc", ".bashrc-1"), ("d/e", "d/e-1")]
        {
            let free = free_name(&target, &Name::parse(name).unwrap(), &names).unwrap();
            assert_eq!(free.as_str(), other);
        }
        let long = Name::parse(&"x".repeat(255)).unwrap();
        assert!(free_name(&target, &long, &names).is_err());
    }
}
