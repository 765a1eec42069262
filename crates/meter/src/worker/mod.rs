//! A worker as the meter speaks to it: typed questions, and answers that are checked against what is possible before the
//! meter believes them.

mod on_device;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Layout};
use ciphermeter_protocol::{
    CheckInput, Counted, Describe, DeviceFacts, Link, LinkError, MemoryUse, Prepare, Reply, Request, describe,
};

use crate::Clock;
use crate::batch::{Batch, Counter, Ruler};
use crate::believe::{
    believe_batch, believe_charge, believe_clock_runs, believe_count, believe_time, possible, same_cell, unexpected,
};
use crate::room::{too_long, too_long_a_line};
use crate::roster::Roster;

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The output.
    Output(Vec<u8>),
    /// Did not authenticate.
    Rejected,
    /// The library doesn't do this.
    Unsupported(String),
}

/// A worker broke while it was asked for a cell, or while it started.
pub struct Fault {
    /// The cell, if there was one.
    pub cell: Option<CellId>,
    /// How it broke.
    pub error: LinkError,
    /// Whether there was no worker yet: it did not start, or its device did not answer.
    pub is_at_start: bool,
}

impl Fault {
    /// Of a worker that was there.
    pub fn new(cell: Option<CellId>, error: LinkError) -> Self {
        Self { cell, error, is_at_start: false }
    }

    /// Of one that did not even start.
    pub fn at_start(error: std::io::Error) -> Self {
        Self { cell: None, error: error.into(), is_at_start: true }
    }
}

/// A live worker.
pub struct Worker {
    link: Box<dyn Link>,
    clock: Rc<dyn Clock>,
    patience: Duration,
    /// Its runtime may run threads between requests, so it is stopped then.
    background: bool,
    /// Its runtime compiles while it runs.
    compiles: bool,
    /// Smallest step of its clock, in nanoseconds.
    step_ns: u64,
    /// What it says of its device, and how much that takes at once.
    facts: DeviceFacts,
    /// What is prepared at the other end.
    roster: Rc<RefCell<Roster>>,
    /// Of a device, which has room for few cells, every cell that was asked for: one that made room for others, or was lost in a reset,
    /// is prepared again when its turn comes.
    wanted: Option<HashMap<CellId, Prepare>>,
}

impl Worker {
    /// Takes a link; `patience` is how long an answer may take beyond the time that the question itself asks for.
    pub fn new(link: Box<dyn Link>, clock: Rc<dyn Clock>, patience: Duration) -> Self {
        Self {
            link,
            clock,
            patience,
            background: false,
            compiles: false,
            step_ns: 1,
            facts: DeviceFacts::default(),
            roster: Rc::default(),
            wanted: None,
        }
    }

    /// Asks what it has. From then on it is stopped between requests if its runtime has threads of its own.
    pub fn describe(&mut self) -> Result<Describe, LinkError> {
        let described = describe(self.link.as_mut(), self.patience)?;
        self.compiles = described.compiles;
        self.facts = described.device.clone();
        self.stop_between_requests(described.background);
        Ok(described)
    }

    /// For a fresh process of a worker that has described itself before.
    pub fn set_facts(&mut self, facts: &DeviceFacts) {
        self.facts = facts.clone();
    }

    /// For a fresh process of a worker whose clock is known.
    pub fn set_ruler(&mut self, ruler: Ruler) {
        self.step_ns = ruler.step_ns;
    }

    /// For a fresh process of a worker that has described itself before.
    pub fn stop_between_requests(&mut self, background: bool) {
        self.background = background;
        if background {
            self.link.pause();
        }
    }

    /// Whether its runtime compiles while it runs, as far as it has said.
    pub fn compiles(&self) -> bool {
        self.compiles
    }

    /// Its process on this machine, where there is one.
    pub fn process(&self) -> Option<u32> {
        self.link.process()
    }

    fn ask(&mut self, request: &Request, beyond: Duration) -> Result<Reply, LinkError> {
        if self.background {
            self.link.resume();
        }
        let reply = self.link.ask(request, self.patience + beyond);
        if self.background {
            self.link.pause();
        }
        self.forget_if_reset(&reply);
        reply
    }

    /// Whether a line without a checksum leads to it.
    pub fn is_board(&self) -> bool {
        self.facts.board.is_some() && !self.facts.emulated
    }

    /// Has a vector answered. One that does not fit into the device is not even sent.
    pub fn check(&mut self, input: CheckInput) -> Result<Answer, LinkError> {
        if let Some(why) = too_long(&input, &self.facts).or_else(|| too_long_a_line(&input, &self.facts)) {
            return Ok(Answer::Unsupported(why));
        }
        match self.ask(&Request::Check(input), Duration::ZERO)? {
            Reply::Output(output) => Ok(Answer::Output(output)),
            Reply::Rejected => Ok(Answer::Rejected),
            Reply::Unsupported(why) => Ok(Answer::Unsupported(why)),
            other => Err(unexpected("check", &other)),
        }
    }

