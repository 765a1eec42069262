//! Split messages: the ways of encrypting one long message, what binds each of them, and the table of how they scale.

mod beside;
mod block;
mod bound;
mod energy;
mod others;
mod way;

pub(crate) use beside::{Beside, beside_openmp};
pub(crate) use block::parallel_blocks;
pub(crate) use bound::{Bound, limit, memory, passes};
pub(crate) use energy::Energy;
pub(crate) use others::taken_by_others;
pub(crate) use way::{SplitMessage, Way, is_on_card, is_software, is_way, largest, messages, name, provider, strategy};
