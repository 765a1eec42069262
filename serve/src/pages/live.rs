//! The run that is under way on this machine: a page that is whole without script, and with it changes as the run goes on.

use std::convert::Infallible;

use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use maud::{Markup, html};
use serde::{Serialize, Serializer};

use super::shell::{bare_table, minute, page_with};
use crate::live::{Seen, SoFar};
use crate::problem::Problem;
use crate::state::{Busy, Server};

/// Proxies are to pass events on as they come.
const UNBUFFERED: [(HeaderName, &str); 1] = [(HeaderName::from_static("x-accel-buffering"), "no")];

pub async fn live(State(server): State<Server>) -> Result<Markup, Problem> {
    let live = server.live.as_ref().ok_or_else(not_here)?;
    let seen = live.now().await.ok_or_else(|| Problem::of(&Busy.into()))?;
    Ok(page(&Part::of(&seen)))
}

fn not_here() -> Problem {
    let said = "this server shows no run that is under way: it has a --database of its own; \
                `ciphermeter serve` without one, on the machine that measures, shows it";
    Problem::new(StatusCode::NOT_FOUND, said)
}

fn page(part: &Part) -> Markup {
    let head = html! { script type="module" src="/live.js" {} };
    let body = html! {
        p.answer #lead { (part.lead) }
        p #heard .unseen role="status" {}
        div #text { (part.text) }
        div.wide #table tabindex="0" role="region" aria-label="So far" hidden[part.table.0.is_empty()] { (part.table) }
        noscript { p.hint { "This page is of the moment at which it was opened: reload it to see more." } }
        p.hint #lost hidden { "The connection is lost. The browser tries to get it back; if it does not, reload the page." }
        p.hint {
            "While a page like this is open, this machine reads the run every few seconds, with the lowest priority, and not on the CPU \
             that is measured if it has another one."
        }
    };
    page_with("Under way on this machine", &head, &body)
}

/// What changes on the page, and an event: texts and markup that the server made.
#[derive(Serialize)]
struct Part {
    /// The one sentence that is also heard.
    lead: String,
    #[serde(serialize_with = "as_text")]
    text: Markup,
    #[serde(serialize_with = "as_text")]
    table: Markup,
    has_ended: bool,
}

fn as_text<S: Serializer>(markup: &Markup, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&markup.0)
}

impl Part {
    fn of(seen: &Seen) -> Self {
        let nothing = || html! {};
        let said = |lead: &str, text: Markup| Self { lead: lead.into(), text, table: nothing(), has_ended: false };
        match seen {
            Seen::UnderWay(so_far) => of_run(so_far),
            Seen::Ended(page) => {
                let link = html! { p { a href=(page) { "Its answer" } " · " a href="/" { "All machines" } } };
                Self { has_ended: true, ..said("The run has ended.", link) }
            }
            Seen::CutOff(run) => {
                let remedy = html! { p { "Go on with it: " code { "ciphermeter run --resume=" (run) } } };
                Self { has_ended: true, ..said("The run was cut off. What it measured is in the store.", remedy) }
            }
            Seen::Begins => {
                said("A run begins: its libraries are being verified, and then timed for the first time.", nothing())
            }
            Seen::Nothing | Seen::Over => said(
                "No run is under way here.",
                html! { p { "Begin one on this machine: " code { "ciphermeter run" } } },
            ),
            Seen::Unreadable => {
                said("A run is under way, and cannot be read. The server's own output says why.", nothing())
            }
        }
    }
}

fn of_run(so_far: &SoFar) -> Part {
    let lead = match &so_far.lead {
        Some(lead) => format!("So far: {lead}."),
        None => "There are no figures yet.".into(),
    };
    let text = html! {
        p { (so_far.question) " " (so_far.measured_on) "." }
        @for sentence in &so_far.sentences { p { (sentence) } }
        p {
            @if let Some((decided, all)) = so_far.decided { (decided) " of " (all) " comparisons are decided. " }
            "Run " (so_far.run) ", " (so_far.scenario) ", began at " (minute(&so_far.started)) " UTC, for at most " (so_far.budget) ": "
            (so_far.forks) @if so_far.forks == 1 { " whole fork" } @else { " whole forks" } " so far."
        }
    };
    let table = match so_far.table.split_first() {
        Some((heads, rows)) if !rows.is_empty() => bare_table(heads, rows.iter().map(|row| row_of(row))),
        _ => html! {},
    };
    Part { lead, text, table, has_ended: false }
}

fn row_of(row: &[String]) -> Markup {
    html! { tr { @for text in row { td { (text) } } } }
}

/// Events as the run goes on.
pub async fn events(State(server): State<Server>) -> Result<impl IntoResponse, Problem> {
    let live = server.live.as_ref().ok_or_else(not_here)?;
    let Some(watcher) = live.watch() else {
        let said = "too many watch this run: close a page that you do not need, or try again later";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, said));
    };
    let events = stream::unfold(watcher, |mut watcher| async move {
        let part = Part::of(&watcher.next().await?);
        let event = Event::default().event("seen").json_data(part).expect("texts are JSON");
        Some((Ok::<_, Infallible>(event), watcher))
    });
    Ok((UNBUFFERED, Sse::new(events).keep_alive(KeepAlive::default())))
}
