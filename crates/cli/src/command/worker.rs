//! `worker`: be a worker for another harness, or for this one.

use anyhow::Result;
use ciphermeter_native::{OwnFiles, PROVIDERS, Planted, Slowdown};
use ciphermeter_terminal::{Exit, output};

use crate::args::WorkerKind;
use crate::{openssl_speed, transfers};

pub fn worker(kind: &WorkerKind) -> Result<Exit> {
    match kind {
        WorkerKind::Native {
            provider: Some(provider),
            slowed,
            only,
            fixed_layout,
            input,
            keep_output,
            keep_as,
            ..
        } => {
            let slowed = slowed.map(|share| Slowdown { share: share.0, only: *only });
            ciphermeter_native::serve(
                provider,
                Planted { slowed, fixed_layout: *fixed_layout },
                OwnFiles { input: input.clone(), output: keep_output.clone(), name: keep_as.clone() },
            )?;
        }
        WorkerKind::Native { provider: None, .. } => output::print(&(PROVIDERS.join("\n") + "\n"))?,
        WorkerKind::Speed { message, turns } => output::print(&openssl_speed::lines(message, *turns)?)?,
        WorkerKind::Transfer { receive: true, .. } => ciphermeter_transfer_worker::receive()?,
        WorkerKind::Transfer { provider: Some(provider), .. } => transfers::serve(provider)?,
        WorkerKind::Transfer { provider: None, .. } => {
            output::print(&(ciphermeter_transfer_worker::PROVIDERS.join("\n") + "\n"))?;
        }
    }
    Ok(Exit::Fine)
}
