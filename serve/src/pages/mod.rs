//! Pages for people. They need no script.

mod cell;
mod figure;
mod join;
mod live;
mod machines;
mod movements;
mod notes;
mod report;
mod run;
mod shell;
mod token;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::routing::{get, post};

use crate::state::Server;

pub use shell::problem;

/// All pages, and what they load.
pub fn router() -> Router<Server> {
    let css = [(CONTENT_TYPE, "text/css; charset=utf-8")];
    let script = [(CONTENT_TYPE, "text/javascript; charset=utf-8")];
    Router::new()
        .route("/", get(machines::machines))
        .route("/machines/{machine}", get(machines::machine))
        .route("/runs/{run}", get(run::run))
        .route("/runs/{run}/report", get(report::report))
        .route("/compare", get(report::compare))
        .route("/cell", get(cell::cell))
        .route("/cell.svg", get(figure::figure))
        .route("/movements", get(movements::movements))
        .route("/notes", post(notes::write))
        .route("/notes/remove", post(notes::remove))
        .route("/token", get(token::form).post(token::enter))
        .route("/live", get(live::live))
        .route("/live/events", get(live::events))
        .route("/live.js", get(|| async move { (script, include_str!("live.js")) }))
        .route("/join", get(join::home))
        .route("/join/", get(join::index))
        .route("/join/{*file}", get(join::file))
        .route("/join-code", get(join::code).post(join::make))
        .route("/page.css", get(|| async move { (css, include_str!("page.css")) }))
        // Browsers ask for it, whatever a page says.
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .fallback(|| async { crate::problem::Problem::missing("page") })
}
