//! The options of a receiver.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::rates::Rate;
use crate::suite::Suite;
use crate::timed::Times;

/// The options of a receiver.
#[derive(Debug, Clone)]
pub struct ReceiveOptions {
    /// The folder to receive into; `None`: everything is authenticated and discarded.
    pub into: Option<PathBuf>,
    /// Where to listen. Port 0: any port, or after [`crate::Receiver::resume`] the earlier one.
    pub listen: SocketAddr,
    /// Whether several names, or a folder whose name is taken, go into a new folder of their own.
    pub gathers: bool,
    /// The suite that the user requests.
    pub wanted: Option<Suite>,
    /// This machine's rates with each suite.
    pub rates: Vec<Rate>,
    /// How long to wait for a lost sender to come back.
    pub patience: Duration,
    /// How long a sender may take for what is due.
    pub times: Times,
}
