//! `recv --bench`: receives for a benchmark whose harness is on another machine, until it is ended.

use anyhow::Result;
use ciphermeter_transfer_worker::RemoteReceiver;

use crate::args::RecvOptions;
use crate::exit::Exit;
use crate::transfer::{self, announce, hosts};

/// Listens with a ticket that is good until this ends.
pub fn recv_bench(options: &RecvOptions) -> Result<Exit> {
    let receiver = RemoteReceiver::listen(options.address()).map_err(|error| transfer::failed(&error, None))?;
    let ticket = receiver.ticket(&hosts(&options.host, receiver.address())?);
    let what = "ciphermeter run transfer --peer TICKET, good until this ends; transfers come to further ports";
    let _ticket = announce(options, receiver.address(), &ticket, what)?;
    receiver.serve();
    Ok(Exit::Fine)
}
