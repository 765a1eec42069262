//! What can be set about a run beside its scenario.

use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::Mask;

use crate::OwnInput;

/// The warm-up where nothing needs a longer one.
pub const WARMUP: Duration = Duration::from_micros(60);

/// What can be set about a run beside its scenario.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of keys, nonces, messages and of everything drawn at random.
    pub seed: u64,
    /// How long a worker may be silent beyond the time that a question asks for.
    pub patience: Duration,
    /// Time that one sample should take.
    pub sample: Duration,
    /// For how long a cell of short calls is called before each sample, the same for all cells: caches and branch predictors belong to the
    /// cell before.
    pub warmup: Duration,
    /// How many CPUs threads may spread over.
    pub cpus: u32,
    /// Providers are compared with their older selves, which have [`Against::MARK`](ciphermeter_core::Against::MARK) behind their names,
    /// and nothing else is measured.
    pub against: bool,
    /// Which of the CPU's instructions providers are kept from.
    pub mask: Option<Mask>,
    /// The file that is encrypted where messages are split from file to file; sources have it, too.
    pub input: Option<Rc<OwnInput>>,
    /// A provider that was asked for is not there at all, so that the run is partial whatever comes.
    pub partial: bool,
}

impl Options {
    /// The method's own values, under a seed.
    pub fn seeded(seed: u64) -> Self {
        Self {
            seed,
            patience: Duration::from_secs(20),
            sample: Duration::from_micros(300),
            warmup: WARMUP,
            cpus: 1,
            against: false,
            mask: None,
            input: None,
            partial: false,
        }
    }
}
