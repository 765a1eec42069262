//! One provider as a worker: answers PROTOCOL.md's requests.
//!
//! Everything that goes wrong, a panic inside a library included, becomes a reply; the worker lives on.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ciphermeter_core::{Algorithm, Form, Operation};
use ciphermeter_host::usage::{self, Memory};
use ciphermeter_protocol::{CheckInput, Describe, Offer, Prepare, Reply, Request, Serve};
use sha2::{Digest, Sha256};

use crate::cell::{Cell, Workspace};
use crate::providers::{Offered, Provider, REGISTRY, Want, has_output, operations};
use crate::shape::Shape;
use crate::slowed::Slowed;
use crate::stream::Streams;
use crate::{NativeError, check, clock};

/// Serves one provider.
pub struct Worker {
    name: &'static str,
    provider: Result<Box<dyn Provider>, String>,
    offers: Vec<Offered>,
    cells: BTreeMap<u64, Cell>,
    space: Workspace,
    /// By which share every timed stretch is prolonged.
    slowed: f64,
    /// Cell, first and last iteration of the sample whose output still lies in the buffers.
    left: Option<(u64, u64, u64)>,
}

/// What a request came to where it didn't come to what was asked.
type Instead = Reply;

impl Worker {
    /// Opens the provider of that name; one that can't run here is told by `describe`.
    pub fn new(name: &str, slowed: f64) -> Result<Self, NativeError> {
        let unknown = || NativeError::UnknownProvider { found: name.chars().take(64).collect() };
        let (name, open) = REGISTRY.iter().find(|(known, _)| *known == name).ok_or_else(unknown)?;
        let provider = open();
        let offers = provider.as_ref().map_or_else(|_| Vec::new(), |provider| provider.offers());
        Ok(Self { name, provider, offers, cells: BTreeMap::new(), space: Workspace::default(), slowed, left: None })
    }

    fn reply(&mut self, request: Request) -> Result<Reply, Instead> {
        match request {
            Request::Describe => Err(error("describe is answered by a list")),
            Request::Check(check) => self.check(&check),
            Request::Prepare(prepare) => self.prepare(&prepare),
            Request::Sample { cell, warmup_ns, iterations } => self.sample(cell, warmup_ns, iterations),
            Request::Latency { cell, count } => self.latency(cell, count),
            Request::Digest { cell, first, iteration } => self.digest(cell, first, iteration),
            Request::Clock => self.clock(),
            Request::Memory => {
                let Memory { rss, peak_rss } = usage::memory();
                Ok(Reply::Memory { rss, peak_rss, heap: None, peak_heap: None })
            }
            Request::Release { cell } => match self.cells.remove(&cell) {
                Some(_) => {
                    self.left = self.left.filter(|left| left.0 != cell);
                    Ok(Reply::Released { cell })
                }
                None => Err(not_prepared(cell)),
            },
        }
    }

    fn check(&mut self, check: &CheckInput) -> Result<Reply, Instead> {
        let (provider, offered) = self.offered(&check.provider, check.algorithm)?;
        Ok(check::answer(provider, offered, check))
    }

    fn prepare(&mut self, prepare: &Prepare) -> Result<Reply, Instead> {
        let (cell, algorithm, operation, form) = (prepare.cell, prepare.algorithm, prepare.operation, prepare.form);
        if self.cells.contains_key(&cell) {
            return Err(error(format!("cell {cell} is prepared already; release it first or take another number")));
        }
        let (provider, offered) = self.offered(&prepare.provider, algorithm)?;
        refuse(prepare, offered)?;
        let nonce = if operation == Operation::KeySetup { algorithm.key_bytes() } else { algorithm.nonce_bytes() };
        let shape = Cell::shape(prepare, nonce);
        let streams = Streams::new(algorithm, prepare.seed, shape.message, shape.aad);
        let key = if operation == Operation::KeySetup { &[] } else { &streams.key[..] };
        let want = Want { algorithm, operation, form, key, message: shape.message, aad: shape.aad };
        let task = provider.task(&want).map_err(unsupported)?;
        let task = if self.slowed > 0.0 { Box::new(Slowed { task, share: self.slowed }) } else { task };
        let sealing = match shape.opens() {
            true => Some(sealing(provider, offered, &want, &shape)?),
            false => None,
        };
        self.reserve(&shape)?;
        let sealed = match sealing {
            Some(mut sealing) => {
                self.left = None;
                seal(&mut self.space, &mut sealing, &streams)?
            }
            None => Vec::new(),
        };
        self.cells.insert(cell, Cell::new(shape, streams, task, sealed));
        Ok(Reply::Ready { cell })
    }

