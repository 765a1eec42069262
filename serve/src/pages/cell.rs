//! A cell over time.

use std::collections::BTreeSet;

use axum::extract::{Query, State};
use ciphermeter_answer::movement::LEAST_RUNS;
use maud::{Markup, html};
use serde::Deserialize;

use super::figure::compared;
use super::shell::{minute, page, path, table};
use crate::movements::Moved;
use crate::problem::Problem;
use crate::runs::{MOST, Moment};
use crate::state::Server;

const HEADS: [&str; 7] = ["began", "machine", "time ÷ reference", "95 % interval", "reference", "ns a call", "version"];
/// Machines with a figure.
const MOST_FIGURES: usize = 6;
/// Rows of the table.
const MOST_ROWS: usize = 200;

#[derive(Deserialize)]
pub struct Which {
    cell: String,
    machine: Option<String>,
}

pub async fn cell(
    State(server): State<Server>,
    Query(Which { cell, machine }): Query<Which>,
) -> Result<Markup, Problem> {
    let moments = server.database.moments(&cell, machine.as_deref()).await?;
    if moments.is_empty() {
        return Err(Problem::missing("cell"));
    }
    let moved = server.database.moved(machine.as_deref(), Some(&cell)).await?;
    Ok(shown(&cell, &moments, &moved))
}

fn shown(cell: &str, moments: &[Moment], moved: &[Moved]) -> Markup {
    let machines: BTreeSet<&str> = moments.iter().map(|moment| moment.machine.as_str()).collect();
    let machines: Vec<(&str, Vec<&Moment>)> =
        machines.into_iter().map(|machine| (machine, compared(moments, machine))).collect();
    let machines: Vec<&(&str, Vec<&Moment>)> = machines.iter().filter(|(_, own)| !own.is_empty()).collect();
    let body = html! {
        p {
            "Times of different machines, and of one machine on different days, differ for many reasons. A ratio to a reference "
            "that was measured in the same rounds outlives most of them."
        }
        @for (machine, own) in machines.iter().take(MOST_FIGURES) { (figure(cell, machine, own, (moments, moved))) }
        @if machines.len() > MOST_FIGURES {
            p.hint { "Figures of " (machines.len() - MOST_FIGURES) " more machines: choose one in the table." }
        }
        (table("Figures", &HEADS, moments.iter().take(MOST_ROWS).map(|moment| row(cell, moment))))
        @if moments.len() > MOST_ROWS {
            p.hint {
                "The latest " (MOST_ROWS) " figures: choose a machine, or read "
                a href=(path("/api/cells?cell=", cell)) { "up to " (MOST) " as JSON" } "."
            }
        }
    };
    page(cell, &body)
}

/// The cell's ratios on one machine; what moved stands below it, for those that don't see it.
fn figure(cell: &str, machine: &str, compared: &[&Moment], (moments, moved): (&[Moment], &[Moved])) -> Markup {
    let source = format!("{}{}", path("/cell.svg?cell=", cell), path("&machine=", machine));
    let steps: Vec<&Moved> = moved.iter().filter(|step| step.machine == machine).collect();
    html! {
        figure {
            picture {
                // The other one's letters would be half as high there.
                source media="(max-width: 34rem)" srcset={ (source) "&narrow=true" };
                img src=(source) alt=(format!("{cell} on {machine}: time ÷ time of the reference in each run")) loading="lazy";
            }
            figcaption {
                @if steps.is_empty() { p { (still(cell, machine, compared)) } }
                @if let Some(older) = other_reference(machine, compared, moments) {
                    p { "Until " (minute(&older.started)) ", its reference was " (older.reference) ": those runs are a series of their own." }
                }
                @for step in &steps {
                    p {
                        a href=(path("/movements?machine=", machine)) { (minute(&step.started)) }
                        (format!(": {:+.1} % time, {}: {}.", (step.change[0] - 1.0) * 100.0, step.cause, step.reason))
                    }
                }
            }
        }
    }
}

/// The latest run whose ratio is to another reference than those that are compared.
fn other_reference<'a>(machine: &str, compared: &[&Moment], moments: &'a [Moment]) -> Option<&'a Moment> {
    let first = compared.first()?;
    let is_other = |moment: &&Moment| moment.series == first.series && moment.reference != first.reference;
    moments.iter().filter(|moment| moment.machine == machine && moment.ratio.is_some()).find(is_other)
}

/// What is known where no step was found.
fn still(cell: &str, machine: &str, compared: &[&Moment]) -> String {
    if compared.iter().all(|moment| moment.reference == cell) {
        return format!("On {machine} it is the reference: its own ratio is 1, and where it moves, others' ratios do.");
    }
    match compared.len() {
        few if few < LEAST_RUNS => format!("Too few runs of {machine} to find a step: {few} of {LEAST_RUNS}."),
        runs => format!("No step was found on {machine} in {runs} runs."),
    }
}

fn row(cell: &str, moment: &Moment) -> Markup {
    let own = format!("{}{}", path("/cell?cell=", cell), path("&machine=", &moment.machine));
    html! {
        tr {
            th.moment scope="row" { a href=(path("/runs/", &moment.run)) { (minute(&moment.started)) } }
            td {
                a href=(own) { (moment.machine) }
                @if moment.series.is_empty() { small { "alone: on part of the CPU's instructions, or with --against" } }
            }
            td.number { (moment.ratio.map(|[mid, ..]| format!("{mid:.4}")).unwrap_or_default()) }
            td.number { (moment.ratio.map(|[_, low, high]| format!("{low:.4} to {high:.4}")).unwrap_or_default()) }
            td.name { (moment.reference) }
            td.number { (format!("{:.1}", moment.ns)) }
            td { (moment.version) }
        }
    }
}