    /// Prepares a cell, under the worker's own name for the provider. The inner error is the worker's reason for not having it.
    pub fn prepare(
        &mut self,
        id: CellId,
        cell: &Cell,
        provider: &str,
        seed: u64,
        offset: u64,
        instances: u8,
    ) -> Result<Result<(), String>, LinkError> {
        if let Some(why) = cell.refused() {
            return Ok(Err(why));
        }
        let request = Prepare {
            cell: id.0.into(),
            provider: provider.into(),
            algorithm: cell.algorithm,
            operation: cell.operation,
            form: cell.form,
            message: cell.parameters.message(),
            aad: cell.parameters.aad(),
            threads: cell.parameters.threads(),
            seed,
            offset,
            key: cell.parameters.key(),
            instances: instances.into(),
            rotation: cell.parameters.rotation(cell.algorithm, cell.operation),
        };
        let long = if cell.is_transfer() || cell.is_split() { cell.parameters.message() } else { 0 };
        if let Some(wanted) = &mut self.wanted {
            wanted.insert(id, request.clone());
            return self.prepare_on_device(id, request);
        }
        self.try_prepare(id, request, long)
    }

    fn try_prepare(&mut self, id: CellId, request: Prepare, long: u64) -> Result<Result<(), String>, LinkError> {
        let keys = if request.rotation.keys > 1 { request.rotation.keys } else { 0 };
        match self.ask(&Request::Prepare(request), moving(long))? {
            Reply::Ready { cell } => {
                same_cell(id, cell)?;
                self.known().add(id, long, keys);
                Ok(Ok(()))
            }
            Reply::Unsupported(why) => Ok(Err(why)),
            other => Err(unexpected("prepare", &other)),
        }
    }

