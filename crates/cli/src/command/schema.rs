//! `schema`: the JSON Schemas of exports and of studies.

use anyhow::Result;
use ciphermeter_report::EXPORT_SCHEMA;
use ciphermeter_study::STUDIES_SCHEMA;

use crate::args::SchemaOf;
use crate::exit::Exit;
use crate::output;

/// Prints one.
pub fn schema(of: SchemaOf) -> Result<Exit> {
    let schema = match of {
        SchemaOf::Export => EXPORT_SCHEMA,
        SchemaOf::Study => STUDIES_SCHEMA,
    };
    output::print(schema).map(|()| Exit::Fine)
}
