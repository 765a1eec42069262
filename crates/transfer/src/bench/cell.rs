//! A prepared cell: the file, the receiving process, and what the transfers between them came to.

use std::path::Path;

use ciphermeter_core::{Form, Metric, Series};
use ciphermeter_protocol::{Prepare, TransferCounts};

use super::folder::{Folder, warm};
use super::monitor::{Course, Monitor};
use super::movers::{Mover, Sent};
use super::peer::{Peer, Seen};
use crate::Error;
use crate::source::SourceFile;

/// A prepared cell. Its folder goes with it.
pub(super) struct Cell {
    mover: Box<dyn Mover>,
    peer: Peer,
    file: SourceFile,
    form: Form,
    /// Holds the file, and what the receiving process makes on this machine; it goes after that process.
    _folder: Folder,
    /// A file lies at the receiving process.
    received: bool,
    /// The number of the last transfer that was sampled; those for a digest have none.
    pub(super) last: u64,
}

/// The figures of one sample.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) ns: u64,
    pub(super) cpu_ns: Option<u64>,
    handshake_ns: u64,
    durable_ns: Option<u64>,
    seal_ns: Option<u64>,
    open_ns: Option<u64>,
    peer_cpu_ns: Option<u64>,
    near: Course,
    far: Course,
}

impl Cell {
    pub(super) fn new(
        prepare: &Prepare,
        mover: Box<dyn Mover>,
        peer: impl FnOnce(&Path) -> Result<Peer, Error>,
    ) -> Result<Self, Error> {
        let (folder, file) = Folder::with_message(prepare.seed, prepare.message)?;
        let mut peer = peer(folder.path())?;
        peer.open(&prepare.provider, prepare.algorithm)?;
        Ok(Self { mover, peer, file, form: prepare.form, _folder: folder, received: false, last: 0 })
    }

    /// Moves the file once.
    fn transfer(&mut self, form: Form, sum: &mut Sum) -> Result<(), Error> {
        self.received = false;
        warm(&self.file.path).map_err(Error::file)?;
        let address = self.peer.order(form == Form::File)?;
        let monitor = Monitor::start();
        let sent = self.mover.send(&self.file, &address);
        let near = monitor.stop();
        // Why the receiver failed says more than that the connection broke.
        let seen = self.peer.seen();
        let (sent, seen) = match (sent, seen) {
            (Ok(sent), Ok(seen)) => (sent, seen),
            (_, Err(error)) | (Err(error), _) => return Err(error),
        };
        self.received = form == Form::File;
        sum.add(form, &sent, &seen);
        (sum.near, sum.far) = (sum.near.then(near), sum.far.then(seen.course));
        Ok(())
    }

    /// Moves it as the cell is to be measured.
    pub(super) fn sample(&mut self, sum: &mut Sum) -> Result<(), Error> {
        self.transfer(self.form, sum)?;
        self.last += 1;
        Ok(())
    }

    /// The SHA-256 of what the receiver had: of the very file that the last transfer left, or of one more.
    pub(super) fn digest(&mut self, of_last: bool) -> Result<[u8; 32], Error> {
        if !(of_last && self.received) {
            self.transfer(Form::File, &mut Sum::default())?;
        }
        self.peer.hash()
    }
}

impl Sum {
    fn add(&mut self, form: Form, sent: &Sent, seen: &Seen) {
        let first = self.ns == 0;
        let ns = |time: std::time::Duration| time.as_nanos() as u64;
        // A sum over all, or nothing: a part of them is no figure.
        let plus = |sum: &mut Option<u64>, more: Option<u64>| {
            *sum = if first { more } else { sum.zip(more).map(|(sum, more)| sum + more) };
        };
        plus(&mut self.cpu_ns, sent.cpu.map(ns));
        plus(&mut self.durable_ns, sent.durable.filter(|_| form == Form::File).map(ns));
        plus(&mut self.seal_ns, sent.seal.map(ns));
        plus(&mut self.open_ns, seen.open_ns);
        plus(&mut self.peer_cpu_ns, seen.cpu_ns);
        self.ns += ns(sent.authenticated);
        self.handshake_ns += ns(sent.handshake);
    }

    pub(super) fn counts(self) -> TransferCounts {
        let counts = [
            (Metric::Handshake, Some(self.handshake_ns)),
            (Metric::Durable, self.durable_ns),
            (Metric::Seal, self.seal_ns),
            (Metric::Open, self.open_ns),
            (Metric::PeerCpuNs, self.peer_cpu_ns),
            (Metric::PeakRss, self.near.peak_rss),
            (Metric::PeerPeakRss, self.far.peak_rss),
        ];
        let series = vec![
            (Series::Cpu, self.near.cpu_us),
            (Series::PeerCpu, self.far.cpu_us),
            (Series::Rss, self.near.rss_kib),
            (Series::PeerRss, self.far.rss_kib),
        ];
        TransferCounts {
            counts: counts.into_iter().filter_map(|(metric, count)| Some((metric, count?))).collect(),
            series,
        }
    }
}

impl Course {
    /// The later one's course, and the higher peak.
    fn then(&self, later: Self) -> Self {
        Self { peak_rss: self.peak_rss.max(later.peak_rss), ..later }
    }
}
