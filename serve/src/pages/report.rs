//! The binary's own page of a run, or of two side by side.

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse};
use ciphermeter_core::{Record, Run};
use ciphermeter_report::{Stored, Undrawable, html_of_machines, page_policy};
use serde::Deserialize;

use crate::problem::Problem;
use crate::received::restored;
use crate::runs::StoredRun;
use crate::state::Server;

pub async fn report(State(server): State<Server>, Path(run): Path<String>) -> Result<impl IntoResponse, Problem> {
    drawn(&server, vec![run]).await
}

#[derive(Deserialize)]
pub struct Both {
    a: String,
    b: String,
}

pub async fn compare(
    State(server): State<Server>,
    Query(Both { a, b }): Query<Both>,
) -> Result<impl IntoResponse, Problem> {
    drawn(&server, vec![a, b]).await
}

async fn drawn(server: &Server, runs: Vec<String>) -> Result<impl IntoResponse + use<>, Problem> {
    // It has its style and script in itself, and names both by their hashes.
    Ok(([("content-security-policy", page_policy())], Html(page(server, runs).await?)))
}

async fn page(server: &Server, digests: Vec<String>) -> Result<Bytes, Problem> {
    let mut found = Vec::new();
    for digest in &digests {
        let StoredRun { digest, machine, .. } = server.found(digest).await?;
        if found.iter().any(|(known, _)| *known == digest) {
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "A and B are the same run: choose two"));
        }
        found.push((digest, machine));
    }
    let names: Vec<String> = found.iter().flat_map(|(digest, machine)| [digest.clone(), machine.clone()]).collect();
    if let Some(report) = server.drawn.get(&names) {
        return Ok(report);
    }
    let mut documents = Vec::new();
    for (digest, machine) in found {
        documents.push((server.document(&digest).await?, machine));
    }
    let page = server.busy(move || -> anyhow::Result<Result<String, Undrawable>> {
        let runs: Vec<(Run, Vec<Record>, String)> = documents
            .into_iter()
            .map(|(document, machine)| restored(&document).map(|(run, records)| (run, records, machine)))
            .collect::<Result<_, _>>()?;
        let stored: Vec<Stored> = runs.iter().map(|(run, records, _)| Stored { run, records }).collect();
        let machines: Vec<&str> = runs.iter().map(|(.., machine)| machine.as_str()).collect();
        Ok(html_of_machines(&stored, &machines))
    });
    let page = page.await??.map_err(|why| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why.to_string()))?;
    let page = Bytes::from(page);
    server.drawn.keep(names, page.clone());
    Ok(page)
}
