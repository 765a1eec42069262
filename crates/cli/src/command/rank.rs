//! `rank`: algorithms and providers, over all that they have in common.

use anyhow::Result;
use ciphermeter_report::{ranking, ranking_json, unranked};
use ciphermeter_terminal::{Exit, WithExit, output};

use crate::args::{LookOptions, StoreOption};
use crate::command::show::stored;
use crate::run_output;

pub fn rank(id: Option<i64>, json: bool, store: &StoreOption, look: &LookOptions) -> Result<Exit> {
    let (run, records) = stored(id, store)?;
    let show = run.command(&format!("show {}", run.id));
    let nothing = |message| WithExit { exit: Exit::Nothing, message };
    if let Some(what) = unranked(&run, &records) {
        let why = format!("run {} {what}, which is not ranked; `{show}` has its figures", run.id);
        return Err(nothing(why).into());
    }
    let nothing = || nothing(format!("run {} has no measured cipher to rank; `{show}` says why", run.id));
    let ranking = match json {
        true => ranking_json(&run, &records),
        false => ranking(&run, &records, run_output::table_options(look)),
    };
    let ranking = ranking.ok_or_else(nothing)?;
    output::print(&ranking.text)?;
    Ok(if ranking.is_answered { Exit::Fine } else { Exit::Partial })
}
