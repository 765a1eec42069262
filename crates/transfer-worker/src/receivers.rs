//! Where the receiving processes are.

use std::path::Path;
use std::process::Command;

use ciphermeter_transfer::Ticket;

use crate::error::Error;
use crate::receiver::ReceiverProcess;
use crate::remote;

/// Where the receiving processes are, one for each cell.
pub enum Receivers {
    /// On this machine, each a child that this command starts, which comes to [`crate::receive`].
    Local(Box<dyn Fn() -> Command>),
    /// On another machine, where [`crate::RemoteReceiver::serve`] runs and this is the ticket.
    Remote(Ticket),
}

impl Receivers {
    /// A new one. On this machine, its temporary files lie in that folder.
    pub(crate) fn start(&self, folder: &Path) -> Result<ReceiverProcess, Error> {
        match self {
            Self::Local(child) => ReceiverProcess::start(child(), folder),
            Self::Remote(ticket) => remote::connect(ticket).map(ReceiverProcess::connected),
        }
    }
}
