//! Where received files go: into a folder under their names, to a pipe, or nowhere.

use std::collections::{BTreeSet, HashSet};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;

use aws_lc_rs::rand;
use ciphermeter_core::quoted;
use rustix::fs::Timespec;

use super::accepted::Accepted;
use super::choices::Taken;
use super::offer::Offer;
use super::pipe::Pipe;
use super::room::{Needs, Wanted};
use super::transfer::{Reunion, Transfer, TransferStorage};
use crate::Error;
use crate::hello::TransferId;
use crate::identity::Identity;
use crate::kept::Begun;
use crate::listen::ResumeSecretHash;
use crate::message::Unplaced;
use crate::name::Name;
use crate::parts::Parts;
use crate::sync::sync_folder;
use crate::target::{Disk, PlaceError, Target, TargetError};

/// Where received files go.
pub(super) enum Destination {
    /// Nowhere: they are authenticated and discarded.
    Discard,
    /// To a pipe.
    Pipe(Arc<Pipe>),
    /// Into a folder.
    Folder(Folder),
}

/// The folder to receive into.
pub(super) struct Folder {
    pub(super) target: Target,
    /// The port to listen on again after a restart.
    pub(super) port: u16,
    /// Whether several names go into a new folder of their own.
    pub(super) gathers: bool,
    /// Which command begins the transfer.
    pub(super) begun: Begun,
}

/// The result of putting files under their names.
pub(super) struct PlacedFiles {
    pub(super) files: u32,
    /// By the numbers of accepted files: the reason, for this end's user and for the other end.
    pub(super) failed: Vec<(u32, String, Unplaced)>,
}

impl Destination {
    pub(super) fn random_id(&self) -> Result<TransferId, Error> {
        let mut id = [0; 16];
        rand::fill(&mut id).map_err(|_| Error::Randomness)?;
        Ok(TransferId(id))
    }

    /// The new folder for what was accepted before and is offered now, if there is to be one. It is used for more than
    /// one top-level name, so that a sender's `.bashrc` beside a `holiday.jpg` stays harmless, and for a folder that
    /// would mix with an existing one.
    pub(super) fn new_folder(
        &self,
        id: TransferId,
        before: Option<&Accepted>,
        offer: &Offer,
    ) -> Result<Option<Name>, Error> {
        let Self::Folder(Folder { target, gathers: true, .. }) = self else { return Ok(None) };
        let mut tops = offer.tops();
        tops.extend(before.into_iter().flat_map(Accepted::names).map(Name::top));
        let would_mix = || match tops.first() {
            // A single file whose name is taken is refused instead.
            Some(top) if offer.files.iter().all(|file| file.name.as_str() != *top) => {
                target.exists(&Name::parse(top).map_err(Error::file)?).map_err(Error::from)
            }
            _ => Ok(false),
        };
        if tops.len() <= 1 && !would_mix()? {
            return Ok(None);
        }
        Name::parse(&format!("transfer-{}", id.short())).map(Some).map_err(Error::file)
    }

    /// Where the names will be, for messages; `None` where there is no folder.
    pub(super) fn path(&self, folder: Option<&Name>) -> Option<PathBuf> {
        let Self::Folder(Folder { target, .. }) = self else { return None };
        Some(match folder {
            Some(folder) => target.path().join(folder.as_str()),
            None => target.path().to_owned(),
        })
    }

    /// Whether nothing can be resumed, because what was written is gone.
    pub(super) const fn is_pipe(&self) -> bool {
        matches!(self, Self::Pipe(_))
    }

    /// Whether nothing of it stays here.
    pub(super) const fn is_discard(&self) -> bool {
        matches!(self, Self::Discard)
    }

    /// The folder to receive into.
    pub(super) fn target(&self) -> Option<&Target> {
        match self {
            Self::Folder(Folder { target, .. }) => Some(target),
            Self::Discard | Self::Pipe(_) => None,
        }
    }

    /// The names of an offer that are taken, of those that were not accepted before. That a file is in the place of a
    /// folder is an error.
    pub(super) fn taken(
        &self,
        offer: &Offer,
        folder: Option<&Name>,
        before: Option<&Accepted>,
    ) -> Result<Taken, Error> {
        // A new folder is empty.
        let (Some(target), None) = (self.target(), folder) else { return Ok(Taken::default()) };
        for (name, _) in &offer.folders {
            target.admits_folder(name)?;
        }
        let mut files = match before {
            Some(accepted) => accepted.new_files(offer),
            None => (0..offer.files.len() as u32).collect(),
        };
        let mut error = None;
        files.retain(|&file| {
            let exists = target.exists(&offer.files[file as usize].name);
            exists.unwrap_or_else(|why| error.replace(why).is_some())
        });
        if let Some(error) = error {
            return Err(error.into());
        }
        // If a folder at the top is new, so is all that goes into it.
        let known: HashSet<&str> = before.into_iter().flat_map(Accepted::names).map(Name::top).collect();
        let inner = offer.files.iter().map(|file| &file.name).filter(|name| name.split().0.is_some());
        let tops: BTreeSet<&str> = inner.chain(offer.folders.iter().map(|(name, _)| name)).map(Name::top).collect();
        let mut folders = Vec::new();
        for top in tops.into_iter().filter(|top| !known.contains(top)) {
            if target.exists(&Name::parse(top).map_err(Error::file)?)? {
                folders.push(top.to_owned());
            }
        }
        Ok(Taken { files, folders })
    }

