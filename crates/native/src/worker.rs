//! One provider as a worker: answers PROTOCOL.md's requests.
//!
//! Every failure, a panic inside a library included, becomes a reply; the worker survives.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ciphermeter_core::{Algorithm, Form, Layout, Operation};
use ciphermeter_host::counters::Counters;
use ciphermeter_host::cpus;
use ciphermeter_host::usage;
use ciphermeter_protocol::{CheckInput, Counted, Describe, MAX_THREADS, Offer, Prepare, Reply, Request, Serve};
use sha2::{Digest, Sha256};

use crate::arena::Arena;
use crate::buffer_layout::BufferLayout;
use crate::failure_reply::{FailureReply, error, panic_text};
use crate::memory::Gauge;
use crate::multi_thread_cell::MultiThreadCell;
use crate::planted::Planted;
use crate::prepared_loop::{CellSettings, ThreadMemory};
use crate::providers::{Offered, OpenProvider, Provider, REGISTRY, has_output, operations};
use crate::single_thread_cell::SingleThreadCell;
use crate::split::{FileStore, OwnFiles, SplitCell};
use crate::{NativeError, check, clock};

/// Serves one provider.
pub struct Worker {
    name: &'static str,
    open: OpenProvider,
    provider: Result<Box<dyn Provider>, String>,
    offers: Vec<Offered>,
    cells: BTreeMap<u64, PreparedCell>,
    pub(crate) workspace: Workspace,
    planted: Planted,
    /// How many CPUs this process may use.
    cpus: usize,
    /// Of this thread, on which single-threaded cells run; `None` where nothing counts.
    counters: Option<Counters>,
    /// Cell, first and last iteration of the sample whose output is still in the buffers.
    last_sample: Option<(u64, u64, u64)>,
    gauge: Gauge,
}

/// A cell that is ready.
enum PreparedCell {
    SingleThread(SingleThreadCell),
    MultiThread(MultiThreadCell),
    Split(SplitCell),
}

impl PreparedCell {
    /// Why it has no output to hash, if so.
    fn no_digest(&self) -> Option<String> {
        let layout = match self {
            Self::SingleThread(cell) => &cell.prepared_loop.layout,
            Self::MultiThread(cell) => &cell.layout,
            Self::Split(cell) => return cell.no_output(true),
        };
        let BufferLayout { algorithm, operation, .. } = *layout;
        let none = !has_output(algorithm) || operation == Operation::KeySetup;
        none.then(|| format!("{operation} of {algorithm} has no digest"))
    }
}

/// Shares of the free memory, in tenths, and their names.
const HALF: (u64, &str) = (5, "half");
const MOST: (u64, &str) = (9, "nine tenths");

/// The arena, the last allocation of form `fresh` in a cell of one thread, and the files of split messages.
#[derive(Default)]
pub(crate) struct Workspace {
    pub arena: Arena,
    fresh: Vec<u8>,
    files: FileStore,
}

impl Workspace {
    fn thread_memory(&mut self) -> ThreadMemory<'_> {
        ThreadMemory { arena: self.arena.bytes(), fresh: &mut self.fresh }
    }
}

impl Worker {
    /// Opens the provider of that name; if it cannot run here, `describe` reports that.
    pub fn new(name: &str, planted: Planted) -> Result<Self, NativeError> {
        let unknown = || NativeError::UnknownProvider { found: name.chars().take(64).collect() };
        let (name, open) = *REGISTRY.iter().find(|(known, _)| *known == name).ok_or_else(unknown)?;
        Ok(Self::with_provider(name, open, planted))
    }

    /// Serves the provider that `open` opens.
    pub fn with_provider(name: &'static str, open: OpenProvider, planted: Planted) -> Self {
        let provider = open();
        let offers = provider.as_ref().map_or_else(|_| Vec::new(), |provider| provider.offers());
        let (cells, workspace, cpus) = (BTreeMap::new(), Workspace::default(), cpus::allowed().len());
        Self {
            name,
            open,
            provider,
            offers,
            cells,
            workspace,
            planted,
            cpus,
            counters: Counters::open().ok(),
            last_sample: None,
            gauge: Gauge::default(),
        }
    }

    /// With files of the user's own for split messages from file to file.
    pub fn with_files(mut self, files: OwnFiles) -> Self {
        self.workspace.files = FileStore::with(files);
        self
    }

    /// The same on a machine with an assumed number of CPUs.
    #[cfg(test)]
    pub fn with_cpus(self, cpus: usize) -> Self {
        Self { cpus, ..self }
    }

