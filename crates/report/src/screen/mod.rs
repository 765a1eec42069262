//! The first screen of a run: what to use, in words; one picture of it; what it rests on; and where more is to be found.
//!
//! It holds in 24 lines of 80 columns whatever the run measured. What the run does not decide it says, without a figure: a cell with
//! fewer than six forks has none.

pub(crate) mod bars;
mod chosen;
pub(crate) mod device;
mod first;
mod frame;
pub(crate) mod languages;
mod leader;
mod left_out;
pub(crate) mod libraries;
pub(crate) mod pair;
pub(crate) mod parallel;
pub(crate) mod plain;
mod rate;
pub(crate) mod versions;

pub(crate) use chosen::{Chosen, Library, chosen, is_alike};
pub use first::{Screen, screen, screen_above};
pub(crate) use first::{most_lines, shortened};
pub(crate) use frame::{all_rows, continuing, head};
pub use leader::leader;
