//! A transfer over all its attempts: what was accepted, what of it is here, and what of that survives this process.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ciphermeter_core::quoted;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::accepted::Accepted;
use super::door::Hashed;
use super::offer::Offer;
use crate::Error;
use crate::hello::TransferId;
use crate::identity::Identity;
use crate::journal::{Entry, Journal, JournalError};
use crate::name::Name;
use crate::parts::{Parts, PartsError};
use crate::piece::Piece;
use crate::ranges::Ranges;
use crate::send::KEPT_FOR;
use crate::target::Target;
use crate::wire::{WIRE, wire_of};

/// A transfer that has been accepted.
pub(super) struct Transfer {
    pub(super) id: TransferId,
    pub(super) accepted: Arc<Accepted>,
    have: Mutex<HashMap<u32, Ranges>>,
    /// The new folder in the receiving folder that all names go into, if there is to be one.
    pub(super) folder: Option<Name>,
    pub(super) attempts: u32,
    /// Every part was complete and synced, and renaming may have begun.
    pub(super) placing: bool,
    /// `None`: everything is discarded.
    pub(super) kept: Option<Kept>,
}

/// Where a transfer's state and parts are.
pub(super) struct Kept {
    pub(super) parts: Arc<Parts>,
    /// `None` once the transfer has ended.
    journal: Mutex<Option<Journal>>,
}

/// `state.json` of the state folder, mode 0600.
#[derive(Serialize, Deserialize)]
struct Written {
    wire: u32,
    key: Zeroizing<String>,
    resume_sha256: Hashed,
    port: u16,
    began: u64,
    accepted: Accepted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<Name>,
}

/// What an ended receiver left behind, besides the transfer itself.
pub(super) struct Left {
    pub(super) identity: Identity,
    pub(super) secret: Hashed,
    pub(super) port: u16,
    pub(super) transfer: Transfer,
}

impl Written {
    /// Whether it describes exactly this.
    fn is_about(&self, accepted: &Accepted, folder: Option<&Name>) -> bool {
        self.folder.as_ref() == folder && self.accepted.is_stored_as(accepted)
    }
}

/// The content of a state folder.
enum Found {
    /// A transfer that can be resumed.
    Resumable(Box<Written>),
    /// A transfer of another version of ciphermeter.
    OtherVersion,
    /// Nothing that can be resumed; what could be removed is removed.
    Useless,
}

impl Found {
    fn of(parts: &Parts) -> Self {
        let text = match parts.read_state() {
            Ok(text) => text,
            Err(PartsError::NoState { .. }) => {
                // The process ended before it wrote its state, or after it had removed it.
                let _ = parts.remove();
                return Self::Useless;
            }
            Err(_) => return Self::Useless,
        };
        if wire_of(&text).is_some_and(|wire| wire != WIRE) {
            return Self::OtherVersion;
        }
        let Ok(written) = serde_json::from_slice::<Written>(&text) else { return Self::Useless };
        let Some(began) = UNIX_EPOCH.checked_add(Duration::from_secs(written.began)) else { return Self::Useless };
        // In the future: the clock was set back, so the age is unknown.
        if began.elapsed().is_ok_and(|age| age > KEPT_FOR) {
            // Complete files whose names were taken are not removed: the user was told where they are.
            if is_placing(parts) == Some(false) {
                let _ = parts.remove();
            }
            return Self::Useless;
        }
        Self::Resumable(Box::new(written))
    }
}

/// Whether all had come; `None` where the journal cannot be read.
fn is_placing(parts: &Parts) -> Option<bool> {
    let mut placing = false;
    Journal::open(parts.journal().ok()?, |entry| placing |= entry == Entry::Placing).ok()?;
    Some(placing)
}

impl Transfer {
    /// A transfer whose bytes are discarded.
    pub(super) fn discarding(id: TransferId, accepted: Accepted) -> Self {
        Self {
            id,
            accepted: Arc::new(accepted),
            have: Mutex::default(),
            folder: None,
            attempts: 1,
            placing: false,
            kept: None,
        }
    }

