//! What a run decides, as data, and the sentences that are made from it.
//!
//! Records and a question go in, an answer comes out. Nothing here measures, reads files, knows a terminal or draws.

mod answer;
pub mod basis;
pub mod code_paths;
pub mod costs;
mod decide;
pub mod devices;
#[doc(hidden)]
pub mod fixtures;
pub mod group;
pub mod latency;
pub mod left_out;
pub mod libraries;
pub mod machine;
pub mod measured;
pub mod memory;
mod messages;
pub mod note;
pub mod notes;
pub mod pair;
pub mod parallel;
pub mod point;
pub mod power;
pub mod program;
pub mod rank;
pub mod rate;
pub mod regression;
mod rotation_cost;
pub mod same_machine;
pub mod self_check;
pub mod sustained;
pub mod threads;
pub mod transfers;
pub mod words;
pub mod workload;

pub use answer::{About, Answer, Next, can_resume, next};
pub use decide::answer;
pub use left_out::LeftOutCells;
