//! The built-in worker of transfers, as the front sees it: whom it hosts, and how it is started.

use std::path::PathBuf;

use anyhow::{Result, bail};
use ciphermeter_meter::Source;
use ciphermeter_protocol::Command;

use crate::folders;

/// Whom it hosts.
pub const PROVIDERS: &[&str] = &[];

/// A process for each provider.
pub fn sources() -> Result<Vec<Source>> {
    let binary = folders::binary()?;
    let source = |provider: &&str| Source::new(*provider, *provider, command(binary.clone(), provider));
    Ok(PROVIDERS.iter().map(source).collect())
}

fn command(binary: PathBuf, provider: &str) -> Command {
    let arguments = ["worker", "transfer", "--provider", provider].map(String::from).into();
    Command { program: binary, arguments, folder: None, environment: Vec::new() }
}

/// Serves standard input and output as a worker of that provider, until the input ends.
pub fn serve(provider: &str) -> Result<()> {
    bail!(
        "the built-in worker moves no files as `{provider}`; `ciphermeter worker transfer --list` names whom it hosts"
    )
}
