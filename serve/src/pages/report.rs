//! The binary's own page of a run, or of two side by side.

use std::collections::BTreeSet;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use ciphermeter_core::{Record, Run};
use ciphermeter_report::{Stored, Undrawable, html, page_policy};
use serde::Deserialize;

use super::shell::problem;
use crate::problem::Problem;
use crate::received::restored;
use crate::state::Server;

pub async fn report(State(server): State<Server>, Path(run): Path<String>) -> Response {
    drawn(&server, vec![run]).await
}

#[derive(Deserialize)]
pub struct Both {
    a: String,
    b: String,
}

pub async fn compare(State(server): State<Server>, Query(Both { a, b }): Query<Both>) -> Response {
    drawn(&server, vec![a, b]).await
}

async fn drawn(server: &Server, runs: Vec<String>) -> Response {
    match page(server, runs).await {
        // It has its style and script in itself, and names both by their hashes.
        Ok(page) => ([("content-security-policy", page_policy())], Html(page)).into_response(),
        Err(why) => problem(&why),
    }
}

async fn page(server: &Server, digests: Vec<String>) -> Result<String, Problem> {
    let (mut found, mut documents) = (BTreeSet::new(), Vec::new());
    for digest in &digests {
        let digest = server.found(digest).await?.digest;
        documents.push(server.document(&digest).await?);
        if !found.insert(digest) {
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "A and B are the same run: choose two"));
        }
    }
    let page = server.busy(move || -> anyhow::Result<Result<String, Undrawable>> {
        let runs: Vec<(Run, Vec<Record>)> =
            documents.iter().map(|document| restored(document)).collect::<Result<_, _>>()?;
        let stored: Vec<Stored> = runs.iter().map(|(run, records)| Stored { run, records }).collect();
        Ok(html(&stored))
    });
    page.await??.map_err(|why| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why.to_string()))
}
