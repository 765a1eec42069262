//! The API: runs in, and everything out as JSON.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use ciphermeter_core::in_quotes;
use serde::Serialize;
use utoipa::{OpenApi, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::clock;
use crate::fleet::Fleet;
use crate::movements::{Moved, Note};
use crate::names::{MACHINE_NAME, is_digest, machine_name};
use crate::problem::Problem;
use crate::queries::{Nothing, Pushed, Which, WhichCell, WhichMoved, WhichNotes};
use crate::received::{Received, Refused, export};
use crate::runs::{MOST as MOST_RUNS, Moment, Put, Sender, StoredRun, Wanted};
use crate::state::{Busy, Server, Unread};
use crate::tokens::Scope;

#[derive(OpenApi)]
#[openapi(info(title = "Ciphermeter", description = "Runs of many machines: pushed, listed, read back."))]
struct Description;

/// All paths below `/api`, and their description at `/api/openapi.json`.
pub fn router() -> axum::Router<Server> {
    let (router, description) = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(push, runs))
        .routes(routes!(run))
        .routes(routes!(run_export))
        .routes(routes!(run_answer))
        .routes(routes!(machines))
        .routes(routes!(cells))
        .routes(routes!(movements))
        .routes(routes!(notes))
        .split_for_parts();
    let description = description.to_pretty_json().expect("a description is plain data");
    let json = [(CONTENT_TYPE, "application/json")];
    router.route("/api/openapi.json", axum::routing::get(|| async move { (json, description) }))
}

/// What became of a pushed run.
#[derive(Serialize, ToSchema)]
pub struct Taken {
    /// The run's digest.
    run: String,
    /// Whether it was not there before.
    is_new: bool,
    /// The digest of the run that was there of it before it was resumed, and is not any more.
    in_place_of: Option<String>,
    /// Its page.
    pub page: String,
    /// The machine's name.
    machine: String,
    /// The answer's first sentence.
    answer: String,
}

/// Takes an export of a run, as `ciphermeter export --format json` writes it.
///
/// The body may be compressed (`Content-Encoding: zstd` or `gzip`), and holds 64 MiB at most when it is not.
#[utoipa::path(post, path = "/api/runs", params(Pushed), request_body(content = Object, content_type = "application/json"),
    responses((status = 201, body = Taken), (status = 200, body = Taken, description = "It was there already."),
        (status = 409, body = Problem, description = "By the server's clock, it has not begun."),
        (status = 413, body = Problem), (status = 422, body = Problem)))]
async fn push(
    State(server): State<Server>,
    Extension(scope): Extension<Option<Scope>>,
    Query(pushed): Query<Pushed>,
    body: Body,
) -> Result<(StatusCode, Json<Taken>), Problem> {
    let (document, _memory) = server.body(body).await.map_err(unread)?;
    let name = pushed.machine.map(|name| named(&name)).transpose()?;
    let taken = server.take(name, document, scope == Some(Scope::Join)).await?;
    let status = if taken.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(taken)))
}

/// The status of a refusal: what two clocks say of a run is not for ever.
fn status(why: &Refused) -> StatusCode {
    match why {
        Refused::Future(_) => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

/// Why a body could not be read.
fn unread(why: Unread) -> Problem {
    match why {
        Unread::Long => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the run is longer than 64 MiB; measure with a shorter --budget",
        ),
        Unread::Broken => Problem::new(
            StatusCode::BAD_REQUEST,
            "the run did not come whole, or is not compressed as its header says; push again",
        ),
        Unread::Busy => Problem::of(&Busy.into()),
    }
}

impl Server {
    /// Takes an export: its run, the rows of its cells and what this version says of it. It `joined` where it came through a link to join.
    pub async fn take(&self, name: Option<String>, document: Vec<u8>, joined: bool) -> Result<Taken, Problem> {
        let now = clock::now();
        let received = self.reads({
            let now = now.clone();
            move || Received::of(&document, &now)
        });
        let received = received.await?;
        let run = received.map_err(|why| Problem::new(status(&why), why.to_string()))?;
        let machine = name.unwrap_or_else(|| run.judged.measured_on.clone());
        if joined && !run.is_of_page {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "a link to join sends runs of its page alone; push others with a token",
            ));
        }
        let put = self.database.put(Sender { machine: &machine, received: &now, joined }, &run).await?;
        self.has_come.notify_one();
        let taken = |digest, is_new, machine, answer| {
            let page = format!("/runs/{digest}");
            Taken { run: digest, is_new, in_place_of: None, page, machine, answer }
        };
        let answer = run.judged.answer;
        Ok(match put {
            Put::New => taken(run.digest, true, machine, answer),
            Put::InPlaceOf(shorter) => Taken { in_place_of: Some(shorter), ..taken(run.digest, true, machine, answer) },
            // It is known under the name that its first sender gave it.
            Put::There => {
                let machine = self.found(&run.digest).await?.machine;
                taken(run.digest, false, machine, answer)
            }
            Put::Within(longer) => {
                let StoredRun { digest, machine, answer, .. } = self.found(&longer).await?;
                taken(digest, false, machine, answer)
            }
            Put::OfOther => {
                let said = format!(
                    "there is a machine {} that did not join by a link: choose another name",
                    in_quotes(&machine)
                );
                return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, said));
            }
        })
    }
}

/// A machine's name, as it is stored.
fn named(name: &str) -> Result<String, Problem> {
    let name = machine_name(name).ok_or_else(|| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, MACHINE_NAME))?;
    Ok(name.into())
}

