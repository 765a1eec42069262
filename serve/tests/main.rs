//! The server as its users meet it: a process, asked over HTTP.

mod common;

mod api;
mod database;
#[cfg(feature = "fault-points")]
mod faults;
mod guard;
mod join;
mod kept;
#[cfg(feature = "fault-points")]
mod kills;
mod live;
mod load;
mod migrations;
mod movements;
mod pages;
mod push;
mod refusals;
mod resumed;
mod tls;
mod tokens;
