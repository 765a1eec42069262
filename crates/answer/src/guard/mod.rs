//! Whether a change is slower, decided so that what did not change raises no alarm.
//!
//! A first measurement says which cells are surely slower. A second one, of these cells alone, has new processes, new seeds
//! and copies of both files; beside it a second copy of the old file, the control. An alarm stands where the second
//! measurement says the same of the same cell, and where the control rules out that two copies of one file differ by as much.
//!
//! Time alone decides. Instructions explain a slowdown: they stand beside an [`Alarm`] and change none.

mod alarm;
mod history;
mod instructions;
mod outcome;
mod sentences;

pub use alarm::{Alarm, Standing, weigh};
pub use history::{Change, History, Past};
pub use instructions::{Counter, Explained, Instructions, SideCount};
pub use outcome::{Guarded, guarded};
pub use sentences::{identical, sentences};
