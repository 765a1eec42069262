//! Pages for people. They need no script.

mod cell;
mod join;
mod live;
mod machines;
mod report;
mod run;
mod shell;
mod token;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

use crate::state::Server;

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
        .route("/token", get(token::form).post(token::enter))
        .route("/live", get(live::live))
        .route("/live/events", get(live::events))
        .route("/live.js", get(|| async move { (script, include_str!("live.js")) }))
        .route("/join", get(join::home))
        .route("/join/", get(join::index))
        .route("/join/{*file}", get(join::file))
        .route("/join-code", get(join::code).post(join::make))
        .route("/page.css", get(|| async move { (css, include_str!("page.css")) }))
        .fallback(|| async { shell::problem(&crate::problem::Problem::missing("page")) })
}
