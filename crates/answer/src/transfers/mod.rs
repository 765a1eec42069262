//! Files that move: figures of a transfer, and what it could reach at best.

mod bare;
mod bound;
mod figures;

pub(crate) use bare::beside_bare;
pub use bound::{Bound, bounds};
pub use figures::{cpu_share, each, mb_per_s, of_each, over_samples};