    fn reply(&mut self, request: Request) -> Result<Reply, FailureReply> {
        match request {
            Request::Describe => Err(error("describe is answered by a list")),
            Request::Check(check) => self.check(&check),
            Request::Prepare(prepare) => self.prepare(&prepare),
            Request::Sample { cell, warmup_ns, iterations, layout } => self.sample(cell, warmup_ns, iterations, layout),
            Request::Latency { cell, warmup_ns, count } => self.latency(cell, warmup_ns, count),
            Request::Digest { cell, first, iteration } => self.digest(cell, first, iteration),
            Request::Verify { cell, first, iteration } => self.verify(cell, first, iteration),
            Request::Peek { cell, at, bytes } => self.peek(cell, at, bytes),
            Request::Clock => self.clock(),
            Request::Memory { reset } => Ok(Reply::Memory(Box::new(self.gauge.read(reset)))),
            Request::Compilation => Ok(Reply::Compilation { mark: None }),
            Request::Current => Ok(Reply::Unsupported("there is no meter of current here".into())),
            Request::Release { cell } => match self.cells.remove(&cell) {
                Some(_) => {
                    self.last_sample = self.last_sample.filter(|sample| sample.0 != cell);
                    Ok(Reply::Released { cell })
                }
                None => Err(not_prepared(cell)),
            },
        }
    }

    fn check(&mut self, check: &CheckInput) -> Result<Reply, FailureReply> {
        let (provider, offered) = self.offered(&check.provider, check.algorithm)?;
        Ok(check::answer(provider, offered, check))
    }

    fn prepare(&mut self, prepare: &Prepare) -> Result<Reply, FailureReply> {
        let cell = prepare.cell;
        if self.cells.contains_key(&cell) {
            return Err(error(format!("cell {cell} is prepared already; release it first or take another number")));
        }
        let (provider, offered) = self.offered(&prepare.provider, prepare.algorithm)?;
        self.refuse(prepare, provider, offered)?;
        if prepare.form.is_split() {
            return self.prepare_split(prepare);
        }
        let settings = CellSettings::new(prepare, offered, self.planted.slowed);
        let threads = usize::try_from(prepare.threads).unwrap_or(usize::MAX);
        let layout = &settings.layout;
        let wanted =
            if threads == 1 { settings.bytes() } else { MultiThreadCell::stride(layout).saturating_mul(threads) };
        self.reserve(wanted, settings.copies().saturating_mul(threads), HALF)?;
        if settings.layout.opens() {
            // Its text is sealed in the arena.
            self.last_sample = None;
        }
        let prepared = if threads == 1 {
            // Borrowed field by field: the buffers belong to the worker, too.
            let provider = self.provider.as_ref().map_err(|why| Reply::Unsupported(why.clone()))?;
            PreparedCell::SingleThread(SingleThreadCell::new(settings.prepare_loop(
                &**provider,
                0,
                self.workspace.thread_memory(),
            )?))
        } else {
            PreparedCell::MultiThread(MultiThreadCell::new(
                cell, threads, self.open, &settings, &mut self.workspace.arena,
            )?)
        };
        self.cells.insert(cell, prepared);
        Ok(Reply::Ready { cell })
    }

    fn prepare_split(&mut self, prepare: &Prepare) -> Result<Reply, FailureReply> {
        // The harness sees to it that the messages of all processes fit; a tenth is left for everything else.
        self.reserve(SplitCell::arena_bytes(prepare), 0, MOST)?;
        if prepare.form.is_of_files() {
            // Cells of the same message share their files.
            self.last_sample = None;
        }
        let cell = SplitCell::new(prepare, self.open, &mut self.workspace.files)?;
        if cell.lacks_pages(&self.workspace.arena) {
            self.last_sample = None;
            let touched = cell.touch(&mut self.workspace.arena);
            touched.map_err(|why| error(format!("setting up the message failed: {why}; use a shorter one")))?;
        }
        self.cells.insert(prepare.cell, PreparedCell::Split(cell));
        Ok(Reply::Ready { cell: prepare.cell })
    }

    /// Refusals that need no call of the library.
    fn refuse(&self, prepare: &Prepare, provider: &dyn Provider, offered: &Offered) -> Result<(), FailureReply> {
        let Prepare { algorithm, operation, form, threads, rotation, .. } = *prepare;
        let why = if threads > MAX_THREADS {
            format!("{threads} threads; at most {MAX_THREADS} can be asked for")
        } else if threads > self.cpus as u64 && threads > 1 {
            format!("{threads} threads; CPUs that this process may use: {}", self.cpus)
        } else if (form.is_split() || form == Form::Batch) && !form.is_of(operation) {
            format!("{operation} has no form {form}")
        } else if !offered.has(operation) {
            format!("{algorithm} has no {operation} here")
        } else if rotation.is_any()
            && (threads > 1 || form.is_split() || form == Form::Batch || operation == Operation::KeySetup)
        {
            "several texts or keys go round in single calls of one thread alone".into()
        } else if operation.consumes_sealed() && !rotation.texts.is_multiple_of(rotation.keys) {
            format!("{} texts to open under {} keys: each key has as many as any other", rotation.texts, rotation.keys)
        } else if let Some(why) = provider.refuses_keys(rotation.keys) {
            why
        } else if operation != Operation::KeySetup && !offered.has_form(form) {
            format!("the library has no form {form} for {algorithm}")
        } else if let Some(why) = algorithm.refuses(prepare.message).filter(|_| operation != Operation::KeySetup) {
            why
        } else {
            return Ok(());
        };
        Err(Reply::Unsupported(why))
    }

