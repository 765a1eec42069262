//! The options of a sender.

use std::path::PathBuf;
use std::time::Duration;

use super::ssh_receiver::SshReceiver;
use crate::rates::Rate;
use crate::suite::Suite;
use crate::timed::Times;

/// The options of a sender.
#[derive(Debug, Clone)]
pub struct SendOptions {
    /// The suite that the user requests.
    pub wanted: Option<Suite>,
    /// How many data connections; the receiver may take fewer.
    pub streams: u16,
    /// The most bytes a second.
    pub limit: Option<u64>,
    /// The patterns of what is left out of the listing, to be stored for a later attempt.
    pub exclude: Vec<String>,
    /// This machine's rates with each suite.
    pub rates: Vec<Rate>,
    /// How long to try to reach a lost receiver.
    pub patience: Duration,
    /// How long the receiver may take for what is due.
    pub times: Times,
    /// The folder for the state of unfinished transfers; `None`: no state is stored, so an ended sender cannot resume.
    pub states: Option<PathBuf>,
    /// How the receiver was started, where that was through ssh; stored with the state.
    pub ssh: Option<SshReceiver>,
}
