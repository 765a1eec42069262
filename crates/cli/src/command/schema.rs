//! `schema`: the JSON Schema of exports.

use anyhow::Result;
use ciphermeter_report::EXPORT_SCHEMA;

use crate::exit::Exit;
use crate::output;

/// Prints it.
pub fn schema() -> Result<Exit> {
    output::print(EXPORT_SCHEMA).map(|()| Exit::Fine)
}
