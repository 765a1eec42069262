//! One card as a worker: answers PROTOCOL.md's requests.
//!
//! Every failure, a lost card or a panic inside a library included, becomes a reply; the process survives.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ciphermeter_core::{Algorithm, Form, Metric, Operation, Setup};
use ciphermeter_protocol::{CheckInput, Counted, Describe, Offer, Prepare, Reply, Request, Serve};

use crate::card::{Card, Job, Provider, Refused, Work};
use crate::cell::{self, Cell};
use crate::clock;
use crate::host_memory::Gauge;
use crate::self_test;

/// What a card does; which forms each has is the protocol's.
const ALGORITHMS: &[Algorithm] = &[
    Algorithm::Aes256Ctr,
    Algorithm::Xor,
    Algorithm::Memcpy,
    Algorithm::ReadModifyWrite,
    Algorithm::CopyIn,
    Algorithm::CopyOut,
];
/// The longest message that has a digest.
const MAX_DIGEST: u64 = 1 << 30;

/// Serves one provider.
pub struct Worker {
    name: &'static str,
    card: Result<Box<dyn Card>, String>,
    /// Why there is no AES although there is a card.
    wrong: Option<String>,
    cells: BTreeMap<u64, Cell>,
    /// Cell, first and last iteration of the sample whose output is still in the buffers.
    last_sample: Option<(u64, u64, u64)>,
    gauge: Gauge,
}

impl Worker {
    /// Opens the provider's card; if there is none, `describe` says why.
    pub fn new(provider: &Provider) -> Self {
        let opened = catch_unwind(|| {
            let card = (provider.open)()?;
            let wrong = self_test::run(&*card).err();
            Ok((card, wrong))
        });
        let (card, wrong) = match opened {
            Ok(Ok((card, wrong))) => (Ok(card), wrong),
            Ok(Err(why)) => (Err(why), None),
            Err(panic) => (Err(format!("opening it panicked: {}; update its driver", panic_text(&*panic))), None),
        };
        let wrong = wrong.map(|why| format!("its AES is not offered, {why}; update the card's driver"));
        Self { name: provider.name, card, wrong, cells: BTreeMap::new(), last_sample: None, gauge: Gauge::default() }
    }

    fn reply(&mut self, request: Request) -> Result<Reply, Reply> {
        match request {
            Request::Describe => Err(error("describe is answered by a list")),
            Request::Check(check) => self.check(&check),
            Request::Prepare(prepare) => self.prepare(&prepare),
            Request::Sample { cell, warmup_ns, iterations, .. } => self.sample(cell, warmup_ns, iterations),
            Request::Latency { cell, warmup_ns, count } => self.latency(cell, warmup_ns, count),
            Request::Digest { cell, first, iteration } => self.digest(cell, first, iteration),
            Request::Verify { cell, first, iteration } => self.verify(cell, first, iteration),
            Request::Peek { cell, at, bytes } => self.peek(cell, at, bytes),
            Request::Clock => Ok(clock::measure()),
            Request::Memory { reset } => Ok(Reply::Memory(Box::new(self.gauge.read(reset)))),
            Request::Compilation => Ok(Reply::Compilation { mark: None }),
            Request::Current => Ok(Reply::Unsupported("there is no meter of current here".into())),
            Request::Release { cell } => {
                self.cells.remove(&cell).ok_or_else(|| not_prepared(cell))?;
                self.last_sample = self.last_sample.filter(|sample| sample.0 != cell);
                Ok(Reply::Released { cell })
            }
        }
    }

    fn check(&self, check: &CheckInput) -> Result<Reply, Reply> {
        let CheckInput { algorithm, operation, .. } = *check;
        let card = self.offered(&check.provider, algorithm)?;
        if !has_output(algorithm) || !matches!(operation, Operation::Encrypt | Operation::Decrypt) {
            return Err(unsupported(format!("{operation} of {algorithm} cannot be checked here")));
        }
        let form = check.form.unwrap_or(Form::Device);
        has_form(algorithm, form)?;
        let counter: [u8; 16] = match check.nonce.len() {
            0 if algorithm == Algorithm::Xor => [0; 16],
            16 if algorithm == Algorithm::Aes256Ctr => check.nonce[..].try_into().unwrap_or_default(),
            bytes => return Err(unsupported(format!("nonce of {bytes} bytes"))),
        };
        let work = Work::new(algorithm, check.key.clone()).map_err(refusal)?;
        let job = Job { work, form, bytes: check.input.len() as u64, apart: true };
        let output = cell::check(card, job, u128::from_be_bytes(counter), &check.input);
        output.map(Reply::Output).map_err(refusal)
    }

