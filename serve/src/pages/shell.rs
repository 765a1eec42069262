//! What every page has around its parts.

use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

pub use crate::links::path;
use crate::problem::Problem;

/// A page of this title and body.
pub fn page(title: &str, body: &Markup) -> Markup {
    page_with(title, &html! {}, body)
}

/// A page whose head has something of its own.
pub fn page_with(title: &str, head: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · Ciphermeter" }
                link rel="stylesheet" href="/page.css";
                (head)
            }
            body {
                header { nav { a href="/" { "Ciphermeter" } " " a href="/movements" { "Movements" } } }
                main {
                    h1 { (title) }
                    (body)
                }
            }
        }
    }
}

/// A table that scrolls within itself where there is no room for it.
pub fn table(label: &str, heads: &[&str], rows: impl Iterator<Item = Markup>) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(label) { (bare_table(heads, rows)) }
    }
}

/// A table alone.
pub fn bare_table(heads: &[impl AsRef<str>], rows: impl Iterator<Item = Markup>) -> Markup {
    html! {
        table {
            thead { tr { @for head in heads { th scope="col" { (head.as_ref()) } } } }
            tbody { @for row in rows { (row) } }
        }
    }
}

/// A page that says what failed, with the status that the API would have.
pub fn problem(problem: &Problem) -> Response {
    let body = html! { p { (problem.error) "." } p { a href="/" { "All machines" } } };
    (problem.status, page("This did not work", &body)).into_response()
}

/// A moment to the minute: `2026-11-30 07:20`.
pub fn minute(moment: &str) -> String {
    moment.get(..16).unwrap_or(moment).replace('T', " ")
}
