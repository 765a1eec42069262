//! The worker protocol (PROTOCOL.md): its messages as types, and the links that carry them.
//!
//! [`JsonLine`] is the one place where bytes from outside become values: flat, typed and bounded before anything is
//! allocated for them. [`Request`] and [`Reply`] give the lines their meaning. [`Link`] carries one request to a worker
//! and returns its reply within a time limit; [`serve`](serve()) is the worker's counterpart. [`seed`] gives the bytes that both ends
//! make of a seed.

mod complaints;
mod counted;
mod deadline;
mod device;
mod device_facts;
mod incoming;
mod line;
mod link;
mod pipe;
mod polling;
mod readable;
mod reply;
mod request;
pub mod seed;
mod serve;
mod warm_up;

pub use counted::Counted;
pub use deadline::Deadline;
pub use device::{Address, ConnectError, DeviceLines, DeviceLink};
pub use device_facts::{DeviceFacts, LEAST_LINE};
pub use line::{JsonLine, LineError, MAX_LINE, Value, read_line};
pub use link::{Describe, Link, LinkError, Offer, VERSION, describe};
pub use pipe::{Command, PipeLink};
pub use reply::{MemoryUse, Reply};
pub use request::{
    CheckInput, MAX_AAD, MAX_CHECK, MAX_COUNT, MAX_KEY, MAX_MESSAGE, MAX_PEEK, MAX_REPLAY, MAX_SPLIT, MAX_THREADS,
    Prepare, Request,
};
pub use serve::{Serve, serve};
pub use warm_up::WarmUp;
