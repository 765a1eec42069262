//! Runs on disk, one file for each promise.

mod common;
mod crafted;
mod kill;
mod migration;
mod refusals;
mod round_trip;
