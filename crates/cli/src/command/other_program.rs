//! Commands of programs of their own, `ciphermeter-serve` and `ciphermeter-fleet`, which are found as git finds its subcommands.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_terminal::{Exit, subcommand};

use crate::args::StoreOption;
use crate::folders;

/// A program beside this one.
pub struct Program {
    name: &'static str,
    /// How it comes to be there.
    remedy: &'static str,
    /// Whether it has several commands of this binary, whose name it takes first.
    has_several: bool,
}

/// The team's server, and what pushes to it.
pub const SERVE: Program =
    Program { name: "ciphermeter-serve", remedy: "build it with `make serve`", has_several: true };
/// What measures many machines.
pub const FLEET: Program =
    Program { name: "ciphermeter-fleet", remedy: "install it with `make fleet`, or with pip from a release's lib/ciphermeter/fleet", has_several: false };

/// Becomes the program, with the command's arguments.
///
/// # Errors
/// The program is not there, or cannot be started.
pub fn start(program: &Program, command: &str, arguments: &[OsString]) -> Result<Exit> {
    let mut other = program.command(&format!("ciphermeter {command}"))?;
    // It calls this binary in turn, which may be in no folder of PATH.
    if let Ok(own) = folders::binary() {
        other.env("CIPHERMETER_PROGRAM", own);
    }
    let why = other.args(program.has_several.then_some(command)).args(arguments).exec();
    Err(anyhow!("cannot start {}: {why}", program.name))
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
        Ok(Self { program: SERVE.command("--push")?, url })
    }

    /// Sends a run; whether the server has it. What did not arrive waits in the queue, and the program has said why.
    pub fn send(mut self, id: i64, store: &StoreOption) -> Result<bool> {
        self.program.args(["push", &id.to_string(), "--to", self.url]);
        if let Some(store) = folders::typed_store(store) {
            self.program.arg("--store").arg(store);
        }
        // Standard output is the run's own.
        let status = self.program.stdout(std::io::stderr()).status();
        Ok(status.with_context(|| format!("cannot start {}", SERVE.name))?.success())
    }
}

impl Program {
    fn command(&self, what: &str) -> Result<Command> {
        let Some(file) = subcommand::find(self.name) else {
            bail!(
                "{what} needs the program {}, which is neither beside this binary nor in a folder of PATH; {}",
                self.name,
                self.remedy
            );
        };
        Ok(Command::new(file))
    }
}
