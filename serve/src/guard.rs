//! Which requests are answered at all: those for a name of ours, from a page of ours, with a token where one is needed.

use std::net::IpAddr;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http_body_util::BodyExt;

use crate::clock;
use crate::problem::Problem;
use crate::received::MOST;
use crate::state::Server;
use crate::tokens::Scope;

/// The cookie in which a browser keeps its token.
pub const COOKIE_NAME: &str = "token";
/// Pages load their style and script from here and nothing from elsewhere, and nothing else may show them in a frame.
pub const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                          form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// Paths that are answered without a token: what the page for entering one needs, or its browser asks for.
const OPEN: [&str; 4] = ["/token", "/page.css", "/favicon.ico", "/join"];
/// What guests load who may send and not read: it is the same for everybody.
const OPEN_BELOW: &str = "/join/";

/// Refuses what must not be answered.
pub async fn guard(State(server): State<Server>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    match allowed(&server, &parts).await {
        Ok(scope) => {
            parts.extensions.insert(scope);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(refusal) => {
            drain(body).await;
            refusal
        }
    }
}

/// Adds the headers that every answer has, refusals included.
pub async fn protected(request: Request, next: Next) -> Response {
    let mut answer = next.run(request).await;
    let headers = answer.headers_mut();
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        // With none at all, browsers send forms of this page with the origin `null`.
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry("content-security-policy").or_insert(HeaderValue::from_static(POLICY));
    headers.entry("cache-control").or_insert(HeaderValue::from_static("no-store"));
    answer
}

/// Reads the rest of a request that is refused: a client that is still sending would not see why.
async fn drain(mut body: Body) {
    let mut left = MOST;
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, |data| data.len());
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// What a request may do; `None` where nothing needs a token.
async fn allowed(server: &Server, request: &Parts) -> Result<Option<Scope>, Response> {
    let headers = &request.headers;
    if headers.get_all(HOST).iter().count() > 1 {
        let said = "the request has several Host headers: send one";
        return Err(Problem::new(StatusCode::BAD_REQUEST, said).into_response());
    }
    let host = request.uri.authority().map(|authority| authority.as_str()).or_else(|| text(headers, HOST));
    let Some(host) = host.filter(|host| is_own_name(host, &server.names)) else {
        let said = "this server has another name: start it with --host NAME, or open it by its address";
        return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, said).into_response());
    };
    let reads = matches!(request.method, Method::GET | Method::HEAD);
    if !reads && text(headers, ORIGIN).is_some_and(|origin| !is_of_host(origin, host)) {
        let said = "a page of another server asked for this, which is refused; open this server's own page";
        return Err(Problem::new(StatusCode::FORBIDDEN, said).into_response());
    }
    let path = request.uri.path();
    if !server.needs_token || OPEN.contains(&path) || path.starts_with(OPEN_BELOW) {
        return Ok(None);
    }
    let wanted = match (reads, request.uri.path().starts_with("/notes")) {
        (true, _) => Scope::Read,
        (false, true) => Scope::Admin,
        (false, false) => Scope::Push,
    };
    let scope = match token(headers) {
        Some(token) => {
            server.database.scope(token, &clock::now()).await.map_err(|error| Problem::of(&error).into_response())?
        }
        None => None,
    };
    if scope.is_some_and(|scope| scope.allows(wanted)) {
        return Ok(scope);
    }
    let asks_for_page = reads && !path.starts_with("/api/");
    Err(if asks_for_page { Redirect::to("/token").into_response() } else { refusal(scope, wanted) })
}

fn refusal(scope: Option<Scope>, wanted: Scope) -> Response {
    let what = wanted.as_str();
    match scope {
        Some(_) => Problem::new(
            StatusCode::FORBIDDEN,
            format!("this token does not allow that: make one with `ciphermeter serve token add NAME --scope {what}`"),
        )
        .into_response(),
        None => {
            let said = "a token is needed, and this one is missing, unknown or expired: set CIPHERMETER_TOKEN to one that \
                        `ciphermeter serve token add NAME` printed";
            let mut answer = Problem::new(StatusCode::UNAUTHORIZED, said).into_response();
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            answer
        }
    }
}

/// Addresses, which no foreign site's name can stand for, this machine's own names, and those of `--host`.
fn is_own_name(host: &str, names: &[String]) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host();
    name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || names.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Whether an `Origin` is this host's own.
fn is_of_host(origin: &str, host: &str) -> bool {
    origin.strip_prefix("https://").or(origin.strip_prefix("http://")).is_some_and(|own| own.eq_ignore_ascii_case(host))
}

fn token(headers: &HeaderMap) -> Option<&str> {
    // The scheme's case does not matter: RFC 9110 (11.1).
    let credentials = text(headers, AUTHORIZATION).and_then(|value| value.split_once(' '));
    let bearer = credentials.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
    let cookies =
        || text(headers, COOKIE)?.split("; ").find_map(|cookie| cookie.strip_prefix(COOKIE_NAME)?.strip_prefix('='));
    bearer.or_else(cookies)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_own_names_are_answered() {
        let names = ["team.example".to_owned()];
        for host in [
            "127.0.0.1:8787", "[::1]:8787", "localhost", "localhost:8787", "192.0.2.7", "team.example",
            "TEAM.example:443",
        ] {
            assert!(is_own_name(host, &names), "{host}");
        }
        for host in
            ["evil.example", "evil.example:8787", "localhost.evil.example", "", ":8787", "127.0.0.1.evil.example"]
        {
            assert!(!is_own_name(host, &names), "{host}");
        }
    }

    #[test]
    fn scheme_of_a_token_ignores_case() {
        for (value, wanted) in [
            ("Bearer x", Some("x")),
            ("bearer x", Some("x")),
            ("BEARER  x", Some("x")),
            ("Basic x", None),
            ("Bearer", None),
        ] {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
            assert_eq!(token(&headers), wanted, "{value}");
        }
    }

    #[test]
    fn origin_is_that_of_the_host() {
        assert!(is_of_host("http://127.0.0.1:8787", "127.0.0.1:8787"));
        for origin in ["null", "http://127.0.0.1:8788", "https://evil.example", "127.0.0.1:8787"] {
            assert!(!is_of_host(origin, "127.0.0.1:8787"), "{origin}");
        }
    }
}
