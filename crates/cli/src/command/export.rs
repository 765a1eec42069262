//! `export`: a stored run for other programs.

use std::path::Path;

use anyhow::{Result, bail};
use ciphermeter_core::Kind;

use crate::args::{Format, StoreOption};
use crate::command::show::stored;
use crate::exit::Exit;
use crate::output;

/// Writes it.
pub fn export(id: Option<i64>, format: Format, to: &Path, option: &StoreOption) -> Result<Exit> {
    let (run, records) = stored(id, option)?;
    if format == Format::TransferCsv && run.scenario.kind != Kind::Transfer {
        bail!("run {} has no single transfers for transfer-csv: use --format csv", run.id);
    }
    output::write(&run, &records, format, to).map(|()| Exit::Fine)
}
