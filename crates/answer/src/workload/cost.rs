//! What a cipher costs here: CPU-seconds for 10⁹ bytes, and joules where a sustained run of it counted them.

use ciphermeter_core::{Metric, Operation, Record, Run};
use ciphermeter_estimate::{CONFIDENCE, fork_costs};
use ciphermeter_stats::interval;
use serde::Serialize;

use super::field::Field;
use crate::power::idle;
use crate::rank::Contender;
use crate::sustained::{course, joules_per_gigabyte};
use crate::words::{digits, plus_minus};

/// CPU-seconds for a gigabyte of messages, by what is done to them. A nanosecond a byte is a second a gigabyte.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// `seal`, `open`, or `transfer`: both ends together.
    pub operation: Operation,
    /// The mean over forks; `None` where the worker counts no CPU time.
    pub cpu_s_per_gb: Option<f64>,
    /// Half of its 95 % interval; `None` with a single fork.
    pub plus_minus: Option<f64>,
}

impl Cost {
    /// `0.11 ±2.1%`.
    pub(super) fn said(&self) -> Option<String> {
        let mid = self.cpu_s_per_gb?;
        let interval = self.plus_minus.map(|half| format!(" {}", plus_minus(mid, (mid - half, mid + half))));
        Some(digits(mid) + &interval.unwrap_or_default())
    }
}

/// That of the dearest operation.
pub(super) fn dearest(costs: &[Cost]) -> f64 {
    costs.iter().filter_map(|cost| cost.cpu_s_per_gb).fold(0.0, f64::max)
}

/// Cores that are busy at so many gigabits a second: 1 Gbit/s is an eighth of a gigabyte.
pub(super) fn cores(cpu_s_per_gb: f64, gigabits: f64) -> f64 {
    cpu_s_per_gb * gigabits / 8.0
}

/// The costs of one contender over the cells at these places: of each operation, all sizes together, by their calls.
pub(super) fn costs(field: &Field, contender: &Contender, places: &[usize]) -> Vec<Cost> {
    let cost = |operation: &Operation| {
        let own = || places.iter().filter(|place| field.ground[**place].operation == *operation);
        own().next()?;
        let calls = |place: &usize| field.calls.as_ref().map_or(1.0, |calls| calls[*place]);
        let bytes: f64 = own().map(|place| calls(place) * field.ground[*place].parameters.message() as f64).sum();
        let each = own().map(|place| Some((calls(place), cpu_ns(contender.record(&field.ground[*place])?)?)));
        let each: Option<Vec<_>> = each.collect();
        // What sizes have in common is not known here, so their errors add up as if all of it were.
        let add = |sums: (f64, Option<f64>), (calls, (ns, half)): (f64, (f64, Option<f64>))| {
            (sums.0 + calls * ns / bytes, sums.1.zip(half).map(|(sum, half)| sum + calls * half / bytes))
        };
        let sums: Option<(f64, Option<f64>)> =
            each.filter(|_| bytes > 0.0).map(|each| each.into_iter().fold((0.0, Some(0.0)), add));
        let (cpu_s_per_gb, plus_minus) = (sums.map(|(sum, _)| sum), sums.and_then(|(_, half)| half));
        Some(Cost { operation: *operation, cpu_s_per_gb, plus_minus })
    };
    [Operation::Seal, Operation::Open, Operation::Transfer].iter().filter_map(cost).collect()
}

/// That of one cell.
pub(super) fn cost_of(record: &Record) -> Option<Cost> {
    let bytes = record.cell.parameters.message() as f64;
    let (ns, half) = cpu_ns(record).filter(|_| bytes > 0.0)?;
    let (cpu_s_per_gb, plus_minus) = (Some(ns / bytes), half.map(|half| half / bytes));
    Some(Cost { operation: record.cell.operation, cpu_s_per_gb, plus_minus })
}

/// CPU time of a call, and half of its interval; of a transfer, that of both ends. Costs add up, so they are means: the slow calls count.
fn cpu_ns(record: &Record) -> Option<(f64, Option<f64>)> {
    let at_once = record.cell.messages_at_once().max(1) as f64;
    let mut costs = fork_costs(record, Metric::CPU_NS);
    if record.cell.is_transfer() {
        let peer = fork_costs(record, Metric::PEER_CPU_NS);
        costs = costs.into_iter().filter_map(|(fork, own)| Some((fork, own + peer.get(&fork)?))).collect();
    }
    let costs: Vec<f64> = costs.into_values().map(|ns| ns / at_once).collect();
    let mean = (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64)?;
    Some((mean, interval(&costs, CONFIDENCE).map(|estimate| estimate.half_width())))
}

/// Joules for a gigabyte, as a sustained run counted them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Joules {
    /// In all.
    pub j_per_gb: f64,
    /// Above what the idle machine draws, where that is known.
    pub net_j_per_gb: Option<f64>,
    /// What the counter covers: `CPU`, `chip`, `machine`, `GPU`.
    pub covers: &'static str,
    /// Bytes of its messages or files.
    pub message: u64,
    /// The run's number.
    pub run: i64,
}

/// Of a sustained run; `None` where no counter was read.
pub fn joules(run: &Run, record: &Record) -> Option<Joules> {
    let steps = course(record);
    let (covers, _) = steps.iter().find_map(|step| step.power)?;
    let above = |watts| joules_per_gigabyte(&record.cell, &steps, watts);
    Some(Joules {
        j_per_gb: above(0.0)?,
        net_j_per_gb: idle(run, covers).and_then(above),
        covers,
        message: record.cell.parameters.message(),
        run: run.id,
    })
}