    /// Makes the arena large enough, unless that and the cell's own copies take more than half of the free memory.
    fn reserve(&mut self, shape: &Shape) -> Result<(), Instead> {
        let arena = &mut self.space.arena;
        let growth = shape.bytes().saturating_sub(arena.len());
        let copies = usize::from(shape.opens()) + usize::from(shape.form == Form::Fresh);
        let need = (growth + copies * shape.sealed) as u64;
        if let Some(free) = usage::available_memory().filter(|free| need > free / 2) {
            let why = format!("needs {} MiB, more than half of the {} MiB that are free", need >> 20, free >> 20);
            return Err(Reply::Unsupported(why));
        }
        if growth > 0 {
            self.left = None;
            let failed = |failed| error(format!("mapping {growth} bytes failed: {failed}; use a smaller message"));
            arena.grow(shape.bytes()).map_err(failed)?;
        }
        Ok(())
    }

    fn sample(&mut self, number: u64, warmup_ns: u64, iterations: u64) -> Result<Reply, Instead> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        self.left = None;
        let sampled = cell.sample(&mut self.space, warmup_ns, iterations).map_err(|failed| {
            error(format!("sampling cell {number} failed: {failed}; release it, its figures would be wrong"))
        })?;
        self.left = Some((number, sampled.first, sampled.last));
        Ok(Reply::Sample {
            cell: number,
            iterations,
            ns: sampled.took.ns,
            cpu_ns: Some(sampled.took.cpu_ns),
            cycles: None,
            instructions: None,
            first: sampled.first,
            last: sampled.last,
        })
    }

    fn latency(&mut self, number: u64, count: u64) -> Result<Reply, Instead> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        self.left = None;
        let ns = cell
            .latency(&mut self.space, count)
            .map_err(|failed| error(format!("timing calls of cell {number} failed: {failed}; release it")))?;
        Ok(Reply::Latency { cell: number, ns, clock_ns: clock::call_ns() })
    }

    fn digest(&mut self, number: u64, first: u64, iteration: u64) -> Result<Reply, Instead> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        let (algorithm, operation) = (cell.shape.algorithm, cell.shape.operation);
        if !has_output(algorithm) || operation == Operation::KeySetup {
            return Err(Reply::Unsupported(format!("{operation} of {algorithm} has no digest")));
        }
        if self.left != Some((number, first, iteration)) {
            self.left = None;
            cell.make(&mut self.space, first, iteration)
                .map_err(|failed| error(format!("making cell {number}'s output failed: {failed}; release it")))?;
        }
        let mut hash = Sha256::new();
        cell.output(&mut self.space).iter().for_each(|part| hash.update(part));
        Ok(Reply::Digest { cell: number, sha256: hash.finalize().into() })
    }

    fn clock(&mut self) -> Result<Reply, Instead> {
        // Measured around the nonce's numbering, which is part of every iteration; the buffers are of no cell.
        let (operation, form) = (Operation::Encrypt, Form::InPlace);
        let shape = Shape {
            algorithm: Algorithm::ChaCha20,
            operation,
            form,
            message: 0,
            sealed: 0,
            aad: 0,
            offset: 0,
            nonce: 12,
        };
        let (mut memory, mut fresh) = (vec![0; shape.bytes()], Vec::new());
        let measured = clock::measure(&mut shape.job(&mut memory, &mut fresh, false));
        let clock = measured.map_err(|failed| error(format!("measuring the clock failed: {failed}; ask again")))?;
        Ok(Reply::Clock { step_ns: clock.step_ns, call_ns: clock.call_ns, loop_ns: clock.loop_ns })
    }

    fn offered(&self, provider: &str, algorithm: Algorithm) -> Result<(&dyn Provider, &Offered), Instead> {
        if provider != self.name {
            return Err(Reply::Unsupported(format!("this worker serves {}, not {provider}", self.name)));
        }
        let opened = self.provider.as_ref().map_err(|why| Reply::Unsupported(why.clone()))?;
        let offered = self.offers.iter().find(|offered| offered.algorithm == algorithm);
        let offered = offered.ok_or_else(|| Reply::Unsupported(format!("{provider} has no {algorithm}")))?;
        Ok((opened.as_ref(), offered))
    }
}

fn error(why: impl Into<String>) -> Reply {
    Reply::Error(why.into())
}

