//! The worker of transfers as the harness sees it: which providers it hosts, how it is started, and where its files go.

use std::path::Path;

use anyhow::{Result, bail};
use ciphermeter_meter::Source;
use ciphermeter_protocol::Command;
use ciphermeter_transfer::Ticket;
use ciphermeter_transfer_worker::{PROVIDERS, Receivers};

use super::ticket::private;
use crate::folders;

/// Holds the ticket of another machine: in the environment only its own user can read it, unlike on a command line.
const PEER: &str = "CIPHERMETER_PEER";

/// A process for each provider. `peer` is the ticket of the machine to which files go; without it, they stay here.
pub fn sources(peer: Option<&Ticket>) -> Result<Vec<Source>> {
    let binary = folders::binary()?;
    let source = |provider: &&str| Source::new(*provider, *provider, command(&binary, provider, peer));
    Ok(PROVIDERS.iter().map(source).collect())
}

fn command(binary: &Path, provider: &str, peer: Option<&Ticket>) -> Command {
    let arguments = ["worker", "transfer", "--provider", provider].map(String::from).into();
    let environment = peer.iter().map(|ticket| (PEER.into(), ticket.to_string())).collect();
    Command { program: binary.into(), arguments, folder: None, environment }
}

/// What `--peer` names: a ticket, or a file with one that nobody else may read.
pub fn peer(named: &str) -> Result<Ticket> {
    if Ticket::looks_like(named) {
        return Ok(named.parse()?);
    }
    let file = Path::new(named);
    if !file.exists() {
        bail!(
            "`{named}` is neither a ticket nor a file with one: copy the line that `ciphermeter recv --bench` prints over there"
        );
    }
    Ok(private(file)?.trim().parse()?)
}

/// Serves standard input and output as a worker of that provider, until the input ends. Its receiving processes are this program, too,
/// or another machine's.
pub fn serve(provider: &str) -> Result<()> {
    let receivers = match std::env::var(PEER) {
        Ok(ticket) => Receivers::Remote(ticket.parse()?),
        Err(_) => {
            let binary = folders::binary()?;
            Receivers::Local(Box::new(move || {
                let mut command = std::process::Command::new(&binary);
                command.args(["worker", "transfer", "--receive"]);
                command
            }))
        }
    };
    Ok(ciphermeter_transfer_worker::serve(provider, receivers)?)
}
