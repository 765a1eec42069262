//! Libraries that are here now, of those that a question asks for and a stored run lacks: an answer without them may be another one soon.

use anyhow::Result;
use ciphermeter_core::{Record, Scenario};
use ciphermeter_meter::Source;

use crate::args::WorkersOption;
use crate::command::workers::ask;
use crate::sources::{Wish, gather};

/// Their names. Only workers of libraries that the records lack are started.
pub fn available(scenario: &Scenario, records: &[Record], workers: &WorkersOption) -> Result<Vec<String>> {
    let is_lacking = |name: &str| {
        name != "ceiling" && scenario.names_provider(name) && records.iter().all(|record| record.cell.provider != name)
    };
    let named = scenario.cells.iter().flat_map(|block| &block.providers);
    if !named.into_iter().any(|name| is_lacking(name)) {
        return Ok(Vec::new());
    }
    let mut sources = gather(&Wish { scenario: Some(scenario), ..Wish::everything(workers) })?.sources;
    sources.retain(|source| is_lacking(&source.name));
    sources.retain(offers_its_own);
    Ok(sources.into_iter().map(|source| source.name).collect())
}

fn offers_its_own(source: &Source) -> bool {
    let described = source.command().and_then(|command| ask(command, false).ok());
    described.is_some_and(|described| described.offers.iter().any(|offer| offer.provider == source.provider))
}
