//! How to receive, as a caller gives it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::rates::Rate;
use crate::suite::Suite;
use crate::timed::Times;

/// How to receive.
#[derive(Debug, Clone)]
pub struct ReceiveOptions {
    /// The folder to receive into; `None`: everything is authenticated and thrown away.
    pub into: Option<PathBuf>,
    /// Where to listen; port 0: any, or after [`crate::Receiver::resume`] the one of before.
    pub listen: SocketAddr,
    /// Whether several names, or a folder that is there already, go into a new folder of their own.
    pub gathers: bool,
    /// The suite that the user asks for.
    pub wanted: Option<Suite>,
    /// What this machine does with each suite.
    pub rates: Vec<Rate>,
    /// How long to wait for a sender who was lost to come back.
    pub patience: Duration,
    /// How long a sender may take for what is due.
    pub times: Times,
}
