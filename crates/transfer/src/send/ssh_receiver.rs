//! How a receiver was started through ssh: enough to start it again. This crate only stores it, and runs no program.

use serde::{Deserialize, Serialize};

/// A receiver that was started through ssh.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SshReceiver {
    /// The host as ssh takes it, with a user or without.
    pub host: String,
    /// The folder there; a relative one begins in the home folder.
    pub folder: String,
    /// The command that stands for ssh, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssh: Option<String>,
    /// The command that starts ciphermeter there, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The port to listen on there, if the user chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}