    /// A transfer into a folder: its state folder is created, so that it can be resumed.
    pub(super) fn keeping(
        id: TransferId,
        accepted: Accepted,
        folder: Option<Name>,
        target: &Target,
        identity: &Identity,
        secret: &Hashed,
        port: u16,
    ) -> Result<Self, Error> {
        let parts = Arc::new(Parts::create(target, id.0)?);
        let journal = Journal::open(parts.journal()?, |_| {})?;
        let kept = Kept { parts, journal: Mutex::new(Some(journal)) };
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let written = Written {
            wire: WIRE,
            key: Zeroizing::new(hex::encode(identity.pkcs8())),
            resume_sha256: secret.clone(),
            port,
            began,
            accepted,
            folder,
        };
        kept.write(&written)?;
        let Written { accepted, folder, .. } = written;
        Ok(Self { folder, kept: Some(kept), ..Self::discarding(id, accepted) })
    }

    /// The latest of the unfinished transfers in a folder. Those that cannot be resumed are removed.
    pub(super) fn left(target: &Target) -> Result<Option<Left>, Error> {
        let (mut latest, mut other): (Option<(Parts, Box<Written>)>, _) = (None, None);
        for parts in Parts::find(target)? {
            let parts = parts?;
            match Found::of(&parts) {
                Found::Resumable(written)
                    if latest.as_ref().is_none_or(|(_, latest)| latest.began <= written.began) =>
                {
                    latest = Some((parts, written));
                }
                Found::OtherVersion => other = Some(parts.path().to_owned()),
                Found::Resumable(_) | Found::Useless => {}
            }
        }
        let Some((parts, written)) = latest else {
            return other.map_or(Ok(None), |folder| {
                Err(Error::file(format!(
                    "the unfinished transfer in {} was begun by another version of ciphermeter; resume it with that version, or remove the folder and start over",
                    quoted(&folder.to_string_lossy())
                )))
            });
        };
        let mut transfer = Self::replayed(TransferId(parts.id()), parts, written.accepted)?;
        transfer.folder = written.folder;
        let broken = || Error::file("cannot read the state of the unfinished transfer; start over");
        let key = Zeroizing::new(hex::decode(&*written.key).map_err(|_| broken())?);
        Ok(Some(Left { identity: Identity::load(&key)?, secret: written.resume_sha256, port: written.port, transfer }))
    }

    /// The transfer with what the journal lists as on disk.
    fn replayed(id: TransferId, parts: Parts, accepted: Accepted) -> Result<Self, Error> {
        let mut transfer = Self::discarding(id, accepted);
        let mut have: HashMap<u32, Ranges> = HashMap::new();
        let journal = Journal::open(parts.journal()?, |entry| match entry {
            Entry::Piece { file, offset, length } => {
                // Two attempts may have recorded the same piece; one record is enough.
                if transfer.accepted.file(file).is_some() {
                    let _ = have.entry(file).or_default().add(offset, length);
                }
            }
            Entry::Restart { file, .. } => {
                have.remove(&file);
            }
            Entry::Placing => transfer.placing = true,
            Entry::Attempt { number } => transfer.attempts = number,
        })?;
        let kept = Kept { parts: Arc::new(parts), journal: Mutex::new(Some(journal)) };
        // Once names are given, a missing part has its name already.
        if !transfer.placing {
            let lost = kept.lost(&have, &transfer.accepted)?;
            kept.forget(&lost, &transfer.accepted)?;
            have.retain(|file, _| !lost.contains(file));
        }
        transfer.have = Mutex::new(have);
        transfer.kept = Some(kept);
        Ok(transfer)
    }

    /// Takes the accepted offer of a further attempt. A file that has changed begins anew.
    pub(super) fn take(&mut self, offer: Offer) -> Result<(), Error> {
        self.attempts = self.attempts.saturating_add(1);
        let mut changed = Arc::make_mut(&mut self.accepted).take(offer);
        if let Some(kept) = &self.kept {
            kept.append(&[Entry::Attempt { number: self.attempts }])?;
            // Of a million changed files, hardly any has begun: only those are recorded in the journal.
            let have = self.have();
            changed.retain(|file| have.contains_key(file) || kept.parts.has(*file));
            drop(have);
            // The state changes last: wherever this is interrupted, old pieces never pass for new ones.
            kept.forget(&changed, &self.accepted)?;
            kept.rewrite(&self.accepted, self.folder.as_ref())?;
        }
        for file in &changed {
            self.have().remove(file);
        }
        Ok(())
    }

    /// Bytes that an offer still takes from the disk, besides those that its files' parts already have.
    pub(super) fn still_needs(&self, offer: &Offer) -> u64 {
        let Some(kept) = &self.kept else { return offer.bytes() };
        let part = |part| Some((&self.accepted.file(part)?.name, part));
        let parts: HashMap<&Name, u32> = self.accepted.parts().filter_map(part).collect();
        let taken = |name| parts.get(name).map_or(0, |&part| kept.parts.allocated(part));
        offer.files.iter().fold(0, |sum, file| sum.saturating_add(file.size.saturating_sub(taken(&file.name))))
    }

