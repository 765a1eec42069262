//! Keeps the state of a transfer while it lasts: written before the receiver can have it, on disk soon after.
//!
//! Promises: no byte and no receipt waits for this end's disk, but the end of a transfer that did not succeed does.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use super::known_receiver::{KnownReceiver, ResumeCredential};
use super::options::SendOptions;
use super::plan::Unreadable;
use super::state::State;
use crate::Error;
use crate::hello::TransferId;

/// What is kept of one transfer, over all its attempts.
pub(super) struct Keeper<'a> {
    paths: &'a [PathBuf],
    options: &'a SendOptions,
    syncing: Option<JoinHandle<Result<(), Error>>>,
    /// So that no other process removes it as left behind.
    held: Option<File>,
    /// What no later attempt of this process reads again.
    pub(super) unreadable: Unreadable,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(paths: &'a [PathBuf], options: &'a SendOptions) -> Self {
        Self { paths, options, syncing: None, held: None, unreadable: Unreadable::default() }
    }

    /// `None`: this user has no folder for it, and nothing is kept.
    fn folder(&self) -> Option<&'a Path> {
        self.options.states.as_deref()
    }

    /// Writes what another process needs to resume, and begins to sync it.
    pub(super) fn store(&mut self, resume: &ResumeCredential, receiver: &KnownReceiver) -> Result<(), Error> {
        let Some(folder) = self.folder() else { return Ok(()) };
        let unsynced = State::new(receiver, resume, self.paths, self.options).write(folder)?;
        self.hold(resume.transfer);
        // Last: a file system may do nothing else meanwhile.
        self.syncing = Some(thread::spawn(|| unsynced.sync()));
        Ok(())
    }

    /// Marks what is kept as in use.
    pub(super) fn hold(&mut self, transfer: TransferId) {
        if let Some(folder) = self.folder() {
            self.held = super::state::kept::hold(folder, transfer).or(self.held.take());
        }
    }

    /// The transfer has ended, or never began.
    pub(super) fn forget(&self, transfer: TransferId) {
        if let Some(folder) = self.folder() {
            State::forget(folder, transfer);
        }
    }

    /// Why a transfer ended, once what is kept of it is on disk. A lost connection is about to be reported as one that
    /// can be resumed: if a loss of power could prevent that, its user is told why instead.
    pub(super) fn reason(self, error: Error) -> Error {
        let synced = self.syncing.map_or(Ok(()), |syncing| syncing.join().unwrap_or(Err(Error::Cut)));
        match synced {
            Err(failed) if error.is_lost() => failed,
            _ => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::secret::ResumeSecret;
    use crate::send::known_receiver::Credential;
    use crate::timed::Times;

    fn options(states: Option<&Path>) -> SendOptions {
        SendOptions {
            wanted: None,
            streams: 1,
            limit: None,
            exclude: Vec::new(),
            rates: Vec::new(),
            patience: Duration::ZERO,
            times: Times::default(),
            states: states.map(Into::into),
            ssh: None,
        }
    }

    #[test]
    fn stored_state_is_there_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let resume = ResumeCredential { transfer: TransferId([7; 16]), secret: ResumeSecret::new([8; 16]) };
        let credential = Credential::Resume(resume.clone());
        let receiver =
            KnownReceiver { addresses: vec!["127.0.0.1:9".into()], key: [9; 32], credential, accepts: false };
        let options = options(Some(folder.path()));
        let mut keeper = Keeper::new(&[], &options);
        keeper.store(&resume, &receiver).unwrap();
        assert_eq!(State::all(folder.path()).len(), 1);
        keeper.forget(resume.transfer);
        assert!(State::all(folder.path()).is_empty());
        assert!(matches!(keeper.reason(Error::Declined), Error::Declined));
    }

    #[test]
    fn state_that_is_not_on_disk_is_reported_only_where_it_is_needed() {
        let failing = || Some(thread::spawn(|| Err(Error::file("the disk"))));
        let options = options(None);
        let keeper = || Keeper { syncing: failing(), ..Keeper::new(&[], &options) };
        assert!(matches!(keeper().reason(Error::Cut), Error::File { .. }));
        assert!(matches!(keeper().reason(Error::Declined), Error::Declined));
    }
}
