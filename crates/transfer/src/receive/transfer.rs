//! A transfer over all its attempts: what was accepted, what of it is here, and what of that survives this process.

pub(super) mod kept;
mod replayed;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ciphermeter_core::quoted;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::accepted::{Accepted, Excess};
use super::choices::AcceptedOffer;
use super::declared::Declared;
use super::offer::Offer;
use crate::Error;
use crate::hello::TransferId;
use crate::identity::Identity;
use crate::journal::{Entry, Journal, JournalError};
use crate::kept::{Begun, is_too_old};
use crate::listen::ResumeSecretHash;
use crate::name::Name;
use crate::parts::{Parts, PartsError};
use crate::piece::Piece;
use crate::ranges::Ranges;
use crate::target::Target;
use crate::wire::{WIRE, wire_of};
use replayed::Replayed;

/// A transfer that has been accepted.
pub(super) struct Transfer {
    pub(super) id: TransferId,
    pub(super) accepted: Arc<Accepted>,
    have: Mutex<HashMap<u32, Ranges>>,
    /// How what came compares with what was offered.
    pub(super) declared: Arc<Mutex<Declared>>,
    /// The new folder in the receiving folder that all names go into, if there is to be one.
    pub(super) folder: Option<Name>,
    pub(super) attempts: u32,
    /// How many entries the last known offer leaves out.
    pub(super) left_out: u32,
    /// What this end left out of the last offer.
    pub(super) beyond: Vec<Excess>,
    /// Every part was complete and synced, and renaming may have begun.
    pub(super) placing: bool,
    /// `None`: everything is discarded.
    pub(super) storage: Option<TransferStorage>,
}

/// Where a transfer's state and parts are.
pub(super) struct TransferStorage {
    pub(super) parts: Arc<Parts>,
    /// `None` once the transfer has ended.
    journal: Mutex<Option<Journal>>,
}

/// `state.json` of the state folder, mode 0600.
#[derive(Serialize, Deserialize)]
struct StoredState {
    wire: u32,
    /// The key that the receiver proves to have; absent where the sender listens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Zeroizing<String>>,
    resume_sha256: ResumeSecretHash,
    port: u16,
    began: u64,
    #[serde(default)]
    begun: Begun,
    accepted: Accepted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<Name>,
    /// Bytes that the journal had: a shorter one is of files as they were before, or damaged.
    #[serde(default)]
    journal: u64,
}

/// How the two ends of a transfer find each other again.
pub(super) struct Reunion<'a> {
    /// The key that the receiver proves to have; `None`: its sender listens.
    pub(super) identity: Option<&'a Identity>,
    pub(super) secret: &'a ResumeSecretHash,
    pub(super) port: u16,
    pub(super) begun: &'a Begun,
}

/// What an ended receiver left behind, besides the transfer itself.
pub(super) struct UnfinishedTransfer {
    /// `None`: its sender listens.
    pub(super) identity: Option<Identity>,
    pub(super) secret: ResumeSecretHash,
    pub(super) port: u16,
    pub(super) transfer: Transfer,
}

impl StoredState {
    /// Whether it describes exactly this.
    fn is_about(&self, accepted: &Accepted, folder: Option<&Name>) -> bool {
        self.folder.as_ref() == folder && self.accepted.is_stored_as(accepted)
    }
}

/// The content of a state folder.
enum StateFolder {
    /// A transfer that can be resumed.
    Resumable(Box<StoredState>),
    /// A transfer of another version of ciphermeter.
    OtherVersion,
    /// Nothing that can be resumed; what could be removed is removed.
    Useless,
}

impl StateFolder {
    fn inspect(parts: &Parts) -> Self {
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
        // A loss of power left the name of a state that was not synced yet. The journal says nothing then.
        let is_blank = text.iter().all(|byte| *byte == 0);
        if is_blank && Replayed::read(parts).is_some_and(|journal| journal.have.is_empty() && !journal.placing) {
            let _ = parts.remove();
            return Self::Useless;
        }
        let Ok(state) = serde_json::from_slice::<StoredState>(&text) else { return Self::Useless };
        let Some(began) = UNIX_EPOCH.checked_add(Duration::from_secs(state.began)) else { return Self::Useless };
        if is_too_old(began) {
            // Complete files whose names were taken are not removed: the user was told where they are.
            if Replayed::read(parts).is_some_and(|journal| !journal.placing) {
                let _ = parts.remove();
            }
            return Self::Useless;
        }
        Self::Resumable(Box::new(state))
    }
}

