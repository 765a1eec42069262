//! `worker`: be a worker for another front, or for this one.

use anyhow::Result;

use crate::args::WorkerKind;
use crate::exit::Exit;

/// Serves standard input and output until the input ends.
pub fn worker(kind: &WorkerKind) -> Result<Exit> {
    let WorkerKind::Native { provider, slowed } = kind;
    ciphermeter_native::serve(provider, slowed.map_or(0.0, |share| share.0))?;
    Ok(Exit::Fine)
}