fn unsupported(why: crate::providers::Unsupported) -> Reply {
    Reply::Unsupported(why.0)
}

fn not_prepared(cell: u64) -> Reply {
    error(format!("cell {cell} is not prepared; send prepare first"))
}

fn refuse(prepare: &Prepare, offered: &Offered) -> Result<(), Instead> {
    let (algorithm, operation, form) = (prepare.algorithm, prepare.operation, prepare.form);
    let why = if prepare.threads != 1 {
        format!("{} threads; this worker measures one", prepare.threads)
    } else if !offered.has(operation) {
        format!("{algorithm} has no {operation} here")
    } else if operation != Operation::KeySetup && !offered.forms.contains(&form) {
        format!("the library has no form {form} for {algorithm}")
    } else {
        return Ok(());
    };
    Err(Reply::Unsupported(why))
}

/// How the sealed text of a cell that opens is made: by the same library, in its first form.
fn sealing(
    provider: &dyn Provider,
    offered: &Offered,
    want: &Want<'_>,
    opening: &Shape,
) -> Result<(Box<dyn crate::task::Task>, Shape), Instead> {
    let operation = if want.operation == Operation::Open { Operation::Seal } else { Operation::Encrypt };
    let want = Want { operation, form: offered.forms[0], ..*want };
    let task = provider.task(&want).map_err(unsupported)?;
    Ok((task, Shape { operation, form: want.form, ..opening.clone() }))
}

/// Seals iteration 0 in the arena, which the opening cell has made large enough, and copies the text out.
fn seal(
    space: &mut Workspace,
    (task, shape): &mut (Box<dyn crate::task::Task>, Shape),
    streams: &Streams,
) -> Result<Vec<u8>, Instead> {
    shape.fill(space.arena.bytes(), streams, &[]);
    let mut job = shape.job(space.arena.bytes(), &mut space.fresh, true);
    let sealed = task.run(&mut job, 0, 1).map(|()| job.given);
    let given = sealed.map_err(|failed| error(format!("sealing the text to open failed: {failed}; don't use it")))?;
    Ok(shape.output(space.arena.bytes(), &space.fresh, given).concat())
}

impl Serve for Worker {
    fn describe(&mut self) -> Describe {
        let file = self.provider.as_ref().ok().and_then(|provider| provider.file());
        let offer = |offered: &Offered| Offer {
            provider: self.name.into(),
            version: offered.version.clone(),
            algorithm: offered.algorithm,
            operations: operations(offered).collect(),
            forms: offered.forms.iter().copied().collect(),
            path: offered.path.into(),
            setup: offered.setup,
            library: file.as_ref().map(|file| file.0.clone()),
            sha256: file.as_ref().map(|file| file.1.clone()),
        };
        let reasons = self.provider.as_ref().map_or_else(|why| vec![why.clone()], |provider| provider.absences());
        Describe {
            worker: "native".into(),
            runtime: concat!("rust ", env!("VERSION_RUSTC")).into(),
            background: false,
            offers: self.offers.iter().map(offer).collect(),
            absent: reasons.into_iter().map(|why| (self.name.into(), why)).collect(),
        }
    }

    fn answer(&mut self, request: Request) -> Reply {
        match catch_unwind(AssertUnwindSafe(|| self.reply(request))) {
            Ok(Ok(reply) | Err(reply)) => reply,
            Err(panic) => {
                self.left = None;
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it didn't say why");
                error(format!("{} panicked: {text}; release the cell", self.name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::Unsupported;
    use crate::task::Task;

    struct Panics;
    impl Provider for Panics {
        fn offers(&self) -> Vec<Offered> {
            Vec::new()
        }
        fn task(&self, _: &Want<'_>) -> Result<Box<dyn Task>, Unsupported> {
            panic!("out of luck")
        }
    }

    #[test]
    fn a_panic_inside_a_library_is_an_error_and_the_worker_lives_on() {
        let mut worker = Worker::new("ring", 0.0).unwrap();
        worker.provider = Ok(Box::new(Panics));
        let check = CheckInput {
            provider: "ring".into(),
            algorithm: Algorithm::Aes256Gcm,
            operation: Operation::Seal,
            form: None,
            key: vec![0; 32],
            nonce: vec![0; 12],
            aad: Vec::new(),
            input: Vec::new(),
        };
        let reply = worker.answer(Request::Check(check));
        assert_eq!(reply, Reply::Error("ring panicked: out of luck; release the cell".into()));
        assert!(matches!(worker.answer(Request::Memory), Reply::Memory { .. }));
    }
}
