//! Answers PROTOCOL.md's requests for transfers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ciphermeter_core::{Form, Operation, Setup};
use ciphermeter_host::usage;
use ciphermeter_protocol::{Describe, MemoryUse, Offer, Prepare, Reply, Request, Serve};

use crate::cell::{Cell, FileCell, Totals};
use crate::disk::{BYTES, DiskCell, RamDisks};
use crate::error::Error;
use crate::providers::{DISKS, algorithms, availability, forms, provider, version};
use crate::receivers::Receivers;

/// One provider.
pub(crate) struct Worker {
    name: &'static str,
    receivers: Receivers,
    cells: BTreeMap<u64, Box<dyn Cell>>,
    /// From the first cell that needs one on; dropped after the cells.
    disks: Option<Arc<RamDisks>>,
    /// Cell and last transfer of the most recent sample.
    last_sample: Option<(u64, u64)>,
}

impl Worker {
    pub(crate) fn new(name: &'static str, receivers: Receivers) -> Self {
        Self { name, receivers, cells: BTreeMap::new(), disks: None, last_sample: None }
    }

    fn reply(&mut self, request: Request) -> Result<Reply, Reply> {
        match request {
            Request::Describe => Err(Reply::Error("describe is answered by a list".into())),
            Request::Check(_) => {
                Err(Reply::Unsupported("transfers have no vectors; they are verified by digests".into()))
            }
            Request::Latency { cell, .. } => {
                self.cell(cell)?;
                Err(Reply::Unsupported("a transfer is no single call; ask for samples".into()))
            }
            Request::Prepare(prepare) => self.prepare(&prepare),
            Request::Sample { cell, warmup_ns, iterations, .. } => self.sample(cell, warmup_ns, iterations),
            Request::Digest { cell, iteration, .. } => {
                let of_last = self.last_sample == Some((cell, iteration));
                let sha256 = self.cell(cell)?.digest(of_last).map_err(|error| failed("making the digest", &error))?;
                self.last_sample = self.last_sample.filter(|sample| of_last || sample.0 != cell);
                Ok(Reply::Digest { cell, sha256 })
            }
            Request::Verify { cell, .. } | Request::Peek { cell, .. } => {
                self.cell(cell)?;
                Err(Reply::Unsupported("a transfer is verified by its digest".into()))
            }
            Request::Clock => Ok(clock()),
            Request::Memory { reset } => {
                let now = usage::memory();
                if reset {
                    let _ = usage::reset_peak();
                }
                let used = MemoryUse { rss: now.rss, peak_rss: now.peak_rss, ..MemoryUse::default() };
                Ok(Reply::Memory(Box::new(used)))
            }
            Request::Compilation => Ok(Reply::Compilation { mark: None }),
            Request::Current => Ok(Reply::Unsupported("there is no meter of current here".into())),
            Request::Release { cell } => match self.cells.remove(&cell) {
                Some(_) => Ok(Reply::Released { cell }),
                None => Err(not_prepared(cell)),
            },
        }
    }

    fn cell(&mut self, number: u64) -> Result<&mut Box<dyn Cell>, Reply> {
        self.cells.get_mut(&number).ok_or_else(|| not_prepared(number))
    }

    fn prepare(&mut self, prepare: &Prepare) -> Result<Reply, Reply> {
        let Prepare { cell, algorithm, operation, form, threads, aad, message, .. } = *prepare;
        if self.cells.contains_key(&cell) {
            return Err(Reply::Error(format!(
                "cell {cell} is prepared already; release it first or take another number"
            )));
        }
        let unsupported = |why: String| Err(Reply::Unsupported(why));
        if prepare.provider != self.name {
            return unsupported(format!("this worker serves {}, not {}", self.name, prepare.provider));
        }
        if operation != Operation::Transfer {
            return unsupported(format!("{operation}; this worker moves files"));
        }
        if !forms(self.name).contains(&form) {
            return unsupported(format!("form {form}; {} has {}", self.name, listed(forms(self.name))));
        }
        if threads != 1 || aad != 0 {
            return unsupported("transfers of several threads or with aad".into());
        }
        if !algorithms(self.name).contains(&algorithm) {
            return unsupported(Error::UnknownAlgorithm(self.name.to_owned(), algorithm).to_string());
        }
        let needed = match form {
            Form::Disk if message > BYTES => return unsupported(format!("{message} bytes; the RAM disk has {BYTES}")),
            Form::Disk => BYTES + 2 * message,
            Form::File => 2 * message,
            _ => message,
        };
        if let Some(free) = usage::available_memory().filter(|free| needed > free / 2) {
            return unsupported(format!("{message} bytes; {free} are free in memory, where they are to lie"));
        }
        let ready = self.ready(prepare).map_err(|error| failed("preparing the cell", &error))?;
        self.cells.insert(cell, ready);
        Ok(Reply::Ready { cell })
    }

