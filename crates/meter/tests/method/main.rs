//! The method on machines that are simulated: they drift, stutter, lower their clock, lie and break, on a clock of their own, so that what
//! [`ciphermeter_meter::measure`] makes of them can be compared with the truth.

mod board;
mod ciphers;
mod machine;
mod model;
mod models;
mod trial;
mod vice;

mod aead;
mod against;
mod age;
mod batches;
mod breaking;
mod budget;
mod claims;
mod coarse_clock;
mod compile;
mod coverage;
mod devices;
mod drift;
mod forks;
mod latency;
mod layouts;
mod mask;
mod memory;
mod null;
mod parallel;
mod preempted;
mod processes;
mod question;
mod rotations;
mod shared_core;
mod summaries;
mod sustained;
mod threads;
mod transfers;
mod warmup;
mod wrong_output;
