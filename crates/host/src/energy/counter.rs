//! What counts energy, and how much of the machine it covers.

use std::fmt;
use std::time::Duration;

use ciphermeter_core::Metric;

/// How much of the machine a counter covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Covers {
    /// The CPU's packages, with their memory where that is counted.
    Cpu,
    /// A graphics card with its memory.
    Gpu,
    /// The chip of CPU, graphics and accelerators.
    Chip,
    /// All that draws power.
    Machine,
}

impl fmt::Display for Covers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
            Self::Chip => "chip",
            Self::Machine => "machine",
        })
    }
}

impl Covers {
    /// The metric of a sample's energy.
    pub fn metric(self) -> Metric {
        match self {
            Self::Cpu => Metric::ENERGY_CPU,
            Self::Gpu => Metric::ENERGY_GPU,
            Self::Chip => Metric::ENERGY_CHIP,
            Self::Machine => Metric::ENERGY_MACHINE,
        }
    }
}

/// What counts energy.
pub(super) trait Counter: Send {
    /// Its name with what it sums: `powercap: package-0, dram`.
    fn name(&self) -> String;

    /// How much it covers.
    fn covers(&self) -> Covers;

    /// Microjoules since it was opened; never falls. The error says what failed and what to do.
    fn microjoules(&mut self) -> Result<u64, String>;

    /// How long it takes from one update to the next, where that is too long to be watched.
    fn slow_period(&self) -> Option<Duration> {
        None
    }
}

/// The counters of one source, or why there are none and what would enable one.
pub(super) type Found = Result<Vec<Box<dyn Counter>>, String>;
