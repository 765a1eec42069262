//! `completions`: for a shell to read.

use anyhow::Result;
use ciphermeter_terminal::{Exit, output};
use clap::Command;
use clap_complete::{Shell, generate};

use crate::args;

pub fn completions(shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    generate(shell, &mut shown(&args::command()), "ciphermeter", &mut script);
    output::print(&String::from_utf8(script)?).map(|()| Exit::Fine)
}

/// Without the commands that no person gives: the generators know of no hiding.
fn shown(all: &Command) -> Command {
    let commands = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new("ciphermeter")
        .version(env!("CARGO_PKG_VERSION"))
        .args(all.get_arguments().cloned())
        .subcommands(commands)
}
