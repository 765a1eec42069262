//! A run's main figure, as SVG and as PNG: what a thesis or a report shows of it.
//!
//! Which figure that is, its kind decides (`docs/exports.md` lists them); what it compares, the first screen. A cell with fewer than six
//! undisturbed forks is not drawn, as it has no figure elsewhere, and the caption says so. The same run gives the same bytes. However many
//! cells a run has, the page has a bounded number of panels, lines and rows, and the caption says how many are not drawn.

mod along;
mod bars;
mod calls;
mod canvas;
mod caption;
mod cell;
mod contenders;
mod course;
mod devices;
mod font;
mod lines;
mod look;
mod looks;
mod memory;
mod moved;
mod page;
mod png;
mod ratios;
mod rows;
mod scale;
mod sheet;
mod sizes;
mod split;
mod threads;

use std::collections::BTreeSet;
use std::fmt;

use ciphermeter_core::{Kind, Outcome, Record, Run};
use ciphermeter_stats::LEAST_FORKS;

use crate::device::{cost, is_on_device, of_this_machine};
use crate::measured::measured;
use crate::screen::chosen;
use sheet::Sheet;

/// Where single calls were timed at no more sizes than this, they are what the run is about.
const SIZES_OF_CALLS: usize = 2;

/// Why a run has no figure, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undrawable(String);

impl fmt::Display for Undrawable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Undrawable {}

/// The run's main figure as SVG.
///
/// # Errors
/// The run has nothing to draw.
pub fn svg(run: &Run, records: &[Record]) -> Result<String, Undrawable> {
    let sheet = sheet(run, records).ok_or_else(|| nothing(run, records))?;
    page::draw(&sheet).map_err(|error| Undrawable(format!("cannot draw run {}: {error}", run.id)))
}

/// The same as PNG, 2560 pixels wide.
///
/// # Errors
/// The run has nothing to draw.
pub fn png(run: &Run, records: &[Record]) -> Result<Vec<u8>, Undrawable> {
    let svg = svg(run, records)?;
    png::render(&svg).map_err(|error| Undrawable(format!("cannot draw run {}: {error}; try --format svg", run.id)))
}

/// The figure that belongs to the run's kind.
fn sheet(run: &Run, records: &[Record]) -> Option<Sheet> {
    if run.scenario.kind == Kind::Sustained {
        return course::course_of(run, records);
    }
    if run.against.is_some() {
        return ratios::against(run, records);
    }
    if run.scenario.copies.is_some() {
        return ratios::self_check(run, records);
    }
    if run.scenario.kind == Kind::Parallel {
        return split::split(run, records);
    }
    if run.scenario.kind == Kind::Transfer {
        return moved::moved(run, records);
    }
    if records.iter().any(is_on_device) {
        // Where no device has anything to draw, this machine's libraries may.
        return devices::devices(run, records).or_else(|| of_machine(run, &of_this_machine(records)));
    }
    of_machine(run, records)
}

/// Of messages on this machine: the main figure, and below it memory.
fn of_machine(run: &Run, records: &[Record]) -> Option<Sheet> {
    let main = of_messages(run, records);
    match (main, memory::panel(records)) {
        (Some(mut sheet), Some(panel)) => {
            memory::add(&mut sheet, panel);
            Some(sheet)
        }
        (None, Some(_)) => memory::memory(run, records),
        (main, None) => main,
    }
}

/// Of calls on messages: by size where there are several, else what else was measured, else one bar a cell.
fn of_messages(run: &Run, records: &[Record]) -> Option<Sheet> {
    let chosen = chosen(records).filter(|chosen| !chosen.libraries.is_empty());
    let timed = records.iter().filter(|record| !record.latency.is_empty() && measured(record).is_some());
    let sizes: BTreeSet<u64> = timed.map(|record| record.cell.parameters.message()).collect();
    let calls = || if sizes.len() <= SIZES_OF_CALLS { calls::calls(run, records) } else { None };
    calls()
        .or_else(|| sizes::pair(run, records, chosen.as_ref()?))
        .or_else(|| threads::threads(run, records))
        .or_else(|| sizes::libraries(run, records))
        .or_else(|| bars::bars(run, records, chosen.as_ref()))
}

fn nothing(run: &Run, records: &[Record]) -> Undrawable {
    let id = run.id;
    if records.iter().any(|record| is_on_device(record) && cost(record).is_some()) {
        let csv = run.command(&format!("export {id} --format csv"));
        let why = "no device has figures of two sizes, and a figure is drawn by size";
        return Undrawable(format!("run {id} has nothing to draw: {why}; `{csv}` has all figures"));
    }
    let forks = records.iter().filter_map(measured).map(|summary| summary.forks).max();
    let wrong = records.iter().any(|record| matches!(record.outcome, Outcome::WrongOutput { .. }));
    let why = match forks {
        Some(forks) if (forks as usize) < LEAST_FORKS => format!(
            "no cell has the {LEAST_FORKS} undisturbed forks that a figure takes, the most is {forks}: measure longer with --budget"
        ),
        None if wrong => "no cell was measured, and some gave wrong output".into(),
        None => "no cell was measured".into(),
        Some(_) => "none of its cells belongs into a figure".into(),
    };
    let all = run.command(&format!("show {id} --all"));
    Undrawable(format!("run {id} has nothing to draw: {why}; `{all}` prints all that it has"))
}

#[cfg(test)]
mod tests;
