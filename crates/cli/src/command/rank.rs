//! `rank`: algorithms and providers, over all that they have in common.

use anyhow::Result;
use ciphermeter_report::{ranking, ranking_json};
use ciphermeter_terminal::{Exit, WithExit, output};

use crate::args::{LookOptions, StoreOption};
use crate::command::show::stored;
use crate::run_output;

pub fn rank(id: Option<i64>, json: bool, store: &StoreOption, look: &LookOptions) -> Result<Exit> {
    let (run, records) = stored(id, store)?;
    let ranking = match json {
        true => ranking_json(&run, &records),
        false => ranking(&run, &records, run_output::table_options(look)),
    };
    let ranking = ranking.map_err(|message| WithExit { exit: Exit::Nothing, message })?;
    output::print(&ranking.text)?;
    Ok(if ranking.is_answered { Exit::Fine } else { Exit::Partial })
}
