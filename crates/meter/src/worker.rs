//! A worker as the meter speaks to it: typed questions, and answers that are checked against what is possible before the
//! meter believes them.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Metric, Series};
use ciphermeter_protocol::{
    CheckInput, Counted, Describe, Link, LinkError, MemoryUse, Prepare, Reply, Request, describe,
};

use crate::Clock;

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

/// One timed batch, believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Timed calls.
    pub iterations: u64,
    /// What was counted.
    pub counts: Vec<(Metric, u64)>,
    /// First iteration since the buffers were set up.
    pub first: u64,
    /// Last iteration.
    pub last: u64,
    /// What was followed through a transfer.
    pub series: Vec<(Series, Vec<u64>)>,
    /// From the request to the answer, by the harness's clock.
    pub elapsed: Duration,
}

impl Batch {
    fn count(&self, metric: Metric) -> u64 {
        self.counts.iter().find(|(counted, _)| *counted == metric).map_or(0, |(_, count)| *count)
    }

    /// Nanoseconds that the batch took beside those that are timed: of transfers handshakes, and waiting for the disk.
    pub fn beside_ns(&self) -> u64 {
        self.count(Metric::HANDSHAKE) + self.count(Metric::DURABLE).saturating_sub(self.ns())
    }

    /// Elapsed nanoseconds.
    pub fn ns(&self) -> u64 {
        self.count(Metric::NS)
    }
}

/// What a worker says of its clock, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ruler {
    /// Smallest step.
    pub step_ns: u64,
    /// Cost of one reading.
    pub call_ns: u64,
    /// Cost of an empty iteration.
    pub loop_ns: u64,
}

/// A worker broke while it was asked for a cell, or while it started.
pub struct Fault {
    /// The cell, if there was one.
    pub cell: Option<CellId>,
    /// How it broke.
    pub error: LinkError,
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
    prepared: HashMap<CellId, Prepared>,
}

/// What is known of a prepared cell.
#[derive(Default)]
struct Prepared {
    /// Its last iteration: numbers only go up, or a nonce would come twice.
    last: u64,
    /// Bytes of a message so long that setting it up takes time beside the sample.
    long: u64,
}

impl Worker {
    /// Takes a link; `patience` is how long an answer may take beyond the time that the question itself asks for.
    pub fn new(link: Box<dyn Link>, clock: Rc<dyn Clock>, patience: Duration) -> Self {
        Self { link, clock, patience, background: false, compiles: false, step_ns: 1, prepared: HashMap::new() }
    }

    /// Asks what it has. From then on it is stopped between requests if its runtime has threads of its own.
    pub fn describe(&mut self) -> Result<Describe, LinkError> {
        let described = describe(self.link.as_mut(), self.patience)?;
        self.compiles = described.compiles;
        self.stop_between_requests(described.background);
        Ok(described)
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
        reply
    }

    /// Has a vector answered.
    pub fn check(&mut self, input: CheckInput) -> Result<Answer, LinkError> {
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
    ) -> Result<Result<(), String>, LinkError> {
        let request = Request::Prepare(Prepare {
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
        });
        let long = if cell.is_transfer() || cell.is_split() { cell.parameters.message() } else { 0 };
        match self.ask(&request, moving(long))? {
            Reply::Ready { cell } => {
                same_cell(id, cell)?;
                self.prepared.insert(id, Prepared { last: 0, long });
                Ok(Ok(()))
            }
            Reply::Unsupported(why) => Ok(Err(why)),
            other => Err(unexpected("prepare", &other)),
        }
    }

    /// Has a batch timed; `expected` is how long it should take.
    pub fn sample(
        &mut self,
        id: CellId,
        warmup_ns: u64,
        iterations: u64,
        expected: Duration,
    ) -> Result<Batch, LinkError> {
        let request = Request::Sample { cell: id.0.into(), warmup_ns, iterations };
        let asked = self.clock.now();
        let reply = self.ask(&request, expected * 20 + self.long(id))?;
        let elapsed = self.clock.now() - asked;
        let Reply::Sample { cell, iterations: timed, first, last, counted } = reply else {
            return Err(unexpected("sample", &reply));
        };
        let ns = counted.count(Metric::NS).unwrap_or(0);
        same_cell(id, cell)?;
        possible(timed == iterations, || format!("it timed {timed} calls where {iterations} were asked for"))?;
        let most = elapsed.as_nanos() as u64;
        // On a clock with long steps nothing may seem to pass, but not for long.
        let coarse = self.step_ns >= 1000 && most < 100 * self.step_ns;
        possible(ns > 0 || coarse, || format!("it claims 0 ns for a sample of {iterations}"))?;
        // Both clocks tick on one machine: a batch can't take longer than the question.
        possible(ns <= most + most / 20 + 20_000 + self.step_ns, || {
            format!("it claims {ns} ns, but answered within {most} ns")
        })?;
        let known = self.prepared.entry(id).or_default();
        let before = std::mem::replace(&mut known.last, last);
        let counts_on = first > before && last >= first && last - first >= iterations - 1;
        possible(counts_on, || {
            format!("it numbers iterations {first} to {last} after {before}: the numbers must keep rising")
        })?;
        let none_more = warmup_ns > 0 || last - first == iterations - 1;
        possible(none_more, || {
            format!("it numbers iterations {first} to {last} without a warm-up, and {iterations} were asked for")
        })?;
        let Counted { counts, series } = *counted;
        let batch = Batch { iterations, counts, first, last, series, elapsed };
        possible(batch.ns() + batch.beside_ns() <= most + most / 20 + 20_000 + self.step_ns, || {
            format!("it claims {} ns beside its {ns} ns, but answered within {most} ns", batch.beside_ns())
        })?;
        let peak = batch.count(Metric::PEAK_RSS).max(batch.count(Metric::PEER_PEAK_RSS));
        possible(peak < 1 << 50, || "it claims a pebibyte of memory".into())?;
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
        moving(self.prepared.get(&id).map_or(0, |prepared| prepared.long))
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

    /// How much memory it uses; with `reset`, peaks and counts begin anew after that.
    pub fn memory(&mut self, reset: bool) -> Result<MemoryUse, LinkError> {
        match self.ask(&Request::Memory { reset }, Duration::ZERO)? {
            Reply::Memory(used) => {
                possible(used.peak_rss.is_none_or(|peak| peak < 1 << 50), || "it claims a pebibyte of memory".into())?;
                Ok(used)
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

    /// The cells that are prepared.
    pub fn prepared(&self) -> Vec<CellId> {
        self.prepared.keys().copied().collect()
    }

    /// Has a cell forgotten.
    pub fn release(&mut self, id: CellId) -> Result<(), LinkError> {
        match self.ask(&Request::Release { cell: id.0.into() }, Duration::ZERO)? {
            Reply::Released { cell } => {
                self.prepared.remove(&id);
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

fn possible(is: bool, why: impl FnOnce() -> String) -> Result<(), LinkError> {
    if is { Ok(()) } else { Err(LinkError::Implausible(why())) }
}

fn same_cell(asked: CellId, answered: u64) -> Result<(), LinkError> {
    possible(u64::from(asked.0) == answered, || {
        format!("it answered for cell {answered} where cell {} was asked for", asked.0)
    })
}

fn unexpected(asked: &str, reply: &Reply) -> LinkError {
    LinkError::Implausible(format!("it answered `{asked}` with `{}`", reply.line().need_text("is").unwrap_or("?")))
}
