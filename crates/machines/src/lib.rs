//! The table of machines: runs that people share, each with its source, for hardware that isn't here.
//!
//! - [`share`] makes of a run what may be given away: it takes over what an allow-list names, and nothing else.
//! - [`beyond_use`] says why a run tells others nothing: it is old, or other work disturbed it too much.
//! - [`Machine`] is a row of the table; [`built_in`] has those of `machines/`.
//! - [`nearest`] finds the machine whose CPU is most like another one, by model and instructions.
//!
//! Nothing here measures, and no figure of one machine is turned into another's.

mod allowed;
mod facts;
mod known;
mod machine;
mod nearest;
mod packed;
mod questions;
mod scenario;
mod share;
mod source;
mod usable;

pub use known::{COUNTERS, LANGUAGES, PROVIDERS, WORKERS};
pub use machine::{BadMachine, Machine, built_in, is_name, named};
pub use nearest::{Cpu, Nearest, nearest};
pub use packed::{pack, unpack};
pub use questions::{TableQuestion, questions};
pub use share::{NotShared, Shared, share};
pub use source::{Setting, Source};
pub use usable::beyond_use;
