//! Split messages: the ways of encrypting one long message, what binds each of them, and which is the fastest.

mod answer;
mod bound;
mod busy;
mod energy;
mod fastest;
mod notes;
mod openmp;
mod way;

pub use answer::{FastestWay, ParallelAnswer};
pub use bound::{Bound, limit, memory, passes};
pub use energy::Energy;
pub use fastest::Fastest;
pub use openmp::{OpenmpPair, openmp_pairs};
pub use way::{
    SplitMessage, Way, is_on_card, is_software, is_way, largest, messages, name, provider, strategy, threads,
};
