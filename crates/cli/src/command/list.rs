//! `list`: the stored runs, a line each; and what can be measured.

mod layout;
mod providers;

use anyhow::Result;
use ciphermeter_core::{Algorithm, Family, Kind, Operation, Scenario, Selection, escaped};
use ciphermeter_store::Store;

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
    let mut text = format!(
        "{:>5}  {:<20}  {:<14} {:<11} {:>6} {:>8} {:>7}\n",
        "run", "started (UTC)", "scenario", "status", "cells", "forks", "rounds"
    );
    for run in runs {
        text += &format!(
            "{:>5}  {:<20}  {:<14} {:<11} {:>6} {:>8} {:>7}\n",
            run.id,
            run.started,
            column(&run.scenario, 14),
            run.status,
            run.cells,
            run.forks,
            run.rounds
        );
    }
    Ok(text)
}

/// What fits into a column.
fn column(text: &str, width: usize) -> String {
    let mut fits: String = escaped(text).chars().take(width).collect();
    if text.chars().count() > width {
        fits.pop();
        fits.push('…');
    }
    fits
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
    let mut text =
        format!("{:<19} {:<7} {:>5} {:>5} {:>5}  {}\n", "algorithm", "family", "key", "nonce", "tag", "operations");
    for algorithm in Algorithm::ALL {
        let family = match algorithm.family() {
            Family::Aead => "AEAD",
            Family::Bare => "bare",
            Family::Ceiling => "ceiling",
        };
        let operations: Vec<_> = Operation::ALL.iter().copied().filter(|operation| algorithm.has(*operation)).collect();
        text += &format!(
            "{:<19} {:<7} {:>5} {:>5} {:>5}  {}\n",
            algorithm.as_str(),
            family,
            algorithm.key_bytes(),
            algorithm.nonce_bytes(),
            algorithm.tag_bytes(),
            joined(&operations)
        );
    }
    text
}
