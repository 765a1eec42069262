//! The parts of a run, each under conditions of its own: cells of one thread take turns on one CPU, cells of several have all
//! CPUs, and single calls are timed after both, so that their thousands of readings disturb nobody's samples. Memory comes last of
//! these: its counters may slow calls down. Files that move have all CPUs, too.

use std::collections::BTreeSet;

use ciphermeter_core::{CellId, Form, Group};

use crate::launch::Affinity;
use crate::plan::{Plan, Planned};

/// Under which conditions a part of a run is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Cells of one thread, in turns on one CPU.
    Turns,
    /// Cells of several threads, each beside the same provider's cell of one, on all CPUs.
    Threads,
    /// Single calls, on one CPU.
    Calls,
    /// Memory, each cell in processes of its own.
    Memory,
    /// Transfers, a sender's and a receiver's process on all CPUs.
    Transfers,
}

impl Phase {
    /// Those in which all cells are measured side by side, in their order.
    const WHOLE: [Self; 4] = [Self::Turns, Self::Threads, Self::Calls, Self::Memory];

    /// Whether a cell has a part in it.
    pub fn takes(self, planned: &Planned) -> bool {
        let cell = &planned.cell;
        match self {
            Self::Turns => cell.parameters.cpus().is_none(),
            Self::Threads => cell.parameters.cpus().is_some() && !cell.is_transfer(),
            Self::Calls => planned.latency,
            Self::Memory => planned.memory,
            Self::Transfers => cell.is_transfer(),
        }
    }

    /// Where its workers run.
    pub fn affinity(self) -> Affinity {
        match self {
            Self::Turns | Self::Calls | Self::Memory => Affinity::OneCpu,
            Self::Threads | Self::Transfers => Affinity::AllCpus,
        }
    }

    /// How much of the time a cell asks for. Samples of several threads are longer; of single calls a fixed number is wanted, which
    /// small messages have soon. Of a transfer it is seconds: a share of starting its process, and what its file takes at
    /// half a gigabyte a second, twice where it is written.
    fn weight(self, planned: &Planned) -> f64 {
        let file = planned.cell.parameters.message() as f64 / 5e8;
        match self {
            Self::Turns | Self::Memory => 1.0,
            Self::Threads => 2.0,
            Self::Calls => 0.5,
            Self::Transfers if planned.cell.form == Form::File => 0.3 + 2.0 * file,
            Self::Transfers => 0.3 + file,
        }
    }
}

/// What is measured in one go: a phase, of transfers one group of it.
///
/// Groups of transfers come one after the other, the smallest files first. Ratios are drawn within a group only, so nothing is
/// lost by that; and there are never more files at once than one group has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its phase.
    pub phase: Phase,
    /// Only this group's cells; `None`: all.
    pub group: Option<Group>,
}

impl Part {
    /// The parts of a run, in their order.
    pub fn all(plan: &Plan) -> Vec<Self> {
        let transfers = plan.cells.iter().filter(|planned| planned.cell.is_transfer());
        let groups: BTreeSet<_> =
            transfers.map(|planned| (planned.cell.parameters.message(), planned.cell.group())).collect();
        let whole = Phase::WHOLE.into_iter().map(|phase| Self { phase, group: None });
        let moved = groups.into_iter().map(|(_, group)| Self { phase: Phase::Transfers, group: Some(group) });
        whole.chain(moved).collect()
    }

    /// Whether a cell is measured in it.
    pub fn takes(&self, planned: &Planned) -> bool {
        self.phase.takes(planned) && self.group.as_ref().is_none_or(|group| *group == planned.cell.group())
    }

    /// How much of the time it asks for.
    pub fn weight(&self, plan: &Plan) -> f64 {
        let inside = |id: &CellId| plan.is_in(*id) && self.takes(plan.get(*id));
        plan.ids().filter(inside).map(|id| self.phase.weight(plan.get(id))).sum()
    }
}
