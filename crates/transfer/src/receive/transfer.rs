//! A transfer over all its attempts: what was offered, what is here of it, and what of that survives this process.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::door::Hashed;
use super::offer::Offer;
use crate::Error;
use crate::hello::TransferId;
use crate::identity::Identity;
use crate::journal::{Entry, Journal, JournalError};
use crate::message::WIRE;
use crate::parts::{Parts, PartsError};
use crate::piece::Piece;
use crate::ranges::Ranges;
use crate::send::KEPT_FOR;
use crate::target::Target;

/// A transfer that has been accepted.
pub(super) struct Transfer {
    pub(super) id: TransferId,
    pub(super) offer: Arc<Offer>,
    /// What is on disk of each file, or would be without `--discard`.
    pub(super) have: HashMap<u32, Ranges>,
    pub(super) attempts: u32,
    /// Every part was whole and synced, and renaming may have begun.
    pub(super) placing: bool,
    /// `None`: everything is thrown away.
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
    offer: Offer,
}

/// What a receiver that was ended left behind, besides the transfer itself.
pub(super) struct Left {
    pub(super) identity: Identity,
    pub(super) secret: Hashed,
    pub(super) port: u16,
    pub(super) transfer: Transfer,
}

impl Written {
    /// The state in a folder, if it can be gone on with. Where nobody ever will, the folder is removed.
    fn of(parts: &Parts) -> Option<Self> {
        let text = parts.read_state();
        if let Err(PartsError::NoState { .. }) = &text {
            // Ended before it wrote its state, or after it had removed it.
            let _ = parts.remove();
        }
        let written: Self = serde_json::from_slice(&text.ok()?).ok().filter(|written: &Self| written.wire == WIRE)?;
        let began = UNIX_EPOCH.checked_add(Duration::from_secs(written.began))?;
        // In the future: the clock was set back, and tells no age.
        if began.elapsed().is_ok_and(|age| age > KEPT_FOR) {
            // Whole files whose names were taken are not thrown away: somebody was told where they are.
            if is_placing(parts) == Some(false) {
                let _ = parts.remove();
            }
            return None;
        }
        Some(written)
    }
}

/// Whether all had come; `None` where the journal can't be read.
fn is_placing(parts: &Parts) -> Option<bool> {
    let mut placing = false;
    Journal::open(parts.journal().ok()?, |entry| placing |= entry == Entry::Placing).ok()?;
    Some(placing)
}

impl Transfer {
    /// One whose bytes are thrown away.
    pub(super) fn discarding(id: TransferId, offer: Offer) -> Self {
        Self { id, offer: Arc::new(offer), have: HashMap::new(), attempts: 1, placing: false, kept: None }
    }

    /// One that is received into a folder: its state folder is made, so that it can be gone on with.
    pub(super) fn keeping(
        id: TransferId,
        offer: Offer,
        target: &Target,
        identity: &Identity,
        secret: &Hashed,
        port: u16,
    ) -> Result<Self, Error> {
        let parts = Arc::new(Parts::create(target, id.0).map_err(failed)?);
        let journal = Journal::open(parts.journal().map_err(failed)?, |_| {})?;
        let kept = Kept { parts, journal: Mutex::new(Some(journal)) };
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let written = Written {
            wire: WIRE,
            key: Zeroizing::new(hex::encode(identity.pkcs8())),
            resume_sha256: secret.clone(),
            port,
            began,
            offer,
        };
        kept.write(&written)?;
        let offer = Arc::new(written.offer);
        Ok(Self { id, offer, have: HashMap::new(), attempts: 1, placing: false, kept: Some(kept) })
    }

    /// The latest of the unfinished transfers in a folder. What nobody can go on with any more is removed.
    pub(super) fn left(target: &Target) -> Result<Option<Left>, Error> {
        let mut latest: Option<(Parts, Written)> = None;
        for parts in Parts::find(target).map_err(failed)? {
            let parts = parts.map_err(failed)?;
            if let Some(written) = Written::of(&parts)
                && latest.as_ref().is_none_or(|(_, latest)| latest.began <= written.began)
            {
                latest = Some((parts, written));
            }
        }
        let Some((parts, written)) = latest else { return Ok(None) };
        let transfer = Self::replayed(TransferId(parts.id()), parts, written.offer)?;
        let broken = || Error::File("the state of the unfinished transfer can't be read: start it anew".into());
        let key = Zeroizing::new(hex::decode(&*written.key).map_err(|_| broken())?);
        Ok(Some(Left { identity: Identity::load(&key)?, secret: written.resume_sha256, port: written.port, transfer }))
    }

    /// What the journal says is on disk.
    fn replayed(id: TransferId, parts: Parts, offer: Offer) -> Result<Self, Error> {
        let mut transfer = Self::discarding(id, offer);
        let journal = Journal::open(parts.journal().map_err(failed)?, |entry| match entry {
            Entry::Piece { file, offset, length } => {
                let within = transfer.offer.files.get(file as usize).is_some();
                // Twice the same piece can be written by two attempts; one is enough.
                if within {
                    let _ = transfer.have.entry(file).or_default().add(offset, length);
                }
            }
            Entry::Restart { file, .. } => {
                transfer.have.remove(&file);
            }
            Entry::Placing => transfer.placing = true,
            Entry::Attempt { number } => transfer.attempts = number,
        })?;
        let kept = Kept { parts: Arc::new(parts), journal: Mutex::new(Some(journal)) };
        // Once names are given, a part that isn't there has got its own.
        if !transfer.placing {
            let lost = kept.lost(&transfer.have, &transfer.offer)?;
            kept.forget(&lost, &transfer.offer)?;
            transfer.have.retain(|file, _| !lost.contains(file));
        }
        transfer.kept = Some(kept);
        Ok(transfer)
    }

