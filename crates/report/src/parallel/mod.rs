//! Split messages: the ways of encrypting one long message, what binds each of them, and the table of how they scale.

mod block;
mod bound;
mod way;

pub(crate) use block::parallel_blocks;
pub(crate) use bound::limit;
pub(crate) use way::{Contest, Way, contests, name, strategy};
