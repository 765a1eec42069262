//! Runs checks one after another, with one worker process as long as it behaves and a new one after a failed check, so
//! that one fault cannot spoil the next check.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use crate::facts::Facts;
use crate::report::{Check, Fault, Tally, clip};
use crate::worker::{Config, Worker};

/// After this many unanswered requests the rest is skipped: each costs a whole timeout.
const PATIENCE: u32 = 3;

/// How long to listen after a check for unrequested lines.
const LISTENING: Duration = Duration::from_millis(2);

/// What the checks share.
pub struct Suite<'a> {
    config: &'a Config,
    out: &'a mut dyn Write,
    worker: Option<Worker>,
    facts: Option<Facts>,
    hung: u32,
    tally: Tally,
}

impl<'a> Suite<'a> {
    /// A suite that has run nothing yet.
    pub fn new(config: &'a Config, out: &'a mut dyn Write) -> Self {
        Suite { config, out, worker: None, facts: None, hung: 0, tally: Tally::default() }
    }

    /// Runs one check against the worker and prints its line, and one more line for the empty message if that was
    /// omitted.
    pub fn check(&mut self, title: &str, check: impl FnOnce(&mut Worker) -> Check) -> io::Result<()> {
        if !self.is_asked_for(title) {
            return Ok(());
        }
        let result = self.attempt(check);
        if matches!(result, Err(Fault::Failed(_) | Fault::Hung(_))) {
            self.worker = None;
        }
        self.hung += u32::from(matches!(result, Err(Fault::Hung(_))));
        self.tally.record(self.out, title, &result)?;
        match self.worker.as_mut().and_then(Worker::take_forgiven) {
            Some(why) => self.skip(&format!("{title}, empty message"), &clip(&why)),
            None => Ok(()),
        }
    }

    /// Like `check`, with a separate process that the check may end.
    pub fn check_alone(&mut self, title: &str, check: impl FnOnce(&mut Worker) -> Check) -> io::Result<()> {
        if self.is_asked_for(title) {
            self.worker = None;
            self.check(title, check)?;
            self.worker = None;
        }
        Ok(())
    }

    /// Keeps what the worker said about itself for the processes to come.
    pub fn learn(&mut self, facts: Facts) {
        self.facts = Some(facts);
    }

    /// What the worker said about itself.
    pub fn facts(&self) -> Facts {
        self.facts.unwrap_or_default()
    }

    /// Prints a check that does not apply.
    pub fn skip(&mut self, title: &str, why: &str) -> io::Result<()> {
        if !self.is_asked_for(title) {
            return Ok(());
        }
        self.tally.record(self.out, title, &Err(Fault::Skipped(why.into())))
    }

    /// Prints the closing line.
    pub fn finish(self) -> io::Result<Tally> {
        self.tally.close(self.out)?;
        Ok(self.tally)
    }

    fn is_asked_for(&self, title: &str) -> bool {
        let only = &self.config.only;
        only.is_empty() || title.starts_with("describe:") || only.iter().any(|words| title.contains(words))
    }

    fn attempt(&mut self, check: impl FnOnce(&mut Worker) -> Check) -> Check {
        if self.hung >= PATIENCE {
            return Err(Fault::Skipped(format!("the worker left {PATIENCE} requests unanswered")));
        }
        let worker = match &mut self.worker {
            Some(worker) => worker,
            none => none.insert(Worker::start(self.config, self.facts)?),
        };
        let result = check(worker).and_then(|()| {
            // An extra line needs a moment to arrive; it must fail this check, not the next.
            thread::sleep(LISTENING);
            worker.expect_silence()
        });
        let asked =
            |why: String| if worker.asked().is_empty() { why } else { format!("{why}; asked {}", worker.asked()) };
        result.map_err(|fault| match fault {
            Fault::Failed(why) => Fault::Failed(asked(why)),
            Fault::Hung(why) => Fault::Hung(asked(why)),
            skipped => skipped,
        })
    }
}
