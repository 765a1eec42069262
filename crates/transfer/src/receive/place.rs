//! Where received files go: into a folder under their names, or nowhere.

use std::collections::HashSet;
use std::os::fd::AsFd;

use aws_lc_rs::rand;

use super::door::Hashed;
use super::offer::Offer;
use super::transfer::{Transfer, failed};
use crate::Error;
use crate::hello::TransferId;
use crate::identity::Identity;
use crate::name::Name;
use crate::parts::Parts;
use crate::target::{PlaceError, Target};

/// Where received files go.
pub(super) enum Place {
    /// Nowhere: they are authenticated and thrown away.
    Nowhere,
    /// Into a folder; with the port to come back to.
    Folder(Target, u16),
}

/// What came of putting files under their names.
pub(super) struct Placed {
    pub(super) files: u32,
    pub(super) failed: Vec<(u32, String)>,
}

impl Place {
    pub(super) fn fresh_id(&self) -> Result<TransferId, Error> {
        let mut id = [0; 16];
        rand::fill(&mut id).map_err(|_| Error::Randomness)?;
        Ok(TransferId(id))
    }

    /// Whether an offer can be put there: nothing has one of the names, and there is room.
    pub(super) fn takes(&self, offer: &Offer) -> Result<(), Error> {
        let Self::Folder(target, _) = self else { return Ok(()) };
        for file in &offer.files {
            if target.exists(&file.name).map_err(failed)? {
                return Err(Error::File(format!(
                    "{} exists in the receiving folder and is not overwritten: move it away, or receive --into another folder",
                    file.name
                )));
            }
        }
        for (name, _) in &offer.folders {
            target.admits_folder(name).map_err(failed)?;
        }
        let (needed, free) = (offer.bytes(), target.free_space().map_err(failed)?);
        // Where that isn't told, writing will show it.
        if let Some(free) = free.filter(|free| needed > *free) {
            return Err(Error::File(format!(
                "the receiving disk has {free} bytes left, and {needed} are offered: make room, or receive --into another folder"
            )));
        }
        Ok(())
    }

    /// What was accepted begins, and can be gone on with from now on.
    pub(super) fn begin(
        &self,
        id: TransferId,
        offer: Offer,
        secret: &Hashed,
        identity: &Identity,
    ) -> Result<Transfer, Error> {
        match self {
            Self::Nowhere => Ok(Transfer::discarding(id, offer)),
            Self::Folder(target, port) => Transfer::keeping(id, offer, target, identity, secret, *port),
        }
    }

    /// Makes whole files durable, then gives them their names, all together. Nothing is ever overwritten; what can't have its name stays
    /// in the state folder.
    pub(super) fn put(&self, transfer: &Transfer, files: &[u32]) -> Result<Placed, Error> {
        let all = |files: usize| Placed { files: files as u32, failed: Vec::new() };
        let (Self::Folder(target, _), Some(kept)) = (self, &transfer.kept) else { return Ok(all(files.len())) };
        let offer = &transfer.offer;
        for &number in files {
            let file = &offer.files[number as usize];
            // A part may have no second name but its own final one, which it got, being finished, when an earlier process was ended.
            let placed = || target.has_placed(kept.parts.as_fd(), &Parts::part_name(number), &file.name);
            if !(transfer.placing && placed()) {
                kept.parts.finish(number, file.mode, file.modified).map_err(failed)?;
            }
        }
        // Parts of withdrawn files go first: after a crash within what follows, every part that is there is taken for a whole one.
        let whole: HashSet<u32> = files.iter().copied().collect();
        let withdrawn = |number: &u32| !whole.contains(number) && kept.parts.has(*number);
        let withdrawn: Vec<u32> = (0..offer.files.len() as u32).filter(withdrawn).collect();
        kept.forget(&withdrawn, offer)?;
        kept.sync(files)?;
        kept.placing()?;
        let mut placed = all(0);
        // Only these: where something is in the way of a name, it is in the way of its folders, too.
        let mut names: Vec<&Name> = offer.folders.iter().map(|(name, _)| name).collect();
        for &number in files {
            let name = &offer.files[number as usize].name;
            match target.place(kept.parts.as_fd(), &Parts::part_name(number), name) {
                Ok(()) => {
                    placed.files += 1;
                    names.push(name);
                }
                Err(error) => placed.failed.push((number, kept.stays(number, &error))),
            }
        }
        for (name, mode) in &offer.folders {
            target.make_folder(name, *mode).map_err(failed)?;
        }
        target.sync_folders(names).map_err(failed)?;
        if placed.failed.is_empty() {
            kept.remove();
        }
        Ok(placed)
    }

    /// Ends what an earlier process had begun: every part is whole, some have their names already.
    pub(super) fn put_rest(&self, transfer: &Transfer) -> Result<Placed, Error> {
        let nothing = Placed { files: 0, failed: Vec::new() };
        let (Self::Folder(target, _), Some(kept)) = (self, &transfer.kept) else { return Ok(nothing) };
        let all = 0..transfer.offer.files.len() as u32;
        let (rest, before): (Vec<u32>, Vec<u32>) = all.partition(|number| kept.parts.has(*number));
        let mut placed = self.put(transfer, &rest)?;
        for number in before {
            let name = &transfer.offer.files[number as usize].name;
            match target.exists(name).map_err(failed)? {
                true => placed.files += 1,
                false => placed.failed.push((number, format!("{name}: its sender withdrew it, or it was moved since"))),
            }
        }
        Ok(placed)
    }
}

impl super::transfer::Kept {
    fn stays(&self, number: u32, error: &PlaceError) -> String {
        format!("{error}; what was received is kept as {}", self.parts.path_of(number).display())
    }
}
