//! Whether there is room for what an offer makes: its bytes, its files, and the folders around them.

use std::collections::{HashMap, HashSet};

use super::accepted::Fate;
use super::offer::{Offer, folders_around};
use super::transfer::Transfer;
use crate::Error;
use crate::name::Name;
use crate::target::{Disk, Target};

/// What is wanted of an offer.
pub(super) struct Wanted<'a> {
    pub(super) offer: &'a Offer,
    skipped: HashSet<u32>,
    declined_folders: HashSet<u32>,
}

impl<'a> Wanted<'a> {
    pub(super) fn all(offer: &'a Offer) -> Self {
        Self { offer, skipped: HashSet::new(), declined_folders: HashSet::new() }
    }

    /// Without the files that are skipped and the folders that are declined.
    pub(super) fn of(offer: &'a Offer, fates: &HashMap<u32, Fate>, declined_folders: &HashSet<u32>) -> Self {
        let skipped = fates.iter().filter(|(_, fate)| matches!(fate, Fate::Skipped(_)));
        let skipped = skipped.map(|(file, _)| *file).collect();
        Self { offer, skipped, declined_folders: declined_folders.clone() }
    }
}

/// What files and folders take of a disk.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) bytes: u64,
    pub(super) inodes: u64,
    /// Bytes of the largest file.
    pub(super) largest: u64,
}

impl Needs {
    /// Each file takes whole blocks, and each folder and each link one. Holes take some where the disk has none. A folder counts
    /// also if it is there already.
    /// `transfer` is what earlier attempts left.
    pub(super) fn new(wanted: &Wanted<'_>, disk: Disk, transfer: Option<&Transfer>) -> Self {
        let (offer, block) = (wanted.offer, disk.block);
        let accepted = transfer.map(|transfer| &*transfer.accepted);
        let parts: HashMap<&Name, u32> = accepted
            .into_iter()
            .flat_map(|accepted| accepted.parts().filter_map(|part| Some((&accepted.file(part)?.name, part))))
            .collect();
        let is_skipped = |part: &u32| accepted.is_some_and(|accepted| accepted.skipped(*part).is_some());
        let (mut needs, mut names) = (Self::default(), Vec::new());
        for (number, file) in (0..).zip(&offer.files) {
            let part = parts.get(&file.name);
            if wanted.skipped.contains(&number) || part.is_some_and(is_skipped) {
                continue;
            }
            names.push(&file.name);
            let here = part.and_then(|part| transfer?.allocated(*part));
            let data = if disk.holes { file.data() } else { file.size };
            let bytes = if file.link.is_some() { block } else { in_blocks(data, block) };
            needs.bytes = needs.bytes.saturating_add(bytes.saturating_sub(here.unwrap_or(0)));
            needs.inodes += u64::from(here.is_none());
            needs.largest = needs.largest.max(file.size);
        }
        let is_wanted = |(number, _): &(u32, _)| !wanted.declined_folders.contains(number);
        let folders = (0..).zip(&offer.folders).filter(is_wanted).map(|(_, (name, _))| name);
        let mut all = folders_around(names.into_iter().chain(folders.clone()));
        all.extend(folders.map(Name::as_str));
        needs.inodes += all.len() as u64;
        needs.bytes = needs.bytes.saturating_add(block.saturating_mul(all.len() as u64));
        needs
    }

    /// Checks that there is so much room, also within a file. Where it is unknown, writing will show it.
    pub(super) fn check(&self, target: &Target) -> Result<(), Error> {
        let room = target.room()?;
        let lacks = |needed: u64, what: &str, free: u64| {
            Err(Error::file_for_both(format!(
                "no space for the offered files and folders, which take {needed} {what}: the receiving disk has {free} {what} free; free some, or receive into another folder with --into"
            )))
        };
        match (room.bytes, room.inodes) {
            (Some(free), _) if self.bytes > free => lacks(self.bytes, "bytes", free),
            (_, Some(free)) if self.inodes > free => lacks(self.inodes, "inodes", free),
            _ if !target.holds(self.largest) => Err(Error::file_for_both(format!(
                "no file on the receiving disk can have {} bytes, as one that is offered has; leave it out, or receive into a folder on another disk with --into",
                self.largest
            ))),
            _ => Ok(()),
        }
    }
}

fn in_blocks(bytes: u64, block: u64) -> u64 {
    bytes.checked_next_multiple_of(block).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{OfferedFile, Skipped};
    use crate::receive::samples;

    const DISK: Disk = Disk { block: 4096, holes: true };

    fn file(name: &str, size: u64, data: Option<u64>) -> OfferedFile {
        OfferedFile { data, ..samples::file(name, size) }
    }

    #[test]
    fn each_file_takes_blocks_and_each_folder_one() {
        let folder = |name: &str| (Name::parse(name).unwrap(), 0o755);
        let link = OfferedFile { link: Some("x".to_owned().try_into().unwrap()), ..file("a/link", 0, None) };
        let files = vec![file("a/b/c", 1, None), file("a/b/d", 0, None), file("e", 9 << 20, Some(4097)), link];
        let offer = Offer { files, folders: vec![folder("a"), folder("f/g")], left_out: 0 };
        // The folders are a, a/b, f and f/g.
        let needs = |wanted| Needs::new(&wanted, DISK, None);
        assert_eq!(needs(Wanted::all(&offer)), Needs { bytes: (1 + 2 + 1 + 4) * 4096, inodes: 8, largest: 9 << 20 });
        let fates = HashMap::from([(0, Fate::Skipped(Skipped::Declined)), (1, Fate::Skipped(Skipped::Declined))]);
        let wanted = Wanted::of(&offer, &fates, &HashSet::from([1]));
        assert_eq!(needs(wanted), Needs { bytes: (2 + 1 + 1) * 4096, inodes: 3, largest: 9 << 20 });
    }

    #[test]
    fn short_holes_take_their_bytes() {
        let offer = Offer { files: vec![file("a", (1 << 20) - 1, Some(0))], ..Offer::default() };
        assert_eq!(Needs::new(&Wanted::all(&offer), DISK, None).bytes, 1 << 20);
    }

    #[test]
    fn holes_take_their_bytes_where_the_disk_has_none() {
        let offer = Offer { files: vec![file("a", 200 << 20, Some(0))], ..Offer::default() };
        let bytes = |disk| Needs::new(&Wanted::all(&offer), disk, None).bytes;
        assert_eq!((bytes(DISK), bytes(Disk { holes: false, ..DISK })), (0, 200 << 20));
    }

    #[test]
    fn size_that_no_file_can_have_is_refused_before_anything_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(folder.path()).unwrap();
        let offer = Offer { files: vec![file("a", 1 << 63, Some(0))], ..Offer::default() };
        let needs = Needs::new(&Wanted::all(&offer), DISK, None);
        let said = needs.check(&target).unwrap_err().to_string();
        assert!(said.contains("can have 9223372036854775808 bytes") && said.contains("--into"), "{said}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(Needs { largest: 5 << 30, ..Needs::default() }.check(&target).is_ok());
    }
}
