//! Which cipher, and which library, for a workload or a program: from the records of a run of this machine, never from what its CPU is
//! said to have.
//!
//! [`advise`] takes a [`Question`] and the [`Evidence`] for it, and comes back with an [`Advice`], which is shown as a first screen
//! ([`advice_screen`]) or as a JSON document ([`advice_json`]). Nothing here measures: the command finds the run, or makes it. Programs
//! that leave no choice, or whose encryption is not measured here, are answered by [`Advice::without_measuring`].

mod answer;
mod by_part;
mod choice;
mod cost;
mod entries;
mod field;
mod flip;
mod json;
mod lacking;
mod note;
mod outcome;
mod page;
mod program;
mod question;
mod reach;
mod words;

pub use answer::{Advice, advise};
pub use json::{ADVICE_SCHEMA, advice_json};
pub use page::advice_screen;
pub use program::{PROGRAMS, Program, program};
pub(crate) use question::XTS;
pub use question::{Evidence, Question, WithoutAes, asked_cells};
