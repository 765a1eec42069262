//! Whether a library became slower: what was measured together, or two runs through something that did not change between them
//! (METHODOLOGY.md, point 11).
//!
//! Either way ends in a [`Verdict`]. It calls slower or faster only what is surely so, for all its cells together; what it
//! can't compare it lists with the reason, and a cell that was there and is lost is never left out.

mod against;
mod counts;
mod found;
mod identity;
mod reference;
mod sentences;
mod stored;
mod verdict;

pub use against::{against, sides};
pub(crate) use identity::{begun, in_words};
pub use sentences::{Gap, gaps, name, nothing, sentences};
pub use stored::{Stored, compare};
pub(crate) use verdict::worst_first;
pub use verdict::{Compared, Finding, Lost, Unmatched, Verdict};
