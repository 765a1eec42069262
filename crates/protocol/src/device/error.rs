//! Why a device cannot be spoken to, each reason with its remedy.

use std::io;
use std::time::Duration;

use ciphermeter_host::serial::Refusal;

use super::address::Address;
use crate::{LineError, LinkError};

/// Where boards and their firmware are described.
const FIRMWARE: &str = "the README of workers/firmware says which image fits which board, and how to flash it";

/// Why a device cannot be spoken to.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The port is not there, or cannot be opened.
    #[error("{address}: {why}{}", remedy(.why))]
    Port {
        /// Which.
        address: Address,
        /// Why.
        why: Refusal,
    },
    /// Nobody listens there.
    #[error("{address}: no connection: {why}; check that the board is on and in the same network, and its port")]
    Network {
        /// Where.
        address: Address,
        /// Why.
        why: io::Error,
    },
    /// Nothing comes back.
    #[error("{address}: silence for {} s: {}", .patience.as_secs_f64(), silent(*.was_there))]
    Silent {
        /// Where.
        address: Address,
        /// How long it was asked again and again.
        patience: Duration,
        /// Whether a worker answered there before.
        was_there: bool,
    },
    /// What comes back is nothing of the protocol.
    #[error(
        "{address}: what is there is no worker; it says `{heard}`; flash the firmware, or name another speed: {FIRMWARE}"
    )]
    NoWorker {
        /// Where.
        address: Address,
        /// The beginning of what it says.
        heard: String,
    },
    /// A worker answers, and a line of its answers has a mistake.
    #[error("{address}: its worker answered `{excerpt}`: {error}; correct the worker, or flash another: {FIRMWARE}")]
    Wrong {
        /// Where.
        address: Address,
        /// The beginning of the line.
        excerpt: String,
        /// The mistake.
        error: LineError,
    },
    /// A worker is there, and does not say what its clock can do.
    #[error(
        "{address}: its worker answers `describe`, but not `clock` within {} s{}; correct the worker, or flash another: {FIRMWARE}",
        .patience.as_secs_f64(), .why.as_ref().map(|why| format!(", because: {why}")).unwrap_or_default()
    )]
    NoClock {
        /// Where.
        address: Address,
        /// What it says instead.
        why: Option<String>,
        /// How long it had for it.
        patience: Duration,
    },
    /// The line broke.
    #[error("{address}: {}", .error.on_device())]
    Broken {
        /// Where.
        address: Address,
        /// How.
        error: LinkError,
    },
}

/// Why there is silence, and what to do.
fn silent(was_there: bool) -> String {
    match was_there {
        true => "its worker answers no more; reset the board, and see what it prints".into(),
        false => format!("no worker answers; flash the firmware: {FIRMWARE}"),
    }
}

impl ConnectError {
    /// Whether it may be otherwise in a moment, when the board has started again.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Port { why: Refusal::Absent | Refusal::Forbidden(_), .. } | Self::Network { .. })
    }
}

/// What a refusal does not say itself.
fn remedy(why: &Refusal) -> &'static str {
    match why {
        Refusal::Absent => "; plug the board in; `ciphermeter device` lists the ports that are here",
        Refusal::NotSerial | Refusal::OwnTerminal => "; `ciphermeter device` lists the serial ports that are here",
        Refusal::Forbidden(_) | Refusal::InUse | Refusal::System(_) => "",
    }
}

impl LinkError {
    /// The same of a worker on a device, with the remedy.
    pub fn on_device(&self) -> String {
        let remedy = match self {
            Self::Reported(why) => return format!("its worker refuses: {why}; see its firmware, or flash another"),
            Self::TimedOut(_) | Self::Unread(_) => "; reset the board; if it stays silent, flash its firmware again",
            Self::Chatter { .. } => "; what is there is no worker: flash the firmware",
            Self::Unsteady => "; take a shorter cable, a lower speed or another supply",
            Self::Lost => "; check the cable, and reset the board",
            Self::BadLine { .. } | Self::Unasked | Self::Implausible(_) => {
                "; correct the worker, which `conformance` compares with PROTOCOL.md"
            }
            Self::Ended { .. } | Self::Interrupted | Self::Version(_) | Self::System(_) => "",
        };
        format!("{self}{remedy}")
    }
}