    /// A sender came back: the same names, or it is another transfer. A file that is another now begins anew.
    pub(super) fn again(&mut self, offer: Offer) -> Result<(), Error> {
        let names = |offer: &Offer| offer.names().cloned().collect::<HashSet<_>>();
        let same = offer.files.len() == self.offer.files.len()
            && offer.files.iter().zip(&self.offer.files).all(|(new, old)| new.name == old.name)
            && names(&offer) == names(&self.offer);
        if !same {
            return Err(Error::Disagreed(
                "other files are offered than before; offer the same, or these as a new transfer",
            ));
        }
        self.attempts = self.attempts.saturating_add(1);
        let changed: Vec<u32> = (0..offer.files.len())
            .filter(|number| {
                let (new, old) = (&offer.files[*number], &self.offer.files[*number]);
                new.version != old.version || new.size != old.size
            })
            .map(|number| number as u32)
            .collect();
        for file in &changed {
            self.have.remove(file);
        }
        if let Some(kept) = &self.kept {
            kept.again(&changed, &offer, self.attempts)?;
        }
        self.offer = Arc::new(offer);
        Ok(())
    }

    /// These pieces are on disk.
    pub(super) fn have(&mut self, pieces: &[Piece]) {
        for piece in pieces.iter().filter(|piece| piece.length > 0) {
            // Whoever claimed it saw that it overlaps nothing.
            let _ = self.have.entry(piece.file).or_default().add(piece.offset, piece.length);
        }
    }

    /// Makes pieces durable and remembers them.
    pub(super) fn remember(&self, pieces: &[Piece]) -> Result<(), Error> {
        self.kept.as_ref().map_or(Ok(()), |kept| kept.remember(pieces))
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
        let text = Zeroizing::new(serde_json::to_vec(written).map_err(failed)?);
        self.parts.write_state(&text).map_err(failed)
    }

    fn again(&self, changed: &[u32], offer: &Offer, attempt: u32) -> Result<(), Error> {
        self.append(&[Entry::Attempt { number: attempt }])?;
        if changed.is_empty() {
            return Ok(());
        }
        // The state changes last: whatever is cut off between, old pieces never pass for new ones.
        self.forget(changed, offer)?;
        let text = self.parts.read_state().map_err(failed)?;
        let mut written: Written = serde_json::from_slice(&text).map_err(failed)?;
        written.offer = offer.clone();
        self.write(&written)
    }

    /// Files of which the journal tells what can't be: their parts are gone, or have another size.
    fn lost(&self, have: &HashMap<u32, Ranges>, offer: &Offer) -> Result<HashSet<u32>, Error> {
        let mut lost = HashSet::new();
        for &file in have.keys() {
            if !self.parts.holds(file, offer.files[file as usize].size).map_err(failed)? {
                lost.insert(file);
            }
        }
        Ok(lost)
    }

    /// Voids what came of these files. The journal forgets before the parts go: else it would tell of pieces in parts that aren't there,
    /// or that are others by then.
    pub(super) fn forget<'a>(&self, files: impl IntoIterator<Item = &'a u32>, offer: &Offer) -> Result<(), Error> {
        let files: Vec<u32> = files.into_iter().copied().collect();
        if files.is_empty() {
            return Ok(());
        }
        let restart = |&file: &u32| Entry::Restart { file, version: offer.files[file as usize].version };
        self.append(&files.iter().map(restart).collect::<Vec<_>>())?;
        for file in files {
            self.parts.forget(file).map_err(failed)?;
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
        self.parts.sync_state().map_err(failed)?;
        let entry = |piece: &Piece| Entry::Piece { file: piece.file, offset: piece.offset, length: piece.length };
        // An empty file's piece says nothing: it is sent again.
        let entries: Vec<_> = pieces.iter().filter(|piece| piece.length > 0).map(entry).collect();
        self.append(&entries)
    }

    /// Makes these parts durable.
    pub(super) fn sync(&self, files: &[u32]) -> Result<(), Error> {
        self.parts.sync(files.iter().copied()).map_err(failed)
    }

    /// From now on files may be under their names.
    pub(super) fn placing(&self) -> Result<(), Error> {
        self.append(&[Entry::Placing])
    }

    /// Clears away what is needed no more: every file is durable under its name. So what can't be removed fails nothing, and
    /// without its state it is no transfer that could be gone on with.
    pub(super) fn remove(&self) {
        // Closed first: on NFS a file that is open keeps its folder from being removed.
        self.journal().take();
        let _ = self.parts.remove();
    }
}

impl From<JournalError> for Error {
    fn from(error: JournalError) -> Self {
        Self::File(error.to_string())
    }
}

pub(super) fn failed(error: impl std::fmt::Display) -> Error {
    Error::File(error.to_string())
}

#[cfg(test)]
mod tests;
