//! This project's own transfers, as `send` and `recv` do them.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::movers::{Mover, Received, Receiving, Sent};
use crate::rates::Rate;
use crate::receive::{Person, Question, ReceiveOptions, Receiver};
use crate::send::{SendOptions, send};
use crate::source::SourceFile;
use crate::ticket::Ticket;
use crate::timed::Times;
use crate::walk::Listing;
use crate::{Error, Progress, Suite};

/// With a suite that is given, not chosen: both are measured.
pub(super) struct Ours(pub(super) Suite);

/// What nobody measured and nobody looks at: the suite is asked for.
fn rates() -> Vec<Rate> {
    Suite::ALL.map(|suite| Rate { suite, seal: 1, open: 1 }).into()
}

/// How long the other process may be away.
const PATIENCE: Duration = Duration::from_secs(10);

struct Yes;

impl Person for Yes {
    fn accepts(&self, _: &Question<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn lost(&self, _: &Error) {}
}

impl Ours {
    /// Makes one end ready to receive one file, whose progress is to be looked at.
    pub(super) fn listen_with(
        &self,
        at: IpAddr,
        into: Option<&Path>,
        progress: Arc<Progress>,
    ) -> Result<(String, impl FnOnce() -> Result<Received, Error> + Send + use<>), Error> {
        let options = ReceiveOptions {
            into: into.and_then(Path::parent).map(Into::into),
            listen: SocketAddr::new(at, 0),
            gathers: false,
            wanted: Some(self.0),
            rates: rates(),
            patience: PATIENCE,
            times: Times::default(),
        };
        let mut receiver = Receiver::listen(options)?;
        let host = if at.is_ipv6() { format!("[{at}]") } else { at.to_string() };
        let ticket = receiver.ticket(&[host]).ok_or_else(|| Error::file("no ticket"))?;
        let receiving = move || {
            let report = receiver.receive(&Yes, &progress)?;
            Ok(Received { open: Some(report.cipher), cpu: report.cpu })
        };
        Ok((ticket.to_string(), receiving))
    }

    /// Sends a file there; a receiver who was lost may be away for so long.
    pub(super) fn send_within(&self, file: &SourceFile, address: &str, patience: Duration) -> Result<Sent, Error> {
        let ticket: Ticket = address.parse().map_err(|error| Error::file(format!("{error}")))?;
        let listing = Listing { files: vec![file.clone()], ..Listing::default() };
        let options = SendOptions {
            wanted: Some(self.0),
            streams: 1,
            limit: None,
            rates: rates(),
            patience,
            times: Times::default(),
            states: None,
        };
        let report = send(&ticket, &[], &listing, &options, &Progress::default())?;
        if let Some(failed) = report.failed.into_iter().next() {
            return Err(Error::file(failed.why));
        }
        Ok(Sent {
            handshake: report.handshake,
            authenticated: report.authenticated,
            durable: Some(report.durable),
            seal: Some(report.cipher),
            cpu: report.cpu,
        })
    }
}

impl Mover for Ours {
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, Receiving), Error> {
        let (address, receiving) = self.listen_with(at, into, Arc::default())?;
        Ok((address, Box::new(receiving)))
    }

    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error> {
        self.send_within(file, address, PATIENCE)
    }
}
