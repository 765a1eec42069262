//! Libraries that are here now beside those of a stored run: those that it lacks, and those that are no longer what it measured. An
//! answer may be another one with them.

use std::collections::BTreeMap;
use std::fs;

use ciphermeter_core::{Note, Record, Scenario, Topic};
use ciphermeter_host::file::sha256;
use ciphermeter_meter::Source;

use crate::args::WorkersOption;
use crate::command::advise_run::Stored;
use crate::sources::{Wish, gather};
use crate::workers::ask;

/// Their names. Only workers of libraries that the records lack are started, and one that is broken hides none of the answer.
pub fn available(scenario: &Scenario, of: &Stored, workers: &WorkersOption) -> Vec<String> {
    let has_figures = |name: &str| of.records.iter().any(|record| record.cell.provider == name);
    // A run with instructions disabled has left out what cannot do without them, and would again.
    let excludes =
        |note: &Note, name: &str| note.topic == Topic::Excluded && note.providers.iter().any(|own| own == name);
    let is_out = |name: &str| of.run.mask.is_some() && of.run.notes.iter().any(|note| excludes(note, name));
    let is_lacking =
        |name: &str| name != "ceiling" && scenario.names_provider(name) && !has_figures(name) && !is_out(name);
    let named = scenario.cells.iter().flat_map(|block| &block.providers);
    if !named.into_iter().any(|name| is_lacking(name)) {
        return Vec::new();
    }
    let found = gather(&Wish { scenario: Some(scenario), workers: workers.clone(), ..Wish::default() });
    let mut sources = found.map(|found| found.sources).unwrap_or_default();
    sources.retain(|source| is_lacking(&source.name));
    sources.retain(offers_its_own);
    sources.into_iter().map(|source| source.name).collect()
}

/// The largest file of a library that is read: a store may come from elsewhere, and name any file.
const LARGEST: u64 = 256 << 20;

/// What became of the files of libraries that the records' workers opened, a sentence each.
pub fn replaced(records: &[Record]) -> Vec<String> {
    let mut files = BTreeMap::new();
    for record in records {
        let Some(from) = &record.provenance else { continue };
        if let (Some(file), Some(sha256), None) = (&from.library, &from.sha256, &from.device) {
            files.insert((record.cell.provider.as_str(), file.as_str()), (sha256.as_str(), &from.version));
        }
    }
    let became = |((provider, file), (hash, version)): ((&str, &str), (&str, &String))| {
        let is_small = fs::metadata(file).is_ok_and(|known| known.len() <= LARGEST);
        match is_small.then(|| sha256(file).ok()).flatten() {
            Some(now) if now == hash => None,
            Some(_) => Some(format!("{provider} is no longer {version}, which was measured")),
            None => Some(format!("{provider}'s library {file}, which was measured, is not here")),
        }
    };
    files.into_iter().filter_map(became).collect()
}

fn offers_its_own(source: &Source) -> bool {
    let described = source.command().and_then(|command| ask(command, false).ok());
    described.is_some_and(|described| described.offers.iter().any(|offer| offer.provider == source.provider))
}
