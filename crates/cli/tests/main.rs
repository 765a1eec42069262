//! The binary as its users run it, one file for each feature.

mod bad_input;
mod broken_workers;
mod circles;
mod common;
mod compare;
mod config;
mod cpu;
mod figures;
mod goldens;
mod imports;
mod kill;
mod outputs;
mod own_worker;
mod pages;
mod parallel;
mod regression_guard;
mod resume;
mod run_transfer;
mod scenarios;
mod spot;
mod sustained;
mod toy_kind;
mod transfer;
mod transfer_limits;
mod transfers;
