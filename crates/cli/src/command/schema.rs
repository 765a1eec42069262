//! `schema`: the JSON Schemas of exports, of advice and of studies.

use anyhow::Result;
use ciphermeter_report::{ADVICE_SCHEMA, EXPORT_SCHEMA};
use ciphermeter_study::STUDIES_SCHEMA;
use ciphermeter_terminal::{Exit, output};

use crate::args::SchemaOf;

pub fn schema(of: SchemaOf) -> Result<Exit> {
    let schema = match of {
        SchemaOf::Export => EXPORT_SCHEMA,
        SchemaOf::Study => STUDIES_SCHEMA,
        SchemaOf::Advise => ADVICE_SCHEMA,
    };
    output::print(schema).map(|()| Exit::Fine)
}
