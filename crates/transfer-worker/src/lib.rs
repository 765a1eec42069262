//! The worker of transfers: it speaks PROTOCOL.md, so that the meter measures files like anything else.
//!
//! One process sends; another, its child or one on another machine, receives. Providers: `ciphermeter` is
//! [`ciphermeter_transfer::send`] and [`ciphermeter_transfer::Receiver`] over one data connection; `rustls` sends the same bytes through
//! TLS 1.3, and `ktls`, too, but lets the kernel seal and open; `ceiling` sends the same frames with no cipher, under a type that no
//! negotiation knows, and `wireguard`, too, through the kernel's tunnel. `dm-crypt` has no other end: it writes to a disk that the
//! kernel encrypts, and reads it back. From top to bottom:
//!
//! - the harness: `process` and `worker`, `cell`
//! - the receiving process: `receivers` and `remote` (where it is), `receiver` (the worker's hold on it), `receiving` (what it does)
//! - what moves a file: `providers`, each behind the trait in `provider`
//! - what goes through a disk: `disk`
//! - aids: `lines`, `outcome`, `monitor`, `scratch`, `system`

#![forbid(unsafe_code)]

mod cell;
mod disk;
mod error;
mod lines;
mod monitor;
mod outcome;
mod process;
mod provider;
mod providers;
mod receiver;
mod receivers;
mod receiving;
mod remote;
mod scratch;
mod system;
mod worker;

pub use error::Error;
pub use process::{receive, serve};
pub use providers::PROVIDERS;
pub use receivers::Receivers;
pub use remote::RemoteReceiver;
