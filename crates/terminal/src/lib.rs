//! What commands have to do with the person who runs them: what is printed, how wide it may be, how
//! a command ends, and where this user's own files are.
//!
//! - [`output`]: standard output and standard error, and text in lines
//! - [`Exit`]: exit codes, and errors that have one
//! - [`own_folders`]: Ciphermeter's folders in this user's home
//! - [`subcommand`]: programs of Ciphermeter beside its binary
//! - [`utc`]: moments as text

#![forbid(unsafe_code)]
// `eprintln!` panics where standard error cannot be written; see `output::say`.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod exit;
pub mod output;
pub mod own_folders;
pub mod subcommand;
pub mod utc;
mod wrapped;

pub use exit::{Exit, WithExit};
