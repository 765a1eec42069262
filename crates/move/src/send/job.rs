//! A transfer that this end begins or resumes: what is sent, how, and how far it is.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use ciphermeter_core::Bytes;
use ciphermeter_terminal::Exit;
use ciphermeter_transfer::{Error, Listing, Progress, Report, State, Ticket};

use crate::ending::{failed, sent};
use crate::library_options::send_options;
use crate::options::SendOptions;
use crate::progress::{end_when_interrupted, with_progress};
use crate::ssh::{self, Login, RemoteEnd};
use crate::unfinished::send_remedy;

pub struct Job<'a> {
    pub options: &'a SendOptions,
    /// What the library is asked for.
    pub asked: ciphermeter_transfer::SendOptions,
    listing: Listing,
    progress: Arc<Progress>,
}

impl<'a> Job<'a> {
    /// From now on, Ctrl-C says what can be resumed. `limit` is that of an earlier attempt.
    pub fn new(options: &'a SendOptions, listing: Listing, exclude: Vec<String>, limit: Option<u64>) -> Result<Self> {
        let progress = Arc::new(Progress::default());
        let (asked_for, reached) = (options.clone(), progress.clone());
        end_when_interrupted(move || {
            let by_ssh = ssh::end_running();
            send_remedy(&asked_for, &reached, by_ssh).unwrap_or_else(|| match asked_for.resume {
                Some(_) => "what was kept stays".into(),
                None => "nothing is kept: begin again".into(),
            })
        })?;
        let (link, limit) = (&options.link, options.limit.map(|Bytes(rate)| rate).or(limit));
        let asked = send_options(link.cipher, link.patience.duration(), options.streams, limit, exclude)?;
        Ok(Self { options, asked, listing, progress })
    }

    /// Sends the listed files to the ticket's owner.
    pub fn send(&self, ticket: &Ticket, paths: &[PathBuf]) -> Result<Report, Error> {
        let (listing, asked, progress) = (&self.listing, &self.asked, &self.progress);
        self.watched(|| ciphermeter_transfer::send(ticket, paths, listing, asked, progress))
    }

    pub fn resume(&self, state: &State) -> Result<Report, Error> {
        let (listing, asked, progress) = (&self.listing, &self.asked, &self.progress);
        self.watched(|| ciphermeter_transfer::resume(state, listing, asked, progress))
    }

    fn watched<T>(&self, work: impl FnOnce() -> T) -> T {
        with_progress(&self.progress, "sending", self.options.link.quiet, work)
    }

    /// How it ends where the receiver's user runs its own end.
    pub fn ended(&self, moved: Result<Report, Error>) -> Result<Exit> {
        let remedy = || send_remedy(self.options, &self.progress, false);
        let report = moved.map_err(|error| failed(&error, remedy().as_deref()))?;
        sent(&report, &self.listing, None, &self.options.link)
    }

    /// How it ends where this end starts the other one through ssh, if it did so now: then that
    /// exits by itself, or is ended.
    pub fn ended_over_ssh(&self, moved: Result<Report, Error>, remote: Option<(RemoteEnd, &Login)>) -> Result<Exit> {
        let report = moved.map_err(|error| {
            let remedy = send_remedy(self.options, &self.progress, true);
            match &remote {
                Some((_, login)) => ssh::failed(&error, login, "`ciphermeter recv`", remedy.as_deref()),
                None => failed(&error, remedy.as_deref()),
            }
        })?;
        let misses = remote.is_some_and(|(remote, _)| remote.done());
        let exit = sent(&report, &self.listing, self.options.existing, &self.options.link)?;
        // What it misses, and this end does not know of, it has named; but what this end's user leaves out is no loss.
        Ok(if misses && self.options.exclude.is_empty() { Exit::Partial } else { exit })
    }
}
