//! `import`: runs of other machines and browsers, taken into the store from their exports.

use std::path::PathBuf;

use anyhow::{Context, Result};
use ciphermeter_core::{Record, Run};
use ciphermeter_report::answer;
use ciphermeter_store::Store;
use ciphermeter_terminal::{Exit, output};

use crate::args::StoreOption;
use crate::command::show;
use crate::export_file::{read_all, shown};
use crate::folders;

/// Files before one that cannot be imported stay imported.
pub fn import(files: &[PathBuf], option: &StoreOption) -> Result<Exit> {
    let path = folders::store(option)?;
    for file in files {
        // Read before the store is made, so that a wrong file leaves none.
        let runs = read_all(file)?;
        let store = Store::open(&path)?;
        // A long import would keep a run that is being measured from committing its rounds.
        let _lock = folders::lock(&path)?;
        for (run, records) in runs {
            let said = match store.find(&run, &records)? {
                Some(id) => format!("{} is run {id} already\n", shown(file)),
                None => {
                    let id = store.add(&run, &records).with_context(|| format!("cannot import {}", shown(file)))?;
                    imported(&show::load(&store, id, option)?)
                }
            };
            output::print(&said)?;
        }
    }
    Ok(Exit::Fine)
}

fn imported((run, records): &(Run, Vec<Record>)) -> String {
    let (number, scenario, machine) = (run.id, &run.scenario.name, answer(run, records).measured_on);
    let day = run.started.get(..10).unwrap_or(&run.started);
    format!("run {number}: {scenario} of {day}, on {machine}; {}\n", run.command(&format!("show {number}")))
}
