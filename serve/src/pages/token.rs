//! The page at which a person enters a token, which the browser then keeps until it is closed.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::shell::page;
use crate::clock;
use crate::guard::COOKIE_NAME;
use crate::problem::Problem;
use crate::state::Server;
use crate::tokens::Scope;

pub async fn form() -> Markup {
    shown("")
}

fn shown(why: &str) -> Markup {
    let body = html! {
        @if !why.is_empty() { p role="alert" { (why) } }
        form method="post" action="/token" {
            label for="token" { "A token with the scope read" }
            input #token type="password" name="token" required autocomplete="off";
            button type="submit" { "Enter" }
        }
        p.hint { "An operator makes one: " code { "ciphermeter serve token add NAME --scope read" } }
    };
    page("Enter a token", &body)
}

#[derive(Deserialize)]
pub struct Entered {
    token: String,
}

pub async fn enter(State(server): State<Server>, Form(entered): Form<Entered>) -> Result<Response, Problem> {
    Ok(match server.database.scope(&entered.token, &clock::now()).await? {
        // Of a known token, so that it has only the characters that tokens have.
        Some(scope) if scope.allows(Scope::Read) => {
            let secure = if server.is_secure { "; Secure" } else { "" };
            let cookie = format!("{COOKIE_NAME}={}; HttpOnly; SameSite=Strict; Path=/{secure}", entered.token);
            ([(SET_COOKIE, cookie)], Redirect::to("/")).into_response()
        }
        Some(_) => {
            let said = "This token cannot read: enter one with the scope read.";
            (StatusCode::FORBIDDEN, shown(said)).into_response()
        }
        None => (StatusCode::UNAUTHORIZED, shown("This token is unknown, or has expired.")).into_response(),
    })
}
