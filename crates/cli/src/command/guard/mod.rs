//! `guard`: whether a change made a library slower, as a maintainer puts it into a repository and forgets it.
//!
//! It measures as `run --against` does, and an alarm once more. What is decided is in `ciphermeter_answer::guard`.

mod cells;
mod history_file;
mod instructions;
mod measured;
mod outputs;

use anyhow::{Context, Result};
use ciphermeter_core::{Cell, MAX_INTEGER};
use ciphermeter_report::{Change, Finding, Guarded, guarded};
use ciphermeter_store::Store;
use ciphermeter_terminal::{Exit, output};

use crate::args::GuardOptions;
use crate::command::other_program::PushTo;
use crate::command::run::exit;
use crate::pair::Pair;
use crate::{folders, run_output};
use history_file::HistoryFile;
use measured::{Measured, measured};

pub fn guard(options: &GuardOptions) -> Result<Exit> {
    outputs::check(options)?;
    let history = options.history.as_deref().map(|path| HistoryFile::open(path, &options.store)).transpose()?;
    // Better known now than after a minute of measuring.
    options.push.as_deref().map(PushTo::new).transpose()?;
    let pair = Pair::read(&options.old, &options.new)?;
    let sources = pair.sources(&options.spot.provider, options.patience.duration())?;
    if let Some(hash) = pair.same_bytes()? {
        return Ok(if outputs::identical(options, &hash) { Exit::Fine } else { Exit::Partial });
    }
    let scenario = cells::scenario(options, &sources)?;
    let store = Store::open(&folders::store_to_write(&options.store)?)?;
    // For both measurements: another process would come between them.
    let _lock = folders::lock(store.path())?;
    let first = measured(options, &store, (scenario, options.seed), sources)?;
    let alarmed: Vec<Cell> = judged(options, &first, None)?.alarms.into_iter().map(|alarm| alarm.cell).collect();
    let mut is_whole = !first.is_interrupted();
    let again = if alarmed.is_empty() || !is_whole {
        None
    } else {
        outputs::tell_alarm(options, alarmed.len());
        match measured_again(options, &store, (&first, &alarmed), &pair) {
            Ok(again) => Some(again),
            Err(error) => {
                is_whole = Exit::of(&error) != Exit::Interrupted;
                output::tell_error(&error.context("the alarm could not be measured again"));
                None
            }
        }
    };
    let mut outcome = judged(options, &first, again.as_ref())?;
    if let Some(again) = &again {
        instructions::explain(options, &mut outcome, again, &pair);
    }
    is_whole &= !again.as_ref().is_some_and(Measured::is_interrupted);
    let change = Change::of(&outcome, first.stored());
    let is_recorded = history.as_ref().is_none_or(|(file, _)| !is_whole || recorded(file, &change));
    let history = history.map(|(_, past)| past.with(&change, options.threshold));
    let is_written = outputs::write(options, (&first, again.as_ref()), &outcome, history.as_ref());
    let is_pushed = pushed(options, [Some(&first), again.as_ref()].into_iter().flatten())?;
    Ok(match outcome.finding() {
        _ if !is_whole => Exit::Interrupted,
        Finding::Fine if !(is_recorded && is_written && is_pushed) && exit(&first.end) == Exit::Fine => Exit::Partial,
        Finding::Fine => exit(&first.end),
        finding => run_output::exit(finding),
    })
}

/// Appends a change, unless nothing was compared; whether the history has what it should.
fn recorded(file: &HistoryFile, change: &Change) -> bool {
    if change.cells.is_empty() {
        return true;
    }
    file.append(change).inspect_err(output::tell_error).is_ok()
}

/// Sends the runs to the server, if there is one to send them to; whether it has them all.
fn pushed<'a>(options: &GuardOptions, all: impl Iterator<Item = &'a Measured>) -> Result<bool> {
    let Some(url) = &options.push else { return Ok(true) };
    let mut has_all = true;
    for measured in all {
        has_all &= PushTo::new(url)?.send(measured.run.id, &options.store)?;
    }
    Ok(has_all)
}

fn judged(options: &GuardOptions, first: &Measured, again: Option<&Measured>) -> Result<Guarded> {
    let again = again.map(Measured::stored);
    guarded(first.stored(), again, options.may_hide).context("the measurement compared nothing; run it again")
}

/// Measures the alarms again.
fn measured_again(
    options: &GuardOptions,
    store: &Store,
    (first, alarmed): (&Measured, &[Cell]),
    pair: &Pair,
) -> Result<Measured> {
    let scenario = cells::of_alarms(&first.run.scenario, first.run.id, alarmed);
    let sources = pair.sources_again(&options.spot.provider, options.patience.duration())?;
    measured(options, store, (scenario, options.seed.map(next)), sources)
}

/// The seed of the second measurement.
const fn next(seed: u64) -> u64 {
    if seed == MAX_INTEGER { 0 } else { seed + 1 }
}
