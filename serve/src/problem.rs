//! What is sent when something failed: a status, and a sentence as JSON.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::state::Busy;
use crate::trouble::{self, Trouble};

/// Why a request was refused.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Problem {
    /// What failed, and what to do.
    pub error: String,
    #[serde(skip)]
    pub status: StatusCode,
}

impl Problem {
    /// A problem with the request.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { error: error.into(), status }
    }

    /// Something that nobody but the operator can mend: its reason goes to standard error, and no further.
    pub fn of(error: &anyhow::Error) -> Self {
        if error.is::<Busy>() {
            return Self::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string());
        }
        trouble::tell(error);
        if let Some(trouble) = Trouble::of(error) {
            return Self::new(trouble.status(), trouble.in_words());
        }
        // A run may have been stored, where the database went away before it said so.
        let said = "the server could not do that; its own output says why. Try again later: no run is stored twice";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, said)
    }

    /// What was asked for is not there.
    pub fn missing(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is no such {what} here"))
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        Self::of(&error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut answer = (self.status, Json(&self)).into_response();
        // From this, what is for people becomes a page (`refusal`).
        answer.extensions_mut().insert(self);
        answer
    }
}
