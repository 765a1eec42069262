//! Workers on devices: a board on a serial line or on the network.
//!
//! An [`Address`] says where one is; [`DeviceLines`] opens the line to it and gives out [`DeviceLink`]s. Several providers on one board
//! share its line, as requests go one at a time anyway. When the last link is gone, the line is closed, and opening it again resets the
//! board where the line can do that.

mod address;
mod control;
mod error;
mod greeting;
mod line;
mod link;

pub use address::Address;
pub use error::ConnectError;
pub use link::{DeviceLines, DeviceLink};
