//! Which cipher, and which library, for a workload or a program: from the records of a run of this machine, never from what its CPU is
//! said to have.
//!
//! [`advise`] takes a [`Question`] and the [`Evidence`] for it, and comes back with an [`Advice`]. The caller finds the run, or makes it.
//! Programs that leave no choice are answered by [`Advice::without_measuring`].

mod advice;
mod by_part;
mod choice;
mod cost;
mod decided;
mod decision;
mod entries;
mod field;
mod lacking;
mod lacks;
mod no_choice;
mod outcome;
mod part;
mod question;
mod reach;
mod sectors;
mod sentences;

pub use advice::{Advice, RestsOn, advise};
pub use cost::{Joules, joules};
pub use decided::Decided;
pub use entries::left_out;
pub use lacking::Lacking;
pub(crate) use no_choice::cost_of_program;
pub use outcome::{Outcome, Standing};
pub use question::{AND_THEN, Evidence, Question, asked_cells, costed_cells};
pub(crate) use sectors::Sectors;
