//! The built-in worker of transfers, as the front sees it: whom it hosts, and how it is started.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ciphermeter_meter::Source;
use ciphermeter_protocol::Command;
use ciphermeter_transfer::bench::{self, PROVIDERS};

use crate::folders;

/// A process for each provider.
pub fn sources() -> Result<Vec<Source>> {
    let binary = folders::binary()?;
    let source = |provider: &&str| Source::new(*provider, *provider, command(&binary, provider));
    Ok(PROVIDERS.iter().map(source).collect())
}

fn command(binary: &Path, provider: &str) -> Command {
    let arguments = ["worker", "transfer", "--provider", provider].map(String::from).into();
    Command { program: binary.into(), arguments, folder: None, environment: Vec::new() }
}

/// Serves standard input and output as a worker of that provider, until the input ends. Its receiving processes are this program, too.
pub fn serve(provider: &str) -> Result<()> {
    let binary: PathBuf = folders::binary()?;
    let child = move |provider: &str, algorithm: ciphermeter_core::Algorithm| {
        let mut command = std::process::Command::new(&binary);
        command.args(["worker", "transfer", "--provider", provider, "--receive", algorithm.as_str()]);
        command
    };
    Ok(bench::serve(provider, Box::new(child))?)
}
