//! One file a command.

pub mod compare;
pub mod completions;
pub mod device;
pub mod doctor;
pub mod export;
pub mod list;
pub mod man;
pub mod openssl_speed;
pub mod rank;
pub mod recv;
pub mod recv_bench;
pub mod recv_by_ssh;
pub mod recv_from_ssh;
mod recv_pipe;
pub mod report;
pub mod run;
pub mod schema;
pub mod send;
pub mod send_by_ssh;
pub mod send_for_ssh;
mod send_pipe;
pub mod show;
pub mod study;
mod study_run;
pub mod unfinished;
pub mod worker;
pub mod workers;
