//! Which stored run answers for a study's measure: this machine's newest, else the newest of another machine, with the reason.

use anyhow::Result;
use ciphermeter_core::{Fact, RunStatus};
use ciphermeter_report::not_of_this_machine;
use ciphermeter_store::{ListedRun, Store};
use ciphermeter_study::{Measure, MeasuredRun};

use crate::args::StoreOption;
use crate::command::show;
use crate::folders;

/// For each of these measures, the run that answers for it.
pub fn runs(measures: &[Measure], option: &StoreOption) -> Result<Vec<Option<MeasuredRun>>> {
    let path = folders::store(option)?;
    if !path.exists() {
        return Ok(measures.iter().map(|_| None).collect());
    }
    let store = Store::open_read_only(&path)?;
    let (listed, here) = (store.list()?, ciphermeter_host::facts());
    let run = |measure: &Measure| {
        let ended = listed.iter().rev().filter(|run| answers(run, measure)).map(|run| run.id);
        let Some((id, elsewhere)) = chosen(&store, ended, &here)? else { return Ok(None) };
        let (run, records) = show::load(&store, id, option)?;
        Ok(Some(MeasuredRun { run, records, elsewhere }))
    };
    measures.iter().map(run).collect()
}

fn answers(run: &ListedRun, measure: &Measure) -> bool {
    run.scenario.as_ref().is_some_and(|scenario| scenario.name == measure.scenario)
        && run.mask == measure.cpu
        && run.against.is_none()
        && matches!(run.status, RunStatus::Complete | RunStatus::Partial)
}

/// The first run of this machine; without any, the first, and why it is not of this machine.
fn chosen(store: &Store, newest: impl Iterator<Item = i64>, here: &[Fact]) -> Result<Option<(i64, Option<String>)>> {
    let mut other = None;
    for id in newest {
        match not_of_this_machine(&store.head(id)?, here) {
            None => return Ok(Some((id, None))),
            Some(why) => other = other.or(Some((id, Some(why)))),
        }
    }
    Ok(other)
}
