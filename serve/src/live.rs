//! The run that is under way on this machine, for those who watch it.
//!
//! Promises: one task looks for all who watch, and only while they do; a look is no more than a fiftieth of the time until the next one,
//! and happens on CPUs that are not measured, where there are others. Whoever watches longer than some minutes has to ask again.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use ciphermeter_answer::{About, Answer};
use ciphermeter_core::{Record, Run};
use ciphermeter_report::{answer, answer_table, leader};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::local::{self, Asked, LocalRun};
use crate::state::Server;
use crate::trouble;

/// Of the time between the beginnings of two looks, a look takes at most this part.
const PART: u32 = 50;
/// The shortest and the longest time between two looks.
const PAUSES: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(60)];
/// Watchers at once: each is a connection that stays open.
const MOST_WATCHERS: usize = 32;
/// After so long a browser asks again, so that a token that has expired ends what it allowed.
const LONGEST: Duration = Duration::from_secs(10 * 60);
/// How long a page waits for a look.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is under way.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// No run is.
    Nothing,
    /// A run that has no cells yet: libraries are being verified.
    Begins,
    /// A run with cells.
    UnderWay(Arc<SoFar>),
    /// The run that was watched has ended, and is in the database: its page.
    Ended(String),
    /// The run that was watched was cut off: its number.
    CutOff(i64),
    /// It cannot be seen; standard error says why.
    Unreadable,
    /// The server ends.
    Over,
}

/// What a run came to so far.
#[derive(Debug, PartialEq)]
pub struct SoFar {
    pub run: i64,
    pub started: String,
    pub scenario: String,
    pub budget: String,
    /// The fastest library of both ciphers, in few words.
    pub lead: Option<String>,
    pub question: String,
    pub measured_on: String,
    pub sentences: Vec<String>,
    /// The most whole forks that a cell has.
    pub forks: usize,
    /// How many of so many comparisons are decided.
    pub decided: Option<(usize, usize)>,
    /// What it is about, titles first.
    pub table: Vec<Vec<String>>,
}

impl SoFar {
    fn of(run: Run, records: &[Record]) -> Self {
        let answer = answer(&run, records);
        Self {
            run: run.id,
            lead: leader(records),
            forks: answer.rests_on.whole_forks,
            decided: decided(&answer),
            table: answer_table(&run, records, &answer),
            started: run.started,
            budget: run.scenario.budget.to_string(),
            scenario: run.scenario.name,
            question: answer.question,
            measured_on: answer.measured_on,
            sentences: answer.sentences,
        }
    }
}

fn decided(answer: &Answer) -> Option<(usize, usize)> {
    match &answer.about {
        Some(About::Ciphers(pair)) => {
            let tally = pair.tally();
            Some((tally.first + tally.second + tally.equal, tally.all()))
        }
        _ => None,
    }
}

/// What a look found, and until when it is not looked again.
#[derive(Debug, Clone)]
struct Look {
    seen: Seen,
    until: Instant,
}

/// Those who watch, and what there is to see.
#[derive(Debug, Clone)]
pub struct Live {
    looks: watch::Sender<Option<Look>>,
    wanted: Arc<Notify>,
    places: Arc<Semaphore>,
}

impl Live {
    /// Nobody watches yet.
    pub fn new() -> Self {
        Self {
            looks: watch::Sender::new(None),
            wanted: Arc::new(Notify::new()),
            places: Arc::new(Semaphore::new(MOST_WATCHERS)),
        }
    }

    /// One who watches from now on; `None` where too many do.
    pub fn watch(&self) -> Option<Watcher> {
        let place = self.places.clone().try_acquire_owned().ok()?;
        let mut looks = self.looks.subscribe();
        looks.mark_changed();
        self.wanted.notify_one();
        Some(Watcher { looks, last: None, until: Instant::now() + LONGEST, _place: place })
    }

    /// What is to be seen now; `None` where that takes too long.
    pub async fn now(&self) -> Option<Seen> {
        let mut looks = self.looks.subscribe();
        self.wanted.notify_one();
        let is_fresh = |look: &Option<Look>| look.as_ref().is_some_and(|look| Instant::now() < look.until);
        let look = timeout(PATIENCE, looks.wait_for(is_fresh)).await.ok()?.ok()?;
        look.as_ref().map(|look| look.seen.clone())
    }