    fn prepare(&mut self, prepare: &Prepare) -> Result<Reply, Reply> {
        let Prepare { cell, algorithm, operation, form, threads, .. } = *prepare;
        if self.cells.contains_key(&cell) {
            return Err(error(format!("cell {cell} is prepared already; release it first or take another number")));
        }
        let card = self.offered(&prepare.provider, algorithm)?;
        if operation != Operation::Encrypt {
            return Err(unsupported(format!("{algorithm} has no {operation} here")));
        }
        has_form(algorithm, form)?;
        if threads != 1 {
            return Err(unsupported(format!("{threads} threads; one drives the card")));
        }
        let generation = card.generation();
        let prepared = Cell::new(card, prepare);
        if card.generation() != generation {
            self.last_sample = None;
        }
        self.cells.insert(cell, prepared.map_err(refusal)?);
        Ok(Reply::Ready { cell })
    }

    fn sample(&mut self, number: u64, warmup_ns: u64, iterations: u64) -> Result<Reply, Reply> {
        let cold = self.card.as_ref().map(|card| card.cold()).unwrap_or_default();
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        self.last_sample = None;
        let sampled = cell.sample(warmup_ns, iterations);
        let sampled = sampled.map_err(|why| error(format!("sampling cell {number} failed: {why}")))?;
        self.last_sample = Some((number, sampled.first, sampled.last));
        let mut counted = Counted::times(sampled.elapsed.ns, sampled.elapsed.cpu_ns);
        let times =
            [(Metric::CONTEXT, cold.context_ns), (Metric::COMPILE, cold.compile_ns), (Metric::PIN, cell.pin_ns())];
        counted.counts.extend(times);
        let (first, last) = (sampled.first, sampled.last);
        Ok(Reply::Sample { cell: number, iterations, first, last, counted: Box::new(counted) })
    }

