//! Commands of a program of their own, `ciphermeter-serve`, which is found as git finds its subcommands.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_terminal::{Exit, subcommand};

use crate::args::StoreOption;
use crate::folders;

/// The program of these commands.
const PROGRAM: &str = "ciphermeter-serve";

/// Becomes the program, with the command and its arguments.
///
/// # Errors
/// The program is not there, or cannot be started.
pub fn start(command: &str, arguments: &[OsString]) -> Result<Exit> {
    let why = program(&format!("ciphermeter {command}"))?.arg(command).args(arguments).exec();
    Err(anyhow!("cannot start {PROGRAM}: {why}"))
}

/// A server to which a run is sent when it has ended.
pub struct PushTo<'a> {
    program: Command,
    url: &'a str,
}

impl<'a> PushTo<'a> {
    /// The server at this address.
    ///
    /// # Errors
    /// The program that sends is not there: better known before a minute of measuring.
    pub fn new(url: &'a str) -> Result<Self> {
        Ok(Self { program: program("--push")?, url })
    }

    /// Sends a run; whether the server has it. What did not arrive waits in the queue, and the program has said why.
    pub fn send(mut self, id: i64, store: &StoreOption) -> Result<bool> {
        self.program.args(["push", &id.to_string(), "--to", self.url]);
        if let Some(store) = folders::typed_store(store) {
            self.program.arg("--store").arg(store);
        }
        // Standard output is the run's own.
        let status = self.program.stdout(std::io::stderr()).status();
        Ok(status.with_context(|| format!("cannot start {PROGRAM}"))?.success())
    }
}

fn program(what: &str) -> Result<Command> {
    let Some(program) = subcommand::find(PROGRAM) else {
        bail!(
            "{what} needs the program {PROGRAM}, which is neither beside this binary nor in a folder of PATH; build it \
             with `make serve`"
        );
    };
    Ok(Command::new(program))
}
