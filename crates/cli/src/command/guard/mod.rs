//! `guard`: whether a change made a library slower, as a maintainer puts it into a repository and forgets it.
//!
//! It measures as `run --against` does, and an alarm once more. What is decided is in `ciphermeter_answer::guard`.

mod cells;
mod history_file;
mod instructions;
mod outputs;

use std::path::absolute;

use anyhow::{Context, Result};
use ciphermeter_core::{Against, Cell, MAX_INTEGER, Note, Record, Run, RunStatus, Scenario};
use ciphermeter_meter::End;
use ciphermeter_native::OwnFiles;
use ciphermeter_report::{Change, Finding, Guarded, Stored, guarded};
use ciphermeter_store::Store;
use ciphermeter_terminal::{Exit, output};

use crate::args::GuardOptions;
use crate::command::other_program::PushTo;
use crate::command::run::{Way, exit, measured_so};
use crate::command::show;
use crate::pair::Pair;
use crate::sources::Sources;
use crate::{folders, request, run_output, switches};
use history_file::HistoryFile;

/// A measurement, and how it ended.
struct Measured {
    run: Run,
    records: Vec<Record>,
    end: End,
}

impl Measured {
    fn stored(&self) -> Stored<'_> {
        Stored { run: &self.run, records: &self.records }
    }

    fn is_interrupted(&self) -> bool {
        self.end.status == RunStatus::Interrupted
    }
}

pub fn guard(options: &GuardOptions) -> Result<Exit> {
    outputs::check(options)?;
    let history = options.history.as_deref().map(|path| HistoryFile::open(path, &options.store)).transpose()?;
    // Better known now than after a minute of measuring.
    options.push.as_deref().map(PushTo::new).transpose()?;
    let mut pair = Pair::read(&options.old, &options.new)?;
    if let Some(hash) = pair.same_bytes()? {
        return outputs::identical(options, &hash).map(|()| Exit::Fine);
    }
    let sources = pair.sources(&options.spot.provider, options.patience.duration())?;
    let scenario = cells::scenario(options, &sources)?;
    let store = Store::open(&folders::store_to_write(&options.store)?)?;
    let first = measured(options, &store, (scenario, options.seed), sources)?;
    let alarmed: Vec<Cell> = judged(options, &first, None)?.alarms.into_iter().map(|alarm| alarm.cell).collect();
    let again = if alarmed.is_empty() || first.is_interrupted() {
        None
    } else {
        outputs::tell_alarm(options, alarmed.len());
        confirmed(options, &store, (&first, &alarmed), &pair)?
    };
    let mut outcome = judged(options, &first, again.as_ref())?;
    if let Some(again) = &again {
        instructions::explain(options, &mut outcome, again, &mut pair);
    }
    let is_whole = !first.is_interrupted() && !again.as_ref().is_some_and(Measured::is_interrupted);
    let mut is_kept = true;
    let history = history.map(|(file, past)| {
        let change = Change::of(&outcome, first.stored());
        if is_whole
            && !change.cells.is_empty()
            && let Err(error) = file.append(&change)
        {
            output::tell_error(&error);
            is_kept = false;
        }
        past.with(&change, options.threshold)
    });
    outputs::write(options, (&first, again.as_ref()), &outcome, history.as_ref())?;
    for run in [Some(&first), again.as_ref()].into_iter().flatten().map(|measured| &measured.run) {
        let push = options.push.as_deref().map(PushTo::new).transpose()?;
        is_kept &= push.map(|push| push.send(run.id, &options.store)).transpose()?.unwrap_or(true);
    }
    Ok(match outcome.finding() {
        _ if !is_whole => Exit::Interrupted,
        Finding::Fine if !is_kept && exit(&first.end) == Exit::Fine => Exit::Partial,
        Finding::Fine => exit(&first.end),
        finding => run_output::exit(finding),
    })
}

fn judged(options: &GuardOptions, first: &Measured, again: Option<&Measured>) -> Result<Guarded> {
    let again = again.map(Measured::stored);
    guarded(first.stored(), again, options.may_hide).context("the measurement compared nothing; run it again")
}

/// Measures the alarms again. What keeps them from being measured is told, and leaves them unconfirmed.
fn confirmed(
    options: &GuardOptions,
    store: &Store,
    (first, alarmed): (&Measured, &[Cell]),
    pair: &Pair,
) -> Result<Option<Measured>> {
    let scenario = cells::of_alarms(&first.run.scenario, first.run.id, alarmed);
    let again = || {
        let sources = pair.again().sources(&options.spot.provider, options.patience.duration())?;
        measured(options, store, (scenario, options.seed.map(next)), sources)
    };
    match again() {
        Ok(measured) => Ok(Some(measured)),
        Err(error) if Exit::of(&error) == Exit::Interrupted => Err(error),
        Err(error) => {
            output::tell_error(&error.context("the alarm could not be measured again"));
            Ok(None)
        }
    }
}

/// The seed of the second measurement.
const fn next(seed: u64) -> u64 {
    if seed == MAX_INTEGER { 0 } else { seed + 1 }
}

/// Measures a pair into the store.
fn measured(
    options: &GuardOptions,
    store: &Store,
    (scenario, seed): (Scenario, Option<u64>),
    sources: Sources,
) -> Result<Measured> {
    let mut run = request::begin(scenario, seed);
    request::compare(&mut run, Against { old: named(&options.old), threshold: options.threshold }, None);
    run.plan.asked.clone_from(&options.asked);
    switches::settle(&mut run, &sources.sources);
    run.notes.push(Note::other(format!("NEW is {}", named(&options.new))));
    let _lock = folders::lock(store.path())?;
    let files = OwnFiles::default();
    let (quiet, patience) = (options.quiet, options.patience.duration());
    let way = Way { quiet, patience, store: &options.store, files: &files, meter: None };
    let (id, end) = measured_so((run, None, sources), &way, store)?;
    let (run, records) = show::load(store, id, &options.store)?;
    Ok(Measured { run, records, end })
}

/// A file with its whole path, a command as it is.
fn named(side: &str) -> String {
    let whole = absolute(side).ok().filter(|whole| whole.exists());
    whole.and_then(|whole| whole.to_str().map(String::from)).unwrap_or_else(|| side.to_owned())
}