impl Transfer {
    /// A transfer whose bytes are discarded.
    pub(super) fn discarding(id: TransferId, accepted: Accepted) -> Self {
        Self {
            id,
            accepted: Arc::new(accepted),
            have: Mutex::default(),
            declared: Arc::default(),
            folder: None,
            attempts: 1,
            left_out: 0,
            beyond: Vec::new(),
            placing: false,
            storage: None,
        }
    }

    /// A transfer into a folder: its state folder is created, so that it can be resumed.
    pub(super) fn keeping(
        id: TransferId,
        accepted: Accepted,
        folder: Option<Name>,
        target: &Target,
        reunion: &Reunion<'_>,
    ) -> Result<Self, Error> {
        let parts = Arc::new(Parts::create(target, id.0)?);
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let state = StoredState {
            wire: WIRE,
            key: reunion.identity.map(|identity| Zeroizing::new(hex::encode(identity.pkcs8()))),
            resume_sha256: reunion.secret.clone(),
            port: reunion.port,
            began,
            begun: reunion.begun.clone(),
            accepted,
            folder,
            journal: 0,
        };
        let begun = || {
            let journal = Journal::open(parts.journal()?, |_| {})?;
            let storage = TransferStorage { parts: parts.clone(), journal: Mutex::new(Some(journal)) };
            storage.write(&state).map(|()| storage)
        };
        // Nothing came yet: what cannot be resumed must not stay.
        let storage = begun().inspect_err(|_: &Error| drop(parts.remove()))?;
        let StoredState { accepted, folder, .. } = state;
        Ok(Self { folder, storage: Some(storage), ..Self::discarding(id, accepted) })
    }

    /// The latest of the unfinished transfers in a folder whose numbers begin so. Those that cannot be resumed are
    /// removed.
    pub(super) fn find_unfinished(target: &Target, number: &str) -> Result<Option<UnfinishedTransfer>, Error> {
        let (mut latest, mut other): (Option<(Parts, Box<StoredState>)>, _) = (None, None);
        for parts in Parts::find(target)? {
            let parts = parts?;
            if !TransferId(parts.id()).to_string().starts_with(number) {
                continue;
            }
            match StateFolder::inspect(&parts) {
                StateFolder::Resumable(state)
                    if latest.as_ref().is_none_or(|(_, latest)| latest.began <= state.began) =>
                {
                    latest = Some((parts, state));
                }
                StateFolder::OtherVersion => other = Some(parts.path().to_owned()),
                StateFolder::Resumable(_) | StateFolder::Useless => {}
            }
        }
        let Some((parts, state)) = latest else {
            return other.map_or(Ok(None), |folder| {
                Err(Error::file(format!(
                    "the unfinished transfer in {} was begun by another version of ciphermeter; resume it with that version, or remove the folder and start over",
                    quoted(&folder.to_string_lossy())
                )))
            });
        };
        let mut transfer = Self::replay(TransferId(parts.id()), parts, state.accepted, state.journal)?;
        transfer.folder = state.folder;
        let unreadable = || Error::file("cannot read the state of the unfinished transfer; start over");
        let key = state.key.map(|key| hex::decode(&*key).map(Zeroizing::new)).transpose().map_err(|_| unreadable())?;
        Ok(Some(UnfinishedTransfer {
            identity: key.map(|key| Identity::load(&key)).transpose()?,
            secret: state.resume_sha256,
            port: state.port,
            transfer,
        }))
    }

    /// The transfer with what the journal lists as on disk: nothing, if it lacks lines.
    fn replay(id: TransferId, parts: Parts, accepted: Accepted, least: u64) -> Result<Self, Error> {
        let (mut transfer, mut replayed) = (Self::discarding(id, accepted), Replayed::default());
        let journal = Journal::open(parts.journal()?, |entry| replayed.take(&entry))?;
        let is_stale = journal.length() < least;
        let Replayed { mut have, placing, attempts } = replayed;
        have.retain(|file, _| transfer.accepted.file(*file).is_some());
        transfer.placing = placing;
        transfer.attempts = attempts.unwrap_or(transfer.attempts);
        let storage = TransferStorage { parts: Arc::new(parts), journal: Mutex::new(Some(journal)) };
        // Once names are given, a missing part has its name already.
        if !transfer.placing {
            let mut lost = storage.files_without_parts(&have, &transfer.accepted)?;
            lost.extend(have.keys().filter(|_| is_stale));
            storage.void(&lost, &transfer.accepted)?;
            have.retain(|file, _| !lost.contains(file));
        }
        transfer.have = Mutex::new(have);
        transfer.storage = Some(storage);
        Ok(transfer)
    }

