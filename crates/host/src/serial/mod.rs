//! Serial lines: how one is opened ([`Line`]), and which this machine has ([`ports`]).

mod line;
mod ports;

pub use line::{Access, BAUD, Line, Refusal};
pub use ports::{Port, ports};
