//! The command line: arguments, progress, printing, exit codes.
//!
//! Results go to standard output, progress and notes to standard error. Each command is one file; what it does beyond
//! talking to a person is done by the rooms above.

mod args;
mod command;
mod exit;
mod folders;
mod output;
mod progress;
mod recorder;
mod scenarios;
mod sources;
mod workers;

use clap::Parser;

use args::{Arguments, Command};

fn main() -> std::process::ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        None => command::run::run(None, &arguments.run),
        Some(Command::Run { scenario, options }) => command::run::run(scenario.as_deref(), &options),
        Some(Command::List { store }) => command::list::list(&store),
        Some(Command::Show { run, store, look }) => command::show::show(run, &store, &look),
        Some(Command::Export { run, format, output, store }) => command::export::export(run, format, &output, &store),
        Some(Command::Doctor { workers }) => command::doctor::doctor(&workers),
        Some(Command::Workers { command, workers }) => command::workers::workers(command, &workers),
        Some(Command::Worker { kind }) => command::worker::worker(&kind),
        Some(Command::BenchSelf { what }) => command::bench_self::bench_self(what),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("ciphermeter: {error:#}");
            exit::of(&error).into()
        }
    }
}
