//! What a cipher costs here: CPU-seconds for 10⁹ bytes, and joules where a sustained run of it counted them.

use ciphermeter_core::{Metric, Operation, Record, Run};
use ciphermeter_estimate::figures;

use super::field::Field;
use crate::memory::cpu_range;
use crate::power::idle;
use crate::rank::Contender;
use crate::sustained::{course, joules_per_gigabyte};

/// CPU-seconds for a gigabyte of messages, by what is done to them. A nanosecond a byte is a second a gigabyte.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(super) struct Cost {
    /// `seal`, `open`, or `transfer`: both ends together.
    pub(super) operation: Operation,
    /// `None` where the worker counts no CPU time.
    pub(super) cpu_s_per_gb: Option<f64>,
}

/// The costs of one contender over the cells at these places: of each operation, all sizes together, by their calls.
pub(super) fn costs(field: &Field, contender: &Contender, places: &[usize]) -> Vec<Cost> {
    let cost = |operation: &Operation| {
        let own = || places.iter().filter(|place| field.ground[**place].operation == *operation);
        own().next()?;
        let calls = |place: &usize| field.calls.as_ref().map_or(1.0, |calls| calls[*place]);
        let bytes: f64 = own().map(|place| calls(place) * field.ground[*place].parameters.message() as f64).sum();
        let each = own().map(|place| Some(calls(place) * cpu_ns(contender.record(&field.ground[*place])?)?));
        let ns: Option<f64> = each.sum();
        Some(Cost { operation: *operation, cpu_s_per_gb: ns.filter(|_| bytes > 0.0).map(|ns| ns / bytes) })
    };
    [Operation::Seal, Operation::Open, Operation::Transfer].iter().filter_map(cost).collect()
}

/// CPU time of a call; of a transfer, that of both ends.
fn cpu_ns(record: &Record) -> Option<f64> {
    let own = cpu_range(record)?.mid;
    if !record.cell.is_transfer() {
        return Some(own);
    }
    Some(own + figures(record, Metric::PEER_CPU_NS)?.mid)
}

/// Joules for a gigabyte, as a sustained run counted them.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(super) struct Joules {
    /// In all.
    pub(super) j_per_gb: f64,
    /// Above what the idle machine draws, where that is known.
    pub(super) net_j_per_gb: Option<f64>,
    /// What the counter covers: `CPU`, `chip`, `machine`, `GPU`.
    pub(super) covers: &'static str,
    /// Bytes of its messages or files.
    pub(super) message: u64,
    pub(super) run: i64,
}

impl Joules {
    /// Of a sustained run; `None` where no counter was read.
    pub(super) fn of(run: &Run, record: &Record) -> Option<Self> {
        let steps = course(record);
        let (covers, _) = steps.iter().find_map(|step| step.power)?;
        let above = |watts| joules_per_gigabyte(&record.cell, &steps, watts);
        Some(Self {
            j_per_gb: above(0.0)?,
            net_j_per_gb: idle(run, covers).and_then(above),
            covers,
            message: record.cell.parameters.message(),
            run: run.id,
        })
    }
}
