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

/// How long a counter is watched for its updates at the least …
pub(super) const WATCHED: Duration = Duration::from_millis(250);

/// What a counter stands at.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Count {
    /// Microjoules since it was opened; never falls.
    pub(super) microjoules: u64,
    /// Of a source that sends its readings: for how long the power is in that sum. `None` for a counter that is up to date whenever
    /// it is read.
    pub(super) covered: Option<Duration>,
    /// How often something was lost, so that what was spent then is not known.
    pub(super) losses: u64,
    /// What the counter did the last time: `sent no reading for 2.1 s`.
    pub(super) why: String,
}

/// What counts energy.
pub(super) trait Counter: Send {
    /// Its name with what it sums: `powercap: package-0, dram`.
    fn name(&self) -> String;

    /// The same as a sentence has it: `the meter on /dev/ttyUSB0`.
    fn subject(&self) -> String {
        self.name()
    }

    /// How much it covers.
    fn covers(&self) -> Covers;

    /// Microjoules since it was opened; never falls. The error says what failed and what to do.
    fn microjoules(&mut self) -> Result<u64, String>;

    /// What it stands at, with what it lost. The error says what it does instead: `sent no reading for 2.1 s`.
    fn count(&mut self) -> Result<Count, String> {
        let microjoules = self.microjoules().map_err(|why| format!("failed: {why}"))?;
        Ok(Count { microjoules, ..Count::default() })
    }

    /// Changes with each update, even with one that adds nothing where a counter can tell.
    fn updates(&mut self) -> Result<u64, String> {
        self.microjoules()
    }

    /// Whether it is another device's, named by the user.
    fn is_external(&self) -> bool {
        false
    }

    /// What to do where it counts nothing.
    fn remedy(&self) -> &'static str {
        "`ciphermeter doctor` lists the counters of this machine"
    }

    /// How long it takes from one update to the next, where that is too long to be watched.
    fn slow_period(&self) -> Option<Duration> {
        None
    }
}

/// The counters of one source, or why there are none and what would enable one.
pub(super) type Found = Result<Vec<Box<dyn Counter>>, String>;
