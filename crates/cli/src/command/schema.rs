//! `schema`: the JSON Schemas of exports and of other commands' JSON.

use anyhow::Result;
use ciphermeter_report::{
    ADVICE_SCHEMA, COMPARE_SCHEMA, EXPORT_SCHEMA, GUARD_SCHEMA, MACHINES_SCHEMA, RANK_SCHEMA, whole_schema,
};
use ciphermeter_study::STUDIES_SCHEMA;
use ciphermeter_terminal::{Exit, output};

use crate::args::SchemaOf;
use crate::command::list::LIST_SCHEMA;

pub fn schema(of: SchemaOf) -> Result<Exit> {
    let schema = match of {
        SchemaOf::Export => EXPORT_SCHEMA.to_owned(),
        SchemaOf::Study => STUDIES_SCHEMA.to_owned(),
        SchemaOf::List => whole_schema(LIST_SCHEMA),
        SchemaOf::Compare => whole_schema(COMPARE_SCHEMA),
        SchemaOf::Guard => whole_schema(GUARD_SCHEMA),
        SchemaOf::Rank => whole_schema(RANK_SCHEMA),
        SchemaOf::Machines => whole_schema(MACHINES_SCHEMA),
        SchemaOf::Advise => whole_schema(ADVICE_SCHEMA),
    };
    output::print(&schema).map(|()| Exit::Fine)
}
