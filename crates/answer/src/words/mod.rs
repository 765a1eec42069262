//! How figures, sizes and lists are written, everywhere.

mod number;
mod phrases;
mod ratio;
mod text;

pub use ciphermeter_core::thousands;
pub use number::*;
pub use phrases::*;
pub use ratio::*;
pub use text::*;
