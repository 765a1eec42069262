//! A run's figures, as SVG, PNG and CSV, and as panels for a page: what a thesis or a report shows of it.
//!
//! Which figure is its main one, its kind decides (`docs/exports.md` lists them); what it compares, the first screen. A cell with fewer than six
//! undisturbed forks is not drawn, as it has no figure elsewhere, and the caption says so. The same run gives the same bytes. However many
//! cells a run has, the page has a bounded number of panels, lines and rows, and the caption says how many are not drawn.

mod bars;
mod caption;
mod cell;
mod contenders;
mod course;
mod devices;
mod footprints;
mod gallery;
mod matrix;
mod metrics;
mod ratios;
mod side_by_side;
mod size_axis;
mod sizes;
mod split;
mod study;
mod styles;

pub use ciphermeter_chart::FigureWidth;
pub(crate) use ciphermeter_chart::Written;
pub(crate) use side_by_side::name_of;

use std::collections::BTreeSet;
use std::{fmt, io};

use ciphermeter_core::{Kind, Record, Run};
use ciphermeter_study::Measured;
use maud::Markup;

use crate::screen::{chosen, continuing};
use ciphermeter_answer::devices::cost;
use ciphermeter_answer::measured::{here, is_here, measured};
use ciphermeter_chart::sheet::Sheet;
use ciphermeter_chart::style::SeriesStyle;

/// Where single calls were timed at no more sizes than this, they are what the run is about.
const SIZES_OF_CALLS: usize = 2;

/// Why a run has no figure, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undrawable(pub(crate) String);

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
    main(run, records)?.svg(FigureWidth::Page)
}

/// The same as PNG, 2560 pixels wide.
///
/// # Errors
/// The run has nothing to draw.
pub fn png(run: &Run, records: &[Record]) -> Result<Vec<u8>, Undrawable> {
    main(run, records)?.png(FigureWidth::Page)
}

fn main(run: &Run, records: &[Record]) -> Result<Figure, Undrawable> {
    let sheet = sheet(run, records).ok_or_else(|| nothing(run, records))?;
    Ok(Figure { name: format!("run {}", run.id), sheet })
}

/// A figure of a run.
pub struct Figure {
    /// A name for its file: `throughput-seal-in-place`.
    pub name: String,
    sheet: Sheet,
}

/// All figures of a run: its main one first, then one for each further quantity that its records have.
pub fn figures(run: &Run, records: &[Record]) -> Vec<Figure> {
    let all = gallery::gallery(run, records, sheet(run, records));
    all.into_iter().map(|(name, sheet)| Figure { name, sheet }).collect()
}

/// Runs side by side: the cells that all of them have; `None` where they have none in common.
pub fn side_by_side(runs: &[(&Run, &[Record])]) -> Option<Figure> {
    side_by_side_of_machines(runs, &[])
}

/// The same with the names of the runs' machines, as far as there are any.
pub(crate) fn side_by_side_of_machines(runs: &[(&Run, &[Record])], machines: &[&str]) -> Option<Figure> {
    let name = |(place, (run, _)): (usize, &(&Run, &[Record]))| name_of(place, run, machines.get(place).copied());
    let names: Vec<String> = runs.iter().enumerate().map(name).collect();
    let sheet = if runs.len() > 1 { side_by_side::side_by_side(runs, &names) } else { None };
    sheet.map(|sheet| Figure { name: "side-by-side".into(), sheet })
}

/// The figures of a study: each of its tables that its claims rest on, with what was measured here beside it.
pub fn study_figures(measured: &Measured<'_>) -> Vec<Figure> {
    study::figures(measured).into_iter().map(|(name, sheet)| Figure { name, sheet }).collect()
}

/// What the figures of a page refer to; it stands in the page once.
///
/// # Errors
/// It cannot be drawn.
pub(crate) fn markers() -> Result<Markup, Undrawable> {
    markers_of(SeriesStyle::usual())
}

/// The same of a study's figures.
///
/// # Errors
/// It cannot be drawn.
pub(crate) fn markers_of_pairs() -> Result<Markup, Undrawable> {
    markers_of(SeriesStyle::pairs())
}

fn markers_of(styles: impl Iterator<Item = SeriesStyle>) -> Result<Markup, Undrawable> {
    ciphermeter_chart::markers(styles).map_err(|error| Undrawable(format!("cannot draw markers: {error}")))
}

/// The colors of styles as the figures have them, and as a page with a dark background has them: `#0072B2` and `#3D9BE0`.
pub(crate) fn colors() -> Vec<(String, String)> {
    let hex = |(red, green, blue): (u8, u8, u8)| format!("#{red:02X}{green:02X}{blue:02X}");
    SeriesStyle::usual().map(|style| (hex(style.color()), hex(style.dark_color()))).collect()
}

