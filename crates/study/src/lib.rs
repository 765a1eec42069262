//! Published studies as data: what they measured, whether their numbers agree with each other, and which of their claims
//! records of this machine support.
//!
//! A study is one TOML file, `studies/NAME/study.toml`. From top to bottom:
//!
//! - the file: `study` (its parts, read and checked), `table` and `check` (published numbers, and what must hold between
//!   them), `claim` (a statement that records can decide, as published and done right), `question` (which cells it compares), `published` (the study's own ratios),
//!   `number` (a number as printed), `group` (papers and contradictions, with their sides), `fit` (what of a file does not belong together), `part` (where that is in the file)
//! - what follows: `verdict` and `judge` (a claim and the records of a run), `run` (a stored run as studies see it), `beside` and `tabled` (published
//!   and measured ratios, and a table's numbers, side by side), `rests` (what a page rests on), `measured` (a study with its runs),
//!   `unit`, `cited` and `figure` (its figures as values), `hint` (what emulated cores count), `pairless` (why a run has no pair of a claim), `factor` (why studies disagree)
//! - how it is said: `words`, `page` and `disagreement` (as text), `csv`, `data` (as JSON), `answer` (as the answer that all documents have)
//!
//! What a paper says stands here in our own words; its numbers are cited by table. Tolerances are part of the file: they are
//! fixed before anything is measured.

#![forbid(unsafe_code)]

mod answer;
mod beside;
mod built_in;
mod check;
mod cited;
mod claim;
mod csv;
mod data;
mod disagreement;
mod factor;
mod figure;
mod fit;
#[cfg(test)]
mod fixtures;
mod group;
mod hint;
mod judge;
mod measured;
mod number;
mod page;
mod pairless;
mod part;
mod published;
mod question;
mod rests;
mod run;
mod study;
mod table;
mod tabled;
mod unit;
mod verdict;
mod words;

pub use beside::{Row, rows};
pub use built_in::{all, factors, find};
pub use check::{Check, Contradiction, Relation};
pub use claim::{Claim, Given, Proper};
pub use csv::write_csv;
pub use data::{Document, STUDIES_SCHEMA};
pub use disagreement::why_they_disagree;
pub use factor::{Effect, Factor, Factors, Side};
pub use figure::{StudyFigure, Value};
pub use group::{Group, Standpoint};
pub use judge::{Judgement, Missing, Pair, judge};
pub use measured::{Answer, Judged, Measured, is_answered};
pub use number::Printed;
pub use page::{Block, Paragraph, Ratios, WAYS};
pub use part::{Fault, Part};
pub use published::{PrintedRatio, Published};
pub use question::{ANY, Expectation, Pick, Question, Way};
pub use run::{Gap, MeasuredRun, PassedOver};
pub use study::{BadStudy, MAX_STUDY, Measure, Remark, Study};
pub use table::{Beside, Column, Quantity, Table};
pub use unit::Amount;
pub use verdict::Verdict;
