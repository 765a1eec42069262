//! Settings from outside that change which code libraries run: facts of the runs whose providers
//! read them, and not for runs that other commands start, whose answers are to hold for the
//! machine.

use std::process;

use anyhow::{Result, bail};
use ciphermeter_core::{Fact, NO_SWITCHES, Record, Run, SWITCHES};
use ciphermeter_host::switches::{Switch, fact, switches};
use ciphermeter_meter::Source;

/// Keeps in a run's facts what one of its sources reads.
pub fn settle(run: &mut Run, sources: &[Source]) {
    run.host.retain(|fact| fact.name != SWITCHES);
    run.host.push(read_by(sources));
}

/// Samples of two codes are not of one run.
///
/// # Errors
/// What is set is not what was set when the run began.
pub fn check(run: &Run, sources: &[Source]) -> Result<()> {
    let (then, now) = (run.switches(), read_by(sources));
    let now = now.value.as_deref().filter(|value| *value != NO_SWITCHES);
    if then != now {
        let said = |set: Option<&str>| set.map_or("nothing".to_owned(), |set| format!("`{set}`"));
        let (id, then, now) = (run.id, said(then), said(now));
        bail!(
            "run {id} began with {then} set that changes the code of libraries, and now it is {now}: set what was set, or start anew"
        );
    }
    Ok(())
}

fn read_by(sources: &[Source]) -> Fact {
    let here: Vec<Vec<&str>> = sources.iter().filter(|source| source.device.is_none()).map(names).collect();
    fact(switches().iter().filter(|switch| here.iter().any(|names| switch.is_read_by(names))))
}

/// The provider and its language; nothing of a worker of your own.
fn names(source: &Source) -> Vec<&str> {
    match &source.language {
        Some(language) => vec![&source.provider, language],
        None if is_built_in(&source.provider) => vec![&source.provider],
        None => Vec::new(),
    }
}

fn is_built_in(provider: &str) -> bool {
    [ciphermeter_native::PROVIDERS, ciphermeter_transfer_worker::PROVIDERS].concat().contains(&provider)
}

/// What is set here, was not for that run, and may be read by its providers.
pub fn set_here(run: &Run, records: &[Record]) -> Vec<String> {
    let then: Vec<&str> = run.switches().unwrap_or_default().split("; ").collect();
    let is_read = |switch: &Switch| {
        let mut providers = records.iter().map(|record| record.cell.provider.as_str());
        providers.any(|provider| !is_built_in(provider) || switch.is_read_by(&[provider]))
    };
    let here = switches().into_iter().filter(is_read).map(|switch| switch.to_string());
    here.filter(|set| !then.contains(&set.as_str())).collect()
}

/// Starts a command without what this process inherited, and says what that is.
pub fn leave_out(command: &mut process::Command) -> Option<String> {
    let all: Vec<Switch> = switches().into_iter().filter(|switch| switch.is_inherited).collect();
    for switch in &all {
        command.env_remove(&switch.name);
    }
    let said: Vec<String> = all.iter().map(ToString::to_string).collect();
    (!said.is_empty()).then(|| format!("measured without {}, which changes the code of libraries", said.join(" and ")))
}
