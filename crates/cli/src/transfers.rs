//! The worker of transfers, for the harness: which providers it hosts, how it is started, and where its files go.

use std::path::Path;

use anyhow::{Result, bail};
use ciphermeter_meter::Source;
use ciphermeter_move::read_ticket;
use ciphermeter_transfer::Ticket;
use ciphermeter_transfer_worker::{PROVIDERS, Receivers};

use crate::built_in::worker;
use crate::folders;

/// Contains the ticket of another machine: unlike a command line, the environment can be read only by the same user.
const PEER: &str = "CIPHERMETER_PEER";

/// One process for each provider. `peer` is the ticket of the machine to which files go; without it, they stay here.
pub fn sources(peer: Option<&Ticket>) -> Result<Vec<Source>> {
    let binary = folders::binary()?;
    let source = |provider: &&str| {
        let mut command = worker(binary.clone(), "transfer", provider);
        command.environment.extend(peer.map(|ticket| (PEER.into(), ticket.to_string())));
        Source::new(*provider, *provider, command)
    };
    Ok(PROVIDERS.iter().map(source).collect())
}

/// What `--peer` names: a ticket, or a file with one that other users cannot read.
pub fn peer(named: &str) -> Result<Ticket> {
    if Ticket::looks_like(named) {
        return Ok(named.parse()?);
    }
    let file = Path::new(named);
    if !file.exists() {
        bail!(
            "`{named}` is neither a ticket nor a file with one; copy the line that `ciphermeter recv --bench` prints on the other machine"
        );
    }
    read_ticket(file)
}

/// Serves standard input and output as a worker of that provider, until the input ends. Its receiving processes are
/// this program, too, or another machine's.
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
