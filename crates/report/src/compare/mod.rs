//! Comparisons over time that may be trusted (method, point 11): what was measured together, or two runs through something
//! that did not change between them.
//!
//! Either way ends in a [`Verdict`]. It calls slower or faster only what is surely so, for all its cells together; what it
//! can't compare it lists with the reason, and a cell that was there and is lost is never left out.

mod against;
mod counts;
mod identity;
mod lines;
mod reference;
mod sentences;
mod stored;
mod verdict;

pub use against::against;
pub(crate) use against::verdict_of;
pub(crate) use sentences::sentences;
pub use stored::{Stored, compare};
pub use verdict::{Compared, Finding, Lost, Unmatched, Verdict};

#[cfg(test)]
mod tests;
