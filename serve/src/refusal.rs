//! What the libraries refuse before a handler is asked: a query that lacks a part, a wrong method, a body in an unknown encoding, too
//! many requests. They say so in plain text, or not at all. Here it becomes what every other problem is: JSON for programs, a page for
//! people.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ciphermeter_core::{escaped, shortened};

use crate::pages;
use crate::problem::Problem;

/// Bytes of a library's text.
const MOST: usize = 4096;

/// Words every refusal. It stands twice among the layers: within compression, whose bytes nobody reads, and around all others.
pub async fn worded(request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let answer = next.run(request).await;
    let has_failed = answer.status().is_client_error() || answer.status().is_server_error();
    if !has_failed || answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        return answer;
    }
    let is_for_programs = path.starts_with("/api/");
    let known = answer.extensions().get::<Problem>().cloned();
    if known.is_some() && is_for_programs {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let problem = match known {
        Some(problem) => problem,
        None => Problem::new(parts.status, said(parts.status, &parts.headers, &method, &text(body).await)),
    };
    let worded = if is_for_programs { problem.into_response() } else { pages::problem(&problem) };
    let (of_words, body) = worded.into_parts();
    for name in [CONTENT_LENGTH, CONTENT_ENCODING] {
        parts.headers.remove(name);
    }
    parts.headers.extend(of_words.headers);
    parts.extensions.extend(of_words.extensions);
    Response::from_parts(parts, body)
}

async fn text(body: Body) -> String {
    let bytes = to_bytes(body, MOST).await.unwrap_or_default();
    escaped(String::from_utf8_lossy(&bytes).trim()).to_string()
}

/// A sentence for a library's refusal, with what to do.
fn said(status: StatusCode, headers: &HeaderMap, method: &Method, text: &str) -> String {
    let listed = "/api/openapi.json lists what there is";
    match status {
        StatusCode::NOT_FOUND => format!("there is no such path here; {listed}"),
        StatusCode::METHOD_NOT_ALLOWED => format!("this path does not take {method}; {listed}"),
        StatusCode::REQUEST_TIMEOUT => "the request took too long: try again".into(),
        StatusCode::PAYLOAD_TOO_LARGE => "the request is too long: send less".into(),
        StatusCode::UNSUPPORTED_MEDIA_TYPE if text.is_empty() => {
            "the body is encoded in a way that is not known here: send it plain, or with Content-Encoding zstd or gzip"
                .into()
        }
        StatusCode::TOO_MANY_REQUESTS => {
            let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).unwrap_or("0");
            format!("too many requests came from this address: wait {} s", seconds.parse::<u64>().unwrap_or(0).max(1))
        }
        _ if status.is_server_error() => "the server could not do that: try again later".into(),
        _ => {
            let why = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(text);
            format!("cannot read the request: {}; {listed}", shortened(why))
        }
    }
}
