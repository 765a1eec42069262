//! A prepared cell: the file, the receiving process, and what the transfers between them came to.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use aws_lc_rs::digest;
use ciphermeter_core::{Form, Metric, Series};
use ciphermeter_protocol::{Prepare, TransferCounts};

use super::monitor::{Course, Monitor};
use super::movers::{Mover, Sent};
use super::peer::{Peer, Seen};
use crate::source::SourceFile;
use crate::{Error, walk};

/// After so many bytes a message repeats, as PROTOCOL.md lays down.
const PERIOD: usize = 4093;

/// A prepared cell. Its folder goes with it.
pub(super) struct Cell {
    mover: Box<dyn Mover>,
    peer: Peer,
    file: SourceFile,
    form: Form,
    folder: Folder,
    /// The transfer that was made last.
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
    pub(super) fn new(prepare: &Prepare, mover: Box<dyn Mover>, child: Command) -> Result<Self, Error> {
        let (folder, file) = Folder::with_message(prepare.cell, prepare.seed, prepare.message)?;
        fs::create_dir(folder.0.join("received")).map_err(|why| Error::File(why.to_string()))?;
        Ok(Self { mover, peer: Peer::start(child)?, file, form: prepare.form, folder, last: 0 })
    }

    fn received(&self) -> PathBuf {
        self.folder.0.join("received/message")
    }

    /// Moves the file once.
    pub(super) fn transfer(&mut self, form: Form, sum: &mut Sum) -> Result<(), Error> {
        let received = self.received();
        if let Err(error) = fs::remove_file(&received)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(Error::File(format!("{} can't be removed ({error})", received.display())));
        }
        let address = self.peer.order((form == Form::File).then_some(&*received))?;
        let monitor = Monitor::start();
        let sent = self.mover.send(&self.file, &address);
        let near = monitor.stop();
        // Why the receiver failed says more than that the connection broke.
        let seen = self.peer.seen();
        let (sent, seen) = match (sent, seen) {
            (Ok(sent), Ok(seen)) => (sent, seen),
            (_, Err(error)) | (Err(error), _) => return Err(error),
        };
        self.last += 1;
        sum.add(form, &sent, &seen);
        (sum.near, sum.far) = (sum.near.then(near), sum.far.then(seen.course));
        Ok(())
    }

    /// Moves it as the cell is to be measured.
    pub(super) fn sample(&mut self, sum: &mut Sum) -> Result<(), Error> {
        self.transfer(self.form, sum)
    }

    /// The SHA-256 of what the receiver had: of the very file that the last transfer left, or of one more.
    pub(super) fn digest(&mut self, of_last: bool) -> Result<[u8; 32], Error> {
        if !(of_last && self.form == Form::File && self.received().exists()) {
            self.transfer(Form::File, &mut Sum::default())?;
        }
        let hashed =
            hash(&self.received()).map_err(|why| Error::File(format!("what was received can't be read ({why})")));
        if self.form == Form::Discard {
            let _ = fs::remove_file(self.received());
        }
        hashed
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

/// A folder for temporary files that goes when it is dropped.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A folder with the file of a cell in it: its message.
    pub(super) fn with_message(cell: u64, seed: u64, bytes: u64) -> Result<(Self, SourceFile), Error> {
        let folder = Self::new(cell)?;
        let path = folder.0.join("message");
        write_message(&path, seed, bytes).map_err(|why| Error::File(why.to_string()))?;
        let listing = walk(&[path]).map_err(|error| Error::File(error.to_string()))?;
        let file = listing.files.into_iter().next().ok_or_else(|| Error::File("the message is gone".into()))?;
        Ok((folder, file))
    }

    fn new(cell: u64) -> Result<Self, Error> {
        let path = std::env::temp_dir().join(format!("ciphermeter-transfer-{}-{cell}", std::process::id()));
        let failed = |error: io::Error| {
            Error::File(format!("{} can't be made ({error}): name another folder by TMPDIR", path.display()))
        };
        // What is there already is somebody else's, or of a process that was killed and had this one's number.
        fs::create_dir(&path).map_err(failed)?;
        // Paths are looked at without following links from here on.
        path.canonicalize().map(Self).map_err(failed)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// stream(`message`, seed, n), as PROTOCOL.md lays it down.
fn write_message(path: &Path, seed: u64, bytes: u64) -> io::Result<()> {
    let mut period = Vec::with_capacity(PERIOD + 32);
    for i in 0..PERIOD.div_ceil(32) {
        period.extend_from_slice(
            digest::digest(&digest::SHA256, format!("ciphermeter message {seed} {i}").as_bytes()).as_ref(),
        );
    }
    period.truncate(PERIOD.min(usize::try_from(bytes).unwrap_or(PERIOD)));
    let portion = period.repeat(256);
    let mut file = File::create_new(path)?;
    let mut left = bytes;
    while left > 0 {
        let length = left.min(portion.len() as u64);
        file.write_all(&portion[..length as usize])?;
        left -= length;
    }
    Ok(())
}

fn hash(path: &Path) -> io::Result<[u8; 32]> {
    let (mut file, mut context) = (File::open(path)?, digest::Context::new(&digest::SHA256));
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")),
            read => context.update(&buffer[..read]),
        }
    }
}