    /// Ends all watching, as the server ends.
    pub fn end(&self) {
        self.looks.send_replace(Some(Look { seen: Seen::Over, until: Instant::now() + LONGEST }));
    }

    fn last(&self) -> Option<Seen> {
        self.looks.borrow().as_ref().map(|look| look.seen.clone())
    }
}

/// One who watches.
pub struct Watcher {
    looks: watch::Receiver<Option<Look>>,
    last: Option<Seen>,
    until: Instant,
    _place: OwnedSemaphorePermit,
}

impl Watcher {
    /// What has changed; `None` once it is over.
    pub async fn next(&mut self) -> Option<Seen> {
        loop {
            if matches!(self.last, Some(Seen::Ended(_) | Seen::CutOff(_))) {
                return None;
            }
            timeout_at(self.until, self.looks.changed()).await.ok()?.ok()?;
            let seen = self.looks.borrow_and_update().as_ref().map(|look| look.seen.clone());
            match seen {
                Some(Seen::Over) => return None,
                Some(seen) if self.last.as_ref() != Some(&seen) => {
                    self.last = Some(seen.clone());
                    return Some(seen);
                }
                _ => {}
            }
        }
    }
}

/// Looks while somebody watches, for as long as the server runs.
pub async fn look_for_watchers(server: Server, live: Live) {
    loop {
        live.wanted.notified().await;
        loop {
            let began = Instant::now();
            let seen = look(&server, live.last()).await;
            let pause = (began.elapsed() * PART).clamp(PAUSES[0], PAUSES[1]);
            live.looks.send_replace(Some(Look { seen, until: Instant::now() + pause }));
            sleep(pause).await;
            if live.looks.receiver_count() == 0 {
                break;
            }
        }
    }
}

async fn look(server: &Server, last: Option<Seen>) -> Seen {
    let failed = matches!(last, Some(Seen::Unreadable));
    match try_look(server, last).await {
        Ok(seen) => seen,
        Err(error) => {
            if !failed {
                trouble::tell(&error.context("cannot look at the run that is under way"));
            }
            Seen::Unreadable
        }
    }
}

async fn try_look(server: &Server, last: Option<Seen>) -> Result<Seen> {
    let is_measuring = local::is_measuring();
    let watched = match &last {
        Some(Seen::UnderWay(so_far)) => Some(so_far.run),
        _ => None,
    };
    if !is_measuring && watched.is_none() {
        // How the last run ended stays until another one begins.
        return Ok(last.filter(|seen| matches!(seen, Seen::Ended(_) | Seen::CutOff(_))).unwrap_or(Seen::Nothing));
    }
    let runs = server.busy(|| local::beside_a_run(|| local::runs(&[], Asked::Gently))).await??;
    let has_ended = |run: i64| runs.iter().any(|listed| listed.run == run && listed.has_ended());
    if let Some(run) = watched.filter(|run| has_ended(*run)) {
        return taken(server, run).await;
    }
    match runs.iter().rev().find(|run| !run.imported && !run.has_ended()) {
        Some(run) if is_measuring => so_far(server, run).await,
        _ if is_measuring => Ok(Seen::Begins),
        _ => Ok(watched.map_or(Seen::Nothing, Seen::CutOff)),
    }
}

async fn so_far(server: &Server, run: &LocalRun) -> Result<Seen> {
    let number = run.run;
    let so_far = server.busy(move || {
        local::beside_a_run(|| {
            let (run, records) = ciphermeter_import::import(&local::export(number, &[], Asked::Gently)?)?;
            Ok(SoFar::of(Run { id: number, is_measuring: true, ..run }, &records))
        })
    });
    Ok(Seen::UnderWay(Arc::new(so_far.await??)))
}

/// Takes the run that has ended into the database.
async fn taken(server: &Server, run: i64) -> Result<Seen> {
    let export = server.busy(move || local::export(run, &[], Asked::Plainly)).await??;
    let taken = server.take(Some(local::host_name()), export, false).await;
    let taken = taken.map_err(|why| anyhow::anyhow!("{}", why.error)).with_context(|| format!("run {run}"))?;
    Ok(Seen::Ended(taken.page))
}
