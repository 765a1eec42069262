//! Where the receiving processes are.

use std::path::Path;
use std::process::Command;

use ciphermeter_transfer::Ticket;

use crate::error::Error;
use crate::receiver::ReceiverProcess;
use crate::remote;

/// Where the receiving processes are, one for each cell.
pub enum Receivers {
    /// On this machine. Each is a child that this command starts; the command must call [`crate::receive`].
    Local(Box<dyn Fn() -> Command>),
    /// On another machine, where [`crate::RemoteReceiver::serve`] runs; with its ticket.
    Remote(Ticket),
}

impl Receivers {
    /// Starts one. On this machine, its temporary files lie in `folder`.
    pub(crate) fn start(&self, folder: &Path) -> Result<ReceiverProcess, Error> {
        match self {
            Self::Local(child) => ReceiverProcess::start(child(), folder),
            Self::Remote(ticket) => remote::connect(ticket).map(ReceiverProcess::connected),
        }
    }
}
