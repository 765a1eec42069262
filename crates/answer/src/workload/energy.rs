//! What a gigabyte costs in joules.

use ciphermeter_core::{Record, Run};

use super::cost::Joules;
use crate::power::idle;
use crate::sustained::{course, joules_per_gigabyte};

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
