//! A prepared cell of the provider `dm-crypt`: a disk, a message, and where it was written last.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_lc_rs::digest;
use ciphermeter_core::Algorithm;
use ciphermeter_protocol::Prepare;
use ciphermeter_protocol::seed::{fill, period, stream};
use zeroize::Zeroizing;

use super::device::{BYTES, Buffer, SECTOR, open_to_read};
use super::ram::{RamDisk, RamDisks};
use super::{beneath, mapping};
use crate::cell::{Cell, Totals};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::provider::Sent;

/// The most bytes of one call of the system.
const BLOCK: usize = 1 << 20;

/// A prepared cell. Dropping it closes the mapping, which removes it.
pub(crate) struct DiskCell {
    /// Through the mapping, or the RAM disk itself.
    file: File,
    algorithm: Algorithm,
    key: Zeroizing<Vec<u8>>,
    /// Its length as asked for; the buffers hold whole sectors.
    message: usize,
    written: Buffer,
    back: Buffer,
    /// Where the message lies on the disk, if it does.
    place: Option<u64>,
    last: u64,
    /// Closed after the mapping.
    beneath: RamDisk,
}

impl DiskCell {
    pub(crate) fn new(prepare: &Prepare, disks: &Arc<RamDisks>) -> Result<Self, Error> {
        let fits = usize::try_from(prepare.message).ok().filter(|message| *message as u64 <= BYTES);
        let message =
            fits.ok_or_else(|| Error::local(format!("the RAM disk has {BYTES} bytes: take a smaller message")))?;
        let key = Zeroizing::new(stream("key", prepare.seed, prepare.algorithm.key_bytes()));
        let (beneath, bare) = disks.take()?;
        let file = match prepare.algorithm {
            Algorithm::RamDisk => bare,
            algorithm => {
                // The mapping wants the disk for itself.
                drop(bare);
                mapping::open(algorithm, &key, &beneath.path)?.ok_or_else(|| Error::local("no cipher of disks"))?
            }
        };
        let whole = message.next_multiple_of(SECTOR);
        let (mut written, back) = (Buffer::new(whole), Buffer::new(whole));
        fill(&mut written.bytes_mut()[..message], &period("message", prepare.seed, message));
        let algorithm = prepare.algorithm;
        Ok(Self { file, algorithm, key, message, written, back, place: None, last: 0, beneath })
    }

    /// Writes the message at the next place of the disk and reads it back; returns what both took.
    fn pass(&mut self) -> Result<(Duration, Duration), Error> {
        let failed = |why| Error::local(format!("the disk failed: {why}"));
        let whole = self.written.bytes().len() as u64;
        let next = self.place.map_or(0, |place| place + whole);
        let at = if next + whole > BYTES { 0 } else { next };
        let began = Instant::now();
        for (block, at) in self.written.bytes().chunks(BLOCK).zip((at..).step_by(BLOCK)) {
            self.file.write_all_at(block, at).map_err(failed)?;
        }
        let written = began.elapsed();
        for (block, at) in self.back.bytes_mut().chunks_mut(BLOCK).zip((at..).step_by(BLOCK)) {
            self.file.read_exact_at(block, at).map_err(failed)?;
        }
        self.place = Some(at);
        Ok((written, began.elapsed() - written))
    }

    /// That what lies beneath is the cipher's, and nothing else.
    fn check_beneath(&self, at: u64) -> Result<(), Error> {
        let failed = |why| Error::local(format!("cannot read {}: {why}", self.beneath.path.display()));
        let mut lies = Buffer::new(self.written.bytes().len().min(BLOCK));
        let beneath = open_to_read(&self.beneath.path).map_err(failed)?;
        beneath.read_exact_at(lies.bytes_mut(), at).map_err(failed)?;
        let mut right = self.written.bytes()[..lies.bytes().len()].to_vec();
        let encrypted = beneath::encrypt(self.algorithm, &self.key, &mut right, at);
        match encrypted.is_some() && right == lies.bytes() {
            true => Ok(()),
            false => Err(Error::local(format!(
                "what lies on the RAM disk is not {} of what was written",
                self.algorithm.title()
            ))),
        }
    }
}

impl Cell for DiskCell {
    fn warm(&self) -> Result<(), Error> {
        Ok(())
    }

    fn sample(&mut self, totals: &mut Totals) -> Result<(), Error> {
        let (written, read) = self.pass()?;
        // The kernel's own threads encrypt, so the CPU time of this process would say too little.
        let sent = Sent { authenticated: written + read, seal: Some(written), ..Sent::default() };
        let outcome = Outcome { open_ns: Some(read.as_nanos() as u64), ..Outcome::default() };
        totals.add(&sent, &outcome);
        self.last += 1;
        Ok(())
    }

    /// Of what is read once more from where it was written last.
    fn digest(&mut self, of_last: bool) -> Result<[u8; 32], Error> {
        if !of_last || self.place.is_none() {
            self.pass()?;
        }
        let at = self.place.unwrap_or(0);
        self.check_beneath(at)?;
        let failed = |why| Error::local(format!("the disk failed: {why}"));
        self.file.read_exact_at(self.back.bytes_mut(), at).map_err(failed)?;
        let hash = digest::digest(&digest::SHA256, &self.back.bytes()[..self.message]);
        Ok(hash.as_ref().try_into().expect("SHA-256 has 32 bytes"))
    }

    fn last(&self) -> u64 {
        self.last
    }
}
