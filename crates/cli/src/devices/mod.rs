//! Devices on which a run measures, too: boards on a line, and emulated cores that a worker's manifest describes.

mod emulated;
mod found;
mod spec;

pub use emulated::{Emulated, emulated};
pub use found::{Devices, PATIENCE, Place, check, fact, find, place};
pub use spec::DeviceSpec;
