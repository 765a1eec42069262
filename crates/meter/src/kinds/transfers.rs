//! Files that move, with all CPUs for the sender's and the receiver's process
//! (docs/transfers-measured.md).
//!
//! There are no vectors for a transfer. What the receiver had must be the very file that was sent, and the harness knows that file: it
//! is made from the seed. So each provider's digest is compared with the harness's own, and needs no other provider's.

use std::collections::BTreeSet;
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Form, Metric, Operation, Outcome, Parameters, Record, Scenario};
use ciphermeter_protocol::LinkError;

use crate::contents::Contents;
use crate::kind::{Kind, Room, Share};
use crate::part::Part;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::rounds::{self, Sampling, Setting, TooLong};
use crate::verify::{SCRATCH, Verdict, pass, stand_in, tell_verifying};
use crate::{Affinity, Batch, SinkError, Worker};

/// What its samples count.
const METRICS: &[Metric] = &[
    Metric::NS,
    Metric::CPU_NS,
    Metric::HANDSHAKE,
    Metric::DURABLE,
    Metric::SEAL,
    Metric::OPEN,
    Metric::PEER_CPU_NS,
    Metric::PEAK_RSS,
    Metric::PEER_PEAK_RSS,
];
/// Lengths of no byte, of one, of a block, and around those of frames.
const AWKWARD: [u64; 7] = [0, 1, 16, 65_535, 65_536, 65_537, (1 << 20) + 1];

/// The kind of measurement.
pub struct Transfers {
    contents: Contents,
    /// The room that the group under way has in its run.
    room: Room,
}

impl Transfers {
    /// Transfers of files made from this seed.
    pub fn new(seed: u64) -> Self {
        Self { contents: Contents::new(seed), room: Room::default() }
    }
}

impl Kind for Transfers {
    fn takes(&self, _: &Scenario, cell: &Cell) -> bool {
        cell.operation == Operation::Transfer
    }

    fn metrics(&self) -> Vec<Metric> {
        METRICS.to_vec()
    }

    /// The contention probe looks at one core for microseconds; a transfer has all of them for as long as seconds.
    fn conditions(&self) -> Part {
        Part { affinity: Affinity::AllCpus, probed: false, released: true, ..Part::default() }
    }

    /// One group after the other, the smallest files first. Ratios are drawn within a group only, so nothing is lost by that; and there
    /// are never more files at once than one group has.
    fn parts(&self, _: &Scenario, plan: &Plan) -> Vec<Part> {
        let cells = || plan.ids().map(|id| (id, &plan.get(id).cell));
        let groups: BTreeSet<_> = cells().map(|(_, cell)| (cell.parameters.message(), cell.group())).collect();
        let of_group = |(_, group)| {
            let cells = cells().filter(|(_, cell)| cell.group() == group).map(|(id, _)| id).collect();
            Part { cells, ..self.conditions() }
        };
        groups.into_iter().map(of_group).collect()
    }

    /// Seconds: a share of starting its process, and what its file takes at half a gigabyte a second, twice where it is written.
    fn weight(&self, cell: &Cell) -> f64 {
        let file = cell.parameters.message() as f64 / 5e8;
        if cell.form == Form::File { 0.3 + 2.0 * file } else { 0.3 + file }
    }

    fn held(&self, record: &Record) -> u32 {
        rounds::held(record)
    }

    fn left(&self, held: u32) -> f64 {
        rounds::left(held)
    }

    /// Has every source move files of awkward lengths; one that leaves another file than was sent falls out.
    fn verify(&mut self, pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
        for source in 0..pool.surveyed.len() {
            for (algorithm, form) in pool.plan.forms(source, Cell::is_transfer) {
                tell_verifying(pool, source, algorithm, form, deadline);
                stand_in(pool, source)?;
                let (provider, options) = (&pool.surveyed[source].source.provider, pool.options);
                let Some(worker) = pool.workers[source].as_mut() else { continue };
                let cell = |bytes| Cell {
                    provider: provider.clone(),
                    algorithm,
                    operation: Operation::Transfer,
                    form,
                    parameters: Parameters::transfer_cell(bytes, options.cpus),
                };
                let verdict = moves(worker, cell, options.seed, &mut self.contents);
                pass(pool, source, algorithm, form, verdict)?;
            }
        }
        Ok(())
    }

    fn measure(&mut self, pool: &mut Pool<'_>, share: Share<'_>) -> Result<(), SinkError> {
        self.room = share.room;
        rounds::measure(pool, self, share)
    }
}

impl Sampling for Transfers {
    fn has_long_calls(&self) -> bool {
        true
    }

    fn keep_what_fits(
        &self,
        pool: &mut Pool<'_>,
        settings: &mut [Option<Setting>],
        _budget: Duration,
        deadline: Duration,
    ) -> Result<Duration, SinkError> {
        TooLong::take_out_dearest(pool, settings, self.room, deadline, "transfer")?;
        Ok(deadline)
    }

    /// Has the file of a cell's last transfer hashed where it was written, else that of one transfer more.
    fn confirm(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        self.confirm_file(pool, id, batch.first, batch.last)
    }

    /// A file that was thrown away has to move again, whichever transfer is asked for.
    fn inspect(&mut self, pool: &mut Pool<'_>, id: CellId, setting: Setting) -> Result<(), SinkError> {
        if pool.plan.get(id).cell.form == Form::Discard {
            return self.confirm_file(pool, id, 0, 0);
        }
        match pool.sample(id, setting.warmup_ns, setting.iterations, setting.expected())? {
            Some(batch) => self.confirm(pool, id, &batch),
            None => Ok(()),
        }
    }
}

impl Transfers {
    fn confirm_file(&mut self, pool: &mut Pool<'_>, id: CellId, first: u64, last: u64) -> Result<(), SinkError> {
        let bytes = pool.plan.get(id).cell.parameters.message();
        let right = self.contents.sha256(bytes);
        let Some((_, worker)) = pool.worker(id) else { return Ok(()) };
        let why = match worker.digest_of(bytes, id, first, last) {
            Ok(Ok(had)) if had == right => return Ok(()),
            Ok(Ok(had)) => differs(bytes, had, right),
            Ok(Err(why)) => format!("it does not say what its receiver had: {why}"),
            Err(error) => return pool.fault(id, error),
        };
        pool.fall_out(id, Outcome::WrongOutput { why })
    }
}

/// One timed transfer of each length, and the digest of what the receiver had.
fn moves(
    worker: &mut Worker,
    cell: impl Fn(u64) -> Cell,
    seed: u64,
    contents: &mut Contents,
) -> Result<Verdict, LinkError> {
    let mut last_why = None;
    let mut moved = 0;
    for bytes in AWKWARD {
        let cell = cell(bytes);
        if let Err(why) = worker.prepare(SCRATCH, &cell, &cell.provider, seed, 0, 1)? {
            last_why = Some(why);
            continue;
        }
        let batch = worker.sample(SCRATCH, 0, 1, None, Duration::ZERO)?;
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
        Some(why) => Ok(Verdict::Unanswered(format!("it moved no file, so it is unverified: {why}"))),
        None => Ok(Verdict::Right),
    }
}

fn differs(bytes: u64, had: [u8; 32], right: [u8; 32]) -> String {
    let (had, right) = (hex::encode(&had[..4]), hex::encode(&right[..4]));
    format!("of a file of {bytes} bytes the receiver had what hashes to {had}…, where {right}… was sent")
}
