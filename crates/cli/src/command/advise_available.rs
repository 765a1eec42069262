//! Libraries that are here now, of those that a question asks for and a stored run lacks: an answer without them may be another one soon.

use ciphermeter_core::{Record, Scenario};
use ciphermeter_meter::Source;

use crate::args::WorkersOption;
use crate::command::workers::ask;
use crate::sources::{Wish, gather};

/// Their names. Only workers of libraries that the records lack are started, and one that is broken hides none of the answer.
pub fn available(scenario: &Scenario, records: &[Record], workers: &WorkersOption) -> Vec<String> {
    let is_lacking = |name: &str| {
        name != "ceiling" && scenario.names_provider(name) && records.iter().all(|record| record.cell.provider != name)
    };
    let named = scenario.cells.iter().flat_map(|block| &block.providers);
    if !named.into_iter().any(|name| is_lacking(name)) {
        return Vec::new();
    }
    let found = gather(&Wish { scenario: Some(scenario), ..Wish::everything(workers) });
    let mut sources = found.map(|found| found.sources).unwrap_or_default();
    sources.retain(|source| is_lacking(&source.name));
    sources.retain(offers_its_own);
    sources.into_iter().map(|source| source.name).collect()
}

fn offers_its_own(source: &Source) -> bool {
    let described = source.command().and_then(|command| ask(command, false).ok());
    described.is_some_and(|described| described.offers.iter().any(|offer| offer.provider == source.provider))
}
