//! How a provider behaves on the simulated machine.

use ciphermeter_core::Counts;

use crate::board::Board;
use crate::ciphers::Ciphers;
pub use crate::vice::Vice;

/// More calls than a sample has, and no more than a process that serves for a while.
pub const GROWN: u64 = 16;

/// Bytes of texts that a model's cache holds.
pub const CACHE: u64 = 1 << 20;

/// How a provider behaves.
#[derive(Debug, Clone)]
pub struct Model {
    pub name: String,
    /// Nanoseconds of one call.
    pub each: f64,
    /// Standard deviation between its processes, of the logarithm.
    pub spread: f64,
    /// Seconds that a process takes to prepare a cell.
    pub starting: f64,
    pub wide: bool,
    /// How many times as long it takes where the stack lies at 16 or 48 bytes of a cache line, if it moves layouts.
    pub stack: Option<f64>,
    /// How many times as long it takes where its texts take up more than [`CACHE`], if it has cells that go round several.
    pub cold: Option<f64>,
    /// How many times as long it takes while somebody else uses the same physical core.
    pub shared: f64,
    /// It is no provider but the probe.
    pub probe: bool,
    /// How many times AES's time a call of ChaCha20 takes, and what the other's time is while somebody else uses the core: of such a
    /// library that has both AEADs, and not XOR.
    pub ciphers: Option<Ciphers>,
    /// How many times as long a call takes for each further thread.
    pub contended: f64,
    /// How many times as long its calls take before a sample has had [`GROWN`] of them.
    pub young: Option<f64>,
    /// In so many of a hundred samples its calls take so many times as long, and leave 150 µs of work behind on the core.
    pub leaves: Option<(u32, f64)>,
    /// In so many of a hundred samples another process has its CPU for 2 ms.
    pub preempted: u32,
    /// Whether it says that its CPU time is its process's.
    pub process_cpu: bool,
    /// Its runtime compiles: after so many calls in a process, which until then take so many times as long.
    pub compiles: Option<(u64, f64)>,
    /// Its code path, and the one with its switch thrown, with which a call takes so many times as long.
    pub path: &'static str,
    pub switched: Option<(&'static str, f64)>,
    /// Step of its clock.
    pub step_ns: u64,
    /// Seconds that the process of a call takes beside it, of form `process`.
    pub child: f64,
    /// The device that it is on.
    pub board: Option<Board>,
    pub vice: Vice,
}

impl Model {
    pub fn new(name: &str, each: f64) -> Self {
        Self {
            name: name.into(),
            each,
            spread: 0.0,
            starting: 0.0,
            wide: false,
            stack: None,
            cold: None,
            shared: 1.0,
            probe: false,
            ciphers: None,
            contended: 1.0,
            young: None,
            leaves: None,
            preempted: 0,
            process_cpu: true,
            compiles: None,
            path: "soft",
            switched: None,
            step_ns: 1,
            child: 0.0,
            board: None,
            vice: Vice::None,
        }
    }
}

impl Model {
    /// Whether it claims other times than its calls took.
    pub fn is_liar(&self) -> bool {
        matches!(self.vice, Vice::Claims(_) | Vice::ClaimsPart(_))
    }

    pub fn counts(&self) -> Option<Counts> {
        self.board.as_ref()?.counts
    }
}
