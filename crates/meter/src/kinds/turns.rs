//! Cells of one thread, which take turns on one CPU (METHODOLOGY.md, points 3 to 7).

use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Metric, Outcome, Record, Scenario};

use crate::kind::{Kind, Share};
use crate::outputs::confirm;
use crate::part::Part;
use crate::pool::Pool;
use crate::rounds::{self, Sampling};
use crate::verify::verify_messages;
use crate::{Affinity, Batch, SinkError};

/// The kind of measurement.
pub struct Turns;

impl Kind for Turns {
    fn takes(&self, _: &Scenario, cell: &Cell) -> bool {
        let is_here = cell.parameters.cpus().is_none() && cell.parameters.device().is_none();
        is_here && !cell.is_split() && !cell.has_processes()
    }
    fn metrics(&self) -> Vec<Metric> {
        rounds::METRICS.to_vec()
    }

    fn conditions(&self) -> Part {
        Part { affinity: Affinity::OneCpu, probed: true, layouts: true, ..Part::default() }
    }

    fn weight(&self, _: &Cell) -> f64 {
        1.0
    }

    fn held(&self, record: &Record) -> u32 {
        rounds::held(record)
    }

    /// By the cell that has the fewest, as cells join when the question has had its time.
    fn held_of_part(&self, records: &[&Record]) -> u32 {
        let measured = records.iter().filter(|record| record.outcome == Outcome::Measured);
        measured.map(|record| self.held(record)).min().unwrap_or(0)
    }

    fn left(&self, held: u32) -> f64 {
        rounds::left(held)
    }

    /// All messages, those of several threads, too.
    fn verify(&mut self, pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
        verify_messages(pool, deadline)
    }

    fn measure(&mut self, pool: &mut Pool<'_>, share: Share<'_>) -> Result<(), SinkError> {
        rounds::measure(pool, self, share)
    }
}

impl Sampling for Turns {
    fn confirm(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        confirm(pool, id, batch)
    }
}
