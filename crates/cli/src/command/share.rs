//! `export --share`: a stored run for others. What is written is shown first, all of its texts, and asked about.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{quoted_path, thousands};
use ciphermeter_machines::{Shared, beyond_use, pack, share as shared_run};
use ciphermeter_report::write_json_of_samples;
use ciphermeter_terminal::Exit;
use ciphermeter_terminal::output::{self, hanging};
use serde_json::Value;

use crate::args::StoreOption;
use crate::command::show::stored;
use crate::{new_file, run_output};

/// Columns of a field's name in what is shown.
const NAMES: usize = 14;
/// The most bytes of an answer to the question.
const MOST_ANSWER: u64 = 100;

pub fn share(id: Option<i64>, to: &Path, is_agreed: bool, option: &StoreOption) -> Result<Exit> {
    let name = to.to_string_lossy().to_lowercase();
    let is_packed = name.ends_with(".json.gz");
    if !is_packed && !name.ends_with(".json") && to != Path::new("-") {
        bail!("a shared run is JSON: end its file's name in .json.gz, to pack it, or in .json");
    }
    if !is_agreed && !io::stdin().is_terminal() {
        bail!("cannot ask for confirmation without a terminal: use --yes to write without asking");
    }
    run_output::check_writable(to, option)?;
    let (run, records) = stored(id, option)?;
    let shared = shared_run(&run, &records).map_err(|why| anyhow!("run {} cannot be shared: {why}", run.id))?;
    let document = document(&shared)?;
    output::say(&shown(&shared, &document)?);
    if let Some(why) = beyond_use(&shared.run, &shared.records) {
        output::tell(&format!("It is not fit for the table of machines: {why}"));
    }
    if !is_agreed && !agrees("Write it? [y/N] ")? {
        bail!("nothing is written");
    }
    if to == Path::new("-") {
        output::print_data(|out| out.write_all(&document))?;
    } else {
        let written = if is_packed { pack(&document)? } else { document };
        new_file::replace(to, |out| Ok(out.write_all(&written)?))
            .with_context(|| format!("cannot write {}: give another file", quoted_path(to)))?;
    }
    Ok(Exit::Fine)
}

/// What is written of a shared run.
pub fn document(shared: &Shared) -> Result<Vec<u8>> {
    let mut document = Vec::new();
    write_json_of_samples(&mut document, &shared.run, &shared.records)?;
    Ok(document)
}

/// Every text of the document under its field's name, read from the document itself, so that nothing is in it that is not shown.
fn shown(shared: &Shared, document: &[u8]) -> Result<String> {
    let mut texts = BTreeMap::new();
    collect(&serde_json::from_slice(document)?, "", &mut texts);
    let width = output::screen().width.clamp(NAMES + 20, 100);
    let mut lines = String::from("These texts will be written, and no others:\n");
    for (field, values) in &texts {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        lines += &hanging(2, &format!("{field:<NAMES$}"), &values.join(", "), width);
    }
    let samples: usize = shared.records.iter().flat_map(|record| &record.forks).map(|fork| fork.samples.len()).sum();
    let (cells, samples) = (shared.records.len(), thousands(samples as u64));
    let numbers = format!("{cells} verified cells, {samples} raw samples, seed {}", shared.run.seed);
    lines += &hanging(2, &format!("{:<NAMES$}", "numbers"), &numbers, width);
    if !shared.left_out.is_empty() {
        lines += &hanging(2, &format!("{:<NAMES$}", "left out"), &shared.left_out.join("; "), width);
    }
    Ok(lines)
}

/// All texts of a value, by the name of the part of a run, a host or a record that each is in.
fn collect(value: &Value, way: &str, into: &mut BTreeMap<String, BTreeSet<String>>) {
    match value {
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => drop(into.entry(way.to_owned()).or_default().insert(text.clone())),
        Value::Array(all) => all.iter().for_each(|one| collect(one, way, into)),
        Value::Object(all) => {
            let is_whole = ["", "records", "run", "host"].contains(&way);
            all.iter().for_each(|(own, one)| collect(one, if is_whole { own } else { way }, into));
        }
        _ => {}
    }
}

/// Asks until there is an answer; an empty line and the end of the input mean no.
fn agrees(question: &str) -> Result<bool> {
    loop {
        output::say(question);
        let mut answer = String::new();
        io::stdin().lock().take(MOST_ANSWER).read_line(&mut answer)?;
        match answer.trim() {
            "y" | "Y" | "yes" => return Ok(true),
            "" | "n" | "N" | "no" => return Ok(false),
            _ => output::say("Answer y or n.\n"),
        }
    }
}
