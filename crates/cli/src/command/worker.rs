//! `worker`: be a worker for another harness, or for this one.

use anyhow::Result;
use ciphermeter_native::{PROVIDERS, Slowdown};

use crate::args::WorkerKind;
use crate::exit::Exit;
use crate::output;
use crate::transfer::bench;

/// Serves standard input and output until the input ends.
pub fn worker(kind: &WorkerKind) -> Result<Exit> {
    match kind {
        WorkerKind::Native { provider: Some(provider), slowed, only, .. } => {
            let slowed = slowed.map(|share| Slowdown { share: share.0, only: *only });
            ciphermeter_native::serve(provider, slowed)?;
        }
        WorkerKind::Native { provider: None, .. } => output::print(&(PROVIDERS.join("\n") + "\n"))?,
        WorkerKind::Transfer { steadily: Some(algorithm), .. } => {
            ciphermeter_transfer::bench::receive_steadily(algorithm.as_str().parse()?)?;
        }
        WorkerKind::Transfer { receive: true, .. } => ciphermeter_transfer::bench::receive()?,
        WorkerKind::Transfer { provider: Some(provider), .. } => bench::serve(provider)?,
        WorkerKind::Transfer { provider: None, .. } => {
            output::print(
                &ciphermeter_transfer::bench::PROVIDERS.iter().map(|name| format!("{name}\n")).collect::<String>(),
            )?;
        }
    }
    Ok(Exit::Fine)
}
