//! What a sample counts. Each metric's name, unit and direction are declared here once, for every kind of scenario.

use crate::word::words;

words! {
    /// A quantity that a worker reports for a timed batch, as an integer.
    Metric, "metric" {
        /// Elapsed time of the batch.
        Ns = "ns",
        /// CPU time of the same stretch, of all threads.
        CpuNs = "cpu_ns",
        /// Core cycles, where they are really counted.
        Cycles = "cycles",
        /// Instructions retired, where they are really counted.
        Instructions = "instructions",
        /// What a call of the witness took around the sample: the longer of right before and right after it and a few others.
        Witness = "witness_ps",
    }
}

/// Which way a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better: times, memory.
    Lower,
    /// More is better: rates.
    Higher,
}

impl Metric {
    /// The unit of one count.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Ns | Self::CpuNs => "ns",
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
            Self::Witness => "ps",
        }
    }

    /// Which way it is better.
    pub const fn better(self) -> Better {
        match self {
            Self::Ns | Self::CpuNs | Self::Cycles | Self::Instructions | Self::Witness => Better::Lower,
        }
    }

    /// Whether a batch's count is the sum over its iterations, so that a figure per iteration is count ÷ iterations.
    pub const fn sums_over_iterations(self) -> bool {
        match self {
            Self::Ns | Self::CpuNs | Self::Cycles | Self::Instructions => true,
            Self::Witness => false,
        }
    }
}
