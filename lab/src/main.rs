//! `lab`: the instrument compared with others and with itself, and its costs. It is not shipped.
//!
//! It drives the `ciphermeter` binary from outside, as a user does, and reads what the binary stored. These are
//! benchmarks: they print what they find and judge nothing, because a busy machine would fail any limit.

mod against;
mod args;
mod binary;
mod copies;
mod cost;
mod equals;
mod guard;
mod latency;
mod layout;
#[cfg(target_os = "linux")]
mod link;
mod neighbour;
mod output;
mod plain;
mod plain_program;
mod ruler;
mod speed;
mod split;
mod steps;
mod still;
mod transfer;
mod worker;
mod workers;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use args::{Arguments, Part};
use binary::Ciphermeter;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lab: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(Arguments { part, binary, workers, store }: Arguments) -> Result<()> {
    let start = || Ciphermeter::new(binary.as_deref(), &workers, store.as_deref());
    match part {
        Part::Plain { message } => plain::plain(message, &start()?),
        Part::Cost => cost::cost(&start()?),
        Part::Ruler { windows } => ruler::ruler(windows),
        Part::Still { runs } => still::still(runs, &start()?),
        Part::Latency { budget } => latency::latency(budget, &start()?),
        Part::Against { runs, budget, planted, message, threshold } => {
            against::against(runs, planted, &against::Setting { budget, message, threshold }, &start()?)
        }
        Part::Guard(setting) => guard::guard(&setting, &start()?),
        Part::Layout { provider, algorithm, operation, message, processes } => {
            let subject = layout::Subject { provider: &provider, algorithm, operation, message: message.0 };
            layout::layout(&subject, processes, &start()?)
        }
        Part::Copies { libcrypto, links, runs, budget } => {
            let files = if links { copies::Files::Links } else { copies::Files::Copies };
            copies::copies(files, libcrypto, runs, budget, &start()?)
        }
        Part::Equals { names, runs, budget } => equals::equals(names, runs, budget, &start()?),
        Part::Neighbour { looks } => neighbour::neighbour(looks, &start()?),
        Part::Steps { series, seed, python } => steps::run(series, seed, &python),
        Part::Split { message, turns } => split::split(message, turns, &start()?),
        #[cfg(target_os = "linux")]
        Part::Link { namespaces, device, shape, seed } => link::link(&namespaces, &device, &shape, seed),
        Part::Transfer { size, rounds, sparse } => transfer::transfer(size, rounds, sparse, &start()?),
    }
}
