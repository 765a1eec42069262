//! `rank`: algorithms and providers, over all that they have in common.

use anyhow::Result;

use crate::args::{LookOptions, StoreOption};
use crate::command::show::stored;
use crate::exit::{Exit, WithExit};
use crate::output;

/// Prints the ranking of that run, or of the latest.
pub fn rank(id: Option<i64>, store: &StoreOption, look: &LookOptions) -> Result<Exit> {
    let (run, records) = stored(id, store)?;
    let nothing = || WithExit {
        exit: Exit::Nothing,
        message: format!("run {} has no measured cipher to rank; `ciphermeter show {}` says why", run.id, run.id),
    };
    let text = ciphermeter_report::ranking(&run, &records, output::table_options(look)).ok_or_else(nothing)?;
    output::print(&text).map(|()| Exit::Fine)
}