    /// Makes the arena as large as that, unless its growth and `copies` bytes beside it take more than that share of the free memory.
    fn reserve(&mut self, wanted: usize, copies: usize, most: (u64, &str)) -> Result<(), FailureReply> {
        let arena = &mut self.workspace.arena;
        let growth = wanted.saturating_sub(arena.len());
        let need = growth.saturating_add(copies) as u64;
        if let Some(free) = usage::available_memory().filter(|free| need > free / 10 * most.0) {
            let why = format!("needs {} MiB, more than {} of the {} MiB that are free", need >> 20, most.1, free >> 20);
            return Err(Reply::Unsupported(why));
        }
        if growth > 0 {
            self.last_sample = None;
            let failed = |failed| error(format!("mapping {growth} bytes failed: {failed}; use a smaller message"));
            arena.grow(wanted).map_err(failed)?;
        }
        Ok(())
    }

    fn sample(
        &mut self,
        number: u64,
        warmup_ns: u64,
        iterations: u64,
        layout: Option<Layout>,
    ) -> Result<Reply, FailureReply> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        self.last_sample = None;
        let sampled = match cell {
            PreparedCell::SingleThread(cell) => {
                if let Some(layout) = layout {
                    cell.move_to(layout);
                }
                let counters = self.counters.as_mut();
                let sampled = cell.sample(self.workspace.thread_memory(), warmup_ns, iterations, counters);
                sampled.map_err(|failed| failed.to_string())
            }
            PreparedCell::MultiThread(cell) => cell.sample(&mut self.workspace.arena, warmup_ns, iterations),
            PreparedCell::Split(cell) => cell.sample(&mut self.workspace.arena, warmup_ns, iterations),
        };
        let sampled = sampled.map_err(|failed| {
            error(format!("sampling cell {number} failed: {failed}; release it, its figures would be wrong"))
        })?;
        self.last_sample = Some((number, sampled.first, sampled.last));
        let mut counted = Counted::times(sampled.elapsed.ns, Some(sampled.elapsed.cpu_ns));
        counted.counts.extend(sampled.beside);
        Ok(Reply::Sample {
            cell: number,
            iterations,
            first: sampled.first,
            last: sampled.last,
            counted: Box::new(counted),
        })
    }

    fn latency(&mut self, number: u64, warmup_ns: u64, count: u64) -> Result<Reply, FailureReply> {
        let PreparedCell::SingleThread(cell) = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))? else {
            let why = "latency of several threads, or of a split message; prepare another form with one thread";
            return Err(Reply::Unsupported(why.into()));
        };
        if cell.prepared_loop.layout.form == Form::Batch {
            return Err(Reply::Unsupported(
                "latency of a batch, whose messages have no call of their own; prepare another form".into(),
            ));
        }
        self.last_sample = None;
        let ns = cell
            .latency(self.workspace.thread_memory(), warmup_ns, count)
            .map_err(|failed| error(format!("timing calls of cell {number} failed: {failed}; release it")))?;
        Ok(Reply::Latency { cell: number, ns, clock_ns: clock::call_ns() })
    }

    fn digest(&mut self, number: u64, first: u64, iteration: u64) -> Result<Reply, FailureReply> {
        let cell = self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))?;
        if let Some(why) = cell.no_digest() {
            return Err(Reply::Unsupported(why));
        }
        let anew = self.last_sample != Some((number, first, iteration));
        if anew {
            self.last_sample = None;
        }
        let digest_failed = |failed| error(format!("making cell {number}'s output failed: {failed}; release it"));
        let hash = match cell {
            PreparedCell::SingleThread(SingleThreadCell { prepared_loop, .. }) => {
                if anew {
                    prepared_loop
                        .recompute(self.workspace.thread_memory(), first, iteration)
                        .map_err(|failed| digest_failed(failed.to_string()))?;
                }
                let output = prepared_loop.output(self.workspace.thread_memory(), iteration);
                output.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part))
            }
            PreparedCell::MultiThread(cell) => {
                if anew {
                    cell.recompute(&mut self.workspace.arena, first, iteration).map_err(digest_failed)?;
                }
                cell.hash(&mut self.workspace.arena, iteration).map_err(digest_failed)?
            }
            PreparedCell::Split(cell) => {
                if anew {
                    cell.recompute(&mut self.workspace.arena, first, iteration).map_err(digest_failed)?;
                }
                cell.hash(&mut self.workspace.arena).map_err(digest_failed)?
            }
        };
        Ok(Reply::Digest { cell: number, sha256: hash.finalize().into() })
    }

    fn verify(&mut self, number: u64, first: u64, iteration: u64) -> Result<Reply, FailureReply> {
        let cell = split(&mut self.cells, number)?;
        if self.last_sample.take() != Some((number, first, iteration)) {
            let why = format!("what iterations {first} to {iteration} of cell {number} left is gone; sample it again");
            return Err(error(why));
        }
        let crc32 = cell.verify(&mut self.workspace.arena, first, iteration);
        let failed = |why| error(format!("decrypting cell {number} failed: {why}; release it"));
        Ok(Reply::Verified { cell: number, crc32: crc32.map_err(failed)? })
    }

    fn peek(&mut self, number: u64, at: u64, bytes: u64) -> Result<Reply, FailureReply> {
        let cell = split(&mut self.cells, number)?;
        if self.last_sample.is_none_or(|sample| sample.0 != number) {
            return Err(error(format!("what cell {number} left is gone; sample it again")));
        }
        let bytes = cell.peek(&mut self.workspace.arena, at, bytes);
        Ok(Reply::Bytes { cell: number, bytes: bytes.map_err(|why| error(format!("{why}; peek elsewhere")))? })
    }

    fn clock(&mut self) -> Result<Reply, FailureReply> {
        // Measured around the nonce's numbering, which is part of every iteration; the buffers belong to no cell.
        let (operation, form) = (Operation::Encrypt, Form::InPlace);
        let layout = BufferLayout {
            algorithm: Algorithm::ChaCha20,
            operation,
            form,
            message: 0,
            sealed: 0,
            aad: 0,
            offset: 0,
            nonce_at: 0,
            nonce: 12,
            texts: 1,
        };
        let (mut memory, mut fresh) = (vec![0; layout.bytes()], Vec::new());
        let measured = clock::measure(&mut layout.buffers(&mut memory, &mut fresh, false));
        let clock = measured.map_err(|failed| error(format!("measuring the clock failed: {failed}; ask again")))?;
        Ok(Reply::Clock { step_ns: clock.step_ns, call_ns: clock.call_ns, loop_ns: clock.loop_ns })
    }

    fn offered(&self, provider: &str, algorithm: Algorithm) -> Result<(&dyn Provider, &Offered), FailureReply> {
        if provider != self.name {
            return Err(Reply::Unsupported(format!("this worker serves {}, not {provider}", self.name)));
        }
        let opened = self.provider.as_ref().map_err(|why| Reply::Unsupported(why.clone()))?;
        let offered = self.offers.iter().find(|offered| offered.algorithm == algorithm);
        let offered = offered.ok_or_else(|| Reply::Unsupported(format!("{provider} has no {algorithm}")))?;
        Ok((opened.as_ref(), offered))
    }
}

