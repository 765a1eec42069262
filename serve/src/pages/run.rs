//! One run: its answer, and every cell with a link to its history.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::shell::{minute, page, path, table};
use crate::problem::Problem;
use crate::runs::StoredRun;
use crate::shown::{Cell, Shown};
use crate::state::Server;

const HEADS: [&str; 5] = ["algorithm", "library", "ns a call", "GB/s", "version"];

pub async fn run(State(server): State<Server>, Path(digest): Path<String>) -> Result<Markup, Problem> {
    let stored = server.found(&digest).await?;
    let shown = server.shown(&stored.digest).await?;
    Ok(drawn(&stored, &shown))
}

fn drawn(stored: &StoredRun, shown: &Shown) -> Markup {
    let run = path("/runs/", &stored.digest);
    let body = html! {
        p { (shown.question) " " (shown.measured_on) "." }
        @if let Some(wrong) = &shown.wrong { p.answer { strong { (wrong) } } }
        @for (place, sentence) in shown.sentences.iter().enumerate() {
            p.answer[place == 0] { (sentence) }
        }
        @for line in &shown.config { pre { (line) } }
        @for note in &shown.notes { p.note { (note) } }
        p {
            a href=(format!("{run}/report")) { "The report, with figures" }
            " · "
            a href=(format!("/api{run}/export")) { "The export, as JSON" }
            " · "
            a href=(path("/machines/", &stored.machine)) { "Other runs of " (stored.machine) }
        }
        @for group in &shown.groups {
            h2 { (group.heading) }
            (table(&group.heading, &HEADS, group.cells.iter().map(row)))
        }
    };
    page(&format!("{} of {}, {}", stored.scenario, minute(&stored.started), stored.machine), &body)
}

fn row(cell: &Cell) -> Markup {
    html! {
        tr {
            th scope="row" { a href=(path("/cell?cell=", &cell.cell)) { (cell.algorithm) } }
            td { (cell.provider) }
            @match &cell.figure {
                Ok((ns, rate)) => {
                    td.number { (format!("{ns:.1}")) }
                    td.number { (rate.map(|rate| format!("{rate:.3}")).unwrap_or_default()) }
                }
                Err(why) => { td colspan="2" { (why) } }
            }
            td { (cell.version) }
        }
    }
}
