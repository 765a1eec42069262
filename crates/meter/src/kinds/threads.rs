//! Cells of several threads, each beside the same provider's cell of one, on all CPUs
//! (docs/parallel.md).

use ciphermeter_core::{Cell, CellId, Metric, Record, Scenario};

use crate::kind::{Kind, Share};
use crate::outputs::confirm;
use crate::part::Part;
use crate::pool::Pool;
use crate::rounds::{self, Sampling};
use crate::{Affinity, Batch, SinkError};

/// The kind of measurement.
pub struct Threads;

impl Kind for Threads {
    fn takes(&self, _: &Scenario, cell: &Cell) -> bool {
        cell.parameters.cpus().is_some() && !cell.is_split()
    }
    fn metrics(&self) -> Vec<Metric> {
        rounds::METRICS.to_vec()
    }

    fn conditions(&self) -> Part {
        Part { affinity: Affinity::AllCpus, probed: true, ..Part::default() }
    }

    /// Samples are longer.
    fn weight(&self, _: &Cell) -> f64 {
        2.0
    }

    fn held(&self, record: &Record) -> u32 {
        rounds::held(record)
    }

    fn left(&self, held: u32) -> f64 {
        rounds::left(held)
    }

    fn measure(&mut self, pool: &mut Pool<'_>, share: Share<'_>) -> Result<(), SinkError> {
        rounds::measure(pool, self, share)
    }
}

impl Sampling for Threads {
    /// Some threads end a little before the last.
    fn length(&self) -> u32 {
        4
    }

    fn confirm(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        confirm(pool, id, batch)
    }

    fn title(&self) -> &'static str {
        "several threads: "
    }
}
