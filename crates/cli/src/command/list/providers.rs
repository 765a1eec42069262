//! `list providers`: what every worker says of itself now, by the language from which it is called, and what is missing.
//! Nothing of this is remembered from another time.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use ciphermeter_core::escaped;
use ciphermeter_meter::{Missing, Surveyed};
use ciphermeter_terminal::output::{hanging, joined, page_width};

use crate::args::WorkersOption;
use crate::built_in::{PATIENCE, surveyed};
use crate::sources::{Sources, Wish, gather};
use crate::workers;

const BUILT_IN: &str = "native";
const CEILINGS: &str = "Ceilings";

pub fn text(option: &WorkersOption) -> Result<String> {
    let Sources { sources, notes, .. } = gather(&Wish { workers: option.clone(), ..Wish::default() })?;
    let (here, missing) = surveyed(&sources, PATIENCE)?;
    let foreign = languages(option)?;
    // In the order in which languages first come.
    let mut by_language: Vec<(String, Vec<&Surveyed>)> = Vec::new();
    for surveyed in &here {
        let language = language(surveyed, &foreign);
        match by_language.iter_mut().find(|(known, _)| *known == language) {
            Some((_, providers)) => providers.push(surveyed),
            None => by_language.push((language, vec![surveyed])),
        }
    }
    by_language.sort_by_key(|(language, _)| language == CEILINGS);
    let mut text = String::new();
    for (language, providers) in &by_language {
        text += &format!("{language}\n");
        providers.iter().for_each(|surveyed| text += &provider(surveyed));
        text += "\n";
    }
    let missing: Vec<String> = missing.iter().map(Missing::note).chain(notes).map(|note| note.to_string()).collect();
    let no_workers = foreign.is_empty().then(workers::none_found);
    if !missing.is_empty() || no_workers.is_some() {
        text += "Missing\n";
        missing.iter().chain(&no_workers).for_each(|why| text += &hanging(2, "", &escaped(why), page_width()));
        text += "\n";
    }
    // What shows the CPU's limits is no provider of ciphers.
    by_language.retain(|(language, _)| language != CEILINGS);
    let providers: usize = by_language.iter().map(|(_, providers)| providers.len()).sum();
    let languages = by_language.len();
    Ok(text + &format!("{providers} providers in {languages} languages, {} missing\n", missing.len()))
}

/// The language of each worker's folder, by the worker's name.
fn languages(option: &WorkersOption) -> Result<BTreeMap<String, String>> {
    let named = |worker: workers::Foreign| (worker.manifest.name, worker.manifest.language);
    Ok(workers::find(option)?.into_iter().map(named).collect())
}

/// Of the built-in worker, what was opened at run time is called as from C, what is linked in as from Rust.
fn language(surveyed: &Surveyed, foreign: &BTreeMap<String, String>) -> String {
    let opened = surveyed.offers.iter().any(|offer| offer.library.is_some());
    match foreign.get(&surveyed.worker) {
        _ if surveyed.source.provider == "ceiling" => CEILINGS.into(),
        Some(language) => escaped(language),
        None if opened => "C".into(),
        None => "Rust".into(),
    }
}

/// A provider: its versions, and each algorithm with the code path that it takes on this CPU.
fn provider(surveyed: &Surveyed) -> String {
    let Surveyed { source, worker, runtime, offers, .. } = surveyed;
    let versions: BTreeSet<&str> = offers.iter().map(|offer| offer.version.as_str()).collect();
    let versions = versions.into_iter().collect::<Vec<_>>().join("; ");
    let algorithms: Vec<_> = offers.iter().map(|offer| format!("{} ({})", offer.algorithm, offer.path)).collect();
    let moved = |text: &str| hanging(4, "", &escaped(text), page_width());
    let library = offers.iter().find_map(|offer| offer.library.as_deref());
    // The built-in worker's runtime is not what a library that it opened was built with.
    let opened = library.is_some() && worker == BUILT_IN;
    let runtime = if opened { String::new() } else { format!(" ({runtime})") };
    let mut text = hanging(2, "", &escaped(&format!("{} {versions}{runtime}", source.name)), page_width());
    text += &moved(&format!("{} algorithms (code path): {}", algorithms.len(), joined(&algorithms)));
    surveyed.lacks.iter().for_each(|why| text += &moved(&format!("lacking: {why}")));
    if let Some(library) = library {
        text += &moved(library);
    }
    text
}
