//! What may stand in the query strings of the API. What else stands there is refused: it would choose nothing, and so get everything.
//! Pages pass over it, as programs that pass links on add words of their own.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use utoipa::IntoParams;

use crate::clock;

/// Whose run is pushed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Pushed {
    /// The machine's name; without one, the machine in words.
    pub machine: Option<String>,
}

/// Which runs are listed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// Runs of this machine alone.
    pub machine: Option<String>,
    /// Runs that began before this moment (RFC 3339): the `started` of the last one of the list before.
    #[serde(default, deserialize_with = "moment")]
    pub before: Option<String>,
    /// And those that began at that moment and whose digests come after this one: the last one's of the list before.
    pub after: Option<String>,
}

/// Which cell's figures are listed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WhichCell {
    /// The cell in words, as `cell` of a run's records has it: `openssl aes-256-gcm seal into aad 0 message 16KiB`.
    pub cell: String,
    /// Of this machine alone.
    pub machine: Option<String>,
}

/// Which movements are listed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WhichMoved {
    /// Of this machine alone.
    pub machine: Option<String>,
    /// Of this cell alone.
    pub cell: Option<String>,
}

/// Which notes are listed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WhichNotes {
    /// Of this machine alone.
    pub machine: Option<String>,
}

/// Where nothing is chosen.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A moment as runs have it.
pub fn moment<'de, D: Deserializer<'de>>(text: D) -> Result<Option<String>, D::Error> {
    let moment = clock::as_stored(&String::deserialize(text)?);
    moment.map(Some).ok_or_else(|| D::Error::custom("`before` is no moment: write it as 2026-11-30T23:02:18Z"))
}

#[cfg(test)]
mod tests {
    use axum::extract::Query;
    use axum::http::Uri;

    use super::*;

    fn before(query: &str) -> Result<Option<String>, String> {
        let uri: Uri = format!("/api/runs?{query}").parse().unwrap();
        Query::<Which>::try_from_uri(&uri).map(|Query(which)| which.before).map_err(|why| why.body_text())
    }

    #[test]
    fn moment_is_the_same_in_every_zone() {
        let stored = Ok(Some("2026-11-30T22:02:18Z".to_owned()));
        assert_eq!(before("before=2026-11-30T22:02:18Z"), stored);
        assert_eq!(before("before=2026-11-30T23:02:18%2B01:00"), stored);
        // A run that began at a second began before what follows within it.
        assert_eq!(before("before=2026-11-30T22:02:17.5Z"), stored);
        assert_eq!(before("machine=a"), Ok(None));
        for none in ["yesterday", "", "2026-11-31T22:02:18Z", "2026-11-30", "9999-12-31T23:59:59.9Z"] {
            assert!(before(&format!("before={none}")).unwrap_err().contains("no moment"), "{none}");
        }
    }
}
