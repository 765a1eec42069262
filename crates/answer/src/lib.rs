//! What a run decides, as data, and the sentences that are made from it.
//!
//! Records and a question go in, an answer comes out. Nothing here measures, reads files, knows a terminal or draws.

mod advised;
mod answer;
pub mod basis;
pub mod code_paths;
pub mod costs;
mod decide;
pub mod devices;
#[doc(hidden)]
pub mod fixtures;
pub mod fleet;
pub mod group;
pub mod guard;
pub mod latency;
pub mod left_out;
pub mod libraries;
pub mod machine;
pub mod measured;
pub mod memory;
mod messages;
pub mod movement;
mod next;
pub mod note;
pub mod notes;
pub mod pair;
pub mod parallel;
pub mod point;
pub mod power;
pub mod program;
pub mod rank;
pub mod ranked;
pub mod rate;
pub mod regression;
mod rotation_cost;
pub mod same_machine;
pub mod self_check;
pub mod sustained;
pub mod threads;
pub mod transfers;
mod two_rules;
mod unlike;
pub mod versions;
pub mod words;
pub mod workload;

pub use answer::{About, Answer};
pub use decide::answer;
pub use left_out::LeftOut;
pub use messages::which_cipher;
pub use next::{Next, can_resume, next};
