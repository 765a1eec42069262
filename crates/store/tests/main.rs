//! Runs on disk, one file a promise.

mod common;
mod kill;
mod migration;
mod refusals;
mod round_trip;
