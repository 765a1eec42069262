//! `import`: runs of other machines and browsers, taken into the store from their exports.

use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{Record, Run, most, option_words, quoted_path};
use ciphermeter_estimate::anew;
use ciphermeter_host::file;
use ciphermeter_report::answer;
use ciphermeter_store::Store;
use ciphermeter_terminal::{Exit, output};

use crate::args::StoreOption;
use crate::command::show;
use crate::folders;

/// Files before one that cannot be imported stay imported.
pub fn import(files: &[PathBuf], option: &StoreOption) -> Result<Exit> {
    let path = folders::store(option)?;
    for file in files {
        // Read before the store is made, so that a wrong file leaves none.
        let (run, records) = read(file)?;
        let store = Store::open(&path)?;
        // A long import would keep a run that is being measured from committing its rounds.
        let _lock = folders::lock(&path)?;
        let said = match store.find(&run, &records)? {
            Some(id) => format!("{} is run {id} already\n", shown(file)),
            None => {
                let id = store.add(&run, &records).with_context(|| format!("cannot import {}", shown(file)))?;
                imported(&show::load(&store, id, option)?)
            }
        };
        output::print(&said)?;
    }
    Ok(Exit::Fine)
}

fn read(file: &Path) -> Result<(Run, Vec<Record>)> {
    let shown = shown(file);
    if folders::is_database(file) {
        bail!(
            "{shown} is a store, and an export is read: write one with `ciphermeter export RUN {}`",
            option_words("--store", file)
        );
    }
    let is_pipe = std::fs::metadata(file).is_ok_and(|facts| facts.file_type().is_fifo());
    if is_pipe {
        bail!("cannot read {shown}: it is a pipe; give it as standard input, and `-` in its place");
    }
    let document = bytes(file).with_context(|| format!("cannot read {shown}"))?;
    let (run, mut records) =
        ciphermeter_import::import(&document).map_err(|why| anyhow!("cannot import {shown}: {why}"))?;
    anew(&run.scenario, run.against.is_some(), &run.plan, &mut records);
    Ok((run, records))
}

fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".into() } else { quoted_path(file) }
}

/// At most one byte more than is imported, by which the document is seen to be too long.
fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input: &mut dyn Read = if file == Path::new("-") { &mut io::stdin() } else { &mut file::open(file)? };
    input.take(most::DOCUMENT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn imported((run, records): &(Run, Vec<Record>)) -> String {
    let (number, scenario, machine) = (run.id, &run.scenario.name, answer(run, records).measured_on);
    let day = run.started.get(..10).unwrap_or(&run.started);
    format!("run {number}: {scenario} of {day}, on {machine}; {}\n", run.command(&format!("show {number}")))
}
