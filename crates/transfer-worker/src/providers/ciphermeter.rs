//! This project's own transfers, as in `send` and `recv`.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ciphermeter_transfer::{
    Decision, Listing, Progress, Question, Rate, ReceiveOptions, Receiver, SendOptions, SourceFile, Suite, Ticket,
    Times, User, send,
};

use crate::error::Error;
use crate::provider::{Provider, ReceiveFile, Received, Sent};

/// With a given suite, without negotiation: both suites are measured.
pub(crate) struct Ciphermeter(pub(crate) Suite);

/// Made-up rates without effect: the suite is requested explicitly.
fn rates() -> Vec<Rate> {
    Suite::ALL.map(|suite| Rate { suite, seal: 1, open: 1 }).into()
}

/// How long the other process may be away.
const PATIENCE: Duration = Duration::from_secs(10);

/// Accepts every offer.
struct AcceptsAll;

impl User for AcceptsAll {
    fn accepts(&self, _: &Question<'_>) -> Result<Decision, ciphermeter_transfer::Error> {
        Ok(Decision::default())
    }

    fn lost(&self, _: &ciphermeter_transfer::Error) {}
}

impl Provider for Ciphermeter {
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, ReceiveFile), Error> {
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
        let ticket = receiver.ticket(&[host]).ok_or_else(|| Error::local("no ticket"))?;
        let receiving = move || {
            let report = receiver.receive(&AcceptsAll, &Arc::default())?;
            Ok(Received { open: Some(report.spent.cipher), cpu: report.cpu })
        };
        Ok((ticket.to_string(), Box::new(receiving)))
    }

    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error> {
        let ticket: Ticket = address.parse().map_err(|error| Error::local(format!("{error}")))?;
        let listing = Listing { files: vec![file.clone()], ..Listing::default() };
        let options = SendOptions {
            wanted: Some(self.0),
            streams: 1,
            limit: None,
            exclude: Vec::new(),
            rates: rates(),
            patience: PATIENCE,
            times: Times::default(),
            states: None,
            ssh: None,
        };
        let report = send(&ticket, &[], &listing, &options, &Progress::default())?;
        if let Some(failed) = report.failed.into_iter().next() {
            return Err(Error::local(failed.why));
        }
        Ok(Sent {
            handshake: Some(report.handshake),
            authenticated: report.authenticated,
            durable: Some(report.durable),
            seal: Some(report.spent.cipher),
            cpu: report.cpu,
        })
    }
}
