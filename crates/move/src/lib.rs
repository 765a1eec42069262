//! `send` and `recv` for people: what they are asked, what they see meanwhile, and the other end
//! started through ssh. The files are moved by `ciphermeter-transfer`, which talks to nobody.
//!
//! - `options`, and what the library is asked for by them (`library_options`); `ticket`, `hosts`
//! - `recv`, `send`: the commands, each with a file for each way to the other end: a ticket, ssh
//!   (`over_ssh`, and at the remote end `started_by_ssh`), a pipe
//! - `ssh`: the other end of a transfer, started through ssh
//! - `question`: an offer on the screen, and what the user decides
//! - `progress`: the bar, and Ctrl-C
//! - `summary`, `ending`: what came of it, and the exit code
//! - `unfinished`: what is kept of interrupted transfers, and commands that resume and remove it

// `eprintln!` panics where standard error cannot be written; see `output::say`.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod bottleneck;
mod ending;
mod hosts;
mod library_options;
mod options;
mod progress;
mod question;
mod recv;
mod send;
mod ssh;
mod standard_stream;
mod summary;
mod ticket;
mod unfinished;
mod words;

pub use library_options::rates;
pub use options::{RecvOptions, SendOptions};
pub use recv::recv;
pub use send::send;
pub use ticket::read_ticket;
