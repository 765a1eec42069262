//! The stored run that answers a question: the newest of this machine that measured all of it.

use anyhow::Result;
use ciphermeter_core::{Algorithm, Fact, Kind, Mask, Record, Run, RunStatus};
use ciphermeter_report::{Evidence, Question, advise, not_of_this_machine};
use ciphermeter_store::ListedRun;

use crate::args::StoreOption;
use crate::command::advise_wanted::Wanted;
use crate::command::show;

pub struct Stored {
    pub run: Run,
    pub records: Vec<Record>,
    /// What newer runs lack, a sentence each: `run 7 is newer and has no figures at 16 KiB`.
    pub newer: Vec<String>,
}

impl Stored {
    pub fn evidence(&self) -> Evidence<'_> {
        Evidence { newer: &self.newer, ..Evidence::of(&self.run, &self.records) }
    }
}

/// Runs that were to measure all that is asked.
#[derive(Default)]
pub struct Found {
    pub stored: Option<Stored>,
    /// Why newer ones are of another machine: `run 3: other host: cpu A ≠ B`.
    pub passed_over: Vec<String>,
}

/// The newest run of this machine, whose facts are `now`, that has figures of all sizes; else the newest. What it decides is no reason to
/// take it or to pass it over. A run under another mask, or under none, is of another CPU.
pub fn newest(
    wanted: &Wanted,
    question: Question,
    mask: Option<Mask>,
    now: &[Fact],
    option: &StoreOption,
) -> Result<Found> {
    let is_it = |run: &ListedRun| {
        run.mask == mask && run.scenario.as_ref().is_some_and(|scenario| wanted.lacks(scenario).is_none())
    };
    let mut newer = Vec::new();
    let mut stored: Option<Stored> = None;
    let passed_over = each(is_it, now, option, |run, records| {
        let lacks = advise(question, Evidence::of(&run, &records)).lacks();
        let is_whole = lacks.is_none();
        let sentence = lacks.map(|lacks| format!("run {} is newer and {lacks}", run.id));
        if stored.is_none() || is_whole {
            stored = Some(Stored { run, records, newer: newer.clone() });
        }
        newer.extend(sentence);
        is_whole
    })?;
    Ok(Found { stored, passed_over })
}

/// Why the newest run of a store that is of its kind answers nothing of it, where that is not for its machine: `run 4 has no cells of openssl`.
pub fn unlike(wanted: &Wanted, mask: Option<Mask>, option: &StoreOption) -> Result<Option<String>> {
    let Some(store) = show::existing(option)? else { return Ok(None) };
    // Of those that measured the same sort of thing, if there are any.
    let mut runs = store.list()?;
    let is_alike = |run: &ListedRun| run.scenario.as_ref().is_some_and(|run| run.kind == wanted.scenario.kind);
    let place = runs.iter().rposition(is_alike).or(runs.len().checked_sub(1));
    let newest = place.map(|place| runs.swap_remove(place));
    Ok(newest.and_then(|run| {
        let why = match (&run.scenario, run.status) {
            _ if run.is_imported => "was imported".into(),
            (_, RunStatus::Open | RunStatus::Interrupted) => "did not end".into(),
            (Some(_), _) if run.against.is_some() => "compares with an older version".into(),
            (Some(_), _) if run.mask != mask => {
                run.mask.map_or_else(|| "was made without --cpu".into(), |own| format!("was made with --cpu {own}"))
            }
            (Some(scenario), _) => wanted.lacks(scenario)?,
            (None, _) => "is damaged".into(),
        };
        Some(format!("run {} {why}", run.id))
    }))
}

/// The newest sustained run of a cipher from a library, which may have counted its energy.
pub fn sustained(
    algorithm: Algorithm,
    provider: &str,
    mask: Option<Mask>,
    now: &[Fact],
    option: &StoreOption,
) -> Result<Option<(Run, Record)>> {
    let is_it = |run: &ListedRun| {
        let loads = |scenario: &ciphermeter_core::Scenario| {
            scenario.kind == Kind::Sustained
                && scenario.takes_provider(provider)
                && scenario.cells.iter().any(|block| block.algorithms.contains(&algorithm))
        };
        run.mask == mask && run.scenario.as_ref().is_some_and(loads)
    };
    let is_of = |record: &Record| record.cell.algorithm == algorithm && record.cell.provider == provider;
    let mut newest = None;
    each(is_it, now, option, |run, records| {
        newest = Some(records.into_iter().find(is_of).map(|record| (run, record)));
        true
    })?;
    Ok(newest.flatten())
}

/// Goes through the ended runs of this machine, newest first, until one is what is looked for; comes back with why others before it are not
/// of this machine.
fn each(
    is_it: impl Fn(&ListedRun) -> bool,
    now: &[Fact],
    option: &StoreOption,
    mut is_found: impl FnMut(Run, Vec<Record>) -> bool,
) -> Result<Vec<String>> {
    let mut passed_over = Vec::new();
    let Some(store) = show::existing(option)? else { return Ok(passed_over) };
    let mut listed = store.list()?;
    listed.retain(|run| {
        run.against.is_none() && matches!(run.status, RunStatus::Complete | RunStatus::Partial) && is_it(run)
    });
    for run in listed.iter().rev() {
        let head = store.head(run.id)?;
        // What went to another machine says nothing of this one.
        let why = head.fact("peer").map(|_| "its files went to another machine".to_owned());
        if let Some(why) = why.or_else(|| not_of_this_machine(&head, now)) {
            passed_over.push(format!("run {}: {why}", run.id));
            continue;
        }
        let (run, records) = show::load(&store, run.id, option)?;
        if is_found(run, records) {
            break;
        }
    }
    Ok(passed_over)
}
