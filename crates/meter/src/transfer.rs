//! Files that move: what their bytes must hash to, and who moves them right.
//!
//! There are no vectors for a transfer. What the receiver had must be the very file that was sent, and the harness knows that file: it
//! is made from the seed. So each provider's digest is held against the harness's own, and needs no other provider's.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ciphermeter_core::{Algorithm, Cell, CellId, Form, Operation, Outcome, Parameters};
use ciphermeter_protocol::LinkError;
use ciphermeter_stats::LEAST_FORKS;
use sha2::{Digest, Sha256};

use crate::phase::Phase;
use crate::pilot::Setting;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::verify::{SCRATCH, Verdict};
use crate::{Batch, SinkError, Worker};

/// Lengths of no byte, of one, of a block, and around those of frames.
const AWKWARD: [u64; 7] = [0, 1, 16, 65_535, 65_536, 65_537, (1 << 20) + 1];
/// After so many bytes a stream repeats (PROTOCOL.md, Seed).
const PERIOD: usize = 4093;

/// A fork is a transfer of each cell, and another or two for the last look at what came out.
const TRANSFERS: f64 = 3.0;

/// What the files of a run hash to, each length counted once: half a gigabyte takes a second.
pub struct Contents {
    seed: u64,
    known: BTreeMap<u64, [u8; 32]>,
}

impl Contents {
    /// The files that are made from this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, known: BTreeMap::new() }
    }

    /// SHA-256 of stream(`message`, seed, `bytes`).
    pub fn sha256(&mut self, bytes: u64) -> [u8; 32] {
        *self.known.entry(bytes).or_insert_with(|| sha256(self.seed, bytes))
    }
}

fn sha256(seed: u64, bytes: u64) -> [u8; 32] {
    let blocks = (0..PERIOD.div_ceil(32)).flat_map(|i| Sha256::digest(format!("ciphermeter message {seed} {i}")));
    let period: Vec<u8> = blocks.take(PERIOD).collect();
    let mut hash = Sha256::new();
    for _ in 0..bytes / PERIOD as u64 {
        hash.update(&period);
    }
    hash.update(&period[..(bytes % PERIOD as u64) as usize]);
    hash.finalize().into()
}

impl Plan {
    /// In which algorithms and forms a source moves files, the ceiling's too.
    fn moved_by(&self, source: usize) -> BTreeSet<(Algorithm, Form)> {
        let cells = self.of_source(source).into_iter().map(|id| &self.get(id).cell);
        cells.filter(|cell| cell.is_transfer()).map(|cell| (cell.algorithm, cell.form)).collect()
    }
}

