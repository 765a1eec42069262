//! The command line: arguments, progress, printing, exit codes.
//!
//! Results go to standard output, progress and notes to standard error. Each command is one file; what it does beyond
//! talking to a person is done by the crates above.

// `eprintln!` panics where standard error cannot be written; see `output::say`.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod args;
mod beyond_list;
mod built_in;
mod child;
mod command;
mod config;
mod copies;
mod counter;
mod devices;
mod export_file;
mod folders;
mod given_libcryptos;
mod interrupt;
mod kept_folder;
mod meters;
mod named_run;
mod new_file;
mod notes;
mod openssl_speed;
mod other_ciphermeter;
mod outside;
mod own_files;
mod own_worker;
mod pair;
mod progress;
#[cfg(test)]
mod questions;
mod recorder;
mod request;
mod run_output;
mod scenarios;
mod side;
mod site_folder;
mod sources;
mod spot;
mod sustained;
mod switches;
mod transfers;
mod workers;

use anyhow::Result;
use ciphermeter_report::Undrawable;
use ciphermeter_terminal::{Exit, output};

use args::{Command, SiteOption};
use command::other_program;

fn main() -> std::process::ExitCode {
    let began = interrupt::outlive_file_limits().map_err(anyhow::Error::from).and_then(|()| args::parse());
    match began.and_then(|asked| asked.map_or(Ok(Exit::Fine), done)) {
        Ok(exit) => exit.into(),
        Err(error) => {
            output::tell_error(&error);
            if error.is::<Undrawable>() { Exit::Nothing } else { Exit::of(&error) }.into()
        }
    }
}

fn done(asked: Command) -> Result<Exit> {
    match asked {
        Command::Run { scenario, options } => command::run::run(scenario.as_deref(), &options),
        Command::List { what, json, store } => command::list::list(what, json, &store),
        Command::Show { run, detail, json, store, look } => {
            command::show::show(run, detail, json.as_deref(), &store, &look)
        }
        Command::Export { run, output, share, store, .. } if share.share => {
            command::share::share(run, &output, share.yes, &store)
        }
        Command::Export { run, format, columns, output, store, .. } => {
            command::export::export(run, format, columns, &output, &store)
        }
        Command::Import { files, store } => command::import::import(&files, &store),
        Command::Report { runs, site: SiteOption { site: Some(folder) }, store, .. } => {
            command::site::site(&runs, &folder, &store)
        }
        Command::Report { runs, page, store, .. } => command::report::report(&runs, &page, &store),
        Command::Compare { a, b, threshold, json, store, look } => {
            command::compare::compare(a, b, threshold.threshold, json, &store, &look)
        }
        Command::Guard(options) => command::guard::guard(&options),
        Command::Rank { run, json, store, look } => command::rank::rank(run, json, &store, &look),
        Command::Machines { runs, json, store, look } => command::machines::machines(&runs, json, &store, &look),
        Command::Advise(options) => command::advise::advise(&options),
        Command::Study { command, store } => command::study::study(&command, &store),
        Command::Recv(options) => ciphermeter_move::recv(&options),
        Command::Send(options) => ciphermeter_move::send(&options),
        Command::OpensslSpeed => command::openssl_speed::explain(),
        Command::Schema { of } => command::schema::schema(of),
        Command::Completions { shell } => command::completions::completions(shell),
        Command::Man { names } => command::man::man(&names),
        Command::Doctor { verbose, workers } => command::doctor::doctor(&workers, verbose),
        Command::Device { devices, json, workers } => command::device::device(&devices, json, &workers),
        Command::Workers { command, workers } => command::workers::workers(command, &workers),
        Command::Serve { arguments } => other_program::start(&other_program::SERVE, "serve", &arguments),
        Command::Push { arguments } => other_program::start(&other_program::SERVE, "push", &arguments),
        Command::Fleet { arguments } => other_program::start(&other_program::FLEET, "fleet", &arguments),
        Command::Worker { kind } => command::worker::worker(&kind),
    }
}
