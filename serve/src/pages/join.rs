//! The page that measures in a browser, and the code with which a phone finds it.

use axum::extract::{Extension, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::shell::{minute, page};
use crate::code::drawing;
use crate::join::{self, HOURS, Link};
use crate::problem::Problem;
use crate::site::{File, MISSING, Site};
use crate::state::Server;
use crate::tokens::Scope;

/// Names with a hash: another build has others.
const KEPT: &str = "public, max-age=31536000, immutable";

pub async fn home() -> Redirect {
    Redirect::permanent("/join/")
}

fn no_page() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, MISSING)
}

pub async fn index(State(server): State<Server>) -> Result<Response, Problem> {
    let site = server.site.as_ref().ok_or_else(no_page)?;
    Ok(served(site, site.index()))
}

pub async fn file(State(server): State<Server>, Path(path): Path<String>) -> Result<Response, Problem> {
    let found = server.site.as_deref().and_then(|site| Some(served(site, site.file(&path)?)));
    found.ok_or_else(|| Problem::missing("file"))
}

fn served(site: &Site, file: &File) -> Response {
    let mut answer = ([(CONTENT_TYPE, file.kind)], file.bytes.clone()).into_response();
    // Workers have the policy of their own file.
    answer.headers_mut().insert(CONTENT_SECURITY_POLICY, site.policy.clone());
    if file.is_hashed {
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(KEPT));
    }
    answer
}

/// The server's address as this request has it, whose host the guard has checked.
fn own_address(server: &Server, uri: &Uri, headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = uri.authority().map(|authority| authority.as_str()).or(host).unwrap_or_default();
    let scheme = if server.is_secure { "https" } else { "http" };
    format!("{scheme}://{host}")
}

/// The page where no token is needed, so that a link has none.
fn without_token(server: &Server, uri: &Uri, headers: &HeaderMap) -> Result<Option<Markup>, Problem> {
    if server.site.is_none() {
        return Err(no_page());
    }
    let link = || shown(&join::page(&own_address(server, uri, headers)), &reach());
    Ok((!server.needs_token).then(link))
}

/// Shows the code; where a token is needed, an administrator first makes a link with one.
pub async fn code(
    State(server): State<Server>,
    Extension(scope): Extension<Option<Scope>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    if let Some(page) = without_token(&server, &uri, &headers)? {
        return Ok(page);
    }
    let body = html! {
        p { "With a link to join, a phone measures in its browser, and may send its run here for " (HOURS) " hours. It reads nothing." }
        @if scope == Some(Scope::Admin) {
            form method="post" action="/join-code" { button type="submit" { "Make a link" } }
        } @else {
            p { "Your token cannot make one. An operator can: " code { "ciphermeter serve join https://HOST:PORT" } }
        }
    };
    Ok(page("Let a phone join", &body))
}

/// Makes a link with a token of its own.
pub async fn make(
    State(server): State<Server>,
    Extension(scope): Extension<Option<Scope>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    if let Some(page) = without_token(&server, &uri, &headers)? {
        return Ok(page);
    }
    if scope != Some(Scope::Admin) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "this token cannot make links: use one with --scope admin"));
    }
    let Link { text, until } = join::link(&server.database, &own_address(&server, &uri, &headers), HOURS).await?;
    let until =
        html! { p { "Until " (minute(&until)) " UTC, whoever has this link may send runs here, and read nothing." } };
    Ok(shown(&text, &until))
}

/// Why a phone may not reach this server.
fn reach() -> Markup {
    html! {
        p {
            "This server listens on this machine alone, so only its own browsers reach it. For phones, start it with "
            code { "--listen" } " and make a link with " code { "ciphermeter serve join" } "."
        }
    }
}

fn shown(link: &str, note: &Markup) -> Markup {
    let body = html! {
        p { "Scan this code with a phone, or open the link in a browser. The page measures there, and sends its run here when its owner \
             presses “Send”, never before." }
        @if let Some(drawing) = drawing(link) { (drawing) }
        p { a href=(link) { (link) } }
        (note)
    };
    page("Let a phone join", &body)
}
