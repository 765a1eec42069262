//! Runs on devices: counts of emulated cores, and a board with a clock.

mod compared;
mod exported;
pub(crate) mod made;
mod ruled;
pub(crate) mod screened;
