//! Energy: which counters this machine has, and what was spent between two readings of them.
//!
//! Every joule comes from a counter or a power sensor; where there is none, there is a reason and what would enable one. Nothing is
//! estimated from a processor's rated power. A counter says how much it covers, because a CPU's package, a card and a whole machine are
//! not comparable.

mod battery;
mod counter;
mod integral;
mod lines;
mod macmon;
mod meters;
mod nvml;
mod powercap;
mod serial;
mod stretch;

pub use counter::Covers;
pub use meters::{Absent, Meter, Meters};
pub use stretch::{MeterReading, Spent, by_kind};