    fn ready(&mut self, prepare: &Prepare) -> Result<Box<dyn Cell>, Error> {
        if self.name == DISKS {
            let disks = match &self.disks {
                Some(disks) => Arc::clone(disks),
                None => Arc::clone(self.disks.insert(RamDisks::load()?)),
            };
            return Ok(Box::new(DiskCell::new(prepare, &disks)?));
        }
        let provider = provider(self.name, prepare.algorithm)?;
        Ok(Box::new(FileCell::new(prepare, provider, |folder| self.receivers.start(folder))?))
    }

    fn sample(&mut self, number: u64, warmup_ns: u64, iterations: u64) -> Result<Reply, Reply> {
        self.last_sample = None;
        let cell = self.cell(number)?;
        let first = cell.last() + 1;
        let began = Instant::now();
        let mut sample_all = || -> Result<Totals, Error> {
            cell.warm()?;
            while began.elapsed() < Duration::from_nanos(warmup_ns) {
                cell.sample(&mut Totals::default())?;
            }
            let mut totals = Totals::default();
            for _ in 0..iterations {
                cell.sample(&mut totals)?;
            }
            Ok(totals)
        };
        let totals = sample_all().map_err(|error| failed("moving the file", &error))?;
        let last = cell.last();
        self.last_sample = Some((number, last));
        Ok(Reply::Sample { cell: number, iterations, first, last, counted: Box::new(totals.counted()) })
    }
}

fn listed(forms: &[Form]) -> String {
    forms.iter().map(|form| form.as_str()).collect::<Vec<_>>().join(", ")
}

fn failed(doing: &str, error: &Error) -> Reply {
    Reply::Error(format!("{doing} failed: {error}; release the cell"))
}

fn not_prepared(cell: u64) -> Reply {
    Reply::Error(format!("cell {cell} is not prepared; send prepare first"))
}

/// The clock of transfers; its step and cost are negligible beside the times it measures.
fn clock() -> Reply {
    const READINGS: u32 = 1000;
    let mut step_ns = u64::MAX;
    let began = Instant::now();
    let mut before = began;
    for _ in 0..READINGS {
        let now = Instant::now();
        if now > before {
            step_ns = step_ns.min((now - before).as_nanos() as u64);
        }
        before = now;
    }
    Reply::Clock { step_ns, call_ns: began.elapsed().as_nanos() as u64 / u64::from(READINGS), loop_ns: 0 }
}

impl Serve for Worker {
    fn describe(&mut self) -> Describe {
        let offer = |algorithm| Offer {
            provider: self.name.into(),
            version: version(self.name),
            algorithm,
            operations: [Operation::Transfer].into(),
            forms: forms(self.name).iter().copied().collect(),
            path: "unknown".into(),
            setup: Setup::Outside,
            library: None,
            sha256: None,
        };
        let all = Describe {
            worker: "transfer".into(),
            runtime: format!("ciphermeter {}", env!("CARGO_PKG_VERSION")),
            ..Describe::default()
        };
        match availability(self.name, matches!(self.receivers, Receivers::Remote(_))) {
            Ok(()) => {
                Describe { offers: algorithms(self.name).iter().map(|algorithm| offer(*algorithm)).collect(), ..all }
            }
            Err(why) => Describe { absent: vec![(self.name.into(), why.to_string())], ..all },
        }
    }

    fn answer(&mut self, request: Request) -> Reply {
        self.reply(request).unwrap_or_else(|instead| instead)
    }
}
