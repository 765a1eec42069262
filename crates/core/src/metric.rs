//! What a sample counts. A metric is a descriptor: its name, its unit, which direction is better, and how samples of it are summed up.
//!
//! Those that this build knows are constants. A kind of measurement may have others; they are stored with the run, so that every build
//! can show and export them.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize};

use crate::word::words;

words! {
    /// Which direction is better.
    Better, "direction" {
        /// Less of it.
        Less = "less",
        /// More of it.
        More = "more",
        /// It says what happened, not how well.
        Neither = "neither",
    }
}

words! {
    /// How the counts of samples become a figure.
    Sums, "way to sum up" {
        /// A count is the sum over the sample's iterations: the figure is count ÷ iterations.
        PerCall = "per-call",
        /// A count is a state at one moment of the sample.
        State = "state",
        /// A count is the most of the sample.
        Peak = "peak",
    }
}

/// What is known of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
struct Descriptor {
    name: &'static str,
    unit: &'static str,
    better: Better,
    sums: Sums,
}

impl Descriptor {
    const fn less(name: &'static str, unit: &'static str, sums: Sums) -> Self {
        Self { name, unit, better: Better::Less, sums }
    }

    const fn neither(name: &'static str, unit: &'static str, sums: Sums) -> Self {
        Self { name, unit, better: Better::Neither, sums }
    }
}

/// The longest name of a metric, in bytes.
const MOST_NAME: usize = 64;
/// The longest unit, in bytes.
const MOST_UNIT: usize = 32;
/// What rounds and exports call something else; so is every name that begins with `series_`.
const TAKEN: &[&str] = &["cell", "after", "turn", "iterations", "fork", "short", "round"];
/// The most metrics beside those that this build knows, in one process.
const MOST_OTHERS: usize = 256;

/// Why a metric can't be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnfitMetric {
    /// Its name or unit breaks the rules.
    #[error(
        "a metric's name is 1 to {MOST_NAME} of a-z, 0-9 and _, and its unit at most {MOST_UNIT} bytes of printable text"
    )]
    Words,
    /// Rounds or exports call something else by that name.
    #[error("{0} is not a name for a metric: records call something else by it")]
    Taken(String),
    /// There are too many.
    #[error("there are more than {MOST_OTHERS} different metrics that this build does not know")]
    TooMany,
}

/// A quantity that is counted for a timed batch, as an integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Metric(&'static Descriptor);

