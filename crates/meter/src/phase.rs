//! The parts of a run, each under conditions of its own: cells of one thread take turns on one CPU, cells of several have all
//! CPUs, and single calls are timed after both, so that their thousands of readings disturb nobody's samples. Memory comes last: its counters may slow calls down.

use crate::launch::Room;
use crate::plan::{Plan, Planned};

/// A part of a run.
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
}

impl Phase {
    /// All, in their order.
    pub const ALL: [Self; 4] = [Self::Turns, Self::Threads, Self::Calls, Self::Memory];

    /// Whether a cell has a part in it.
    pub fn takes(self, planned: &Planned) -> bool {
        match self {
            Self::Turns => planned.cell.parameters.cpus().is_none(),
            Self::Threads => planned.cell.parameters.cpus().is_some(),
            Self::Calls => planned.latency,
            Self::Memory => planned.memory,
        }
    }

    /// Where its workers run.
    pub fn room(self) -> Room {
        match self {
            Self::Turns | Self::Calls | Self::Memory => Room::OneCpu,
            Self::Threads => Room::AllCpus,
        }
    }

    /// How much of the time it asks for: so much for each of its cells. Samples of several threads are longer; of single calls a
    /// fixed number is wanted, which small messages have soon.
    pub fn weight(self, plan: &Plan) -> f64 {
        let cells = plan.ids().filter(|id| plan.is_in(*id) && self.takes(plan.get(*id))).count() as f64;
        match self {
            Self::Turns => cells,
            Self::Threads => 2.0 * cells,
            Self::Calls => 0.5 * cells,
            Self::Memory => cells,
        }
    }
}
