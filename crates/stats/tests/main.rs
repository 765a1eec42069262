//! Statistics on simulated samples.

mod coverage;
mod falls;
mod family;
mod steps;
