//! A cell over time.

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::shell::{minute, page, path, problem};
use crate::problem::Problem;
use crate::runs::Moment;
use crate::state::Server;

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
        div.wide tabindex="0" role="region" aria-label="Figures" {
            table {
                thead {
                    tr {
                        th scope="col" { "began" }
                        th scope="col" { "machine" }
                        th scope="col" { "time ÷ reference" }
                        th scope="col" { "95 % interval" }
                        th scope="col" { "reference" }
                        th scope="col" { "ns a call" }
                        th scope="col" { "version" }
                    }
                }
                tbody { @for moment in moments { (row(moment)) } }
            }
        }
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
