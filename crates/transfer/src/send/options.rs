//! How to send, as a caller gives it.

use std::path::PathBuf;
use std::time::Duration;

use crate::rates::Rate;
use crate::suite::Suite;
use crate::timed::Times;

/// How to send.
#[derive(Debug, Clone)]
pub struct SendOptions {
    /// The suite that the user asks for.
    pub wanted: Option<Suite>,
    /// How many data connections; the receiver may take fewer.
    pub streams: u16,
    /// At most so many bytes a second.
    pub limit: Option<u64>,
    /// What this machine does with each suite.
    pub rates: Vec<Rate>,
    /// How long to try to reach a receiver that was lost.
    pub patience: Duration,
    /// How long the receiver may take for what is due.
    pub times: Times,
    /// Where the state of unfinished transfers is kept; `None`: nowhere, so that a sender that was ended can't go on.
    pub states: Option<PathBuf>,
}