impl Figure {
    pub(crate) fn title(&self) -> &str {
        &self.sheet.title
    }

    /// What tells it from other figures of the same question.
    pub(crate) fn about(&self) -> String {
        let (_, of) = self.name.split_once('-').unwrap_or_default();
        of.replace('-', " ")
    }

    /// The figure as an element of a page, without the sentences of its caption that the page has, as `written` says.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub(crate) fn html(&self, id: &str, written: &mut Written) -> Result<Markup, Undrawable> {
        ciphermeter_chart::figure(id, &self.sheet, written).map_err(|error| self.undrawable(&error))
    }

    /// The figure as SVG.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn svg(&self, width: FigureWidth) -> Result<String, Undrawable> {
        ciphermeter_chart::draw(&self.sheet, width).map_err(|error| self.undrawable(&error))
    }

    /// The same as PNG, 2560 pixels wide across a page and 1344 across a column.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn png(&self, width: FigureWidth) -> Result<Vec<u8>, Undrawable> {
        ciphermeter_chart::render_png(&self.svg(width)?).map_err(|error| self.undrawable(&format!("{error}; try SVG")))
    }

    fn undrawable(&self, error: &dyn fmt::Display) -> Undrawable {
        Undrawable(format!("cannot draw {}: {error}", self.name))
    }

    /// Its values as CSV, a row a point: the figure's subtitle, the panel, the line or bar, x, y, and the ends of the interval.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, out: &mut dyn io::Write) -> io::Result<()> {
        ciphermeter_chart::write_csv(out, &self.sheet)
    }
}

/// The figure that belongs to the run's kind.
fn sheet(run: &Run, records: &[Record]) -> Option<Sheet> {
    match run.scenario.kind {
        Kind::Sustained => course::course_of(run, records),
        _ if run.against.is_some() => ratios::against(run, records),
        _ if run.scenario.copies.is_some() => ratios::self_check(run, records),
        Kind::Parallel => split::throughput(run, records),
        Kind::Transfer => bars::transfers(run, records),
        // Where no device has anything to draw, this machine's libraries may.
        _ if !records.iter().all(is_here) => {
            let own = || of_machine(run, &here(records)).map(gallery::of_this_machine);
            devices::devices(run, records).or_else(own)
        }
        _ => of_machine(run, records),
    }
    .or_else(|| metrics::metrics(run, records).next().map(|(_, sheet)| sheet))
}

/// Of messages on this machine: the main figure, and below it memory.
fn of_machine(run: &Run, records: &[Record]) -> Option<Sheet> {
    match (of_messages(run, records), bars::memory(run, records)) {
        (Some(mut sheet), Some(memory)) => {
            bars::add_memory(&mut sheet, memory);
            Some(sheet)
        }
        (main, memory) => main.or(memory),
    }
}

/// Of calls on messages: by size where there are several, else what else was measured, else one bar a cell.
fn of_messages(run: &Run, records: &[Record]) -> Option<Sheet> {
    let chosen = chosen(records).filter(|chosen| !chosen.libraries.is_empty());
    let timed = records.iter().filter(|record| !record.latency.is_empty() && measured(record).is_some());
    let sizes: BTreeSet<u64> = timed.map(|record| record.cell.parameters.message()).collect();
    let calls = || if sizes.len() <= SIZES_OF_CALLS { contenders::calls(run, records) } else { None };
    calls()
        .or_else(|| sizes::pair(run, records, chosen.as_ref()?))
        .or_else(|| contenders::threads(run, records))
        .or_else(|| sizes::libraries(run, records))
        .or_else(|| bars::bars(run, records, chosen.as_ref()))
}

/// Why a run has nothing to draw.
pub(crate) fn nothing(run: &Run, records: &[Record]) -> Undrawable {
    let id = run.id;
    if records.iter().any(|record| !is_here(record) && cost(record).is_some()) {
        let csv = run.command(&format!("export {id} --format csv"));
        let why = "no device has figures of two sizes, and a figure is drawn by size";
        return Undrawable(format!("run {id} has nothing to draw: {why}; `{csv}` has all figures"));
    }
    let answer = ciphermeter_answer::answer(run, records);
    let why =
        if answer.answered { "None of its cells belongs into a figure.".into() } else { answer.sentences.join(" ") };
    let all = || format!("`{}` prints all that it has", run.command(&format!("show {id} --all")));
    Undrawable(format!("run {id} has nothing to draw. {why} {}", continuing(run).unwrap_or_else(all)))
}

#[cfg(test)]
pub(crate) mod tests;
