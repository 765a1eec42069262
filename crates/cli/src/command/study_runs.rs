//! Which stored runs answer for a study's measure: this machine's newest ones, else the newest of another machine, with the reason.

use anyhow::Result;
use ciphermeter_core::{Run, RunStatus};
use ciphermeter_report::{not_of_this_machine, set_then_alone};
use ciphermeter_store::ListedRun;
use ciphermeter_study::{Measure, MeasuredRun};

use crate::args::StoreOption;
use crate::command::show;
use crate::folders;

/// As many runs of a measure are read at most: an older one is no longer looked for.
const MOST: usize = 5;

/// For each of these measures the runs that may answer for it, the newest first: of this machine as many as it takes until they `suffice`;
/// without any, the newest other one.
pub fn runs(
    measures: &[Measure],
    suffice: &dyn Fn(&Measure, &[MeasuredRun]) -> bool,
    option: &StoreOption,
) -> Result<Vec<Vec<MeasuredRun>>> {
    let Some(store) = show::existing(option)? else { return Ok(measures.iter().map(|_| Vec::new()).collect()) };
    let (listed, here) = (store.list()?, ciphermeter_host::facts_of_machine());
    let load = |id, elsewhere| {
        let (run, records) = show::load(&store, id, option)?;
        Ok::<_, anyhow::Error>(MeasuredRun { run, records, elsewhere })
    };
    let of_measure = |measure: &Measure| {
        let (mut found, mut other) = (Vec::new(), None);
        for run in listed.iter().rev().filter(|run| answers(run, measure)) {
            if found.len() == MOST || suffice(measure, &found) {
                break;
            }
            let head = store.head(run.id)?;
            if set_then_alone(&head, &here).is_some() {
                continue;
            }
            match not_of_this_machine(&head, &here) {
                None => found.push(load(run.id, None)?),
                Some(why) => other = other.or(Some((run.id, why))),
            }
        }
        if let (true, Some((id, why))) = (found.is_empty(), other) {
            found.push(load(id, Some(why))?);
        }
        Ok(found)
    };
    measures.iter().map(of_measure).collect()
}

fn answers(run: &ListedRun, measure: &Measure) -> bool {
    is_of(run, measure) && matches!(run.status, RunStatus::Complete | RunStatus::Partial)
}

fn is_of(run: &ListedRun, measure: &Measure) -> bool {
    run.scenario.as_ref().is_some_and(|scenario| scenario.name == measure.scenario)
        && run.mask == measure.cpu
        && run.against.is_none()
}

/// What is to be known of a run of these measures that has not ended, if one is newer than all that have.
pub fn unfinished(measures: &[Measure], option: &StoreOption) -> Result<Option<String>> {
    let Some(store) = show::existing(option)? else { return Ok(None) };
    let listed = store.list()?;
    let newest = listed.iter().rev().find(|run| measures.iter().any(|measure| is_of(run, measure)));
    Ok(match newest.map(|run| (run.id, run.status)) {
        Some((id, RunStatus::Open)) if folders::is_locked(store.path()) => {
            Some(format!("note: run {id} is being measured; it counts when it has ended"))
        }
        Some((id, RunStatus::Open | RunStatus::Interrupted)) => {
            let run = Run { store: folders::typed_store(option), ..store.head(id)? };
            Some(format!("note: run {id} was cut off, so it does not count; `{}` continues it", run.resume()))
        }
        Some((_, RunStatus::Complete | RunStatus::Partial)) | None => None,
    })
}
