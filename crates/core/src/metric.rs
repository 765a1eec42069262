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
        /// What a call of the probe took around the sample: the longer of right before and right after it and a few others.
        Probe = "probe_ps",
        /// Of transfers: from connecting until ready to send. Not in `ns`.
        Handshake = "handshake_ns",
        /// Of transfers into a file: from the first byte to the receipt that says that the file is synced.
        Durable = "durable_ns",
        /// Of transfers: time spent inside the cipher's calls that seal.
        Seal = "seal_ns",
        /// Of transfers: time spent inside the cipher's calls that open.
        Open = "open_ns",
        /// CPU time of the receiver's process in the same stretch.
        PeerCpuNs = "peer_cpu_ns",
        /// The most that was resident in the sender's process.
        PeakRss = "peak_rss",
        /// The most that was resident in the receiver's process.
        PeerPeakRss = "peer_peak_rss",
        /// Of a step of a sustained load: bytes that went through the cipher in it; where files move, those that the receiver opened.
        Bytes = "bytes",
        /// From the end of the step before to the end of this one, by the harness's clock.
        Elapsed = "elapsed_ns",
        /// What was resident in the worker's process at the end of the step; where files move, that is the sender's.
        Rss = "rss",
        /// The same of the receiver's process.
        PeerRss = "peer_rss",
        /// Frequency at the end of the step, the mean over the CPUs that may be used.
        Frequency = "frequency_khz",
        /// Temperature at the end of the step, in thousandths of a degree Celsius: the hottest sensor that is the CPU's.
        Temperature = "temperature_mc",
        /// Time that the hypervisor took from the CPUs that may be used, all together.
        Steal = "steal_ns",
        /// CPU time of everybody else on the CPUs that may be used, all together.
        Others = "others_ns",
    }
}

impl Metric {
    /// What a worker may report of a sample.
    pub const OF_SAMPLES: &'static [Self] = &[
        Self::Ns,
        Self::CpuNs,
        Self::Cycles,
        Self::Instructions,
        Self::Handshake,
        Self::Durable,
        Self::Seal,
        Self::Open,
        Self::PeerCpuNs,
        Self::PeakRss,
        Self::PeerPeakRss,
    ];

    /// The unit of one count.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Ns | Self::CpuNs | Self::Handshake | Self::Durable | Self::Seal | Self::Open | Self::PeerCpuNs => {
                "ns"
            }
            Self::Elapsed | Self::Steal | Self::Others => "ns",
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
            Self::Probe => "ps",
            Self::PeakRss | Self::PeerPeakRss | Self::Bytes | Self::Rss | Self::PeerRss => "bytes",
            Self::Frequency => "kHz",
            Self::Temperature => "m°C",
        }
    }

    /// Whether a batch's count is the sum over its iterations, so that a figure per iteration is count ÷ iterations.
    pub const fn sums_over_iterations(self) -> bool {
        match self {
            Self::Ns | Self::CpuNs | Self::Cycles | Self::Instructions => true,
            Self::Handshake | Self::Durable | Self::Seal | Self::Open | Self::PeerCpuNs => true,
            Self::Bytes | Self::Elapsed | Self::Steal | Self::Others => true,
            Self::Probe | Self::PeakRss | Self::PeerPeakRss | Self::Rss | Self::PeerRss => false,
            Self::Frequency | Self::Temperature => false,
        }
    }
}

words! {
    /// What is followed through a transfer, an entry for each 50 ms of it.
    Series, "series" {
        /// CPU time that the sender's process used within them, in microseconds.
        Cpu = "series_cpu",
        /// The same of the receiver's process.
        PeerCpu = "series_peer_cpu",
        /// What is resident in the sender's process, in KiB.
        Rss = "series_rss",
        /// The same of the receiver's process.
        PeerRss = "series_peer_rss",
    }
}

impl Series {
    /// The most entries: 50 s.
    pub const MOST: usize = 1000;
}