    /// What is prepared at the other end, as it lives now.
    fn known(&self) -> std::cell::RefMut<'_, Roster> {
        std::cell::RefMut::map(self.roster.borrow_mut(), |roster| roster.in_life(self.link.life()))
    }

    /// Has a batch timed; `expected` is how long it should take.
    pub fn sample(
        &mut self,
        id: CellId,
        warmup_ns: u64,
        iterations: u64,
        layout: Option<Layout>,
        expected: Duration,
    ) -> Result<Batch, LinkError> {
        self.restore(id)?;
        let request = Request::Sample { cell: id.0.into(), warmup_ns, iterations, layout };
        let asked = self.clock.now();
        let reply = self.ask(&request, expected * 20 + self.long(id))?;
        let elapsed = self.clock.now() - asked;
        let Reply::Sample { cell, iterations: timed, first, last, counted } = reply else {
            return Err(unexpected("sample", &reply));
        };
        same_cell(id, cell)?;
        match self.facts.counts {
            Some(counts) => believe_count(&counted, counts)?,
            None => {
                believe_time(&counted, iterations, elapsed, self.step_ns)?;
                if self.is_board() {
                    let waited = elapsed.saturating_sub(2 * Duration::from_nanos(warmup_ns));
                    believe_clock_runs(&counted, waited)?;
                }
            }
        }
        let before = self.known().run_to(id, last);
        let Counted { counts, series } = *counted;
        let batch = Batch { iterations: timed, counts, first, last, series, elapsed };
        let warmup = (warmup_ns > 0).then(|| self.known().get(id).keys);
        believe_batch(&batch, iterations, before, warmup, self.step_ns)?;
        Ok(batch)
    }

    /// Has single calls timed; `expected` is how long they should take. Comes back with their nanoseconds and the cost of one
    /// reading of the clock; the inner error is the worker's reason for not timing any.
    #[allow(clippy::type_complexity)] // two layers of failure, which callers tell apart
    pub fn latency(
        &mut self,
        id: CellId,
        warmup_ns: u64,
        count: u64,
        expected: Duration,
    ) -> Result<Result<(Vec<u64>, u64), String>, LinkError> {
        self.restore(id)?;
        let request = Request::Latency { cell: id.0.into(), warmup_ns, count };
        let asked = self.clock.now();
        let reply = self.ask(&request, expected * 20)?;
        let most = (self.clock.now() - asked).as_nanos() as u64;
        match reply {
            Reply::Latency { cell, ns, clock_ns } => {
                same_cell(id, cell)?;
                possible(ns.len() as u64 == count, || {
                    format!("it timed {} calls where {count} were asked for", ns.len())
                })?;
                let sum = ns.iter().fold(0, |sum: u64, ns| sum.saturating_add(*ns));
                let slack = most / 20 + 20_000 + self.step_ns.saturating_mul(count);
                possible(sum <= most.saturating_add(slack), || {
                    format!("it claims {sum} ns for {count} calls, but answered within {most} ns")
                })?;
                possible(clock_ns < 1_000_000_000, || "its clock costs over a second".into())?;
                Ok(Ok((ns, clock_ns)))
            }
            Reply::Unsupported(why) => Ok(Err(why)),
            other => Err(unexpected("latency", &other)),
        }
    }

    /// The SHA-256 of an iteration's output; the inner error is the worker's reason for not having one.
    pub fn digest(&mut self, id: CellId, first: u64, iteration: u64) -> Result<Result<[u8; 32], String>, LinkError> {
        self.digest_of(0, id, first, iteration)
    }

    /// The same of a transfer, which may have to move its file of so many bytes once more.
    pub fn digest_of(
        &mut self,
        file: u64,
        id: CellId,
        first: u64,
        iteration: u64,
    ) -> Result<Result<[u8; 32], String>, LinkError> {
        self.restore(id)?;
        let request = Request::Digest { cell: id.0.into(), first, iteration };
        match self.ask(&request, moving(file))? {
            Reply::Digest { cell, sha256 } => same_cell(id, cell).map(|()| Ok(sha256)),
            Reply::Unsupported(why) => Ok(Err(why)),
            other => Err(unexpected("digest", &other)),
        }
    }

    /// The CRC-32 of what comes back when the latest sample of a split message is decrypted; the inner error is the worker's
    /// reason for not having it.
    pub fn verify(&mut self, id: CellId, batch: &Batch) -> Result<Result<u32, String>, LinkError> {
        let request = Request::Verify { cell: id.0.into(), first: batch.first, iteration: batch.last };
        match self.ask(&request, batch.elapsed * 20 + self.long(id))? {
            Reply::Verified { cell, crc32 } => same_cell(id, cell).map(|()| Ok(crc32)),
            Reply::Unsupported(why) => Ok(Err(why)),
            other => Err(unexpected("verify", &other)),
        }
    }

    /// Some bytes of what the latest sample of a split message left; the inner error is the worker's reason for not having them.
    pub fn peek(&mut self, id: CellId, at: u64, bytes: u64) -> Result<Result<Vec<u8>, String>, LinkError> {
        match self.ask(&Request::Peek { cell: id.0.into(), at, bytes }, Duration::ZERO)? {
            Reply::Bytes { cell, bytes: found } => {
                same_cell(id, cell)?;
                possible(found.len() as u64 == bytes, || {
                    format!("it shows {} bytes where {bytes} were asked for", found.len())
                })?;
                Ok(Ok(found))
            }
            Reply::Unsupported(why) => Ok(Err(why)),
            other => Err(unexpected("peek", &other)),
        }
    }

    /// How long setting up a cell's message may take on a slow machine.
    fn long(&self, id: CellId) -> Duration {
        moving(self.known().get(id).long)
    }

    /// What its clock can do; answers about times are believed accordingly from then on.
    pub fn clock(&mut self) -> Result<Ruler, LinkError> {
        match self.ask(&Request::Clock, Duration::ZERO)? {
            Reply::Clock { step_ns, call_ns, loop_ns } => {
                let second = 1_000_000_000;
                possible(step_ns.max(call_ns).max(loop_ns) < second, || {
                    "its clock steps or costs over a second".into()
                })?;
                let ruler = Ruler { step_ns, call_ns, loop_ns };
                self.set_ruler(ruler);
                Ok(ruler)
            }
            other => Err(unexpected("clock", &other)),
        }
    }

    /// The same of a worker that counts: what its counter can do.
    pub fn counter(&mut self) -> Result<Counter, LinkError> {
        match self.ask(&Request::Clock, Duration::ZERO)? {
            Reply::Counter { step, call, empty } => Ok(Counter { step, call, empty }),
            other => Err(unexpected("clock", &other)),
        }
    }

    /// How much memory it uses; with `reset`, peaks and counts begin anew after that.
    pub fn memory(&mut self, reset: bool) -> Result<MemoryUse, LinkError> {
        match self.ask(&Request::Memory { reset }, Duration::ZERO)? {
            Reply::Memory(used) => {
                possible(used.peak_rss.is_none_or(|peak| peak < 1 << 50), || {
                    "it claims a pebibyte or more as peak_rss".into()
                })?;
                Ok(*used)
            }
            other => Err(unexpected("memory", &other)),
        }
    }

    /// A number that is another one when its runtime has compiled something since.
    pub fn compilation(&mut self) -> Result<Option<u64>, LinkError> {
        match self.ask(&Request::Compilation, Duration::ZERO)? {
            Reply::Compilation { mark } => Ok(mark),
            other => Err(unexpected("compilation", &other)),
        }
    }

    /// Nanocoulombs that its board takes while it waits, and in how many nanoseconds.
    pub fn current(&mut self) -> Result<(u64, u64), LinkError> {
        match self.ask(&Request::Current, Duration::ZERO)? {
            Reply::Current { charge_nc, ns } => believe_charge(charge_nc, ns).map(|()| (charge_nc, ns)),
            other => Err(unexpected("current", &other)),
        }
    }

    /// The cells that are prepared.
    pub fn prepared(&self) -> Vec<CellId> {
        self.known().ids()
    }

    /// Has a cell forgotten.
    pub fn release(&mut self, id: CellId) -> Result<(), LinkError> {
        match self.ask(&Request::Release { cell: id.0.into() }, Duration::ZERO)? {
            Reply::Released { cell } => {
                self.known().remove(id);
                same_cell(id, cell)
            }
            other => Err(unexpected("release", &other)),
        }
    }
}

/// How long a slow machine may take to write a file or to move it, or to set up a long message.
fn moving(bytes: u64) -> Duration {
    Duration::from_secs(bytes / 20_000_000)
}