    /// Takes the accepted offer of a further attempt. A file that has changed begins anew: `restarted` gets those of which
    /// bytes were here.
    pub(super) fn apply_offer(
        &mut self,
        offer: Offer,
        with: AcceptedOffer,
        restarted: impl Fn(&Name, u64),
    ) -> Result<(), Error> {
        let AcceptedOffer { folder, fates, declined_folders, filled, beyond } = with;
        (self.folder, self.beyond) = (folder, beyond);
        self.attempts = self.attempts.saturating_add(1);
        self.left_out = offer.left_out;
        let accepted = Arc::make_mut(&mut self.accepted);
        let mut changed = accepted.take(offer, &fates);
        accepted.decline_folders(declined_folders);
        accepted.fill(filled);
        if let Some(storage) = &self.storage {
            storage.append(&[Entry::Attempt { number: self.attempts }])?;
            // Of a million changed files, hardly any has begun: only those are recorded in the journal.
            let have = self.have();
            changed.retain(|file| have.contains_key(file) || storage.parts.has(*file));
            drop(have);
            // The state changes last: wherever this is interrupted, old pieces never pass for new ones.
            storage.void(&changed, &self.accepted)?;
            storage.rewrite(&self.accepted, self.folder.as_ref())?;
        }
        for file in &changed {
            let here = self.have().remove(file);
            if let Some((here, file)) = here.zip(self.accepted.file(*file)) {
                restarted(&file.name, here.bytes());
            }
        }
        Ok(())
    }

    /// What an accepted file's part takes of the disk already, in bytes, if there is one.
    pub(super) fn allocated(&self, part: u32) -> Option<u64> {
        self.storage.as_ref()?.parts.allocated(part)
    }

    /// What is on disk of each accepted file, or would be without `--discard`.
    pub(super) fn have(&self) -> MutexGuard<'_, HashMap<u32, Ranges>> {
        self.have.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Begins to make durable what was accepted: from then on the transfer can be resumed after a loss of power. Neither
    /// the first bytes nor the first receipt wait for it; what does and finds that it failed says so.
    pub(super) fn begin_to_sync(&self) {
        if let Some(parts) = self.storage.as_ref().map(|storage| storage.parts.clone()) {
            thread::spawn(move || parts.sync_state());
        }
    }

    /// Makes pieces durable and records them, in the journal and for the next attempt of this process.
    pub(super) fn record(&self, pieces: &[Piece]) -> Result<(), Error> {
        let Some(storage) = &self.storage else { return Ok(()) };
        storage.record(pieces)?;
        let mut have = self.have();
        for piece in pieces.iter().filter(|piece| piece.length > 0) {
            // It overlaps nothing: that was checked when it was claimed.
            let _ = have.entry(piece.file).or_default().add(piece.offset, piece.length);
        }
        Ok(())
    }
}

impl TransferStorage {
    fn journal(&self) -> MutexGuard<'_, Option<Journal>> {
        self.journal.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn append(&self, entries: &[Entry]) -> Result<(), Error> {
        Ok(self.journal().as_mut().ok_or(JournalError::Failed)?.append(entries)?)
    }

    fn write(&self, state: &StoredState) -> Result<(), Error> {
        let text = Zeroizing::new(serde_json::to_vec(state).map_err(Error::file)?);
        Ok(self.parts.write_state(&text)?)
    }

    pub(super) fn rewrite(&self, accepted: &Accepted, folder: Option<&Name>) -> Result<(), Error> {
        let text = self.parts.read_state()?;
        let mut state: StoredState = serde_json::from_slice(&text).map_err(Error::file)?;
        if state.is_about(accepted, folder) {
            return Ok(());
        }
        (state.accepted, state.folder) = (accepted.clone(), folder.cloned());
        state.journal = self.journal().as_ref().map_or(0, Journal::length);
        self.write(&state)
    }

    /// Files whose journal entries cannot be true: their parts are gone, or have another size.
    fn files_without_parts(&self, have: &HashMap<u32, Ranges>, accepted: &Accepted) -> Result<HashSet<u32>, Error> {
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
    pub(super) fn void<'a>(&self, files: impl IntoIterator<Item = &'a u32>, accepted: &Accepted) -> Result<(), Error> {
        let files: Vec<u32> = files.into_iter().copied().collect();
        if files.is_empty() {
            return Ok(());
        }
        let restart = |&file: &u32| Some(Entry::Restart { file, version: accepted.file(file)?.version });
        self.append(&files.iter().filter_map(restart).collect::<Vec<_>>())?;
        for file in files {
            self.parts.remove_part(file)?;
        }
        Ok(())
    }

    fn record(&self, pieces: &[Piece]) -> Result<(), Error> {
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

    /// From now on files may be under their names. Without the state nobody would know the names of the others.
    pub(super) fn placing(&self) -> Result<(), Error> {
        self.parts.sync_state()?;
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
