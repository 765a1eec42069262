//! `show`: the table of a stored run, or its document.

use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Record, Run, RunStatus};
use ciphermeter_estimate::fill;
use ciphermeter_store::Store;
use ciphermeter_terminal::Exit;

use crate::args::{DetailOptions, Format, LookOptions, StoreOption};
use crate::notes::Notes;
use crate::{folders, run_output};

pub fn show(
    id: Option<i64>,
    detail: DetailOptions,
    json: Option<&Path>,
    option: &StoreOption,
    look: &LookOptions,
) -> Result<Exit> {
    if let Some(number) = json.and_then(Path::to_str).filter(|to| to.parse::<i64>().is_ok()) {
        bail!(
            "--json {number} names a file: for run {number}, `ciphermeter show {number} --json`; for the file, ./{number}"
        );
    }
    if let Some(to) = json {
        run_output::check_writable(to, option)?;
    }
    let (run, records) = stored(id, option)?;
    if let Some(to) = json {
        run_output::write(&run, &records, Format::Json, to)?;
    }
    if json != Some(Path::new("-")) {
        let notes = Notes::of(&run, &records, detail);
        run_output::show(&run, &records, detail, look, &notes)?;
        notes.tell();
    }
    Ok(run_output::printed(&records))
}

/// The store to read, if it is there.
pub fn existing(option: &StoreOption) -> Result<Option<Store>> {
    let path = folders::store(option)?;
    Ok(if path.exists() { Some(Store::open_read_only(&path)?) } else { None })
}

/// The run of that number, or the latest, with all that its samples come to.
pub fn stored(id: Option<i64>, option: &StoreOption) -> Result<(Run, Vec<Record>)> {
    let store = Store::open_read_only(&folders::store(option)?)?;
    let id = match id {
        Some(id) => id,
        None => store.latest()?.with_context(|| {
            format!("no runs are stored yet: start one with `ciphermeter run{}`", folders::store_words(option))
        })?,
    };
    load(&store, id, option)
}

/// A stored run. What a killed process never summed up is summed up here.
pub fn load(store: &Store, id: i64, option: &StoreOption) -> Result<(Run, Vec<Record>)> {
    let (mut run, mut records) = store.load(id)?;
    run.store = folders::typed_store(option);
    let is_here = !run.plan.is_imported;
    run.is_measuring = is_here && run.status == RunStatus::Open && folders::is_locked(store.path());
    if run.status == RunStatus::Open {
        // Rounds came after the last summaries.
        records.iter_mut().for_each(|record| record.summary = None);
    }
    fill(&run.scenario, run.against.is_some(), &run.plan, &mut records);
    Ok((run, records))
}
