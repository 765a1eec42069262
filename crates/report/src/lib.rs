//! A run and its records as a table, as CSV, as JSON, and as plain sentences.
//!
//! Pure formatting: nothing here measures, reads files or knows a terminal. Summaries are taken as they were stored;
//! ratios between two cells that the summaries don't hold are drawn anew from the raw samples of the same rounds.
//! Names and reasons may come from anyone's worker or store, so text for a terminal has its control characters taken
//! out.

mod advice;
mod csv;
mod group;
mod json;
mod layout;
mod notes;
mod pairs;
mod rank;
mod rate;
mod self_check;
mod table;
mod text;

pub use advice::advice;
pub use csv::write_csv;
pub use json::write_json;
pub use notes::notes;
pub use rate::gb_per_s;
pub use self_check::{SelfCheck, self_check};
pub use table::{Look, table};

#[cfg(test)]
mod made;
#[cfg(test)]
mod tests;