impl Metric {
    /// Elapsed time of the batch.
    pub const NS: Self = Self(&Descriptor::less("ns", "ns", Sums::PerCall));
    /// CPU time of the same stretch, of all threads.
    pub const CPU_NS: Self = Self(&Descriptor::less("cpu_ns", "ns", Sums::PerCall));
    /// Core cycles, where they are really counted.
    pub const CYCLES: Self = Self(&Descriptor::less("cycles", "cycles", Sums::PerCall));
    /// Instructions retired, where they are really counted.
    pub const INSTRUCTIONS: Self = Self(&Descriptor::neither("instructions", "instructions", Sums::PerCall));
    /// Pages of memory that the kernel gave the process meanwhile, without reading them from a disk.
    pub const FAULTS: Self = Self(&Descriptor::less("minor_faults", "faults", Sums::PerCall));
    /// Collections of garbage meanwhile.
    pub const COLLECTIONS: Self = Self(&Descriptor::less("collections", "collections", Sums::PerCall));
    /// What a call of the probe took around the sample: the longer of right before and right after it and a few others.
    pub const PROBE: Self = Self(&Descriptor::neither("probe_ps", "ps", Sums::State));
    /// Where the sample's stack, buffers and key lay: a packed [`crate::Layout`].
    pub const LAYOUT: Self = Self(&Descriptor::neither("layout", "", Sums::State));
    /// For how long the process of the worker did not run during the timed calls: `ns` less `cpu_ns`, where the worker says that this is its
    /// process's and it is the smaller.
    pub const OFF_CPU: Self = Self(&Descriptor::less("off_cpu_ns", "ns", Sums::PerCall));
    /// Of transfers: from connecting until ready to send. Not in `ns`.
    pub const HANDSHAKE: Self = Self(&Descriptor::less("handshake_ns", "ns", Sums::PerCall));
    /// Of transfers into a file: from the first byte to the receipt that says that the file is synced.
    pub const DURABLE: Self = Self(&Descriptor::less("durable_ns", "ns", Sums::PerCall));
    /// Of transfers: time spent inside the cipher's calls that seal.
    pub const SEAL: Self = Self(&Descriptor::less("seal_ns", "ns", Sums::PerCall));
    /// Of transfers: time spent inside the cipher's calls that open.
    pub const OPEN: Self = Self(&Descriptor::less("open_ns", "ns", Sums::PerCall));
    /// CPU time of the receiver's process in the same stretch.
    pub const PEER_CPU_NS: Self = Self(&Descriptor::less("peer_cpu_ns", "ns", Sums::PerCall));
    /// The most that was resident in the sender's process.
    pub const PEAK_RSS: Self = Self(&Descriptor::less("peak_rss", "bytes", Sums::Peak));
    /// The most that was resident in the receiver's process.
    pub const PEER_PEAK_RSS: Self = Self(&Descriptor::less("peer_peak_rss", "bytes", Sums::Peak));
    /// Of split messages: what opening a context took, a card's, say, when the cell's process began. Not in `ns`.
    pub const CONTEXT: Self = Self(&Descriptor::less("context_ns", "ns", Sums::State));
    /// What compiling the kernels took then.
    pub const COMPILE: Self = Self(&Descriptor::less("compile_ns", "ns", Sums::State));
    /// What allocating and pinning memory took when the cell was prepared.
    pub const PIN: Self = Self(&Descriptor::less("pin_ns", "ns", Sums::State));
    /// Of a step of a sustained load: bytes that went through the cipher in it; where files move, those that the receiver opened.
    pub const BYTES: Self = Self(&Descriptor::neither("bytes", "bytes", Sums::PerCall));
    /// From the end of the step before to the end of this one, by the harness's clock; of a window of energy, its length; of
    /// another sample, what its calls may have taken by the harness's clock, where that is far more than the worker claims.
    pub const ELAPSED: Self = Self(&Descriptor::neither("elapsed_ns", "ns", Sums::PerCall));
    /// What was resident in the worker's process at the end of the step; where files move, that is the sender's.
    pub const RSS: Self = Self(&Descriptor::less("rss", "bytes", Sums::State));
    /// The same of the receiver's process.
    pub const PEER_RSS: Self = Self(&Descriptor::less("peer_rss", "bytes", Sums::State));
    /// Frequency at the end of the step, the mean over the CPUs that may be used.
    pub const FREQUENCY: Self = Self(&Descriptor::neither("frequency_khz", "kHz", Sums::State));
    /// Temperature at the end of the step, in thousandths of a degree Celsius: the hottest sensor that is the CPU's.
    pub const TEMPERATURE: Self = Self(&Descriptor::neither("temperature_mc", "m°C", Sums::State));
    /// Time that the hypervisor took from the CPUs that may be used, all together.
    pub const STEAL: Self = Self(&Descriptor::less("steal_ns", "ns", Sums::PerCall));
    /// CPU time of all other processes on the CPUs that may be used, all together.
    pub const OTHERS: Self = Self(&Descriptor::less("others_ns", "ns", Sums::PerCall));
    /// Energy that the CPU's packages took, with their memory where that is counted. No two of these four are comparable.
    pub const ENERGY_CPU: Self = Self(&Descriptor::less("energy_cpu_uj", "µJ", Sums::PerCall));
    /// Energy that a chip of CPU, graphics and accelerators took.
    pub const ENERGY_CHIP: Self = Self(&Descriptor::less("energy_chip_uj", "µJ", Sums::PerCall));
    /// Energy that graphics cards took.
    pub const ENERGY_GPU: Self = Self(&Descriptor::less("energy_gpu_uj", "µJ", Sums::PerCall));
    /// Energy that the whole machine took.
    pub const ENERGY_MACHINE: Self = Self(&Descriptor::less("energy_machine_uj", "µJ", Sums::PerCall));
    /// Charge that a device took during its calls.
    pub const CHARGE: Self = Self(&Descriptor::less("charge_nc", "nC", Sums::PerCall));
    /// The supply's voltage at a device during its calls.
    pub const VOLTAGE: Self = Self(&Descriptor::neither("voltage_uv", "µV", Sums::State));
    /// The current that a device took before its calls, awake and waiting.
    pub const IDLE_CURRENT: Self = Self(&Descriptor::neither("idle_na", "nA", Sums::State));
    /// Of devices: the most stack that the timed calls used.
    pub const STACK: Self = Self(&Descriptor::less("stack_bytes", "bytes", Sums::Peak));
    /// Of devices: what the library's objects of the cell take in RAM, without the message's buffers.
    pub const STATE: Self = Self(&Descriptor::less("state_bytes", "bytes", Sums::State));
    /// Of devices: what the algorithm's code and constant tables take in flash.
    pub const CODE: Self = Self(&Descriptor::less("code_bytes", "bytes", Sums::State));

