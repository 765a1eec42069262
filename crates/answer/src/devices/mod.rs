//! Which cipher on which device: what a call costs on a board or an emulated core, in what that counts, and what it takes of its memory.
//!
//! A device has one unit: time, or a count that is never turned into time. No figure mixes two devices.

mod answer;
mod board;
mod choice;
mod cost;
mod course;
mod footprint;
mod here;
mod lacks;
mod missing;
mod notes;
mod paragraphs;
mod ranking;
mod sentences;

pub use answer::{DeviceAnswer, DevicesAnswer};
pub use board::{Board, boards, provider};
pub use choice::{Best, Choice, Offer};
pub use cost::{Scale, Unit, cost, counts};
pub use course::{Lacking, is_aes, is_usual};
pub use footprint::Footprint;
pub use notes::Known;
pub use paragraphs::{Need, Paragraph};
pub use ranking::CountedRanking;
