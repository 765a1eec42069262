//! From raw samples to ratios, intervals and warnings: the one estimator (METHODOLOGY.md, points 5 to 7).
//!
//! The meter calls it to decide when to stop, and whatever reads a store calls it to print: both get the same figures, because nothing
//! here knows a live machine. A stored summary is a cache; [`fill`] computes those that a killed run never wrote.

mod affine;
mod alignment;
mod behind;
mod comparison;
mod correlation;
mod counts;
mod course;
mod figures;
mod layout_costs;
mod levels;
mod logs;
mod means;
mod measured;
mod mix;
mod paired;
mod pairs;
mod part;
mod peers;
mod question;
mod ratio;
mod stored;

/// The confidence of every printed interval, that of each of several that hold at once, and the fewest forks on which a figure rests.
pub use ciphermeter_stats::{CONFIDENCE, LEAST_FORKS, simultaneous};

pub use affine::Affine;
pub use alignment::unaligned;
pub use behind::{Behind, behind_fastest};
pub use comparison::{Comparison, Side, Thresholds, Unknown, recommended};
pub use counts::{Counted, ForkCount, counted, fork_counts, most};
pub use course::{decline, falls_of, step_rate};
pub use figures::{ForkTime, figures, fork_times, range_of, time_of_forks};
pub use logs::Logs;
pub use means::fork_costs;
pub use measured::Measured;
pub use mix::{MixPart, mixed};
pub use paired::Paired;
pub use pairs::{medians, pairs};
pub use part::Part;
pub use peers::{Reference, peers};
pub use question::{Cipher, CipherPair, Direction};
pub use ratio::{Ratio, between, disturbed_logs, logs, mean_logs, ratio, ratio_at};
pub use stored::{anew, fill};
