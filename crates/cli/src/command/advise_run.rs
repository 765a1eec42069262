//! The stored run that answers a question: the newest of this machine that has all that is asked.

use anyhow::Result;
use ciphermeter_core::{Algorithm, Fact, Kind, Mask, Record, Run, RunStatus};
use ciphermeter_report::not_of_this_machine;
use ciphermeter_store::{ListedRun, Store};

use crate::args::StoreOption;
use crate::command::advise_wanted::Wanted;
use crate::command::show;
use crate::folders;

/// Runs that have all that is asked, newest first, and why those of them that are newer than the one found do not answer.
#[derive(Default)]
pub struct Found {
    pub run: Option<(Run, Vec<Record>)>,
    /// `run 3: other host: cpu A ≠ B`.
    pub passed_over: Vec<String>,
}

/// The newest run of this machine, whose facts are `now`, that answers.
pub fn newest(wanted: &Wanted, mask: Option<Mask>, now: &[Fact], option: &StoreOption) -> Result<Found> {
    let is_it = |run: &ListedRun| {
        run.mask == mask && run.scenario.as_ref().is_some_and(|scenario| wanted.is_covered_by(scenario))
    };
    find(is_it, now, option)
}

/// The newest sustained run of a cipher from a library, which may have counted its energy.
pub fn sustained(
    algorithm: Algorithm,
    provider: &str,
    now: &[Fact],
    option: &StoreOption,
) -> Result<Option<(Run, Record)>> {
    let is_it = |run: &ListedRun| {
        let loads = |scenario: &ciphermeter_core::Scenario| {
            scenario.kind == Kind::Sustained
                && scenario.takes_provider(provider)
                && scenario.cells.iter().any(|block| block.algorithms.contains(&algorithm))
        };
        run.mask.is_none() && run.scenario.as_ref().is_some_and(loads)
    };
    let Some((run, records)) = find(is_it, now, option)?.run else { return Ok(None) };
    let is_of = |record: &Record| record.cell.algorithm == algorithm && record.cell.provider == provider;
    Ok(records.into_iter().find(is_of).map(|record| (run, record)))
}

fn find(is_it: impl Fn(&ListedRun) -> bool, now: &[Fact], option: &StoreOption) -> Result<Found> {
    let path = folders::store(option)?;
    if !path.exists() {
        return Ok(Found::default());
    }
    let store = Store::open_read_only(&path)?;
    let mut listed = store.list()?;
    listed.retain(|run| {
        run.against.is_none() && matches!(run.status, RunStatus::Complete | RunStatus::Partial) && is_it(run)
    });
    let mut found = Found::default();
    for run in listed.iter().rev() {
        let head = store.head(run.id)?;
        // What went to another machine says nothing of this one.
        let why = head.fact("peer").map(|_| "its files went to another machine".to_owned());
        match why.or_else(|| not_of_this_machine(&head, now)) {
            Some(why) => found.passed_over.push(format!("run {}: {why}", run.id)),
            None => {
                found.run = Some(show::load(&store, run.id, option)?);
                break;
            }
        }
    }
    Ok(found)
}
