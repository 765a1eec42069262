//! What may stand in the query strings of the API.

use serde::Deserialize;
use utoipa::IntoParams;

/// Whose run is pushed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Pushed {
    /// The machine's name; without one, the machine in words.
    pub machine: Option<String>,
}

/// Which runs are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// Runs of this machine alone.
    pub machine: Option<String>,
    /// Runs that began before this moment (RFC 3339, UTC): the `started` of the last one of the list before.
    pub before: Option<String>,
    /// And those that began at that moment and whose digests come after this one: the last one's of the list before.
    pub after: Option<String>,
}

/// Which cell's figures are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichCell {
    /// The cell in words, as `cell` of a run's records has it: `openssl aes-256-gcm seal into aad 0 message 16KiB`.
    pub cell: String,
    /// Of this machine alone.
    pub machine: Option<String>,
}

/// Which movements are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichMoved {
    /// Of this machine alone.
    pub machine: Option<String>,
    /// Of this cell alone.
    pub cell: Option<String>,
}

/// Which notes are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichNotes {
    /// Of this machine alone.
    pub machine: Option<String>,
}
