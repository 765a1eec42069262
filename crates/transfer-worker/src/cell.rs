//! A prepared cell; of files: the file, the receiving process, and the results of the transfers between them.

use std::path::Path;

use ciphermeter_core::{Form, Metric, Series};
use ciphermeter_protocol::{Counted, Prepare};
use ciphermeter_transfer::SourceFile;

use crate::error::Error;
use crate::monitor::{Course, Monitor, STEP};
use crate::outcome::Outcome;
use crate::provider::{Provider, Sent};
use crate::receiver::ReceiverProcess;
use crate::scratch::{Scratch, warm};

/// A prepared cell. Dropping it removes what it made.
pub(crate) trait Cell {
    /// Brings what it sends near the CPU again, where the transfer before leaves it: other cells took their turns meanwhile.
    fn warm(&self) -> Result<(), Error>;

    /// One transfer, as the cell is to be measured.
    fn sample(&mut self, totals: &mut Totals) -> Result<(), Error>;

    /// The SHA-256 of what arrived: of what the last transfer left, or of one more transfer.
    fn digest(&mut self, of_last: bool) -> Result<[u8; 32], Error>;

    /// The number of the last sampled transfer; transfers for a digest have none.
    fn last(&self) -> u64;
}

/// A file that moves to a receiving process.
pub(crate) struct FileCell {
    provider: Box<dyn Provider>,
    receiver: ReceiverProcess,
    file: SourceFile,
    form: Form,
    /// Contains the file, and what the receiving process creates on this machine; removed after that process ends.
    _scratch: Scratch,
    /// The receiving process has a file.
    received: bool,
    last: u64,
}

/// The figures of one sample.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) ns: u64,
    pub(crate) cpu_ns: Option<u64>,
    handshake_ns: Option<u64>,
    durable_ns: Option<u64>,
    seal_ns: Option<u64>,
    open_ns: Option<u64>,
    peer_cpu_ns: Option<u64>,
    sender: Course,
    receiver: Course,
}

impl FileCell {
    pub(crate) fn new(
        prepare: &Prepare,
        provider: Box<dyn Provider>,
        start: impl FnOnce(&Path) -> Result<ReceiverProcess, Error>,
    ) -> Result<Self, Error> {
        let (scratch, file) = Scratch::with_message(prepare.seed, prepare.message)?;
        let mut receiver = start(scratch.path())?;
        receiver.open(&prepare.provider, prepare.algorithm)?;
        Ok(Self { provider, receiver, file, form: prepare.form, _scratch: scratch, received: false, last: 0 })
    }

    /// Transfers the file once.
    fn transfer(&mut self, form: Form, totals: &mut Totals) -> Result<(), Error> {
        self.received = false;
        let address = self.receiver.listen(form == Form::File)?;
        let monitor = Monitor::start(STEP);
        let sent = self.provider.send(&self.file, &address);
        let course = monitor.stop();
        // The receiver's reason says more than a broken connection.
        let outcome = self.receiver.outcome();
        let (sent, outcome) = match (sent, outcome) {
            (Ok(sent), Ok(outcome)) => (sent, outcome),
            (_, Err(error)) | (Err(error), _) => return Err(error),
        };
        self.received = form == Form::File;
        let durable = sent.durable.filter(|_| form == Form::File);
        totals.add(&Sent { durable, ..sent }, &outcome);
        totals.sender = totals.sender.followed_by(course);
        totals.receiver = totals.receiver.followed_by(outcome.course);
        Ok(())
    }
}

impl Cell for FileCell {
    /// The file may have left the memory, too.
    fn warm(&self) -> Result<(), Error> {
        warm(&self.file.path).map_err(Error::local)
    }

    fn sample(&mut self, totals: &mut Totals) -> Result<(), Error> {
        self.transfer(self.form, totals)?;
        self.last += 1;
        Ok(())
    }

    fn digest(&mut self, of_last: bool) -> Result<[u8; 32], Error> {
        if !(of_last && self.received) {
            self.transfer(Form::File, &mut Totals::default())?;
        }
        self.receiver.hash()
    }

    fn last(&self) -> u64 {
        self.last
    }
}

impl Totals {
    pub(crate) fn add(&mut self, sent: &Sent, outcome: &Outcome) {
        let first = self.ns == 0;
        let ns = |time: std::time::Duration| time.as_nanos() as u64;
        // The sum over all, or nothing: a partial sum is no figure.
        let add = |sum: &mut Option<u64>, more: Option<u64>| {
            *sum = if first { more } else { sum.zip(more).map(|(sum, more)| sum + more) };
        };
        add(&mut self.cpu_ns, sent.cpu.map(ns));
        add(&mut self.handshake_ns, sent.handshake.map(ns));
        add(&mut self.durable_ns, sent.durable.map(ns));
        add(&mut self.seal_ns, sent.seal.map(ns));
        add(&mut self.open_ns, outcome.open_ns);
        add(&mut self.peer_cpu_ns, outcome.cpu_ns);
        self.ns += ns(sent.authenticated);
    }

    pub(crate) fn counted(self) -> Counted {
        let counts = [
            (Metric::NS, Some(self.ns)),
            (Metric::CPU_NS, self.cpu_ns),
            (Metric::HANDSHAKE, self.handshake_ns),
            (Metric::DURABLE, self.durable_ns),
            (Metric::SEAL, self.seal_ns),
            (Metric::OPEN, self.open_ns),
            (Metric::PEER_CPU_NS, self.peer_cpu_ns),
            (Metric::PEAK_RSS, self.sender.peak_rss),
            (Metric::PEER_PEAK_RSS, self.receiver.peak_rss),
        ];
        let series = vec![
            (Series::Cpu, self.sender.cpu_us),
            (Series::PeerCpu, self.receiver.cpu_us),
            (Series::Rss, self.sender.rss_kib),
            (Series::PeerRss, self.receiver.rss_kib),
        ];
        Counted { counts: counts.into_iter().filter_map(|(metric, count)| Some((metric, count?))).collect(), series }
    }
}

impl Course {
    /// The later course, and the higher peak.
    fn followed_by(&self, later: Self) -> Self {
        Self { peak_rss: self.peak_rss.max(later.peak_rss), ..later }
    }
}
