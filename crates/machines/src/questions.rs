//! What the table is asked: which of two ciphers, on messages of which sizes, from runs of which scenario.

use std::collections::BTreeSet;

use ciphermeter_core::Record;

use crate::share::Shared;

/// A question of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableQuestion {
    /// Its name in links.
    pub id: String,
    /// The question in a few words.
    pub title: String,
    /// The scenario that answers it.
    pub scenario: String,
    /// Bytes of the longest messages that count; `None`: all count.
    largest: Option<u64>,
}

/// The questions that have a name of their own.
const NAMED: [(&str, &str, &str, Option<u64>); 3] = [
    ("ciphers", "AES or ChaCha20?", "messages", None),
    ("small", "Small messages, up to 256 B", "messages", Some(256)),
    ("disks", "Disk sectors: AES-XTS or Adiantum?", "disk", None),
];

/// The questions that these runs answer: first those with a name of their own, then one for each other scenario.
pub fn questions<'a>(runs: impl Iterator<Item = &'a Shared> + Clone) -> Vec<TableQuestion> {
    let has = |scenario: &str| runs.clone().any(|shared| shared.run.scenario.name == scenario);
    let named = NAMED.iter().filter(|(_, _, scenario, _)| has(scenario)).map(|(id, title, scenario, largest)| {
        TableQuestion { id: (*id).into(), title: (*title).into(), scenario: (*scenario).into(), largest: *largest }
    });
    let is_named = |scenario: &str| NAMED.iter().any(|(_, _, named, _)| *named == scenario);
    let others: BTreeSet<(&str, &str)> = runs
        .clone()
        .map(|shared| (shared.run.scenario.name.as_str(), shared.run.scenario.title.as_str()))
        .filter(|(scenario, _)| !is_named(scenario))
        .collect();
    let others = others.into_iter().map(|(scenario, title)| TableQuestion {
        id: format!("of-{scenario}"),
        title: title.into(),
        scenario: scenario.into(),
        largest: None,
    });
    named.chain(others).collect()
}

impl TableQuestion {
    /// The records of a run that count; `None` where it is of another scenario.
    pub fn counted(&self, shared: &Shared) -> Option<Vec<Record>> {
        let counts = |record: &&Record| self.largest.is_none_or(|most| record.cell.parameters.message() <= most);
        let records = || shared.records.iter().filter(counts).cloned().collect();
        (shared.run.scenario.name == self.scenario).then(records)
    }
}
