//! `list`: the stored runs, a line each; and what can be measured.

mod layout;
mod providers;

use anyhow::Result;
use ciphermeter_core::{Algorithm, Family, Kind, Operation, Scenario, Selection};
use ciphermeter_report::{LEFT, RIGHT, TableColumn, plain_table};
use ciphermeter_store::{ListedRun, Store};

use crate::args::{ListCommand, StoreOption};
use crate::exit::Exit;
use crate::{folders, output, scenarios};
use layout::{indented, joined};

/// Prints the stored runs, or whatever else is named.
pub fn list(what: Option<ListCommand>, store: &StoreOption) -> Result<Exit> {
    let text = match what {
        None => runs(store)?,
        Some(ListCommand::Scenarios) => scenarios::all()?.iter().map(scenario).collect::<Vec<_>>().join("\n"),
        Some(ListCommand::Providers { workers }) => providers::text(&workers)?,
        Some(ListCommand::Algorithms) => algorithms(),
    };
    output::print(&text).map(|()| Exit::Fine)
}

fn runs(option: &StoreOption) -> Result<String> {
    let runs = Store::open_read_only(&folders::store(option)?)?.list()?;
    let columns = [
        ("run", TableColumn { least: 5, ..RIGHT }),
        ("started (UTC)", TableColumn { gap: 2, least: 20, ..LEFT }),
        ("scenario", TableColumn { gap: 2, least: 14, most: 14, ..LEFT }),
        ("status", TableColumn { least: 11, ..LEFT }),
        ("cells", TableColumn { least: 6, ..RIGHT }),
        ("forks", TableColumn { least: 8, ..RIGHT }),
        ("rounds", TableColumn { least: 7, ..RIGHT }),
    ];
    let row = |run: ListedRun| {
        let [cells, forks, rounds] = [run.cells, run.forks, run.rounds].map(|count| count.to_string());
        [run.id.to_string(), run.started, run.scenario, run.status.to_string(), cells, forks, rounds]
    };
    Ok(plain_table(columns, runs.into_iter().map(row)))
}

/// A scenario: its name and title, when it ends, and each block's lists.
fn scenario(scenario: &Scenario) -> String {
    let Scenario { name, kind, title, budget, precision, copies, cells } = scenario;
    let default = if name == scenarios::DEFAULT { " (the default)" } else { "" };
    let mut text = format!("{name}{default}: {title}\n");
    text += &indented(&match kind {
        Kind::Sustained => format!("for {budget}, with the algorithm that `send` would take"),
        _ => format!("at most {budget}, less if all ratios are known to {precision} before"),
    });
    if let Some(copies) = copies {
        text += &indented(&format!("each provider under {} names", copies.names));
    }
    cells.iter().for_each(|block| text += &indented(&lists(block)));
    text
}

fn lists(block: &Selection) -> String {
    let mut text = format!("{}: {}", joined(&block.algorithms), joined(&block.operations));
    text +=
        &format!("; messages of {}; aad of {}; {}", joined(&block.messages), joined(&block.aad), joined(&block.forms));
    if !block.threads.iter().all(|threads| threads.is_one()) {
        text += &format!("; threads: {}", joined(&block.threads));
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

fn algorithms() -> String {
    let columns = [
        ("algorithm", TableColumn { least: 19, ..LEFT }),
        ("family", TableColumn { least: 7, ..LEFT }),
        ("key", TableColumn { least: 5, ..RIGHT }),
        ("nonce", TableColumn { least: 5, ..RIGHT }),
        ("tag", TableColumn { least: 5, ..RIGHT }),
        ("operations", TableColumn { gap: 2, ..LEFT }),
    ];
    let row = |algorithm: &Algorithm| {
        let family = match algorithm.family() {
            Family::Aead => "AEAD",
            Family::Bare => "bare",
            Family::Ceiling => "ceiling",
        };
        let operations: Vec<_> = Operation::ALL.iter().filter(|operation| algorithm.has(**operation)).collect();
        let [key, nonce, tag] =
            [algorithm.key_bytes(), algorithm.nonce_bytes(), algorithm.tag_bytes()].map(|bytes| bytes.to_string());
        [algorithm.to_string(), family.into(), key, nonce, tag, joined(&operations)]
    };
    plain_table(columns, Algorithm::ALL.iter().map(row))
}
