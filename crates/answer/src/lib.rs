//! What a run decides, as data, and the sentences that are made from it.
//!
//! Records and a question go in, an answer comes out. Nothing here measures, reads files, knows a terminal or draws.

#[doc(hidden)]
pub mod fixtures;
pub mod group;
pub mod latency;
pub mod measured;
pub mod memory;
pub mod point;
pub mod power;
pub mod rank;
pub mod rate;
pub mod threads;
pub mod words;
