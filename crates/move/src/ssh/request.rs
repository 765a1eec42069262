//! What stands in the two lines. A field that the other end does not know is refused, not ignored: it may be what keeps
//! a file from being overwritten.

use ciphermeter_transfer::{Existing, Sentence, Suite, TransferId};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// How the remote end shall receive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiveRequest {
    /// The folder; a relative one begins in the home folder.
    pub folder: String,
    pub port: Option<u16>,
    pub cipher: Option<Suite>,
    /// How long to wait for the other end, in milliseconds.
    pub patience_ms: u64,
    pub resume: Option<TransferId>,
    pub existing: Existing,
    pub quiet: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SendRequest {
    /// Files and folders; relative ones begin in the home folder.
    pub paths: Vec<String>,
    pub exclude: Vec<String>,
    pub port: Option<u16>,
    pub cipher: Option<Suite>,
    pub streams: Option<u16>,
    pub limit: Option<u64>,
    pub patience_ms: u64,
    pub resume: Option<TransferId>,
    pub quiet: bool,
}

/// What the remote end answers. (Nothing prints it: a ticket is a secret.)
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Answer {
    /// It listens for the owner of this ticket.
    Ticket(Zeroizing<String>),
    /// It listens there for the sender of the transfer that it resumes.
    Resumed(Vec<String>),
    /// The resumed transfer lacked nothing but names, which it has now.
    Done {
        files: u32,
        /// Files that are not; the remote end printed which, and why.
        failed: u32,
    },
    /// It does nothing, for this reason.
    Refused(Sentence),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_things_are_refused() {
        let request = ReceiveRequest {
            folder: "in".into(),
            port: Some(4100),
            cipher: None,
            patience_ms: 60_000,
            resume: Some(TransferId([7; 16])),
            existing: Existing::Compare,
            quiet: false,
        };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<ReceiveRequest>(&text).unwrap(), request);
        let wider = text.replace("\"quiet\"", "\"overwrite\":true,\"quiet\"");
        assert!(serde_json::from_str::<ReceiveRequest>(&wider).is_err());
        for answer in [r#"{"ticket":"a"}"#, r#"{"done":{"files":1,"failed":0}}"#, r#"{"refused":"no"}"#] {
            serde_json::from_str::<Answer>(answer).unwrap();
        }
        for answer in [r#"{"tickets":"a"}"#, r#"{"done":{"files":1,"failed":0,"more":1}}"#, "{}", "3"] {
            assert!(serde_json::from_str::<Answer>(answer).is_err(), "{answer}");
        }
    }
}