/// Runs, the latest first, 1000 at most.
#[utoipa::path(get, path = "/api/runs", params(Which), responses((status = 200, body = Vec<StoredRun>)))]
async fn runs(State(server): State<Server>, Query(which): Query<Which>) -> Result<Json<Vec<StoredRun>>, Problem> {
    let is_odd = |after: &String| which.before.is_none() || !is_digest(after);
    if which.after.as_ref().is_some_and(is_odd) {
        let said = "`after` is the digest of the last run of the list before, beside its `started` as `before`";
        return Err(Problem::new(StatusCode::BAD_REQUEST, said));
    }
    let wanted = Wanted {
        machine: which.machine.as_deref(),
        before: which.before.as_deref(),
        after: which.after.as_deref(),
        most: MOST_RUNS,
    };
    Ok(Json(server.database.runs(&wanted).await?))
}

/// A run, by its digest or the beginning of it.
#[utoipa::path(get, path = "/api/runs/{run}", params(("run" = String, Path,)),
    responses((status = 200, body = StoredRun), (status = 404, body = Problem)))]
async fn run(State(server): State<Server>, Path(run): Path<String>) -> Result<Json<StoredRun>, Problem> {
    Ok(Json(server.found(&run).await?))
}

/// A run's export as it came.
#[utoipa::path(get, path = "/api/runs/{run}/export", params(("run" = String, Path,)),
    responses((status = 200, body = Object), (status = 404, body = Problem)))]
async fn run_export(State(server): State<Server>, Path(run): Path<String>) -> Result<impl IntoResponse, Problem> {
    let document = server.document(&run).await?;
    let export = server.busy(move || export(&document)).await??;
    Ok(([(CONTENT_TYPE, "application/json")], export))
}

/// A run's answer, as `ciphermeter export` has it under `answer`.
#[utoipa::path(get, path = "/api/runs/{run}/answer", params(("run" = String, Path,)),
    responses((status = 200, body = Object), (status = 404, body = Problem)))]
async fn run_answer(State(server): State<Server>, Path(run): Path<String>) -> Result<impl IntoResponse, Problem> {
    let digest = server.found(&run).await?.digest;
    let shown = server.shown(&digest).await?;
    Ok(([(CONTENT_TYPE, "application/json")], shown.answer.get().to_owned()))
}

/// Every machine with its latest answer, and the cipher that serves all.
#[derive(Serialize, ToSchema)]
struct Machines {
    /// The cipher that serves all, in sentences.
    sentences: Vec<String>,
    /// That cipher; `null` where it is not known.
    serves_all: Option<String>,
    /// Machines that are faster with the other cipher.
    wrong_on: Vec<String>,
    /// Since when each machine's runs of the same ciphers and conditions recommend what this one does.
    since: BTreeMap<String, String>,
    /// Machines whose run here is stale.
    stale: Vec<String>,
    /// The latest run of each that compares what most compare, under the same conditions, else its latest run of others, or of anything.
    machines: Vec<StoredRun>,
}

/// Machines, in the order of their names, 1000 at most; sentences and lists of names are of all.
#[utoipa::path(get, path = "/api/machines", responses((status = 200, body = Machines)))]
async fn machines(State(server): State<Server>, Query(Nothing {}): Query<Nothing>) -> Result<Json<Machines>, Problem> {
    let Fleet { machines, answer, since, stale, .. } = server.fleet().await?;
    let serves_all = answer.serves_all.map(|algorithm| algorithm.to_string());
    Ok(Json(Machines { sentences: answer.sentences, serves_all, wrong_on: answer.wrong_on, since, stale, machines }))
}

/// A cell's figures over time, the latest first, 1000 at most.
#[utoipa::path(get, path = "/api/cells", params(WhichCell), responses((status = 200, body = Vec<Moment>)))]
async fn cells(State(server): State<Server>, Query(which): Query<WhichCell>) -> Result<Json<Vec<Moment>>, Problem> {
    Ok(Json(server.database.moments(&which.cell, which.machine.as_deref()).await?))
}

/// Cells that moved, the latest first, and at one moment the surest first; 5000 at most.
#[utoipa::path(get, path = "/api/movements", params(WhichMoved), responses((status = 200, body = Vec<Moved>)))]
async fn movements(State(server): State<Server>, Query(which): Query<WhichMoved>) -> Result<Json<Vec<Moved>>, Problem> {
    Ok(Json(server.database.moved(which.machine.as_deref(), which.cell.as_deref()).await?))
}

/// What people noted of a machine, or of all, the latest first; 100,000 at most.
#[utoipa::path(get, path = "/api/notes", params(WhichNotes), responses((status = 200, body = Vec<Note>)))]
async fn notes(State(server): State<Server>, Query(which): Query<WhichNotes>) -> Result<Json<Vec<Note>>, Problem> {
    Ok(Json(server.database.notes(which.machine.as_deref()).await?))
}

impl Server {
    /// The run whose digest begins so.
    pub async fn found(&self, digest: &str) -> Result<StoredRun, Problem> {
        let found = if is_digest(digest) { self.database.run(digest).await? } else { None };
        found.ok_or_else(|| Problem::missing("run"))
    }

    /// Its document, compressed.
    pub async fn document(&self, digest: &str) -> Result<Vec<u8>, Problem> {
        let found = self.found(digest).await?;
        self.database.document(&found.digest).await?.ok_or_else(|| Problem::missing("run"))
    }
}
