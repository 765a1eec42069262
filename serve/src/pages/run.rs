//! One run: its answer, and every cell with a link to its history.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use ciphermeter_answer::Answer;
use ciphermeter_core::Record;
use ciphermeter_report::{answer, gb_per_s};
use maud::{Markup, html};

use super::shell::{minute, page, path, problem, table};
use crate::problem::Problem;
use crate::received::restored;
use crate::runs::StoredRun;
use crate::state::Server;

pub async fn run(State(server): State<Server>, Path(digest): Path<String>) -> Response {
    match made(&server, &digest).await {
        Ok(page) => page.into_response(),
        Err(why) => problem(&why),
    }
}

async fn made(server: &Server, digest: &str) -> Result<Markup, Problem> {
    let stored = server.found(digest).await?;
    let document = server.document(&stored.digest).await?;
    let page = server.busy(move || -> anyhow::Result<Markup> {
        let (run, records) = restored(&document)?;
        Ok(shown(&stored, &answer(&run, &records), &records))
    });
    Ok(page.await??)
}

fn shown(stored: &StoredRun, answer: &Answer, records: &[Record]) -> Markup {
    let run = path("/runs/", &stored.digest);
    let body = html! {
        p { (answer.question) " " (answer.measured_on) "." }
        @for (place, sentence) in answer.sentences.iter().enumerate() {
            p.answer[place == 0] { (sentence) }
        }
        @for line in &answer.config { pre { (line) } }
        @for note in &answer.notes { p.note { (note) } }
        p {
            a href=(format!("{run}/report")) { "The report, with figures" }
            " · "
            a href=(format!("/api{run}/export")) { "The export, as JSON" }
            " · "
            a href=(path("/machines/", &stored.machine)) { "Other runs of " (stored.machine) }
        }
        (table("Cells", &["cell", "ns a call", "GB/s", "version"], records.iter().map(row)))
    };
    page(&format!("{} of {}, {}", stored.scenario, minute(&stored.started), stored.machine), &body)
}

fn row(record: &Record) -> Markup {
    let cell = record.cell.to_string();
    let range = record.summary.as_ref().map(|summary| summary.range);
    let rate = range.and_then(|range| gb_per_s(&record.cell, range)).map(|rate| format!("{:.3}", rate.mid));
    html! {
        tr {
            th scope="row" { a href=(path("/cell?cell=", &cell)) { (cell) } }
            td.number { (range.map_or_else(|| "no figure".into(), |range| format!("{:.1}", range.mid))) }
            td.number { (rate.unwrap_or_default()) }
            td { (record.provenance.as_ref().map(|from| from.version.as_str()).unwrap_or_default()) }
        }
    }
}
