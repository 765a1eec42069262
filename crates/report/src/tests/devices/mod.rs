//! Runs on devices: counts of emulated cores, and a board with a clock.

mod compared;
mod exported;
pub(crate) mod made;
mod paged;
mod ruled;
pub(crate) mod screened;
