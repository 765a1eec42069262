//! What every request has at hand.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures_util::StreamExt;
use tokio::sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::database::Database;
use crate::drawn::Drawn;
use crate::fleet::Judging;
use crate::live::Live;
use crate::received::{Judged, MOST, restored};
use crate::shown::Shown;
use crate::site::Site;

/// Pages that are drawn at once: each takes a CPU, and up to a few hundred MiB.
const PAGES: usize = 4;
/// The same of exports that are read, which wait for each other and not before pages.
const EXPORTS: usize = 2;
/// Bytes of the bodies that are read at once, all together: eight of the longest. Who sends slowly holds no more than what has come.
const BODIES: usize = 8 * MOST;
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(40);

/// Too many others wait.
#[derive(Debug, thiserror::Error)]
#[error("the server is too busy: try again in a minute")]
pub struct Busy;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    Long,
    Broken,
    Busy,
}

/// The server, as its requests see it.
#[derive(Clone)]
pub struct Server {
    /// Where the runs are.
    pub database: Database,
    /// Names under which it may be asked, besides addresses.
    pub names: Arc<[String]>,
    /// Whether a request needs a token.
    pub needs_token: bool,
    /// Whether it is reached by TLS, here or at a proxy.
    pub is_secure: bool,
    /// How machines are judged together.
    pub judging: Arc<Judging>,
    /// That runs have come, or notes, by which movements are looked for anew.
    pub has_come: Arc<Notify>,
    /// Held while movements are looked for.
    pub looks: Arc<Mutex<()>>,
    /// The run that is under way here, where this machine's runs are served.
    pub live: Option<Live>,
    /// The page that measures in a browser, if it is here.
    pub site: Option<Arc<Site>>,
    /// Reports that were drawn lately.
    pub drawn: Drawn,
    pages: Arc<Semaphore>,
    exports: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
}

impl Server {
    pub fn new(database: Database, names: Vec<String>, needs_token: bool, is_secure: bool) -> Self {
        Self {
            database,
            names: names.into(),
            needs_token,
            is_secure,
            judging: Arc::default(),
            has_come: Arc::new(Notify::new()),
            looks: Arc::default(),
            live: None,
            site: None,
            drawn: Drawn::default(),
            pages: Arc::new(Semaphore::new(PAGES)),
            exports: Arc::new(Semaphore::new(EXPORTS)),
            bodies: Arc::new(Semaphore::new(BODIES)),
        }
    }

    /// Says anew what another version said of stored runs.
    pub async fn judge_again(&self) -> anyhow::Result<()> {
        while let Some(digest) = self.database.outdated().await? {
            let document = self.database.document(&digest).await?.unwrap_or_default();
            let judged = self.judged(document).await?;
            self.database.judge(&digest, &judged).await?;
        }
        self.has_come.notify_one();
        Ok(())
    }

    async fn judged(&self, document: Vec<u8>) -> anyhow::Result<Judged> {
        self.reads(move || restored(&document).map(|(run, records)| Judged::of(&run, &records))).await?
    }

    /// What a run's page shows: as it was stored with the run, else from the run anew.
    pub async fn shown(&self, digest: &str) -> anyhow::Result<Shown> {
        if let Some(shown) = self.database.shown(digest).await?
            && let Ok(shown) = Shown::restored(&shown)
        {
            return Ok(shown);
        }
        let document = self.database.document(digest).await?.unwrap_or_default();
        Shown::restored(&self.judged(document).await?.shown)
    }

    /// Reads the body of a request. What comes back with it is held as long as the bytes are.
    ///
    /// # Errors
    /// It is longer than [`MOST`], or did not come whole, or there is no memory for it.
    pub async fn body(&self, body: Body) -> Result<(Vec<u8>, Option<OwnedSemaphorePermit>), Unread> {
        let (mut read, mut held) = (Vec::new(), None::<OwnedSemaphorePermit>);
        let mut parts = body.into_data_stream();
        while let Some(part) = parts.next().await {
            let part = part.map_err(|_| Unread::Broken)?;
            if part.len() > MOST - read.len() {
                return Err(Unread::Long);
            }
            let bytes = u32::try_from(part.len()).map_err(|_| Unread::Long)?;
            let memory = timeout(PATIENCE, self.bodies.clone().acquire_many_owned(bytes)).await;
            let memory = memory.ok().and_then(Result::ok).ok_or(Unread::Busy)?;
            match &mut held {
                Some(held) => held.merge(memory),
                None => held = Some(memory),
            }
            read.extend_from_slice(&part);
        }
        Ok((read, held))
    }

    /// Draws a page, or does another work that a reader waits for, away from the threads that serve requests.
    ///
    /// # Errors
    /// Too many others wait, or the work panicked.
    pub async fn busy<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
        in_turn(&self.pages, work).await
    }

    /// The same of an export that is read.
    ///
    /// # Errors
    /// As [`Self::busy`].
    pub async fn reads<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
        in_turn(&self.exports, work).await
    }
}

async fn in_turn<T: Send + 'static>(
    turns: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let turn = timeout(PATIENCE, turns.clone().acquire_owned()).await.map_err(|_| anyhow::Error::new(Busy))??;
    // The turn ends with the work, also where nobody waits for it any more.
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    Ok(done.await?)
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use futures_util::stream;

    use super::*;

    /// A body of parts of a MiB.
    fn of_parts(parts: usize) -> Body {
        let part = || Ok::<_, std::io::Error>(Bytes::from(vec![b' '; 1 << 20]));
        Body::from_stream(stream::iter((0..parts).map(move |_| part())))
    }

    #[tokio::test]
    async fn bodies_hold_what_has_come_of_them_and_no_more_than_their_limit() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_file(&folder.path().join("team.db")).await.unwrap();
        let server = Server::new(database, Vec::new(), false, false);
        let free = || server.bodies.available_permits();
        let (read, held) = server.body(of_parts(3)).await.unwrap();
        assert_eq!((read.len(), free()), (3 << 20, BODIES - (3 << 20)));
        drop(held);
        assert_eq!(server.body(of_parts((MOST >> 20) + 1)).await.err(), Some(Unread::Long));
        let broken = stream::iter([Ok(Bytes::from_static(b"{")), Err(std::io::Error::other("cut off"))]);
        assert_eq!(server.body(Body::from_stream(broken)).await.err(), Some(Unread::Broken));
        assert!(server.body(Body::empty()).await.unwrap().0.is_empty());
        assert_eq!(free(), BODIES, "what is over holds nothing");
    }

    #[tokio::test]
    async fn body_waits_for_memory() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_file(&folder.path().join("team.db")).await.unwrap();
        let server = Server::new(database, Vec::new(), false, false);
        let others = server.bodies.clone().try_acquire_many_owned(BODIES as u32).unwrap();
        let reading = server.body(of_parts(1));
        tokio::pin!(reading);
        assert!(timeout(Duration::from_millis(20), &mut reading).await.is_err());
        drop(others);
        assert_eq!(reading.await.unwrap().0.len(), 1 << 20);
    }
}
