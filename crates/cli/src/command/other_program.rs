//! Commands of a program of their own, `ciphermeter-serve`, which is found as git finds its subcommands.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Result, anyhow, bail};
use ciphermeter_terminal::{Exit, subcommand};

/// The program of these commands.
const PROGRAM: &str = "ciphermeter-serve";

/// Becomes the program, with the command and its arguments.
///
/// # Errors
/// The program is not there, or cannot be started.
pub fn start(command: &str, arguments: &[OsString]) -> Result<Exit> {
    let Some(program) = subcommand::find(PROGRAM) else {
        bail!(
            "`ciphermeter {command}` needs the program {PROGRAM}, which is neither beside this binary nor in a folder of \
             PATH; build it with `make serve`"
        );
    };
    let why = Command::new(&program).arg(command).args(arguments).exec();
    Err(anyhow!("cannot start {}: {why}", program.display()))
}
