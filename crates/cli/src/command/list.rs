//! `list`: the stored runs, a line each; and what can be measured.

mod algorithms;
mod providers;

use anyhow::Result;
use ciphermeter_core::{Bytes, Copies, Kind, RunStatus, Scenario, Selection, escaped_json};
use ciphermeter_report::{LEFT, RIGHT, TableColumn, ended, plain_table};
use ciphermeter_store::{ListedRun, Store};
use ciphermeter_terminal::output::{hanging, joined, page_width};
use ciphermeter_terminal::{Exit, output};
use serde::Serialize;

use crate::args::{ListCommand, StoreOption};
use crate::{folders, scenarios, spot};

/// What of the schema of `list --json` is its own.
pub const LIST_SCHEMA: &str = include_str!("list.schema.json");

/// Prints the stored runs, or whatever else is named.
pub fn list(what: Option<ListCommand>, json: bool, store: &StoreOption) -> Result<Exit> {
    let text = match what {
        None => runs(json, store)?,
        Some(ListCommand::Scenarios { named }) => {
            scenarios::named(&named)?.iter().map(scenario).collect::<Vec<_>>().join("\n")
        }
        Some(ListCommand::Providers { workers }) => providers::text(&workers)?,
        Some(ListCommand::Algorithms { json: true, named }) => algorithms::json(&named)?,
        Some(ListCommand::Algorithms { named, .. }) if named.is_empty() => algorithms::table(),
        Some(ListCommand::Algorithms { named, .. }) => algorithms::properties(&named),
    };
    output::print(&text).map(|()| Exit::Fine)
}

/// A run of the list.
#[derive(Serialize)]
struct Listed {
    run: i64,
    started: String,
    what: String,
    imported: bool,
    status: RunStatus,
    #[serde(skip)]
    is_measuring: bool,
    cells: u64,
    forks: u64,
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    runs: Vec<Listed>,
}

fn runs(json: bool, option: &StoreOption) -> Result<String> {
    let store = Store::open_read_only(&folders::store(option)?)?;
    let is_locked = folders::is_locked(store.path());
    let listed = |run: ListedRun| {
        let imported = run.is_imported;
        let is_measuring = is_locked && !imported;
        let (what, ListedRun { id, started, status, cells, forks, .. }) = (what(&run), run);
        Listed { run: id, started, what, imported, status, is_measuring, cells, forks }
    };
    let runs: Vec<Listed> = store.list()?.into_iter().map(listed).collect();
    if json {
        let text = serde_json::to_string_pretty(&Document { schema: 1, runs })?;
        return Ok(escaped_json(&text).into_owned() + "\n");
    }
    let columns = [
        ("run", TableColumn { least: 5, ..RIGHT }),
        ("started (UTC)", TableColumn { gap: 2, least: 16, most: 16, ..LEFT }),
        ("what", TableColumn { gap: 2, least: 14, most: 31, ..LEFT }),
        ("status", TableColumn { least: 11, ..LEFT }),
        ("cells", TableColumn { least: 5, ..RIGHT }),
        ("forks", TableColumn { least: 5, ..RIGHT }),
    ];
    let row = |Listed { run, started, what, status, is_measuring, cells, forks, .. }: Listed| {
        // To the minute, as people read it.
        let started = started.get(..16).unwrap_or(&started).replace('T', " ");
        [run.to_string(), started, what, ended(status, is_measuring), cells.to_string(), forks.to_string()]
    };
    Ok(plain_table(columns, runs.into_iter().map(row)))
}

/// What tells runs apart: the scenario, the lists that replaced its own, and the options that changed what was measured.
fn what(run: &ListedRun) -> String {
    let Some(scenario) = &run.scenario else { return "(damaged)".into() };
    let mut what = match scenario.name.as_str() {
        // It says nothing that the lists don't.
        spot::NAME => Vec::new(),
        name => vec![name.to_string()],
    };
    // First, as the end of what is long is cut off.
    what.splice(..0, run.is_imported.then(|| "(imported)".into()));
    what.extend(run.against.as_ref().map(|_| "--against".into()));
    what.extend(run.mask.map(|mask| mask.to_string()));
    if let (true, Some(block)) = (scenario.title == spot::LISTS, scenario.cells.first()) {
        let usual = spot::usual(&scenario.name).and_then(|usual| usual.cells.into_iter().next());
        let lists = |block: &Selection| {
            let Selection { algorithms, providers, operations, messages, working_sets, key_counts, .. } = block;
            let [set, keys] = [several(working_sets), several(key_counts)];
            // What nearly all runs have is not named.
            let set = if *working_sets == [Bytes(0)] { String::new() } else { format!("set {set}") };
            let keys = if *key_counts == [1] { String::new() } else { format!("keys {keys}") };
            [set, keys, several(algorithms), several(messages), several(providers), several(operations)]
        };
        let usual = usual.as_ref().map(lists).unwrap_or_default();
        what.extend(
            lists(block)
                .into_iter()
                .zip(usual)
                .filter(|(list, usual)| list != usual && !list.is_empty())
                .map(|(list, _)| list),
        );
    }
    what.join(" ")
}

/// `1KiB`, or `16+3` for it and three more.
fn several<T: ToString>(list: &[T]) -> String {
    match list {
        [] => "all".into(),
        [only] => only.to_string(),
        [first, others @ ..] => format!("{}+{}", first.to_string(), others.len()),
    }
}

/// A scenario: its name and title, when it ends, and each block's lists.
fn scenario(scenario: &Scenario) -> String {
    let Scenario { name, kind, title, budget, precision, copies, cells, .. } = scenario;
    let default = if name == scenarios::DEFAULT { " (the default)" } else { "" };
    let mut text = hanging(0, "", &format!("{name}{default}: {title}"), page_width());
    text += &hanging(
        2,
        "",
        &match kind {
            Kind::Sustained => format!("for {budget}, with the algorithm that `send` would take"),
            _ => format!("at most {budget}; ends early once all ratios are known to ±{precision}"),
        },
        page_width(),
    );
    if let Some(copies) = copies {
        text += &hanging(2, "", &copied(copies), page_width());
    }
    cells.iter().for_each(|block| text += &hanging(2, "", &lists(block), page_width()));
    text
}

/// `each provider under 16 names, 8 of fixed layout, slowed by 0.5%, 1%, and 4 copies of libcrypto's file`
fn copied(copies: &Copies) -> String {
    let mut text = format!("each provider under {} names", copies.names);
    if copies.fixed > 0 {
        text += &format!(", {} of fixed layout", copies.fixed);
    }
    if !copies.slowed.is_empty() {
        text += &format!(", slowed by {}", joined(&copies.slowed));
    }
    if copies.files > 0 {
        text += &format!(", and {} copies of libcrypto's file", copies.files);
    }
    text
}

fn lists(block: &Selection) -> String {
    let mut text = format!("{}: {}", joined(&block.algorithms), joined(&block.operations));
    text +=
        &format!("; messages of {}; aad of {}; {}", joined(&block.messages), joined(&block.aad), joined(&block.forms));
    if !block.threads.iter().all(|threads| threads.is_one()) {
        text += &format!("; threads: {}", joined(&block.threads));
    }
    if block.working_sets != [Bytes(0)] {
        text += &format!("; working sets of {}", joined(&block.working_sets));
    }
    if block.key_counts != [1] {
        text += &format!("; keys: {}", joined(&block.key_counts));
    }
    if block.latency {
        text += "; latency";
    }
    if block.memory {
        text += "; memory";
    }
    if !block.providers.is_empty() {
        text += &format!("; only {}", joined(&block.providers));
    }
    text
}