    /// Whether there is room for what is wanted and still to come. `transfer` is what earlier attempts left.
    pub(super) fn check_room(&self, wanted: &Wanted<'_>, transfer: Option<&Transfer>) -> Result<(), Error> {
        let Some(target) = self.target() else { return Ok(()) };
        Needs::new(wanted, target.room()?.disk, transfer).check(target)
    }

    /// How the disk stores files, if anything is written to one.
    pub(super) fn disk(&self) -> Result<Disk, Error> {
        Ok(self.target().map(Target::room).transpose()?.map_or_else(Disk::default, |room| room.disk))
    }

    /// Begins a transfer that was accepted, and that can be resumed from now on.
    pub(super) fn begin(
        &self,
        id: TransferId,
        accepted: Accepted,
        folder: Option<Name>,
        secret: &ResumeSecretHash,
        identity: Option<&Identity>,
    ) -> Result<Transfer, Error> {
        match self {
            Self::Discard | Self::Pipe(_) => Ok(Transfer::discarding(id, accepted)),
            Self::Folder(Folder { target, port, begun, .. }) => {
                let reunion = Reunion { identity, secret, port: *port, begun };
                Transfer::keeping(id, accepted, folder, target, &reunion)
            }
        }
    }

    /// Makes complete files durable, then gives them their names, all together. Nothing is ever overwritten; a file
    /// that cannot have its name stays in the state folder. Files go by the numbers of accepted ones.
    pub(super) fn place_files(&self, transfer: &Transfer, files: &[u32]) -> Result<PlacedFiles, Error> {
        if let Self::Pipe(pipe) = self {
            pipe.flush()?;
        }
        let (Self::Folder(Folder { target: outer, .. }), Some(storage)) = (self, &transfer.storage) else {
            return Ok(PlacedFiles { files: files.len() as u32, failed: Vec::new() });
        };
        let inner = transfer.folder.as_ref().map(|folder| outer.inner(folder)).transpose()?;
        let target = inner.as_ref().unwrap_or(outer);
        if inner.is_some() {
            // Before anything is moved into it.
            sync_folder(outer).map_err(|why| TargetError::Failed { doing: "sync", path: outer.path().into(), why })?;
        }
        let appeared = appeared(transfer, storage, target)?;
        let unlinked = finish_parts(transfer, storage, target, files)?;
        let (linked, failed): (Vec<u32>, Vec<u32>) = files.iter().partition(|part| !unlinked.contains(part));
        let mut placed = give_names(&transfer.accepted, storage, target, &linked, &appeared)?;
        let no_links = |part| {
            (part, "the file system of the receiving folder has no symbolic links".to_owned(), Unplaced::NoLinks)
        };
        placed.failed.extend(failed.into_iter().map(no_links));
        if placed.failed.is_empty() {
            storage.remove();
        }
        Ok(placed)
    }

    /// Finishes what an earlier process began: every part is complete, some have their names already.
    pub(super) fn place_remaining(&self, transfer: &Transfer) -> Result<PlacedFiles, Error> {
        let (Self::Folder(Folder { target, .. }), Some(storage)) = (self, &transfer.storage) else {
            return Ok(PlacedFiles { files: 0, failed: Vec::new() });
        };
        let wanted = transfer.accepted.parts().filter(|part| transfer.accepted.skipped(*part).is_none());
        let (rest, before): (Vec<u32>, Vec<u32>) = wanted.partition(|part| storage.parts.has(*part));
        let mut placed = self.place_files(transfer, &rest)?;
        let inner = transfer.folder.as_ref().map(|folder| target.inner(folder)).transpose()?;
        for part in before {
            let Some(name) = transfer.accepted.place(part) else { continue };
            match inner.as_ref().unwrap_or(target).exists(name)? {
                true => placed.files += 1,
                false => {
                    let why = format!("{}: withdrawn by its sender, or moved since", quoted(name.as_str()));
                    placed.failed.push((part, why, Unplaced::Unknown));
                }
            }
        }
        Ok(placed)
    }
}

