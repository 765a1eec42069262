//! `schema`: the JSON Schema of exports, and of what `advise --json` prints.

use anyhow::Result;
use ciphermeter_report::{ADVICE_SCHEMA, EXPORT_SCHEMA};

use crate::args::SchemaOf;
use crate::exit::Exit;
use crate::output;

/// Prints it.
pub fn schema(of: SchemaOf) -> Result<Exit> {
    let schema = match of {
        SchemaOf::Export => EXPORT_SCHEMA,
        SchemaOf::Advise => ADVICE_SCHEMA,
    };
    output::print(schema).map(|()| Exit::Fine)
}