impl Pool<'_> {
    /// Has every source move files of awkward lengths; who leaves another file than was sent falls out.
    pub(crate) fn verify_transfers(&mut self, deadline: Duration) -> Result<(), SinkError> {
        for source in 0..self.surveyed.len() {
            for (algorithm, form) in self.plan.moved_by(source) {
                self.tell_verifying(source, algorithm, form, deadline);
                self.stand_in(source)?;
                let (provider, options) = (&self.surveyed[source].source.provider, self.options);
                let Some(worker) = self.workers[source].as_mut() else { continue };
                let cell = |bytes| Cell {
                    provider: provider.clone(),
                    algorithm,
                    operation: Operation::Transfer,
                    form,
                    parameters: Parameters::transfer_cell(bytes, options.cpus),
                };
                let verdict = moves(worker, cell, &mut self.contents);
                self.pass(source, algorithm, form, verdict)?;
            }
        }
        Ok(())
    }

    /// Takes out cells until six forks of one transfer each fit into what is left of the part's time, those that take longest
    /// first: fewer forks would give no interval worth having.
    pub(crate) fn keep_what_fits(
        &mut self,
        settings: &mut [Option<Setting>],
        deadline: Duration,
    ) -> Result<(), SinkError> {
        let left = deadline.saturating_sub(self.clock.now());
        loop {
            let inside = self.plan.ids().filter(|id| self.plan.is_in(*id));
            let costs: Vec<_> = inside.filter_map(|id| Some((settings[id.index()]?.expected(), id))).collect();
            let all: Duration = costs.iter().map(|(cost, _)| *cost).sum();
            let Some((_, dearest)) = costs.into_iter().max() else { return Ok(()) };
            let wanted = (self.starting + all.mul_f64(TRANSFERS)) * LEAST_FORKS as u32;
            if wanted <= left {
                return Ok(());
            }
            let why = format!(
                "six forks of one transfer of each cell take {:.0} s, and {:.0} s of the budget are left for this size: raise the budget",
                wanted.as_secs_f64().ceil(),
                left.as_secs_f64()
            );
            self.fall_out(dearest, Outcome::Unsupported { why })?;
            settings[dearest.index()] = None;
        }
    }

    /// Has all files removed. A process that is told to end has half a second for that; gigabytes may take longer.
    pub(crate) fn release_files(&mut self) {
        for worker in self.workers.iter_mut().flatten().filter(|_| self.part.phase == Phase::Transfers) {
            for id in worker.prepared() {
                // One that can't is about to end in any case.
                let _ = worker.release(id);
            }
        }
    }

    /// Has the file of a cell's last transfer hashed where it was written, else that of one transfer more; a wrong one takes
    /// the cell out.
    pub(crate) fn confirm_transfer(&mut self, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        self.confirm_file(id, batch.first, batch.last)
    }

    /// The last look of a fork. A file that was thrown away has to move again, whichever transfer is asked for.
    pub(crate) fn inspect_discarded(&mut self, id: CellId) -> Result<(), SinkError> {
        self.confirm_file(id, 0, 0)
    }

    fn confirm_file(&mut self, id: CellId, first: u64, iteration: u64) -> Result<(), SinkError> {
        let bytes = self.plan.get(id).cell.parameters.message();
        let right = self.contents.sha256(bytes);
        let Some((_, worker)) = self.worker(id) else { return Ok(()) };
        let why = match worker.digest_of(bytes, id, first, iteration) {
            Ok(Ok(had)) if had == right => return Ok(()),
            Ok(Ok(had)) => differs(bytes, had, right),
            Ok(Err(why)) => format!("it does not say what its receiver had: {why}"),
            Err(error) => return self.fault(id, error),
        };
        self.fall_out(id, Outcome::WrongOutput { why })
    }
}

/// One timed transfer of each length, and the digest of what the receiver had.
fn moves(worker: &mut Worker, cell: impl Fn(u64) -> Cell, contents: &mut Contents) -> Result<Verdict, LinkError> {
    let mut last_why = None;
    let mut moved = 0;
    for bytes in AWKWARD {
        let cell = cell(bytes);
        if let Err(why) = worker.prepare(SCRATCH, &cell, &cell.provider, contents.seed, 0)? {
            last_why = Some(why);
            continue;
        }
        let batch = worker.sample(SCRATCH, 0, 1, Duration::ZERO)?;
        let had = worker.digest_of(bytes, SCRATCH, batch.first, batch.last)?;
        // Whatever it had: the next cell takes this one's number.
        worker.release(SCRATCH)?;
        match had {
            Ok(had) if had == contents.sha256(bytes) => moved += 1,
            Ok(had) => return Ok(Verdict::Wrong(differs(bytes, had, contents.sha256(bytes)))),
            Err(why) => return Ok(Verdict::Wrong(format!("it has no digest of {cell}: {why}"))),
        }
    }
    match last_why.filter(|_| moved == 0) {
        Some(why) => Ok(Verdict::Wrong(format!("it moved no file, so it is unverified: {why}"))),
        None => Ok(Verdict::Right),
    }
}

fn differs(bytes: u64, had: [u8; 32], right: [u8; 32]) -> String {
    let (had, right) = (hex::encode(&had[..4]), hex::encode(&right[..4]));
    format!("of a file of {bytes} bytes the receiver had what hashes to {had}…, where {right}… was sent")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From PROTOCOL.md's own definition: the first block is the SHA-256 of `ciphermeter message 42 0`.
    #[test]
    fn contents_are_the_stream() {
        let mut contents = Contents::new(42);
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex::encode(contents.sha256(0)), empty);
        let first = Sha256::digest(b"ciphermeter message 42 0");
        assert_eq!(contents.sha256(32), <[u8; 32]>::from(Sha256::digest(first)));
        let block = |i: usize| Sha256::digest(format!("ciphermeter message 42 {i}"));
        let mut period: Vec<u8> = (0..128).flat_map(block).collect();
        period.truncate(PERIOD);
        let twice = [&period[..], &period[..], &period[..1]].concat();
        assert_eq!(contents.sha256(2 * PERIOD as u64 + 1), <[u8; 32]>::from(Sha256::digest(twice)));
    }
}