    /// Those that this build knows, in the order in which they are written.
    pub const ALL: &'static [Self] = &[
        Self::NS,
        Self::CPU_NS,
        Self::CYCLES,
        Self::INSTRUCTIONS,
        Self::FAULTS,
        Self::COLLECTIONS,
        Self::PROBE,
        Self::LAYOUT,
        Self::OFF_CPU,
        Self::HANDSHAKE,
        Self::DURABLE,
        Self::SEAL,
        Self::OPEN,
        Self::PEER_CPU_NS,
        Self::PEAK_RSS,
        Self::PEER_PEAK_RSS,
        Self::CONTEXT,
        Self::COMPILE,
        Self::PIN,
        Self::BYTES,
        Self::ELAPSED,
        Self::RSS,
        Self::PEER_RSS,
        Self::FREQUENCY,
        Self::TEMPERATURE,
        Self::STEAL,
        Self::OTHERS,
        Self::ENERGY_CPU,
        Self::ENERGY_CHIP,
        Self::ENERGY_GPU,
        Self::ENERGY_MACHINE,
        Self::CHARGE,
        Self::VOLTAGE,
        Self::IDLE_CURRENT,
        Self::STACK,
        Self::STATE,
        Self::CODE,
    ];

    /// The most that one process may know.
    pub const MOST: usize = Self::ALL.len() + MOST_OTHERS;

    /// What a worker may report of a sample.
    pub const OF_SAMPLES: &'static [Self] = &[
        Self::NS,
        Self::CPU_NS,
        Self::CYCLES,
        Self::INSTRUCTIONS,
        Self::FAULTS,
        Self::COLLECTIONS,
        Self::HANDSHAKE,
        Self::DURABLE,
        Self::SEAL,
        Self::OPEN,
        Self::PEER_CPU_NS,
        Self::PEAK_RSS,
        Self::PEER_PEAK_RSS,
        Self::CONTEXT,
        Self::COMPILE,
        Self::PIN,
        Self::CHARGE,
        Self::VOLTAGE,
        Self::STACK,
        Self::STATE,
        Self::CODE,
    ];

    /// The metric of that description. The name is 1 to 64 of a-z, 0-9 and `_`, the
    /// unit at most 32 bytes without control characters.
    ///
    /// # Errors
    /// Its words break the rules, records call something else by its name, or there are too many: descriptions are kept until the
    /// process ends.
    pub fn described(name: &str, unit: &str, better: Better, sums: Sums) -> Result<Self, UnfitMetric> {
        static OTHERS: Mutex<Vec<Metric>> = Mutex::new(Vec::new());
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !(1..=MOST_NAME).contains(&name.len()) || !name.bytes().all(fits) {
            return Err(UnfitMetric::Words);
        }
        if unit.len() > MOST_UNIT || unit.chars().any(char::is_control) {
            return Err(UnfitMetric::Words);
        }
        if TAKEN.contains(&name) || name.starts_with("series_") {
            return Err(UnfitMetric::Taken(name.into()));
        }
        if let Some(known) = Self::ALL.iter().find(|known| known.name() == name) {
            let is_it = (known.0.unit, known.0.better, known.0.sums) == (unit, better, sums);
            return if is_it { Ok(*known) } else { Err(UnfitMetric::Taken(name.into())) };
        }
        let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |other: &&Self| (other.0.name, other.0.unit, other.0.better, other.0.sums) == (name, unit, better, sums);
        if let Some(found) = others.iter().find(is_it) {
            return Ok(*found);
        }
        if others.len() >= MOST_OTHERS {
            return Err(UnfitMetric::TooMany);
        }
        let leaked = |text: &str| -> &'static str { Box::leak(text.into()) };
        let new = Self(Box::leak(Box::new(Descriptor { name: leaked(name), unit: leaked(unit), better, sums })));
        others.push(new);
        Ok(new)
    }

    /// Its name in the store and in exports.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// The unit of one count.
    pub const fn unit(self) -> &'static str {
        self.0.unit
    }

    /// Which direction is better.
    pub const fn better(self) -> Better {
        self.0.better
    }

    /// Whether its figures are of one call.
    pub const fn is_per_call(self) -> bool {
        matches!(self.0.sums, Sums::PerCall)
    }

    /// The figure of a count over so many iterations.
    pub fn figure(self, count: u64, iterations: u64) -> f64 {
        if self.is_per_call() { count as f64 / iterations.max(1) as f64 } else { count as f64 }
    }

    /// Whether this build knows it, so that tables and columns of its own show it.
    pub fn is_known(self) -> bool {
        Self::ALL.contains(&self)
    }
}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Text {
            name: String,
            unit: String,
            better: Better,
            sums: Sums,
        }
        let Text { name, unit, better, sums } = Text::deserialize(deserializer)?;
        Self::described(&name, &unit, better, sums).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_the_same_metric_each_time() {
        let turns = || Metric::described("turns", "turns", Better::More, Sums::PerCall).unwrap();
        assert_eq!(turns(), turns());
        assert!(!turns().is_known());
        assert_ne!(Metric::described("turns", "µturns", Better::More, Sums::PerCall).unwrap(), turns());
        let text = serde_json::to_string(&turns()).unwrap();
        assert_eq!(text, r#"{"name":"turns","unit":"turns","better":"more","sums":"per-call"}"#);
        assert_eq!(serde_json::from_str::<Metric>(&text).unwrap(), turns());
    }

    #[test]
    fn known_metrics_are_found_by_name() {
        assert_eq!(Metric::described("ns", "ns", Better::Less, Sums::PerCall), Ok(Metric::NS));
        let other = Metric::described("ns", "s", Better::More, Sums::Peak);
        assert_eq!(
            other,
            Err(UnfitMetric::Taken("ns".into())),
            "another unit would be another metric by the same name"
        );
        assert!(Metric::ALL.iter().all(|metric| metric.is_known()));
    }

    #[test]
    fn names_of_other_parts_of_a_record_are_refused() {
        for name in ["turn", "short", "series_pace"] {
            let refused = Metric::described(name, "s", Better::Less, Sums::State);
            assert_eq!(refused, Err(UnfitMetric::Taken(name.into())));
        }
    }

    #[test]
    fn words_have_limits() {
        let long = "s".repeat(33);
        for (name, unit) in [("", "s"), ("Ns", "s"), ("n s", "s"), ("n", "\u{1b}[2J"), ("n", long.as_str())] {
            assert_eq!(Metric::described(name, unit, Better::Less, Sums::State), Err(UnfitMetric::Words));
        }
        assert!(Metric::described(&"n".repeat(65), "s", Better::Less, Sums::State).is_err());
    }
}