    fn latency(&mut self, number: u64, warmup_ns: u64, count: u64) -> Result<Reply, Reply> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        self.last_sample = None;
        let ns = cell.latency(warmup_ns, count);
        let ns = ns.map_err(|why| error(format!("timing calls of cell {number} failed: {why}")))?;
        Ok(Reply::Latency { cell: number, ns, clock_ns: clock::call_ns() })
    }

    fn digest(&mut self, number: u64, first: u64, iteration: u64) -> Result<Reply, Reply> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        need_output(cell)?;
        if cell.bytes > MAX_DIGEST {
            return Err(unsupported(format!("a message of {} bytes has no digest; verify it", cell.bytes)));
        }
        let failed = |why| error(format!("making cell {number}'s output failed: {why}"));
        if self.last_sample != Some((number, first, iteration)) {
            self.last_sample = None;
            cell.recompute(first, iteration).map_err(failed)?;
        }
        Ok(Reply::Digest { cell: number, sha256: cell.sha256().map_err(failed)? })
    }

    fn verify(&mut self, number: u64, first: u64, iteration: u64) -> Result<Reply, Reply> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        need_output(cell)?;
        if self.last_sample != Some((number, first, iteration)) {
            let why = format!("iterations {first} to {iteration} of cell {number} are not this worker's latest sample");
            return Err(error(format!("{why}; verify right after a sample, with its first and last")));
        }
        self.last_sample = None;
        let crc32 = cell.undo(first, iteration).and_then(|()| cell.crc32());
        let crc32 = crc32.map_err(|why| error(format!("decrypting cell {number} failed: {why}")))?;
        Ok(Reply::Verified { cell: number, crc32 })
    }

    fn peek(&mut self, number: u64, at: u64, bytes: u64) -> Result<Reply, Reply> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        need_output(cell)?;
        if self.last_sample.is_none_or(|sample| sample.0 != number) {
            return Err(error(format!("cell {number} has not this worker's latest sample; sample it, then peek")));
        }
        if at.checked_add(bytes).is_none_or(|end| end > cell.bytes) {
            let why = format!("{bytes} bytes from {at} on are beyond the message of {}", cell.bytes);
            return Err(error(format!("{why}; peek within it")));
        }
        let found = cell.peek(at, usize::try_from(bytes).unwrap_or(0));
        let bytes = found.map_err(|why| error(format!("reading cell {number} failed: {why}")))?;
        Ok(Reply::Bytes { cell: number, bytes })
    }

    fn offered(&self, provider: &str, algorithm: Algorithm) -> Result<&dyn Card, Reply> {
        if provider != self.name {
            return Err(unsupported(format!("this worker serves {}, not {provider}", self.name)));
        }
        let card = self.card.as_ref().map_err(|why| unsupported(why.clone()))?;
        match &self.wrong {
            _ if !ALGORITHMS.contains(&algorithm) => Err(unsupported(format!("{provider} has no {algorithm}"))),
            Some(why) if algorithm == Algorithm::Aes256Ctr => Err(unsupported(why.clone())),
            _ => Ok(&**card),
        }
    }

    fn offer(&self, card: &dyn Card, algorithm: Algorithm) -> Offer {
        Offer {
            provider: self.name.into(),
            version: card.version(),
            algorithm,
            operations: [Operation::Encrypt].into(),
            forms: Form::SPLIT.iter().copied().filter(|form| form.is_of_card() && algorithm.has_form(*form)).collect(),
            path: card.path(algorithm),
            setup: Setup::Outside,
            library: None,
            sha256: None,
        }
    }
}

impl Serve for Worker {
    fn describe(&mut self) -> Describe {
        let offers = match &self.card {
            Ok(card) => {
                let right = |algorithm: &&Algorithm| **algorithm != Algorithm::Aes256Ctr || self.wrong.is_none();
                ALGORITHMS.iter().filter(right).map(|algorithm| self.offer(&**card, *algorithm)).collect()
            }
            Err(_) => Vec::new(),
        };
        let absent = self.card.as_ref().err().into_iter().chain(&self.wrong).map(|why| (self.name.into(), why.clone()));
        Describe {
            worker: "gpu".into(),
            runtime: concat!("rust ", env!("VERSION_RUSTC")).into(),
            absent: absent.collect(),
            offers,
            ..Describe::default()
        }
    }

    fn answer(&mut self, request: Request) -> Reply {
        match catch_unwind(AssertUnwindSafe(|| self.reply(request))) {
            Ok(Ok(reply) | Err(reply)) => reply,
            Err(panic) => {
                self.last_sample = None;
                error(format!("{} panicked: {}; release the cell", self.name, panic_text(&*panic)))
            }
        }
    }
}

/// Whether an algorithm has an output to look at.
fn has_output(algorithm: Algorithm) -> bool {
    !algorithm.is_ceiling()
}

fn need_output(cell: &Cell) -> Result<(), Reply> {
    match has_output(cell.algorithm) {
        true => Ok(()),
        false => Err(unsupported(format!("{} has no output to look at", cell.algorithm))),
    }
}

fn has_form(algorithm: Algorithm, form: Form) -> Result<(), Reply> {
    match form.is_of_card() && algorithm.has_form(form) {
        true => Ok(()),
        false => Err(unsupported(format!("a card has no form {form} for {algorithm}"))),
    }
}

fn refusal(refused: Refused) -> Reply {
    match refused {
        Refused::Unsupported(why) => unsupported(why),
        Refused::Failed(why) => error(why),
    }
}

fn unsupported(why: String) -> Reply {
    Reply::Unsupported(why)
}

fn error(why: impl Into<String>) -> Reply {
    Reply::Error(why.into())
}

fn not_prepared(cell: u64) -> Reply {
    error(format!("cell {cell} is not prepared; send prepare first"))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
