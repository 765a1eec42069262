//! Runs checks one after another: one worker process as long as it behaves, a
//! new one after a failed check, so that one fault can't spoil the next check.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use crate::Config;
use crate::report::{Check, Fault, Tally, clip};
use crate::worker::Worker;

/// After so many unanswered requests the rest is skipped: each costs a whole timeout.
const PATIENCE: u32 = 3;

/// How long to listen after a check for what nobody asked for.
const LISTENING: Duration = Duration::from_millis(2);

/// The checks' common ground.
pub struct Suite<'a> {
    config: &'a Config,
    out: &'a mut dyn Write,
    worker: Option<Worker>,
    hung: u32,
    tally: Tally,
}

impl<'a> Suite<'a> {
    /// A suite that has run nothing yet.
    pub fn new(config: &'a Config, out: &'a mut dyn Write) -> Self {
        Suite { config, out, worker: None, hung: 0, tally: Tally::default() }
    }

    /// Runs one check against the worker and prints its line, and one more for the empty message if it was left out.
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

    /// Like `check`, with a process of its own that the check may end.
    pub fn check_alone(&mut self, title: &str, check: impl FnOnce(&mut Worker) -> Check) -> io::Result<()> {
        if self.is_asked_for(title) {
            self.worker = None;
            self.check(title, check)?;
            self.worker = None;
        }
        Ok(())
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
            none => none.insert(Worker::start(self.config)?),
        };
        let result = check(worker).and_then(|()| {
            // A line too many needs a moment to arrive; it should fail this check, not the next.
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
