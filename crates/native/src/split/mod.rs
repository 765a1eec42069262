//! Split messages: one long message that several threads encrypt together under one key (PROTOCOL.md, Split messages).
//!
//! PARALLEL.md in this crate has the designs that were tried, with their figures.

pub mod cell;
pub mod check;
pub mod files;
mod message;
pub mod part;
mod round_trip;
mod sample;
pub mod slices;
mod thread;

pub use cell::SplitCell;
pub use files::{FileStore, OwnFiles};