/// The cell of a split message that has an output.
fn split(cells: &mut BTreeMap<u64, PreparedCell>, number: u64) -> Result<&mut SplitCell, FailureReply> {
    match cells.get_mut(&number).ok_or_else(|| not_prepared(number))? {
        PreparedCell::Split(cell) => match cell.no_output(false) {
            Some(why) => Err(Reply::Unsupported(why)),
            None => Ok(cell),
        },
        _ => Err(Reply::Unsupported("only split messages are verified and looked at; use digest".into())),
    }
}

fn not_prepared(cell: u64) -> FailureReply {
    error(format!("cell {cell} is not prepared; send prepare first"))
}

impl Serve for Worker {
    fn describe(&mut self) -> Describe {
        let file = self.provider.as_ref().ok().and_then(|provider| provider.file());
        let offer = |offered: &Offered| Offer {
            provider: self.name.into(),
            version: offered.version.clone(),
            algorithm: offered.algorithm,
            operations: operations(offered).collect(),
            forms: offered.forms.iter().copied().chain(offered.split_forms()).collect(),
            path: offered.path.into(),
            setup: offered.setup,
            library: file.as_ref().map(|file| file.0.clone()),
            sha256: file.as_ref().map(|file| file.1.clone()),
        };
        let reasons = self.provider.as_ref().map_or_else(|why| vec![why.clone()], |provider| provider.absences());
        Describe {
            worker: "native".into(),
            runtime: concat!("rust ", env!("VERSION_RUSTC")).into(),
            offers: self.offers.iter().map(offer).collect(),
            absent: reasons.into_iter().map(|why| (self.name.into(), why)).collect(),
            layouts: !self.planted.fixed_layout,
            rotates: true,
            process_cpu: true,
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