/// Gives complete parts their permissions and times, makes those of links, and makes all durable. From then on they count
/// as complete, and other parts are gone. Returns the links for which the file system has no room: it has no links.
fn finish_parts(
    transfer: &Transfer,
    storage: &TransferStorage,
    target: &Target,
    files: &[u32],
) -> Result<HashSet<u32>, Error> {
    let accepted = &transfer.accepted;
    let mut unlinked = HashSet::new();
    for &part in files {
        let (Some(file), Some(name)) = (accepted.file(part), accepted.place(part)) else { continue };
        // A part may have no second name except its own final one, which it got if an earlier process ended while
        // placing it.
        let has_name = || target.has_placed(storage.parts.as_fd(), &Parts::part_name(part), name);
        if transfer.placing && has_name() {
            continue;
        }
        match &file.link {
            Some(link) if !storage.parts.link(part, link)? => drop(unlinked.insert(part)),
            Some(_) => {}
            None => {
                let modified = Timespec { tv_sec: file.modified, tv_nsec: file.nanoseconds.into() };
                storage.parts.finish(part, file.mode, modified)?;
            }
        }
    }
    // Parts of withdrawn files go first: after a crash during the steps below, every remaining part is taken for a
    // complete one.
    let complete: HashSet<u32> = files.iter().copied().collect();
    let withdrawn: Vec<u32> =
        accepted.parts().filter(|part| !complete.contains(part) && storage.parts.has(*part)).collect();
    storage.void(&withdrawn, accepted)?;
    // A link has no bytes: its entry in the folder is all of it.
    let with_bytes: Vec<u32> = files.iter().copied().filter(|part| accepted.has_part(*part)).collect();
    storage.sync(&with_bytes)?;
    storage.placing()?;
    Ok(unlinked)
}

/// The folders at the top that appeared since the offer was accepted, and have something in them. They are recorded: once
/// names are given, such a folder may be this transfer's own.
fn appeared(transfer: &Transfer, storage: &TransferStorage, target: &Target) -> Result<HashSet<String>, Error> {
    let accepted = &transfer.accepted;
    let files = accepted.parts().filter_map(|part| accepted.place(part)).filter(|name| name.split().0.is_some());
    let folders = accepted.folders().into_iter().map(|(name, _)| name);
    let tops: BTreeSet<&str> = files.chain(folders).map(Name::top).collect();
    let is_suspect = |top: &&str| match transfer.placing {
        true => accepted.appeared.contains(*top),
        false => !accepted.fills(top),
    };
    let mut appeared = HashSet::new();
    for top in tops.into_iter().filter(is_suspect) {
        if target.is_inhabited(&Name::parse(top).map_err(Error::file)?)? {
            appeared.insert(top.to_owned());
        }
    }
    if !transfer.placing && !appeared.is_empty() {
        let mut accepted = Accepted::clone(accepted);
        accepted.appeared.clone_from(&appeared);
        storage.rewrite(&accepted, transfer.folder.as_ref())?;
    }
    Ok(appeared)
}

/// Creates the folders, then places the files in them, then the links: while files are placed, no link of this transfer
/// is there. Nothing goes into folders that `appeared`.
fn give_names(
    accepted: &Accepted,
    storage: &TransferStorage,
    target: &Target,
    files: &[u32],
    appeared: &HashSet<String>,
) -> Result<PlacedFiles, Error> {
    let check = |name: &Name| match appeared.contains(name.top()) {
        true => Err(TargetError::Appeared { path: target.path().join(name.top()) }),
        false => Ok(()),
    };
    let mut placed = PlacedFiles { files: 0, failed: Vec::new() };
    // Outer folders first: otherwise they would be created without their permissions on the way to inner ones.
    let mut folders = accepted.folders();
    folders.sort_unstable();
    let created: Vec<_> =
        folders.iter().map(|(name, mode)| check(name).and_then(|()| target.make_folder(name, *mode))).collect();
    // Where a name could not be given, its folders are not synced: only the others are.
    let mut names: Vec<&Name> = Vec::new();
    let (with_bytes, links): (Vec<u32>, Vec<u32>) = files.iter().partition(|part| accepted.has_part(**part));
    for part in with_bytes.into_iter().chain(links) {
        let Some(name) = accepted.place(part) else { continue };
        let placing = || target.place(storage.parts.as_fd(), &Parts::part_name(part), name);
        match check(name).map_err(PlaceError::Target).and_then(|()| placing()) {
            Ok(()) => {
                placed.files += 1;
                names.push(name);
            }
            Err(error) => placed.failed.push((part, storage.unplaced_message(part, &error), wire_reason(&error))),
        }
    }
    names.extend(folders.iter().zip(&created).filter(|(_, created)| created.is_ok()).map(|((name, _), _)| name));
    target.sync_folders(names)?;
    // A file in the folder has reported it already.
    match created.into_iter().find_map(Result::err) {
        Some(error) if placed.failed.is_empty() => Err(error.into()),
        _ => Ok(placed),
    }
}

const fn wire_reason(error: &PlaceError) -> Unplaced {
    match error {
        PlaceError::Exists { .. } | PlaceError::Target(TargetError::Appeared { .. }) => Unplaced::Exists,
        PlaceError::OtherFileSystem { .. } | PlaceError::NoSafeRename { .. } => Unplaced::FileSystem,
        PlaceError::Target(TargetError::InTheWay { .. }) => Unplaced::InTheWay,
        PlaceError::NoPart { .. } | PlaceError::Target(_) => Unplaced::Disk,
    }
}

impl TransferStorage {
    fn unplaced_message(&self, part: u32, error: &PlaceError) -> String {
        let path = self.parts.path_of(part);
        format!("{error}; what was received is kept as {}", quoted(&path.to_string_lossy()))
    }
}
