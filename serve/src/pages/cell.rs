//! A cell over time.

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::shell::{minute, page, path, problem, table};
use crate::problem::Problem;
use crate::runs::Moment;
use crate::state::Server;

const HEADS: [&str; 7] = ["began", "machine", "time ÷ reference", "95 % interval", "reference", "ns a call", "version"];

#[derive(Deserialize)]
pub struct Which {
    cell: String,
    machine: Option<String>,
}

pub async fn cell(State(server): State<Server>, Query(which): Query<Which>) -> Response {
    match server.database.moments(&which.cell, which.machine.as_deref()).await {
        Ok(moments) if moments.is_empty() => problem(&Problem::missing("cell")),
        Ok(moments) => shown(&which.cell, &moments).into_response(),
        Err(error) => problem(&Problem::of(&error)),
    }
}

fn shown(cell: &str, moments: &[Moment]) -> Markup {
    let body = html! {
        p {
            "Times of different machines, and of one machine on different days, differ for many reasons. A ratio to a reference "
            "that was measured in the same rounds outlives most of them."
        }
        (table("Figures", &HEADS, moments.iter().map(row)))
    };
    page(cell, &body)
}

fn row(moment: &Moment) -> Markup {
    html! {
        tr {
            th.moment scope="row" { a href=(path("/runs/", &moment.run)) { (minute(&moment.started)) } }
            td { a href=(path("/machines/", &moment.machine)) { (moment.machine) } }
            td.number { (moment.ratio.map(|[mid, ..]| format!("{mid:.4}")).unwrap_or_default()) }
            td.number { (moment.ratio.map(|[_, low, high]| format!("{low:.4} to {high:.4}")).unwrap_or_default()) }
            td.name { (moment.reference) }
            td.number { (format!("{:.1}", moment.ns)) }
            td { (moment.version) }
        }
    }
}
