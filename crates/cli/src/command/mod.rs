//! One file a command.

pub mod advise;
mod advise_available;
mod advise_machine;
mod advise_run;
mod advise_told;
mod advise_wanted;
pub mod compare;
pub mod completions;
pub mod device;
pub mod doctor;
pub mod export;
pub mod guard;
pub mod import;
pub mod list;
pub mod machines;
pub mod man;
mod measuring;
pub mod openssl_speed;
pub mod other_program;
pub mod rank;
pub mod report;
pub mod run;
pub mod schema;
pub mod share;
pub mod show;
pub mod site;
pub mod study;
mod study_file;
mod study_runs;
pub mod worker;
pub mod workers;

#[cfg(test)]
pub use advise_wanted::Wanted;
