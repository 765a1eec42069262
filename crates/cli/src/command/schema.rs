//! `schema`: the JSON Schemas of exports, of advice and of studies.

use anyhow::Result;
use ciphermeter_report::{EXPORT_SCHEMA, advice_schema};
use ciphermeter_study::STUDIES_SCHEMA;
use ciphermeter_terminal::{Exit, output};

use crate::args::SchemaOf;

pub fn schema(of: SchemaOf) -> Result<Exit> {
    let schema = match of {
        SchemaOf::Export => EXPORT_SCHEMA.to_owned(),
        SchemaOf::Study => STUDIES_SCHEMA.to_owned(),
        SchemaOf::Advise => advice_schema(),
    };
    output::print(&schema).map(|()| Exit::Fine)
}
