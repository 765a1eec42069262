//! The team's server, and the command that sends runs to one.
//!
//! The binary `ciphermeter` starts this program for `ciphermeter serve` and `ciphermeter push`. Runs come in as exports, through the
//! binary's own parser; what they say is decided and drawn by the binary's own crates.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod api;
mod args;
mod client;
mod clock;
mod code;
mod conditions;
mod database;
mod drawn;
mod fault;
mod fleet;
mod guard;
mod join;
mod judge;
mod kept;
mod links;
mod listen;
mod live;
mod local;
mod movements;
mod names;
mod operate;
mod ours;
mod pages;
mod problem;
mod push;
mod queries;
mod queue;
mod rate;
mod received;
mod refusal;
mod resumed;
mod runs;
mod shown;
mod site;
mod state;
mod tls;
mod tokens;
mod trouble;
mod unreached;

use anyhow::{Context, Result};
use ciphermeter_terminal::Exit;
use clap::Parser;

use args::{Args, Command, ServeCommand};

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    match done(args) {
        Ok(exit) => exit.into(),
        Err(error) => {
            trouble::tell(&error);
            Exit::of(&error).into()
        }
    }
}

fn done(args: Args) -> Result<Exit> {
    let serve = match args.command {
        Command::Push(push) => return push::push(&push),
        Command::Serve(serve) => *serve,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    runtime.block_on(async {
        match serve.command {
            None => listen::listen(serve.options).await,
            Some(ServeCommand::Token { command }) => operate::token(command, &serve.options.database).await,
            Some(ServeCommand::Remove { runs }) => operate::remove(&runs, &serve.options.database).await,
            Some(ServeCommand::Rename { old, new }) => operate::rename(&old, &new, &serve.options.database).await,
            Some(ServeCommand::Join { server, hours }) => join::join(&server, hours, &serve.options.database).await,
            Some(ServeCommand::Backup { file }) => operate::backup(&file, &serve.options.database).await,
        }
    })?;
    Ok(Exit::Fine)
}
