//! One file a command.

pub mod bench_self;
pub mod doctor;
pub mod export;
pub mod list;
pub mod run;
pub mod show;
pub mod worker;
pub mod workers;