    /// What is on disk of each accepted file, or would be without `--discard`.
    pub(super) fn have(&self) -> MutexGuard<'_, HashMap<u32, Ranges>> {
        self.have.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Makes pieces durable and records them, in the journal and for the next attempt of this process.
    pub(super) fn remember(&self, pieces: &[Piece]) -> Result<(), Error> {
        let Some(kept) = &self.kept else { return Ok(()) };
        kept.remember(pieces)?;
        let mut have = self.have();
        for piece in pieces.iter().filter(|piece| piece.length > 0) {
            // It overlaps nothing: that was checked when it was claimed.
            let _ = have.entry(piece.file).or_default().add(piece.offset, piece.length);
        }
        Ok(())
    }
}

impl Kept {
    fn journal(&self) -> MutexGuard<'_, Option<Journal>> {
        self.journal.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn append(&self, entries: &[Entry]) -> Result<(), Error> {
        Ok(self.journal().as_mut().ok_or(JournalError::Failed)?.append(entries)?)
    }

    fn write(&self, written: &Written) -> Result<(), Error> {
        let text = Zeroizing::new(serde_json::to_vec(written).map_err(Error::file)?);
        Ok(self.parts.write_state(&text)?)
    }

    fn rewrite(&self, accepted: &Accepted, folder: Option<&Name>) -> Result<(), Error> {
        let text = self.parts.read_state()?;
        let mut written: Written = serde_json::from_slice(&text).map_err(Error::file)?;
        if written.is_about(accepted, folder) {
            return Ok(());
        }
        (written.accepted, written.folder) = (accepted.clone(), folder.cloned());
        self.write(&written)
    }

    /// Files whose journal entries cannot be true: their parts are gone, or have another size.
    fn lost(&self, have: &HashMap<u32, Ranges>, accepted: &Accepted) -> Result<HashSet<u32>, Error> {
        let mut lost = HashSet::new();
        for &file in have.keys() {
            let size = accepted.file(file).map_or(0, |file| file.size);
            if !self.parts.holds(file, size)? {
                lost.insert(file);
            }
        }
        Ok(lost)
    }

    /// Voids what was received of these files. The journal is updated before the parts are removed: otherwise it would
    /// list pieces in parts that are missing, or that are others by then.
    pub(super) fn forget<'a>(
        &self,
        files: impl IntoIterator<Item = &'a u32>,
        accepted: &Accepted,
    ) -> Result<(), Error> {
        let files: Vec<u32> = files.into_iter().copied().collect();
        if files.is_empty() {
            return Ok(());
        }
        let restart = |&file: &u32| Some(Entry::Restart { file, version: accepted.file(file)?.version });
        self.append(&files.iter().filter_map(restart).collect::<Vec<_>>())?;
        for file in files {
            self.parts.forget(file)?;
        }
        Ok(())
    }

    fn remember(&self, pieces: &[Piece]) -> Result<(), Error> {
        if pieces.is_empty() {
            return Ok(());
        }
        let mut files: Vec<u32> = pieces.iter().map(|piece| piece.file).collect();
        files.sort_unstable();
        files.dedup();
        self.sync(&files)?;
        self.parts.sync_state()?;
        let entry = |piece: &Piece| Entry::Piece { file: piece.file, offset: piece.offset, length: piece.length };
        // An empty file's piece is not recorded: it is sent again.
        let entries: Vec<_> = pieces.iter().filter(|piece| piece.length > 0).map(entry).collect();
        self.append(&entries)
    }

    /// Makes these parts durable.
    pub(super) fn sync(&self, files: &[u32]) -> Result<(), Error> {
        Ok(self.parts.sync(files.iter().copied())?)
    }

    /// From now on files may be under their names.
    pub(super) fn placing(&self) -> Result<(), Error> {
        self.append(&[Entry::Placing])
    }

    /// Removes what is no longer needed: every file is durable under its name. So a part that cannot be removed is no
    /// failure, and without its state the folder is no transfer that could be resumed.
    pub(super) fn remove(&self) {
        // Closed first: on NFS an open file keeps its folder from being removed.
        self.journal().take();
        let _ = self.parts.remove();
    }
}

impl From<JournalError> for Error {
    fn from(error: JournalError) -> Self {
        Self::file(error)
    }
}

#[cfg(test)]
mod tests;
