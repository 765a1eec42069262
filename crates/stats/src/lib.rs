//! Pure functions on integer samples: no clock, no input or output, no randomness.
//!
//! A comparison starts from [`Timed`] batches and goes three steps: the log-ratio of two batches taken in the same
//! round ([`pairs`]), the median over the rounds of a fork ([`median`]), and the location of the forks ([`located`]), which are the
//! replicate, with its interval ([`interval`]). [`Stop`] says when that is enough. What a reader should know before trusting a
//! figure comes back as [`Warning`] values, never as text on a terminal.

mod chance;
mod fall;
mod family;
mod interval;
mod location;
mod order;
mod pair;
mod percentile;
mod step;
mod stop;
mod unclaimed;
mod undisturbed;
mod warning;

pub use chance::chance_of_at_most;
pub use fall::{LEAST_FALL, LEAST_STEPS, falls};
pub use family::{Effect, FAMILY_ERROR, Surely, simultaneous, surely, variance_between};
pub use interval::{CONFIDENCE, Estimate, LEAST_FORKS, interval, student};
pub use location::{Located, freedom_of, located};
pub use order::{median, quantile};
pub use pair::{Round, Timed, Turn, pairs, rounds};
pub use percentile::{Percentile, Refused};
pub use step::{Known, LEAST_VALUES, MOST_VALUES, Step, steps, variance_of};
pub use stop::Stop;
pub use unclaimed::{MOST_UNCLAIMED, unclaimed};
pub use undisturbed::{Undisturbed, forks_that_count, undisturbed_limit, undisturbed_limits};
pub use warning::{
    LevelCause, Levels, Slower, Warning, by_age, by_faults, cpu_apart, levels, slower_strata, two_levels,
};
